"""A service from the outside: its corpora over HTTP."""
