"""Submissions, their scores and ranks, baselines, and the client of a team."""
