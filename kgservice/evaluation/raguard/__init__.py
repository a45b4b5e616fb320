"""RAGuard: what misleading documents do to verdicts on claims."""
