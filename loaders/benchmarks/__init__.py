"""Question sets and corpora of published benchmarks."""
