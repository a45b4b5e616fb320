"""Faults on a schedule: work is killed with SIGKILL at seeded moments, done again, and compared with undisturbed work."""
