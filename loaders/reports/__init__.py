"""Public reports that are cut and named alike."""
