"""Versioned benchmarks: releases, submissions and the leaderboard (DRAGON, section 3)."""
