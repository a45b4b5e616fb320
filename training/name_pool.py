"""Names to draw from, and made-up ones, so that models learn from the words around names and know none by heart."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

ORDER = 3  # letters that decide the next one of a made-up name
SHORTEST, LONGEST = 3, 32  # characters of a made-up name


class Pool:
    """Names, and made-up ones whose letters follow each other as in these."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(set(names))
        self._next = defaultdict[str, list[str]](list)
        for name in self._names:
            padded = "\n" * ORDER + name + "\n"
            for at in range(ORDER, len(padded)):
                self._next[padded[at - ORDER : at]].append(padded[at])

    def drawn(self, made_up: bool, draw: random.Random) -> str:
        """Return one of the names, or a made-up one."""
        if not made_up:
            return draw.choice(self._names)
        while True:
            name = "\n" * ORDER
            while len(name) <= ORDER + LONGEST and not (len(name) > ORDER and name.endswith("\n")):
                name += draw.choice(self._next[name[-ORDER:]])
            if SHORTEST <= len(name.strip()) < LONGEST:
                return name.strip()
