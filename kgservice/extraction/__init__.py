"""Triplets from chunks: the ready-made ones put in their place, and those that tables state."""
