"""The question of a subgraph as a record."""

from __future__ import annotations

from typing import Literal

from kgservice.model import Question, Subgraph


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
