"""RAGuard: the effect of misleading documents on verdicts about claims."""
