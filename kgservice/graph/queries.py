"""Reads the Cypher files, and the style that goes with them; the only module that knows where they are."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from kgservice.core.errors import KgserviceError, NotFound

NEWER = "2026"  # the folder of statements that only Neo4j of this series and later ones take


@cache
def queries(series: int = 5) -> dict[str, str]:
    """Return every statement for a series of Neo4j by its name, e.g. "write/facts" for cypher/write/facts.cypher.

    From 2026 on a statement in cypher/2026 takes the place of the one of the same name.
    """
    found = dict(_read(files("cypher"), ""))
    newer = {name: found.pop(name) for name in sorted(found) if name.startswith(f"{NEWER}/")}
    if series >= int(NEWER):
        found |= {name.removeprefix(f"{NEWER}/"): text for name, text in newer.items()}
    if "schema/entity_key" not in found:
        raise KgserviceError(
            "another installed package is called `cypher` and hides ours: give kgservice an environment of its own"
        )
    return found


def query(name: str) -> str:
    """Return one statement; a wrong name is a programming error (KeyError)."""
    return queries()[name]


def pictures() -> list[str]:
    """Return the names of the queries for Neo4j Browser (cypher/explore)."""
    return [name.removeprefix("explore/") for name in queries() if name.startswith("explore/")]


def explored(name: str, corpus: str, entity: str = "") -> str:
    """Return a query for Neo4j Browser about a corpus, and a thing where it is about one (NotFound for none)."""
    if name not in pictures():
        raise NotFound(f"no picture {name!r}: choose one of {', '.join(pictures())}")
    lines = query(f"explore/{name}").splitlines()
    text = " ".join(line.strip() for line in lines if not line.startswith("//"))
    named = text.replace("'demo'", _quoted(corpus))
    return named.replace("'Port Ambrel'", _quoted(entity)) if entity else named


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def style() -> dict[str, dict[str, str]]:
    """Return how Neo4j Browser is to draw the graph (cypher/explore/style.grass): properties by selector."""
    text = (files("cypher") / "explore" / "style.grass").read_text(encoding="utf-8")
    return {
        selector: dict(pair.split(": ", 1) for pair in re.split(r";\s*", inner.strip()) if pair)
        for selector, inner in re.findall(r"^(\S+) \{ (.*) \}$", text.replace("'", ""), re.MULTILINE)
    }


def _read(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".cypher"):
            found.append((prefix + entry.name.removesuffix(".cypher"), entry.read_text(encoding="utf-8")))
    return found
