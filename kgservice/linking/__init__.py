"""Linking of names to entities of Wikidata."""
