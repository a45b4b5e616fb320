"""The question of a subgraph as a record."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from kgservice.core.records import Question, Rival, Scalar, Subgraph

OWN = ("readings", "hops")


class QuestionWords(NamedTuple):
    """Words of a question; `reason`: why a model will not have it asked; `known`: metadata about the words; `rivals`:
    what the second look found."""

    text: str
    reason: str = ""
    known: Mapping[str, Scalar] = MappingProxyType({})
    rivals: tuple[Rival, ...] = ()


def question_words(old: Question | None, template: str) -> QuestionWords:
    """Return the words of a question: those that a model found for the same template before, else the template's.

    A model is asked about stored questions, after the selection, so that what it said is there for the next one.
    """
    if old is None or old.metadata.get("template") != template:
        return QuestionWords(template)
    known = {name: value for name, value in old.metadata.items() if name not in OWN}
    return QuestionWords(old.question, str(known.get("refused", "")), known)


def question_of(
    corpus: str, row: Subgraph, words: QuestionWords, state: Literal["active", "rejected"], reason: str = ""
) -> Question:
    """Return the question of a subgraph with all its evidence."""
    facts = {fact.key: fact for reading in row.readings for fact in reading.facts}
    sources = [source for fact in facts.values() for source in fact.statements]
    return Question(
        id=row.id,
        corpus=corpus,
        pattern=row.pattern,
        asked=row.asked,
        question=words.text,
        answers=row.answers,
        facts=tuple(facts.values()),
        chunk_ids=tuple(sorted({source.chunk for source in sources})),
        document_keys=tuple(sorted({source.document for source in sources})),
        metadata={"readings": len(row.readings), "hops": len(row.relations)} | dict(words.known),
        state=state,
        reason=reason,
        rivals=words.rivals,
        entities=row.entities,
    )
