"""Texts: sentences, values, periods, chunks, English words, and comparison of answers."""
