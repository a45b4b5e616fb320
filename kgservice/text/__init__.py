"""Text by itself: sentences, values, periods, chunks, English words, comparison of answers."""
