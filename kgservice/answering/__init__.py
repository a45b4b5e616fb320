"""Answers to questions from passages: our generators, and systems of others."""
