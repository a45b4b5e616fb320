"""Evaluations of retrieval, of answers and of whole systems."""
