"""How good rankings and answers are: measures, judges, significance."""
