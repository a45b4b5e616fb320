"""Public reports, cut and named in the same way."""
