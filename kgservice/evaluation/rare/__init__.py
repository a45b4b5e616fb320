"""RARE: how robust answers are."""
