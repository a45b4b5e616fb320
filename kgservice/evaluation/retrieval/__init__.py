"""Retrieval on judged queries (BEIR)."""
