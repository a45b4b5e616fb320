"""Variants of an item's names: with a place after a comma, with other spaces, or as its adjective."""

from __future__ import annotations

import re

from kgservice.linking.wikidata_index import IndexedItem, folded
from kgservice.names.mentions import ADJECTIVE

NAMES = 9  # names of an item that are compared
LETTERS = 3  # letters that an adjective shares with its noun, and that the noun may lose

_BETWEEN = re.compile(r"[\W_]+")


def variants(name: str, item: IndexedItem) -> dict[str, float]:
    """Return the ways in which a name is a variant of an item's names, each with 1.

    `core`: its part before a comma is a name. `joined`: it has other spaces. `adjective`: "Jordanian" of Jordan.
    """
    own = folded(name)
    core = folded(name.partition(",")[0]) if "," in name else ""
    ways = set()
    for other in map(folded, (item.label, *item.aliases[: NAMES - 1])):
        if other and other == core:
            ways.add("core")
        if other != own and _BETWEEN.sub("", other) == _BETWEEN.sub("", own) != "":
            ways.add("joined")
    if _is_adjective(own.split(), folded(item.label).split()):
        ways.add("adjective")
    return dict.fromkeys(sorted(ways), 1.0)


def _is_adjective(words: list[str], noun: list[str]) -> bool:
    """Return whether the last word is the adjective of the last word of a noun: "south american", "south america".



    >>> _is_adjective(["spanish"], ["spain"]), _is_adjective(["romania"], ["rome"])
    (True, False)
    """
    if not words or len(words) != len(noun) or words[:-1] != noun[:-1] or words == noun:
        return False
    shared = next((at for at, pair in enumerate(zip(words[-1], noun[-1], strict=False)) if pair[0] != pair[1]), None)
    same = min(len(words[-1]), len(noun[-1])) if shared is None else shared
    return bool(ADJECTIVE.search(words[-1])) and same >= LETTERS and same >= len(noun[-1]) - LETTERS
