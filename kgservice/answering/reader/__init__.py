"""The parts of the extractive reader: what a question asks for, and what passages state."""
