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
from kgservice.questions.enumerate import PATTERNS, Choice, Standing, around, sifted, subgraphs
from kgservice.questions.stored import Stored

IsActive: TypeAlias = Callable[[str], bool]
Stands: TypeAlias = Callable[[Standing], bool]
SIFTED = 10_000  # changed facts; with more, every row at their anchors is fetched whole
PAGE = 100  # rows fetched at once where only some are wanted


class Scope(Protocol):
    """The rows and the stored questions of one run; `eligible` counts the rows that were looked at, by pattern."""

    eligible: Counter[str]

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions."""

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs in order of id."""

    def candidates(self, pattern: str, is_active: IsActive, stands: Stands) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs in the order in which they are selected.

        One without a changed fact may be left out where `stands` says that its question stays as it is stored.
        """

    def covers(self, pattern: str, asked: str, key: str) -> bool:
        """Whether a stored question is one of `stored`."""


class Whole:
    """All subgraphs; with a limit the active questions' come first, then the others' as the seed orders them."""

    def __init__(self, graph: Graph, corpus: str, choice: Choice, limit: int | None, seed: int) -> None:
        self._graph, self._corpus, self._choice, self._limit, self._seed = graph, corpus, choice, limit, seed
        self.eligible: Counter[str] = Counter()

    def stored(self) -> Iterator[Stored]:
        """Yield all stored questions."""
        return stored.listed(self._graph, self._corpus)

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield all eligible subgraphs."""
        return subgraphs(self._graph, self._corpus, pattern, self._choice)

    def candidates(self, pattern: str, is_active: IsActive, stands: Stands) -> Iterator[Subgraph]:
        """Yield all eligible subgraphs, drawn by the seed where there is a limit."""
        rows = _counted(self.eligible, pattern, self.rows(pattern))
        return rows if self._limit is None else self._drawn(pattern, rows, is_active)

    def covers(self, pattern: str, asked: str, key: str) -> bool:
        """Every question."""
        return True

    def _drawn(self, pattern: str, rows: Iterable[Subgraph], is_active: IsActive) -> Iterator[Subgraph]:
        order = [(not is_active(row.id), keys.digest(20, self._seed, row.id), row.id, row.asked) for row in rows]
        order.sort()
        for start in range(0, len(order), PAGE):
            wanted = [(key, asked) for _, _, key, asked in order[start : start + PAGE]]
            found = {row.id: row for row in around(self._graph, pattern, self._choice, anchored(pattern, wanted))}
            yield from (found[key] for key, _ in wanted if key in found)


class Changed:
    """The subgraphs anchored where the graph has changed; of patterns that look further, all."""

    def __init__(self, graph: Graph, corpus: str, choice: Choice, patterns: Iterable[str], found: Changes) -> None:
        self._graph, self._corpus, self._choice = graph, corpus, choice
        self._patterns = tuple(patterns)
        where = affected(graph, found, self._patterns, choice)
        self._anchors = where.anchors
        self._facts = where.facts if len(where.facts) <= SIFTED else None
        self._singles: list[Subgraph] = []
        self.eligible: Counter[str] = Counter()

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions of the plan's patterns that are anchored there."""
        kinds: dict[frozenset[str], list[str]] = defaultdict(list)
        for pattern in self._patterns:
            if not self._is_narrow(pattern):
                yield from stored.listed(self._graph, self._corpus, pattern=pattern)
                continue
            for asked, statement in PATTERNS[pattern].items():
                kinds[self._anchors[statement.name]].append(f"{pattern} {asked}")
        for anchors, here in kinds.items():
            yield from stored.at(self._graph, anchors, here)

    def rows(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs anchored there."""
        if pattern == "single":
            self._singles = self._singles or list(around(self._graph, pattern, self._choice, self._anchors))
            return iter(self._singles)
        if self._is_narrow(pattern):
            return around(self._graph, pattern, self._choice, self._anchors)
        return subgraphs(self._graph, self._corpus, pattern, self._choice)

    def candidates(self, pattern: str, is_active: IsActive, stands: Stands) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs anchored there, without those whose questions stay as they are stored."""
        if pattern == "single" or not self._is_narrow(pattern):
            yield from _counted(self.eligible, pattern, self.rows(pattern))
            return
        come: set[str] = set()  # rows without a changed fact whose question is not what is stored: others have gone
        for row in sifted(self._graph, pattern, self._choice, self._anchors, self._facts):
            self.eligible[pattern] += 1
            if isinstance(row, Subgraph):
                yield row
            elif not stands(row):
                come.add(row.id)
        groups = {key[: keys.GROUP] for key in come}
        anchors = {name: groups & known for name, known in self._anchors.items()}
        yield from (row for row in around(self._graph, pattern, self._choice, anchors) if row.id in come)

    def covers(self, pattern: str, asked: str, key: str) -> bool:
        """Whether a question is of the plan's patterns and anchored there."""
        if pattern not in self._patterns:
            return False
        anchors = self._anchors.get(PATTERNS[pattern][asked].name)
        return anchors is None or key[: keys.GROUP] in anchors

    def _is_narrow(self, pattern: str) -> bool:
        return all(statement.name in self._anchors for statement in PATTERNS[pattern].values())


def anchored(pattern: str, rows: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return the anchors of rows (id, asked) of a pattern, by statement."""
    anchors: dict[str, set[str]] = defaultdict(set)
    for key, asked in rows:
        anchors[PATTERNS[pattern][asked].name].add(key[: keys.GROUP])
    return anchors


def _counted(eligible: Counter[str], pattern: str, rows: Iterable[Subgraph]) -> Iterator[Subgraph]:
    for row in rows:
        eligible[pattern] += 1
        yield row
