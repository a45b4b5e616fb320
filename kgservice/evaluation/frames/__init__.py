"""FRAMES: questions that need several articles."""
