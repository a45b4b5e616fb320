"""Linking: which entity a name stands for."""
