"""The Cypher files and the style of Neo4j Browser. No other module knows their location."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from kgservice.core import keys
from kgservice.core.errors import KgserviceError, NotFound

EXAMPLE = keys.corpus_code("demo")  # in statements that cannot take a corpus as a parameter
NAMES_INDEX = "retrieve/nearest_published"  # such a statement, which is read
NEWER = "2026"  # the folder of statements that only Neo4j of this series and later ones take
_CONDITION = re.compile(r"\s+AND \((?:(\$\w+|coalesce\([$\w, ]+\)) IS NULL|NOT (\$\w+)) OR ")


@cache
def queries(series: int = 5) -> dict[str, str]:
    """Return every statement for a series of Neo4j by its name, such as "write/facts" for cypher/write/facts.cypher.

    From 2026 on a statement in cypher/2026 replaces the one of the same name. Raises KgserviceError if another
    installed package hides ours.
    """
    statements = dict(_read(files("cypher"), ""))
    newer = {name: statements.pop(name) for name in sorted(statements) if name.startswith(f"{NEWER}/")}
    if series >= int(NEWER):
        statements |= {name.removeprefix(f"{NEWER}/"): text for name, text in newer.items()}
    if "schema/entity_key" not in statements:
        raise KgserviceError(
            "another installed package is called `cypher` and hides ours: give kgservice an environment of its own"
        )
    return statements


def query(name: str) -> str:
    """Return one statement. Raises KeyError for a wrong name, which is a programming error."""
    return queries()[name]


def query_for(name: str, parameters: Mapping[str, Any], series: int = 5) -> str:
    """Return a statement for a series of Neo4j without the conditions of options that are off.

    Each plan and each row pays for them. `AND ($type IS NULL OR …)` goes if `type` is None, `AND (NOT $novel OR …)` if
    `novel` is False, `AND (coalesce($one, $other) IS NULL OR …)` if both are None. A statement that names the index of
    a corpus gets that of the corpus whose `code` is given.
    """
    off = frozenset(option for option, value in parameters.items() if value is None or value is False)
    text = _without(name, off, series)
    return text.replace(EXAMPLE, parameters.get("code", EXAMPLE)) if name == NAMES_INDEX else text


@cache
def _without(name: str, off: frozenset[str], series: int) -> str:
    text = queries(series)[name]
    for condition in reversed(list(_CONDITION.finditer(text))):
        if off.issuperset(re.findall(r"\w+", (condition[1] or condition[2]).removeprefix("coalesce"))):
            text = text[: condition.start()] + text[_closing(text, condition.end()) :]
    return text


def _closing(text: str, start: int) -> int:
    """Return the place behind the bracket that closes the one open at `start`."""
    depth = 1
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    raise ValueError("a bracket is never closed")


def pictures() -> list[str]:
    """Return the names of the queries for Neo4j Browser (cypher/explore)."""
    return [name.removeprefix("explore/") for name in queries() if name.startswith("explore/")]


def explored(name: str, corpus: str, entity: str = "") -> str:
    """Return a query for Neo4j Browser about a corpus, and about an entity if it needs one.

    Raises NotFound if there is no such query.
    """
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
    """Return the style of Neo4j Browser (cypher/explore/style.grass): properties by selector."""
    text = (files("cypher") / "explore" / "style.grass").read_text(encoding="utf-8")
    return {
        selector: dict(pair.split(": ", 1) for pair in re.split(r";\s*", inner.strip()) if pair)
        for selector, inner in re.findall(r"^(\S+) \{ (.*) \}$", text.replace("'", ""), re.MULTILINE)
    }


def _read(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    statements: list[tuple[str, str]] = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.is_dir():
            statements += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".cypher"):
            statements.append((prefix + entry.name.removesuffix(".cypher"), entry.read_text(encoding="utf-8")))
    return statements
