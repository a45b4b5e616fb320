"""The question of a subgraph as a record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from kgservice.core import keys
from kgservice.core.records import Question, Rival, Scalar, Subgraph

OWN = ("readings", "hops")
DROPPED = "dropped by a person"
REVIEW = (  # of what a person decided, which is published nowhere; earlier versions stored "reviewed_no"
    "review", "reviewed_by", "reviewed_at", "reviewed_why", "reviewed_from", "reviewed_facts", "reviewed_no",
)  # fmt: skip


class QuestionWords(NamedTuple):
    """Words of a question; `reason`: why a model will not have it asked; `known`: metadata about the words; `rivals`:
    what the second look found."""

    text: str
    reason: str = ""
    known: Mapping[str, Scalar] = MappingProxyType({})
    rivals: tuple[Rival, ...] = ()

    @property
    def settled(self) -> bool:
        """Say that a person wants it asked in these words."""
        return self.known.get("review") in ("keep", "edit")


def question_words(old: Question | None, template: str, row: Subgraph) -> QuestionWords:
    """Return the words of a question: those that a model or a person gave, else the template's.

    Both are asked about stored questions, after the selection, so that what they said is there for the next one. A
    model's words hold while the template is the same. What a person decided holds while the question rests on the same
    facts, in whatever words a template asks about them; it goes before what a model says.
    """
    if old is None:
        return QuestionWords(template)
    known = {name: value for name, value in old.metadata.items() if name not in OWN}
    before = known.get("template")
    if "review" not in known:
        same = before == template
        return QuestionWords(old.question, str(known.get("refused", "")), known) if same else QuestionWords(template)
    if known["reviewed_facts"] != reviewed_facts(fact.key for reading in row.readings for fact in reading.facts):
        return QuestionWords(template)
    if known["reviewed_from"] == before:
        known["reviewed_from"] = template
    words = template if old.question == before else old.question
    return QuestionWords(words, DROPPED if known["review"] == "drop" else "", known | {"template": template})


def public_reason(reason: str) -> str:
    """Return the reason without a reviewer's remark, which earlier versions stored behind it."""
    return DROPPED if reason.startswith(f"{DROPPED}: ") else reason


def reviewed_facts(facts: Iterable[str]) -> str:
    """Return a mark of the facts (keys) that a question rests on."""
    return keys.digest(20, *sorted(set(facts)))


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
        metadata={"readings": len(row.readings), "hops": len(row.relations)} | _diagnostic(row) | dict(words.known),
        state=state,
        reason=reason,
        rivals=words.rivals,
        entities=row.entities,
    )


def _diagnostic(row: Subgraph) -> dict[str, Scalar]:
    """Return what its facts do not tell of a question: the relation asked for, what it takes for true, the dates."""
    if row.pattern == "unanswerable":
        return {"lacks": row.relations[0]}
    if row.pattern == "false_premise":
        return {"premise": row.named[-1]}
    return {"dates": ", ".join(row.dates)} if row.pattern == "conflict" else {}
