"""Other names in the places of a sentence's names, so that the relation reader learns from the words around them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

from reader_data import Example

NAMED = ("person", "organization", "place", "name")
ORDER = 3  # letters that decide the next one of a made-up name
SHORTEST, LONGEST = 3, 32  # characters of a made-up name


class NamePool:
    """Names, and made-up ones whose letters follow each other as in these."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = sorted(names)
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


class NameExchange:
    """The names of some sentences by their kind."""

    def __init__(self, found: Iterable[Example]) -> None:
        seen: dict[str, set[str]] = {kind: set() for kind in NAMED}
        for one in found:
            for start, end, kind in one.ends:
                if kind in seen and one.text[start : start + 1].isupper():
                    seen[kind].add(one.text[start:end])
        self._pools = {kind: NamePool(names) for kind, names in seen.items()}

    def exchanged(self, example: Example, made_up: bool, draw: random.Random) -> Example:
        """Return a sentence with other names of the same kinds; a part of a longer name ("Lovelace" of "Ada Lovelace")
        becomes the same part of the other one. Ends that lie over each other, pronouns and dates stay."""
        apart = [one for one in example.ends if one[2] in NAMED and example.text[one[0] : one[0] + 1].isupper()]
        apart = [one for one in apart if not any(_over(one, other) for other in example.ends if other is not one)]
        others: dict[str, str] = {}
        for start, end, kind in sorted(apart, key=lambda one: one[0] - one[1]):
            form = example.text[start:end]
            if form not in others:
                longer = next((known for known in others if form in (known.split()[0], known.split()[-1])), None)
                part = others[longer].split()[0 if longer.split()[0] == form else -1] if longer else ""
                others[form] = part or self._pools[kind].drawn(made_up, draw)
        text, at, moved = "", 0, {}
        for start, end, kind in sorted(apart):
            text += example.text[at:start]
            other = others[example.text[start:end]]
            moved[start, end, kind] = (len(text), len(text) + len(other), kind)
            text, at = text + other, end
        text += example.text[at:]
        ends = []
        for one in example.ends:
            shift = sum((new[1] - new[0]) - (old[1] - old[0]) for old, new in moved.items() if old[1] <= one[0])
            ends.append(moved.get(one) or (one[0] + shift, one[1] + shift, one[2]))
        return example._replace(text=text, ends=tuple(ends))


def _over(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
