"""Reads the Cypher files once; the only module that knows where they are.

Every statement of cypher/patterns walks the groups of a corpus in an index range. From the same text comes its variant
"around/<name>", which takes a list of group keys instead: a refresh enumerates only there. It leaves the readings of
rows without a fact of $changed at home and says how many there are (`stands`).
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kgservice.errors import KgserviceError

RANGE = re.compile(r"\$from <= f\.(sr|ro) < \$until")
END = "RETURN anchor, n, rows\nORDER BY anchor LIMIT $limit"
SIFTED = """RETURN anchor, n, [row IN rows |
  CASE WHEN $changed IS NULL OR ANY(r IN row.readings WHERE ANY(fact IN r.facts WHERE $changed[fact.key]))
  THEN row
  ELSE {asked: row.asked, relations: row.relations, named: row.named, answers: row.answers, stands: size(row.readings)}
  END] AS rows
ORDER BY anchor LIMIT $limit"""
HEADER = "$from ($code), $until ($code + '~')"


@cache
def queries() -> dict[str, str]:
    """Return every statement by its name, e.g. "write/facts" for cypher/write/facts.cypher."""
    found = dict(_read(files("cypher"), ""))
    if "schema/entity_key" not in found:
        raise KgserviceError(
            "another installed package is called `cypher` and hides ours: give kgservice an environment of its own"
        )
    patterns = [name for name in found if name.startswith("patterns/")]
    return found | {name.replace("patterns/", "around/"): _around(name, found[name]) for name in patterns}


def query(name: str) -> str:
    """Return one statement; a wrong name is a programming error (KeyError)."""
    return queries()[name]


def anchor_side(name: str) -> str:
    """Return which group of its first fact a statement of cypher/patterns is anchored at, "sr" or "ro"."""
    side: str = RANGE.findall(query(f"patterns/{name}"))[0]
    return side


def _around(name: str, text: str) -> str:
    if len(RANGE.findall(text)) != 1 or HEADER not in text:
        raise KgserviceError(f"cypher/{name}.cypher must walk one range of groups: $from <= f.sr < $until (or f.ro)")
    text = RANGE.sub(r"f.\1 IN $anchors", text).replace(HEADER, "$anchors (group keys)")
    return text.replace(END, SIFTED).replace("// Columns:", "//   $changed (null, or {fact key: true})\n// Columns:", 1)


def _read(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".cypher"):
            found.append((prefix + entry.name.removesuffix(".cypher"), entry.read_text(encoding="utf-8")))
    return found
