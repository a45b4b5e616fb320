"""The share of a pattern's questions that may come from one source: a document, a chunk of a table, an end, a relation.

The relations of a question of several facts count as one: "when was the director of X born" and "where was the director
of X born" are two.

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
from operator import itemgetter
from typing import NamedTuple

from kgservice.core import keys
from kgservice.core.records import Fact, Question

OVER = "enough from the same document, table, entity or relation"
NAME = "share"
FEW = 20  # questions that a source may have of a pattern in any case
EVEN = 2  # times what a source would have if all of its kind had as many


class Passed(NamedTuple):
    """A question that passes everything else; `facts` and `sources` are keys, `near`: this run looks at it itself."""

    turn: str
    id: str
    sources: Collection[str]
    facts: Collection[str]
    state: str
    near: bool


class SourceShare:
    """The bounds of one pattern's sources, and how many questions of each have come.

    `counted` are the questions of each source, of `population` in all, of which `number` are asked for. `full`: the
    sources that have more questions than their bound.
    """

    def __init__(self, counted: Mapping[str, int], population: int, number: int, share: float) -> None:
        questions, kinds = Counter[str](), Counter(map(itemgetter(0), counted))
        for source, count in counted.items():
            questions[source[0]] += count
        part = number / max(population, 1)
        self._most = {
            kind: max(FEW, int(share * number), int(EVEN * part * questions[kind] / kinds[kind])) for kind in kinds
        }
        many = [source for source, count in counted.items() if count > FEW]
        self.full = frozenset(source for source in many if counted[source] > self._most[source[0]])
        self._come = Counter[str]()

    def admit(self, sources: Iterable[str]) -> bool:
        """Count a question and return whether none of its sources had reached its bound before."""
        found = list(sources)
        admitted = all(self._come[one] < self._most.get(one[0], FEW) for one in found)
        self._come.update(found)
        return admitted


def over(passed: Iterable[Passed], share: float) -> set[str]:
    """Return the ids of the questions that are over the share: only those of full sources can be."""
    found = list(passed)
    counted = Counter(chain.from_iterable(one.sources for one in found))
    bound = SourceShare(counted, len(found), len(found), share)
    ordered = sorted(one for one in found if not bound.full.isdisjoint(one.sources))
    return {one.id for one in ordered if not bound.admit(bound.full.intersection(one.sources))}


def sources(facts: Iterable[Fact]) -> frozenset[str]:
    """Return where a question's facts come from and what they are about; the first letter is the kind."""
    facts = list(facts)
    found = {f"r{keys.digest(10, *sorted({fact.property for fact in facts}))}"}
    for fact in facts:
        found |= {f"e{keys.digest(10, end)}" for end in (fact.subject, fact.object)}
        found |= {f"d{one.document}" for one in fact.statements}
        found |= {f"t{one.chunk}" for one in fact.statements if one.cell}
    return frozenset(found)


def sources_of(question: Question) -> frozenset[str]:
    """Return the sources of a question, none where a person wants it asked."""
    return frozenset() if question.metadata.get("review") in ("keep", "edit") else sources(question.facts)


def turn(question: Question) -> str:
    """Return a question's place in an order that depends on the text of its facts alone."""
    said = sorted((fact.subject, fact.property, fact.object, fact.period) for fact in question.facts)
    return keys.digest(20, question.pattern, question.asked, sorted(question.answers), said)


def share_line(question: Question) -> str:
    """Return what the share reads of a question as one text, which is stored with it and read by `share_of`."""
    facts, found = sorted(fact.key for fact in question.facts), sorted(sources_of(question))
    return " ".join((question.pattern, question.id, turn(question), ",".join(facts), ",".join(found)))


def share_of(line: str, state: str) -> tuple[str, Passed]:
    """Return the pattern and what the share reads of a stored question that this run does not look at."""
    pattern, key, at, facts, found = line.split(" ")
    return pattern, Passed(at, key, found.split(",") if found else (), facts.split(","), state, near=False)
