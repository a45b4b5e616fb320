"""evaluate: one module an experiment."""
