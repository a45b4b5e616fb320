"""What a run of the selection looks at: the whole corpus, or the places where the graph has changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from kgservice.core import keys
from kgservice.core.records import Subgraph
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.affected import Changes, affected, facts_of
from kgservice.questions.draw_order import Place, place, qualified
from kgservice.questions.filters.share import OVER, led_to, sources
from kgservice.questions.patterns import PATTERNS, Anchors, SubgraphOptions, around, subgraphs
from kgservice.questions.question_store import TURNED, USED, Stored
from kgservice.questions.second_look import WITHHELD, LookResult, moved

TEXT_DECIDES = (WITHHELD, OVER, USED, TURNED)  # rejected for these, a question is active if the text has a rival less
PAGE = 40  # rows fetched at once where only some are wanted


class RefreshScope(Protocol):
    """The rows and the stored questions of one run; `eligible` counts the rows that were looked at, by pattern, and
    `sources` where those that a plan with a limit draws from come from."""

    eligible: Counter[str]
    sources: defaultdict[str, Counter[str]]

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions."""

    def candidates(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs in the order in which they are selected."""

    def may_draw(self, pattern: str, key: str) -> bool:
        """Whether a subgraph is one of those that a plan with a limit draws from."""

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Whether a stored question is one of `stored`."""

    def looked(self, stored: Iterable[Stored]) -> dict[str, LookResult]:
        """Return what the second look came to, by question, where it would come to the same now."""


class _Listed(NamedTuple):
    """A subgraph to be drawn from; its place ends with its id."""

    place: Place
    asked: str
    relations: tuple[tuple[str, str], ...]


class Whole:
    """All subgraphs, in order of id; with a limit in an order that depends on their text and the seed alone.

    What is listed to be drawn from is remembered: a scope can serve several runs, one after the other. `sources`: how
    many of it come from where, by pattern.
    """

    def __init__(self, graph: Graph, corpus: str, choice: SubgraphOptions, limit: int | None, seed: int) -> None:
        self._graph, self._corpus, self._choice, self._limit, self._seed = graph, corpus, choice, limit, seed
        self.eligible: Counter[str] = Counter()
        self._listed: dict[str, dict[str, _Listed]] = {}
        self.sources: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def stored(self) -> Iterator[Stored]:
        """Yield all stored questions."""
        return question_store.listed(self._graph, self._corpus)

    def candidates(self, pattern: str) -> Iterator[Subgraph]:
        """Yield all eligible subgraphs, drawn by the seed where there is a limit."""
        return self._all(pattern) if self._limit is None else self._drawn(pattern)

    def may_draw(self, pattern: str, key: str) -> bool:
        """Whether it was listed to be drawn from."""
        return key in self._listed.get(pattern, ())

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Every question."""
        return True

    def looked(self, stored: Iterable[Stored]) -> dict[str, LookResult]:
        """None: the whole text is read."""
        return {}

    def _all(self, pattern: str) -> Iterator[Subgraph]:
        return _counted(self.eligible, pattern, subgraphs(self._graph, self._corpus, pattern, self._choice))

    def _drawn(self, pattern: str) -> Iterator[Subgraph]:
        if pattern not in self._listed:
            listed = sorted(self._seen(pattern, row) for row in self._all(pattern))
            self._listed[pattern] = {one.place[-1]: one for one in listed}
        order = list(self._listed[pattern].items())
        for start in range(0, len(order), PAGE):
            page = order[start : start + PAGE]
            wanted = [(key, one.asked, question_store.beside(key, one.relations)) for key, one in page]
            found = {row.id: row for row in around(self._graph, pattern, self._choice, anchored(pattern, wanted))}
            yield from (found[key] for key, _ in page if key in found)

    def _seen(self, pattern: str, row: Subgraph) -> _Listed:
        facts = [fact for reading in row.readings for fact in reading.facts]
        lacks = row.relations[0] if row.asked == "nothing" else ""
        self.sources[pattern].update(sources(facts, lacks, led_to(row.asked, row.answers, facts)))
        return _Listed(place(row, self._seed), row.asked, qualified(row))


class Changed:
    """The subgraphs anchored where the graph has changed; of patterns that look further, all.

    `texts`: also those of the stored questions of which changed passages may say something else than before.
    """

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        choice: SubgraphOptions,
        patterns: Iterable[str],
        found: Changes,
        *,
        texts: bool,
    ) -> None:
        self._graph, self._corpus, self._choice = graph, corpus, choice
        self._patterns = tuple(patterns)
        self._anchors: Mapping[str, Anchors] = dict(affected(graph, found, self._patterns, choice))
        self.eligible: Counter[str] = Counter()
        self.sources: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._moved = set[str]()  # questions of which the text may say something else than before
        facts = found.facts | facts_of(graph, found.retyped)
        self._facts = {key for _, _, key in facts}
        self._groups = {group for sr, ro, _ in facts for group in (sr, ro)}
        if texts:
            beside = question_store.passages_beside(graph, found.retyped)
            self._look_again(found.passages.union(beside), found.mentioned.union(*beside.values()))

    def _look_again(self, passages: Iterable[str], forms: Iterable[str]) -> None:
        """Add the anchors of the stored questions about these names that the second look may end otherwise now."""
        rows = question_store.about(self._graph, forms, self._choice.max_pivot_degree, TEXT_DECIDES)
        stored = [row for row in rows if row["pattern"] in self._patterns and self._is_narrow(row["pattern"])]
        anchors = {name: dict(groups) for name, groups in self._anchors.items()}
        for row in moved(self._graph, stored, passages):
            self._moved.add(row["key"])
            group, groups = row["key"][: keys.GROUP], anchors[PATTERNS[row["pattern"]][row["asked"]].name]
            for kind, own in zip(("single_object", "single_subject"), row["groups"], strict=False):
                anchors[kind][own] = None  # one end of a fact may be asked for because the other is not
            codes, beside = groups.get(group, frozenset()), row["beside"]
            groups[group] = None if codes is None or not beside else codes.union(beside)
        self._anchors = anchors

    def stored(self) -> Iterator[Stored]:
        """Yield the stored questions of the plan's patterns that are anchored there."""
        anchors: dict[str, Anchors] = {}
        for pattern in self._patterns:
            if self._is_narrow(pattern):
                ends = PATTERNS[pattern].items()
                anchors |= {f"{pattern} {asked}": self._anchors[statement.name] for asked, statement in ends}
            else:
                yield from question_store.listed(self._graph, self._corpus, pattern=pattern)
        yield from question_store.at(self._graph, anchors)

    def candidates(self, pattern: str) -> Iterator[Subgraph]:
        """Yield the eligible subgraphs anchored there, in order of id."""
        if self._is_narrow(pattern):
            rows = around(self._graph, pattern, self._choice, self._anchors)
        else:
            rows = subgraphs(self._graph, self._corpus, pattern, self._choice)
        return _counted(self.eligible, pattern, rows)

    def may_draw(self, pattern: str, key: str) -> bool:
        """None: a plan with a limit looks at the whole corpus."""
        return False

    def covers(self, pattern: str, asked: str, key: str, beside: Iterable[str]) -> bool:
        """Whether a question is of the plan's patterns and anchored there, by these second relations."""
        if pattern not in self._patterns:
            return False
        if not self._is_narrow(pattern):
            return True
        found = self._anchors[PATTERNS[pattern][asked].name]
        codes = found.get(key[: keys.GROUP], frozenset())
        return codes is None or not codes.isdisjoint(beside)

    def looked(self, stored: Iterable[Stored]) -> dict[str, LookResult]:
        """Return what the look came to where neither the text nor one of the facts has changed.

        A question of several conditions also depends on what else meets each: the facts in the groups of its own.
        """
        kept = [
            one
            for one in stored
            if self._is_narrow(one.pattern)
            and (one.state == "active" or (one.state == "rejected" and one.reason in TEXT_DECIDES))
            and one.linked
            and one.id not in self._moved
            and self._facts.isdisjoint(one.fact_keys)
        ]
        of_several = {fact for one in kept if one.asked == "pivot" for fact in one.fact_keys}
        groups = {key: {fact.sr, fact.ro} for key, fact in question_store.known_facts(self._graph, of_several).items()}
        return {
            one.id: (WITHHELD if one.reason == WITHHELD else "", one.rivals)
            for one in kept
            if one.asked != "pivot"
            or all(self._groups.isdisjoint(groups.get(key, self._groups)) for key in one.fact_keys)
        }

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
    eligible[pattern] = 0
    for row in rows:
        eligible[pattern] += 1
        yield row
