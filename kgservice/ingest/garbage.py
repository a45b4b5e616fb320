"""How often Python looks for cycles of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 200_000  # objects more than were freed, before Python looks among them


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Have Python look for cycles seldom, and as before afterwards.

    Records hold none, and a batch of a load has so many that the looking took a third of its processor time.
    """
    before = gc.get_threshold()
    gc.set_threshold(SELDOM, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
