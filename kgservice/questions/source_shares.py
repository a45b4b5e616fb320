"""Which questions are over the share of a source (share.py): all of a corpus counted, or those that changes can move.

Of every source of a pattern's questions it is stored how many pass and from which rank on they are over its bound. A
run over all questions counts them anew. A refresh takes what changed off these counts and puts it on. That moves the
rank at a full source by a few questions, and none but these can come in or go out. They are found by walking the
pattern's questions in order of rank from there: a full source has more than its share of them, so with a share of .1 at
least one in ten is its own.

The corpus holds the totals only while the counts are true: a run takes them away before it writes and puts them back at
its end (`question_store.finish`). So where one was interrupted the next counts all questions.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple, Protocol

from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.filters.share import OVER, Fill, Passed, PatternTotals, fills, is_over, share_of
from kgservice.questions.question_store import Stored

Questions = Mapping[str, Passed]  # by id
Fills = dict[str, Fill]  # by source
Bounds = tuple[dict[str, int], dict[str, int]]  # of sources by kind, before the run and after it


class Settled(NamedTuple):
    """Those of a pattern's questions that a run decides about: `within` the share and `over` it."""

    within: list[Passed]
    over: list[Passed]


class Shares(Protocol):
    """The shares of one run. At its end `totals` are those of each pattern, empty if they are not counted, and `filled`
    the sources that are still to be stored, by pattern."""

    totals: dict[str, PatternTotals]
    filled: dict[str, Fills]

    def leave(self, pattern: str, one: Passed) -> None:
        """Count a question outside the scope as one that passes no longer."""

    def settle(self, passed: Mapping[str, Questions]) -> dict[str, Settled]:
        """Decide about the questions of some patterns, with what passes of those that this run looks at."""


class Drawn:
    """No share: of a plan with a limit it is kept while the questions are drawn."""

    def __init__(self) -> None:
        self.totals, self.filled = dict[str, PatternTotals](), dict[str, Fills]()

    def leave(self, pattern: str, one: Passed) -> None:
        """Nothing is counted."""

    def settle(self, passed: Mapping[str, Questions]) -> dict[str, Settled]:
        """All are within."""
        return {pattern: Settled(list(found.values()), []) for pattern, found in passed.items()}


class AllShares:
    """Every question of a corpus, counted anew; `near`: the ids of those that the run looks at, None for all."""

    def __init__(self, graph: Graph, corpus: str, share: float, near: Collection[str] | None) -> None:
        self._graph, self._corpus, self._share = graph, corpus, share
        self.totals, self.filled = dict[str, PatternTotals](), dict[str, Fills]()
        self._far: defaultdict[str, dict[str, Passed]] = defaultdict(dict)
        question_store.forget_sources(graph, corpus)
        question_store.rank(graph, corpus)
        if near is not None:
            for pattern, one in question_store.passed(graph, corpus):
                if one.id not in near:
                    self._far[pattern][one.id] = one

    def leave(self, pattern: str, one: Passed) -> None:
        """Leave it out of the count."""
        self._far[pattern].pop(one.id, None)

    def settle(self, passed: Mapping[str, Questions]) -> dict[str, Settled]:
        """Count the sources and store them: those of all patterns together may not fit in memory."""
        return {pattern: self._settled(pattern, found) for pattern, found in passed.items()}

    def _settled(self, pattern: str, found: Questions) -> Settled:
        every = [*self._far.pop(pattern, {}).values(), *found.values()]
        self.totals[pattern], filled = fills(every, self._share)
        question_store.save_sources(self._graph, self._corpus, {pattern: filled})
        return parted(every, filled)


class MovedShares:
    """What the changes since the last run can move; `totals` are that run's, `old` the questions in the scope."""

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        share: float,
        totals: Mapping[str, PatternTotals],
        old: Iterable[Stored],
    ) -> None:
        self._graph, self._corpus, self._share = graph, corpus, share
        self.totals, self.filled = dict(totals), dict[str, Fills]()
        self._gone: defaultdict[str, dict[str, Passed]] = defaultdict(dict)  # as they were counted
        for one in old:
            if one.passes:
                self._gone[one.pattern][one.id] = share_of(one.share, one.state)[1]

    def leave(self, pattern: str, one: Passed) -> None:
        """Take it off the counts."""
        self._gone[pattern][one.id] = one

    def settle(self, passed: Mapping[str, Questions]) -> dict[str, Settled]:
        """Decide about the questions that this run looks at, and about those beside them that the share moves."""
        moves = {pattern: _Moves(self._gone.pop(pattern, {}), found) for pattern, found in passed.items()}
        moved = {pattern: one for pattern, one in moves.items() if one.entered or one.left}
        filled = question_store.sources(self._graph, self._corpus, {name: one.balance for name, one in moved.items()})
        bounds = {pattern: self._bounds(pattern, one, filled[pattern]) for pattern, one in moved.items()}
        for pattern, full in question_store.full_sources(self._graph, self._corpus, _least(bounds)).items():
            filled[pattern] |= full
        for pattern, one in moved.items():
            one.walk(_Ranks(self._graph, self._corpus, pattern), filled[pattern], bounds[pattern])
            self.filled[pattern] = one.changed
        return {pattern: one.settled(filled.get(pattern, {})) for pattern, one in moves.items()}

    def _bounds(self, pattern: str, one: _Moves, filled: Fills) -> Bounds:
        """Move the totals of a pattern; return the bounds by kind before and after."""
        before = {source: filled[source].passed if source in filled else 0 for source in one.balance}
        now = {source: count + one.balance[source] for source, count in before.items()}
        was = self.totals.get(pattern, PatternTotals())
        self.totals[pattern] = is_now = was.moved(len(one.entered) - len(one.left), before, now)
        return was.bounds(was.passed, self._share), is_now.bounds(is_now.passed, self._share)


class _Moves:
    """What changes of a pattern's questions: `gone` as they were counted, `come` as they pass now; of the scope all."""

    def __init__(self, gone: Questions, come: Questions) -> None:
        same = {key for key, one in come.items() if key in gone and _alike(one, gone[key])}
        self.entered = [one for key, one in come.items() if key not in same]
        self.left = [one for key, one in gone.items() if key not in same]
        self.balance = Counter(chain.from_iterable(one.sources for one in self.entered))
        self.balance.subtract(chain.from_iterable(one.sources for one in self.left))
        self.changed: Fills = {}
        self._come, self._hidden = come, gone.keys() | come.keys()
        self._crossed = dict[str, Passed]()  # questions outside the scope that came in or went out at some source

    def walk(self, ranks: _Ranks, filled: Fills, bounds: Bounds) -> None:
        """Move the rank at which each of these sources is full, and note the questions in between."""
        for source in sorted(filled.keys() | self.balance.keys()):
            before = filled.get(source, Fill())
            was, most = (one.get(source[0], 0) for one in bounds)
            now = before.passed + self.balance[source]
            start = before.full_from
            inside = was + self._net(source, start) if start else now
            crossed = self._between(ranks, source, start, min(now, most) - inside)
            if now <= most:
                start = ""
            elif crossed:
                start = crossed[-1].rank + ("" if inside > most else " ")  # a blank: behind the last that came in
            self._crossed |= {one.id: one for one in crossed if one.id not in self._come}
            if source in self.balance or start != before.full_from:
                self.changed[source] = Fill(now, start)

    def settled(self, filled: Fills) -> Settled:
        """Part the questions that this run looks at and those in between."""
        if not (self.entered or self.left):
            over = [one for one in self._come.values() if one.state == OVER]
            return Settled([one for one in self._come.values() if one.state != OVER], over)
        return parted((*self._come.values(), *self._crossed.values()), filled | self.changed)

    def _net(self, source: str, start: str) -> int:
        """Return how many questions of a source more there are before a rank than there were."""
        come, gone = (
            sum(source in one.sources and one.rank < start for one in found) for found in (self.entered, self.left)
        )
        return come - gone

    def _between(self, ranks: _Ranks, source: str, start: str, more: int) -> list[Passed]:
        """Return the next `more` questions of a source from a rank on, or where it is negative the last ones before."""
        if not more:
            return []
        back = more < 0
        near = (
            one
            for one in self._come.values()
            if source in one.sources and ((not start or one.rank < start) if back else one.rank >= start)
        )
        far = (one for one in ranks.walk(source, start, abs(more), back=back) if one.id not in self._hidden)
        rank = attrgetter("rank")
        return list(islice(heapq.merge(sorted(near, key=rank, reverse=back), far, key=rank, reverse=back), abs(more)))


class _Ranks:
    """The questions of a pattern as they are stored, in order of rank."""

    def __init__(self, graph: Graph, corpus: str, pattern: str) -> None:
        self._graph, self._corpus, self._pattern = graph, corpus, pattern

    def walk(self, source: str, start: str, number: int, *, back: bool) -> Iterator[Passed]:
        """Yield the questions of a source from a rank on, or those before it from the last one; read by pages."""
        while page := question_store.ranked(self._graph, self._corpus, self._pattern, source, start, number, back=back):
            yield from page
            start = page[-1].rank + ("" if back else " ")


def parted(found: Iterable[Passed], filled: Fills) -> Settled:
    """Part questions by whether they are over the bound of a source."""
    done = Settled([], [])
    for one in found:
        done[is_over(one, filled)].append(one)
    return done


def _alike(one: Passed, other: Passed) -> bool:
    return one.turn == other.turn and set(one.sources) == set(other.sources)


def _least(bounds: Mapping[str, Bounds]) -> dict[str, dict[str, int]]:
    """Return, by pattern and kind, how many questions a source has at least one more than if it is full or was."""
    return {
        pattern: {kind: min(each[kind] for each in both if kind in each) for kind in both[0].keys() | both[1].keys()}
        for pattern, both in bounds.items()
    }
