"""What a run of the selection looks at: the whole corpus, or the places where the graph has changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeAlias

from kgservice import keys
from kgservice.graph.store import Graph
from kgservice.model import Subgraph
from kgservice.questions import stored
from kgservice.questions.affected import Changes, affected
from kgservice.questions.enumerate import PATTERNS, Anchors, Choice, around, subgraphs
from kgservice.questions.stored import Stored

IsActive: TypeAlias = Callable[[str], bool]
PAGE = 40  # rows fetched at once where only some are wanted


class Scope(Protocol):
    """The rows and the stored questions of one run; `eligible` counts the rows that were looked at, by pattern."""

    eligible: Counter[str]

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions."""

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs in order of id."""

    def candidates(self, pattern: str, is_active: IsActive) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs in the order in which they are selected."""

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Whether a stored question is one of `stored`."""


class Whole:
    """All subgraphs; with a limit the active questions' come first, then the others' as the seed orders them.

    What is listed to be drawn from is remembered: a scope can serve several runs, one after the other.
    """

    def __init__(self, graph: Graph, corpus: str, choice: Choice, limit: int | None, seed: int) -> None:
        self._graph, self._corpus, self._choice, self._limit, self._seed = graph, corpus, choice, limit, seed
        self.eligible: Counter[str] = Counter()
        self._listed: dict[str, list[tuple[str, str, str, tuple[str, ...]]]] = {}

    def stored(self) -> Iterator[Stored]:
        """Yield all stored questions."""
        return stored.listed(self._graph, self._corpus)

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield all eligible subgraphs."""
        return subgraphs(self._graph, self._corpus, pattern, self._choice)

    def candidates(self, pattern: str, is_active: IsActive) -> Iterator[Subgraph]:
        """Yield all eligible subgraphs, drawn by the seed where there is a limit."""
        if self._limit is None:
            return _counted(self.eligible, pattern, self.rows(pattern))
        return self._drawn(pattern, is_active)

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Every question."""
        return True

    def _drawn(self, pattern: str, is_active: IsActive) -> Iterator[Subgraph]:
        if pattern not in self._listed:
            rows = _counted(self.eligible, pattern, self.rows(pattern))
            self._listed[pattern] = sorted(
                (keys.digest(20, self._seed, row.id), row.id, row.asked, row.relations) for row in rows
            )
        order = sorted(self._listed[pattern], key=lambda row: not is_active(row[1]))
        for start in range(0, len(order), PAGE):
            wanted = [
                (key, asked, stored.beside(key, relations)) for _, key, asked, relations in order[start : start + PAGE]
            ]
            found = {row.id: row for row in around(self._graph, pattern, self._choice, anchored(pattern, wanted))}
            yield from (found[key] for key, _, _ in wanted if key in found)


class Changed:
    """The subgraphs anchored where the graph has changed; of patterns that look further, all."""

    def __init__(self, graph: Graph, corpus: str, choice: Choice, patterns: Iterable[str], found: Changes) -> None:
        self._graph, self._corpus, self._choice = graph, corpus, choice
        self._patterns = tuple(patterns)
        self._anchors = affected(graph, found, self._patterns, choice)
        self._singles: list[Subgraph] = []
        self.eligible: Counter[str] = Counter()

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions of the plan's patterns that are anchored there."""
        anchors: dict[str, Anchors] = {}
        for pattern in self._patterns:
            if self._is_narrow(pattern):
                ends = PATTERNS[pattern].items()
                anchors |= {f"{pattern} {asked}": self._anchors[statement.name] for asked, statement in ends}
            else:
                yield from stored.listed(self._graph, self._corpus, pattern=pattern)
        yield from stored.at(self._graph, anchors)

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs anchored there."""
        if pattern == "single":
            self._singles = self._singles or list(around(self._graph, pattern, self._choice, self._anchors))
            return iter(self._singles)
        if self._is_narrow(pattern):
            return around(self._graph, pattern, self._choice, self._anchors)
        return subgraphs(self._graph, self._corpus, pattern, self._choice)

    def candidates(self, pattern: str, is_active: IsActive) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs anchored there, in order of id."""
        return _counted(self.eligible, pattern, self.rows(pattern))

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Whether a question is of the plan's patterns and anchored there, by these second relations."""
        if pattern not in self._patterns:
            return False
        if not self._is_narrow(pattern):
            return True
        found = self._anchors[PATTERNS[pattern][asked].name]
        codes = found.get(key[: keys.GROUP], frozenset())
        return codes is None or not codes.isdisjoint(beside)

    def _is_narrow(self, pattern: str) -> bool:
        return all(statement.name in self._anchors for statement in PATTERNS[pattern].values())


def anchored(pattern: str, rows: Iterable[tuple[str, str, Iterable[str]]]) -> dict[str, Anchors]:
    """Return the anchors of rows (id, asked, codes of their second relations) of a pattern, by statement."""
    anchors: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    for key, asked, beside in rows:
        known = anchors[PATTERNS[pattern][asked].name]
        known[key[: keys.GROUP]] = known.get(key[: keys.GROUP], frozenset()).union(beside)
    return dict(anchors)


def _counted(eligible: Counter[str], pattern: str, rows: Iterable[Subgraph]) -> Iterator[Subgraph]:
    for row in rows:
        eligible[pattern] += 1
        yield row
