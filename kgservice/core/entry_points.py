"""What other packages add: the entry points of what is installed."""

from __future__ import annotations

import sys
from functools import cache
from importlib import metadata


def entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the installed entry points of a group, e.g. "kgservice.loaders"."""
    return _entry_points(group, tuple(sys.path))


@cache  # a look at all that is installed takes 0.1 s
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[metadata.EntryPoint, ...]:
    return tuple(metadata.entry_points(group=group))
