"""The gate: asks any system the questions of a corpus or release, and fails where it got worse than it was."""
