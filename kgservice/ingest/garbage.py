"""How often Python looks for cycles of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

SELDOM = 200_000  # objects more than were freed, before Python looks among them
_lock = Lock()
_usual: list[tuple[int, int, int]] = []  # the thresholds before, once for each load under way


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Have Python look for cycles seldom, and as before after the last of the loads under way.

    Records hold none, and a batch of a load has so many that the looking took a third of its processor time.
    """
    with _lock:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        gc.set_threshold(SELDOM, *_usual[0][1:])
    try:
        yield
    finally:
        with _lock:
            before = _usual.pop()
            if not _usual:
                gc.set_threshold(*before)
