"""Questions as files for others, and those that are shown first."""
