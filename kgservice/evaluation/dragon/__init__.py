"""DRAGON: whole systems on a release."""
