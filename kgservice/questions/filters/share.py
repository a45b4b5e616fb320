"""The share of a pattern's questions that may come from one source: a document, a chunk of a table, an end, a relation.

The relations of a question of several facts count as one: "when was the director of X born" and "where was the director
of X born" are two. Two conditions are asked of one answer once: all that a corpus says of it makes many pairs. The last
fact of a chain or star is asked about once: not an artist's birthday over each of his albums. A thing is compared once.

The bound is a share of the questions that pass everything else (with a limit: of the limit), so it does not depend on
itself. Questions come in an order by their text, and one is over the share where the bound of one of its sources had
been reached before it. So a new question moves at most one other of each of its sources.

A corpus of three documents or four relations cannot do with a tenth of each: a source may always have twice what it
would have if all sources of its kind had as many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import NamedTuple

from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Fact, Question, Record
from kgservice.core.schema import load_schema
from kgservice.questions.wording.figure_phrases import measure

OVER = "enough from the same document, table, entity or relation"
NAME = "share"
FEW = 20  # questions that a source may have of a pattern in any case
ANSWER, ONCE = "a", 1  # the kind of what conditions or steps lead to, and how many such questions it may have
COMPARED = ("larger", "smaller", "earlier", "later")
EVEN = 2  # times what a source would have if all of its kind had as many


class Passed(NamedTuple):
    """A question that passes everything else; `facts` and `sources` are keys, `near`: this run looks at it itself."""

    turn: str
    id: str
    sources: Collection[str]
    facts: Collection[str]
    state: str
    near: bool

    @property
    def rank(self) -> str:
        """The question's place in the order in which the sources of a pattern fill up."""
        return f"{self.turn} {self.id}"


class PatternTotals(Record):
    """How many questions of a pattern pass everything else; by kind of source (its letter), how many pairs of such a
    question and a source there are, and how many sources."""

    passed: int = 0
    pairs: dict[str, int] = Field(default_factory=dict)
    sources: dict[str, int] = Field(default_factory=dict)

    def moved(self, passed: int, before: Mapping[str, int], now: Mapping[str, int]) -> PatternTotals:
        """Return the totals after `passed` more questions: `before` and `now` are the questions of sources."""
        pairs, sources = Counter(self.pairs), Counter(self.sources)
        for source, count in now.items():
            pairs[source[0]] += count - before.get(source, 0)
            sources[source[0]] += (count > 0) - (before.get(source, 0) > 0)
        return PatternTotals(passed=self.passed + passed, pairs=+pairs, sources=+sources)

    def bounds(self, number: int, share: float) -> dict[str, int]:
        """Return how many of `number` questions may come from one source, by kind."""
        part = number / max(self.passed, 1)
        return {
            kind: ONCE if kind == ANSWER else max(FEW, int(share * number), int(EVEN * part * self.pairs[kind] / count))
            for kind, count in self.sources.items()
        }


class SourceShare:
    """The bounds of one pattern's sources, and how many questions of each have come.

    `counted` are the questions of each source, of `population` in all, of which `number` are asked for.
    """

    def __init__(self, counted: Mapping[str, int], population: int, number: int, share: float) -> None:
        self._most = PatternTotals().moved(population, {}, counted).bounds(number, share)
        self._come = Counter[str]()

    def admit(self, sources: Iterable[str]) -> bool:
        """Count a question and return whether none of its sources had reached its bound before."""
        found = list(sources)
        admitted = all(self._come[one] < self._most.get(one[0], FEW) for one in found)
        self._come.update(found)
        return admitted


class Fill(NamedTuple):
    """How many questions of a source pass, and the rank from which on they are over its bound, "" if none is."""

    passed: int = 0
    full_from: str = ""


def fills(passed: Collection[Passed], share: float) -> tuple[PatternTotals, dict[str, Fill]]:
    """Return the totals of a pattern's questions and how each source is filled."""
    counted = Counter(chain.from_iterable(one.sources for one in passed))
    totals = PatternTotals().moved(len(passed), {}, counted)
    most = totals.bounds(len(passed), share)
    full = frozenset(source for source, count in counted.items() if count > most[source[0]])
    limits, come = dict[str, str](), Counter[str]()
    for one in sorted(one for one in passed if not full.isdisjoint(one.sources)):
        for source in full.intersection(one.sources):
            if come[source] == most[source[0]]:
                limits[source] = one.rank
            come[source] += 1
    return totals, {source: Fill(count, limits.get(source, "")) for source, count in counted.items()}


def is_over(one: Passed, filled: Mapping[str, Fill]) -> bool:
    """Return whether a question is over the bound of one of its sources; a source that is absent is not full."""
    found = (filled[source].full_from for source in one.sources if source in filled)
    return any(start and one.rank >= start for start in found)


def sources(facts: Iterable[Fact], lacks: str = "", meets: Iterable[str] = ()) -> frozenset[str]:
    """Return where a question's facts come from and what they are about; the first letter is the kind.

    `lacks`: the relation that is asked for where no fact has it; `meets`: what `led_to` returns.
    """
    facts = list(facts)
    relations = [lacks] if lacks else sorted({fact.property for fact in facts})
    found = {f"r{keys.digest(10, *relations)}", *(f"{ANSWER}{keys.digest(10, one)}" for one in meets)}
    for fact in facts:
        found |= {f"e{keys.digest(10, end)}" for end in (fact.subject, fact.object)}
        found |= {f"d{one.document}" for one in fact.statements}
        found |= {f"t{one.chunk}" for one in fact.statements if one.cell}
    return frozenset(found)


def sources_of(question: Question) -> frozenset[str]:
    """Return the sources of a question, none where a person wants it asked."""
    if question.metadata.get("review") in ("keep", "edit"):
        return frozenset()
    meets = led_to(question.asked, question.answers, question.facts)
    return sources(question.facts, str(question.metadata.get("lacks", "")), meets)


def led_to(asked: str, answers: Collection[str], facts: Iterable[Fact]) -> tuple[str, ...]:
    """Return what conditions lead to, the answers, or steps: the facts that say the answer of a bridge.

    What is compared counts likewise: each thing once.
    """
    if asked == "pivot":
        return tuple(answers)
    if asked in COMPARED:
        return tuple(one.subject for one in facts)
    if asked not in ("first", "last"):
        return ()
    last = (one for one in facts if {one.subject, one.object}.intersection(answers))
    return tuple(" | ".join((one.subject, one.property, one.object, one.period)) for one in last)


def turn(question: Question) -> str:
    """Return a question's place in an order that depends on the text of its facts alone.

    Of the conditions that lead to one answer those that name a work, a body or a person come before those with a value
    or a place. Figures come last whose label must be quoted, as nobody calls them so.
    """
    said = sorted((fact.subject, fact.property, fact.object, fact.period) for fact in question.facts)
    vague = sum(map(_is_vague if question.asked == "pivot" else _is_quoted, question.facts))
    return f"{vague}{keys.digest(20, question.pattern, question.asked, sorted(question.answers), said)}"


def _is_vague(fact: Fact) -> bool:
    """Return whether a fact ends with a value or, by the default schema, in a place."""
    schema = load_schema()
    known = schema.relations.get(fact.property) if schema else None
    places = known is not None and schema is not None and all(schema.fit(one, ("place",)) > 1 for one in known.range)
    return fact.object_kind != "entity" or places


def _is_quoted(fact: Fact) -> bool:
    figure = measure(fact)
    return figure is not None and figure.quoted


def share_line(question: Question) -> str:
    """Return what the share reads of a question as one text, which is stored with it and read by `share_of`."""
    facts, found = sorted(fact.key for fact in question.facts), sorted(sources_of(question))
    return " ".join((question.pattern, question.id, turn(question), ",".join(facts), ",".join(found)))


def share_of(line: str, state: str) -> tuple[str, Passed]:
    """Return the pattern and what the share reads of a stored question that this run does not look at."""
    pattern, key, at, facts, found = line.split(" ")
    return pattern, Passed(at, key, found.split(",") if found else (), facts.split(","), state, near=False)
