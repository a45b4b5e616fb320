"""Which eligible subgraphs become questions, and what happens to questions when the graph moves.

Multi-hop, conditional and set questions come first, in order of id; a single question whose fact a selected question
uses is rejected (RARE, section 3.3). On regeneration an older question keeps its fact.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field

from kgservice import keys
from kgservice.errors import BadRequest
from kgservice.graph.store import Graph
from kgservice.model import Question, Record, Subgraph
from kgservice.questions import stored
from kgservice.questions.enumerate import CONDITIONAL, MULTI_HOP, Choice, around, check_pattern, subgraphs
from kgservice.questions.templated import worded

SETS = ("set_of_objects", "set_of_subjects")
ORDER = (*MULTI_HOP, *CONDITIONAL, *SETS, "single")
BATCH = 500


class Plan(Record):
    """What to ask about; kept with the corpus, so that a refresh follows the plan of the generation.

    `limit` is the number of active questions a pattern, drawn uniformly by `seed`; None takes all.
    """

    patterns: tuple[str, ...] = ORDER
    choice: Choice = Choice()
    limit: int | None = Field(None, ge=1)
    seed: int = 0


class Refreshed(Record):
    """What a generation or refresh changed: eligible subgraphs looked at, and where each question ended."""

    eligible: dict[str, int]
    added: int
    kept: int
    retired: dict[str, int]
    rejected: dict[str, int]
    added_ids: tuple[str, ...] = Field((), exclude=True)
    retired_ids: tuple[str, ...] = Field((), exclude=True)


def generate(graph: Graph, corpus: str, plan: Plan) -> Refreshed:
    """Make the questions of a plan and remember the plan; questions that still stand are kept."""
    for pattern in plan.patterns:
        check_pattern(pattern, None)
    graph.check_corpus(corpus)
    stored.save_plan(graph, corpus, plan.model_dump_json())
    return _Selection(graph, corpus, plan).run()


def refresh(graph: Graph, corpus: str) -> Refreshed:
    """Bring the questions up to date with the graph: add, keep, retire (BadRequest where none were generated)."""
    graph.check_corpus(corpus)
    text = stored.plan(graph, corpus)
    if text is None:
        raise BadRequest(f"corpus {corpus!r} has no questions yet: run `kgservice questions generate` first")
    return _Selection(graph, corpus, Plan.model_validate_json(text)).run()


class _Selection:
    """One run of the selection over the stored questions and the graph as it is now."""

    def __init__(self, graph: Graph, corpus: str, plan: Plan) -> None:
        self.graph, self.corpus, self.plan = graph, corpus, plan
        self.old = {question.id: question for question in stored.questions(graph, corpus)}
        self.used: set[str] = set()  # facts of active questions
        self.single_facts: set[str] = set()  # facts of older single questions that still stand
        self.standing: set[str] = set()
        self.eligible: Counter[str] = Counter()
        self.rejected: Counter[str] = Counter()
        self.added: list[str] = []
        self.pending: list[Question] = []

    def run(self) -> Refreshed:
        self._hold_older_singles()
        for pattern in sorted(self.plan.patterns, key=ORDER.index):
            self._select(pattern)
        self._flush()
        retired = self._retire()
        return Refreshed(
            eligible=dict(self.eligible),
            added=len(self.added),
            kept=len(self.standing) - len(self.added),
            retired=dict(sorted(Counter(retired.values()).items())),
            rejected=dict(sorted(self.rejected.items())),
            added_ids=tuple(self.added),
            retired_ids=tuple(sorted(retired)),
        )

    def _hold_older_singles(self) -> None:
        older = {key for key, item in self.old.items() if item.pattern == "single" and item.state == "active"}
        if older and "single" in self.plan.patterns:
            for row in subgraphs(self.graph, self.corpus, "single", self.plan.choice):
                if row.id in older:
                    self.single_facts.update(_fact_keys(row))

    def _select(self, pattern: str) -> None:
        active = 0
        for row in self._candidates(pattern):
            if self.plan.limit is not None and active >= self.plan.limit:
                break
            question = self._judged(row)
            if question.state == "active":
                active += 1
                self.standing.add(question.id)
                self.used.update(_fact_keys(row))
                if not self._is_active(question.id):
                    self.added.append(question.id)
            else:
                self.rejected[question.reason] += 1
            if (old := self.old.get(question.id)) is None or question.model_dump() != old.model_dump():
                self.pending.append(question)
            if len(self.pending) >= BATCH:
                self._flush()

    def _candidates(self, pattern: str) -> Iterator[Subgraph]:
        """All rows in order of id; with a limit the active questions first, then the others as the seed orders them."""
        choice, limit = self.plan.choice, self.plan.limit
        rows = subgraphs(self.graph, self.corpus, pattern, choice)
        if limit is None:
            yield from self._counted(pattern, rows)
            return
        ids = [row.id for row in self._counted(pattern, rows)]
        ids.sort(key=lambda key: (not self._is_active(key), keys.digest(20, self.plan.seed, key), key))
        for key in ids:
            found = around(self.graph, self.corpus, pattern, choice, key[: keys.GROUP])
            yield from (row for row in found if row.id == key)

    def _counted(self, pattern: str, rows: Iterable[Subgraph]) -> Iterator[Subgraph]:
        for row in rows:
            self.eligible[pattern] += 1
            yield row

    def _is_active(self, key: str) -> bool:
        return key in self.old and self.old[key].state == "active"

    def _judged(self, row: Subgraph) -> Question:
        text = worded(row)
        reason = _leak(row, text)
        facts, older = _fact_keys(row), self._is_active(row.id)
        if not reason and not older:
            if row.pattern == "single" and not self.used.isdisjoint(facts):
                reason = "fact used by another question"
            elif row.pattern != "single" and not self.single_facts.isdisjoint(facts):
                reason = "fact used by an older single question"
        return question_of(self.corpus, row, text, "rejected" if reason else "active", reason)

    def _flush(self) -> None:
        stored.write(self.graph, self.pending)
        self.pending = []

    def _retire(self) -> dict[str, str]:
        """Retire what no longer stands; return the reason by id."""
        gone = [item for key, item in self.old.items() if item.state == "active" and key not in self.standing]
        known = stored.known_facts(self.graph, {fact.key for item in gone for fact in item.facts})
        reasons = {item.id: self._why_gone(item, known) for item in gone}
        stored.set_states(self.graph, [(key, "retired", reason) for key, reason in sorted(reasons.items())])
        return reasons

    def _why_gone(self, item: Question, known: set[str]) -> str:
        if any(fact.key not in known for fact in item.facts):
            return "fact withdrawn"
        if item.pattern not in self.plan.patterns:
            return "pattern not in the plan"
        anything = self.plan.choice.model_copy(
            update={"max_pivot_degree": 2**31, "cross_chunk": False, "cross_document": False, "each_needed": False}
        )
        standing = around(self.graph, self.corpus, item.pattern, anything, item.id[: keys.GROUP])
        return "outside the plan's limits" if item.id in {row.id for row in standing} else "answer no longer unique"


def question_of(
    corpus: str, row: Subgraph, text: str, state: Literal["active", "rejected"], reason: str = ""
) -> Question:
    """Return the question of a subgraph with all its evidence."""
    facts = {fact.key: fact for reading in row.readings for fact in reading.facts}
    sources = [source for fact in facts.values() for source in fact.statements]
    return Question(
        id=row.id,
        corpus=corpus,
        pattern=row.pattern,
        asked=row.asked,
        question=text,
        answers=row.answers,
        facts=tuple(facts.values()),
        chunk_ids=tuple(sorted({source.chunk for source in sources})),
        document_keys=tuple(sorted({source.document for source in sources})),
        metadata={"readings": len(row.readings), "hops": len(row.relations)},
        state=state,
        reason=reason,
        entities=row.entities,
    )


def _fact_keys(row: Subgraph) -> set[str]:
    return {fact.key for reading in row.readings for fact in reading.facts}


def _leak(row: Subgraph, text: str) -> str:
    """Say what a question gives away: an answer, or a bridge that it may only describe."""
    if any(_contains(text, answer) for answer in row.answers):
        return "answer in the question"
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    return "bridge named in the question" if any(_contains(text, pivot) for pivot in pivots) else ""


def _contains(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
