"""Generators: what answers a question from passages, ours and anyone's."""
