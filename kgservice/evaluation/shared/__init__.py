"""Shared parts of the experiments: sample, run folder, measured answers, and the report's page."""
