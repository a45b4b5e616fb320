"""A limit of requests a minute for each caller, by token buckets of one minute's requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

REMEMBERED = 10_000  # callers; beyond it full buckets are dropped, which changes nothing for their callers


class Limit:
    """A count of callers' requests. 0 a minute: no limit."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._size, self._clock = a_minute, clock
        self._lock = threading.Lock()
        self._buckets: dict[str, tuple[float, float]] = {}  # what was left, and when

    def wait(self, who: str) -> float:
        """Count a request and return 0, or return the seconds until the next one is allowed."""
        if not self._size:
            return 0.0
        with self._lock:
            now = self._clock()
            left = self._left(who, now)
            if left < 1:
                return (1 - left) * 60 / self._size
            if len(self._buckets) >= REMEMBERED:
                self._buckets = {one: self._buckets[one] for one in self._buckets if self._left(one, now) < self._size}
            self._buckets[who] = (left - 1, now)
            return 0.0

    def _left(self, who: str, now: float) -> float:
        left, then = self._buckets.get(who, (self._size, now))
        return min(self._size, left + (now - then) * self._size / 60)
