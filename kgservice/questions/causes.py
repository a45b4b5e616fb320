"""Which documents moved a question: those behind the changed facts that are nearest to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.affected import Changes
from kgservice.questions.wording.steps import Step

MOST = 5  # documents that are named


class Causes:
    """The changed facts of one run, by where they are."""

    def __init__(self, graph: Graph, found: Changes) -> None:
        self._graph, self._documents = graph, found.documents
        self._at: dict[str, set[str]] = defaultdict(set)  # keys of facts by group and by entity
        for sr, ro, key in found.facts:
            for place in (sr, ro, sr[: keys.KEY], ro[: keys.KEY]):
                self._at[place].add(key)
        self._groups = {key: (sr, ro) for sr, ro, key in found.facts}

    def read(self, facts: Iterable[str]) -> None:
        """Read in which groups facts are that have not changed."""
        if wanted := set(facts) - self._groups.keys() if self._documents else ():
            found = question_store.known_facts(self._graph, wanted)
            self._groups |= {key: (fact.sr, fact.ro) for key, fact in found.items()}

    def of(self, facts: Iterable[str]) -> str:
        """Return the documents behind these facts, "" where none is known."""
        named = sorted({document for fact in facts for document in self._documents.get(fact, ())})
        more = f"; and {len(named) - MOST} more" if len(named) > MOST else ""
        return "; ".join(named[:MOST]) + more

    def rivals(self, line: Collection[Step]) -> str:
        """Return the documents behind facts that are there now and answer a step of the question, too."""
        own = {step.fact for step in line}
        groups = {self._groups[step.fact][step.side == "ro"] for step in line if step.fact in self._groups}
        found = {fact for group in groups for fact in self._at.get(group, ())} - own
        return self.of(question_store.known_facts(self._graph, found)) if found else ""

    def near(self, facts: Collection[str]) -> str:
        """Return the documents behind these facts, else behind what is in their groups, else at their entities."""
        if cause := self.of(facts):
            return cause
        groups = {group for fact in facts for group in self._groups.get(fact, ())}
        for places in (groups, {group[: keys.KEY] for group in groups}):
            if cause := self.of({fact for place in places for fact in self._at.get(place, ())}):
                return cause
        return ""
