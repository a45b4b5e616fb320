"""The parts of the extractive reader: types of answers, statements of passages, and chains of statements."""
