"""Measures of rankings and answers, judges, and significance tests."""
