"""Why a question ends, and which documents ended it: those behind the changed facts that are nearest to it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from kgservice.core import keys
from kgservice.core.records import Question
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.affected import Changes
from kgservice.questions.patterns import SubgraphOptions, around
from kgservice.questions.question_store import KnownFact
from kgservice.questions.refresh_scope import RefreshScope, anchored
from kgservice.questions.wording.steps import Step, steps

MOST = 5  # documents that are named
WITHDRAWN, RIVALLED, UNPLANNED = "fact withdrawn", "answer no longer unique", "pattern not in the plan"
UNDRAWN = "not drawn any more"
UNPAIRED = "its things are compared with others now"
ANSWERED = "the documents answer it now"
ANYTHING = SubgraphOptions(
    max_pivot_degree=2**31, cross_chunk=False, each_needed=False, max_set=2**31, max_partners=1_000,
    max_years=2_000, max_properties=2,
)  # fmt: skip


class Causes:
    """The changed facts of one run, by where they are."""

    def __init__(self, graph: Graph, found: Changes) -> None:
        self._graph, self._documents = graph, found.documents
        self._at: dict[str, set[str]] = defaultdict(set)  # keys of facts by group, entity and relation
        for sr, ro, key in found.facts:
            for place in (sr, ro, sr[: keys.KEY], ro[: keys.KEY], sr[keys.KEY :]):
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

    def near(self, facts: Collection[str], compared: bool = False) -> str:
        """Return the documents behind these facts, else behind what is in their groups, else at their entities.

        Facts that are compared have neighbours: at last, those behind facts of their relation.
        """
        if cause := self.of(facts):
            return cause
        groups = {group for fact in facts for group in self._groups.get(fact, ())}
        relations = {group[keys.KEY :] for group in groups} if compared else set[str]()
        for places in (groups, {group[: keys.KEY] for group in groups}, relations):
            if cause := self.of({fact for place in places for fact in self._at.get(place, ())}):
                return cause
        return ""


class Retirement:
    """The ends of questions in one run of the selection: `patterns` of the plan, `scope` and `causes` of the run."""

    def __init__(self, graph: Graph, patterns: Collection[str], scope: RefreshScope, causes: Causes) -> None:
        self._graph, self._patterns, self._scope, self._causes = graph, patterns, scope, causes

    def reasons(self, gone: Sequence[Question], known: Mapping[str, KnownFact]) -> dict[str, str]:
        """Return why each question is no longer eligible, by id; `known` are its facts that are in the graph."""
        reasons: dict[str, str] = {}
        for item in gone:
            if any(fact.key not in known for fact in item.facts):
                reasons[item.id] = WITHDRAWN
            elif item.pattern not in self._patterns:
                reasons[item.id] = UNPLANNED
            elif self._scope.may_draw(item.pattern, item.id):
                reasons[item.id] = UNDRAWN
            elif item.state == "rejected":
                reasons[item.id] = "not eligible any more"
        left = [item for item in gone if item.id not in reasons]
        unique = self._still_unique(left)
        for item in left:
            if item.id not in unique:
                reasons[item.id] = ANSWERED if item.asked == "nothing" else RIVALLED
            elif any(
                known[fact.key].statements.isdisjoint((s.chunk, s.sentence) for s in fact.statements)
                for fact in item.facts
            ):
                reasons[item.id] = "source changed"
            else:
                reasons[item.id] = UNPAIRED if item.pattern == "comparison" else "outside the plan's limits"
        return reasons

    def cause(self, item: Question, reason: str, known: Mapping[str, KnownFact]) -> str:
        """Return the documents that ended a question."""
        facts = [fact.key for fact in item.facts]
        if reason == WITHDRAWN:
            return self._causes.of(fact for fact in facts if fact not in known)
        if reason == RIVALLED:
            return self._causes.rivals(steps(item.pattern, item.asked, facts)) or self._causes.near(facts)
        return "" if reason in (UNDRAWN, UNPLANNED) else self._causes.near(facts, item.pattern == "comparison")

    def _still_unique(self, gone: Sequence[Question]) -> set[str]:
        """Return the ids of the questions that are eligible without any narrowing option."""
        unique: set[str] = set()
        for pattern in {item.pattern for item in gone}:
            anchors = anchored(pattern, (question_store.place(item) for item in gone if item.pattern == pattern))
            unique.update(row.id for row in around(self._graph, pattern, ANYTHING, anchors))
        return unique
