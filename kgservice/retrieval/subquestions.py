"""Decomposition of a question over many documents into questions to each one (PluriHop, section 4.2)."""

from __future__ import annotations

import re
from typing import Protocol, runtime_checkable

from pydantic import Field

from kgservice.core.records import Record

_AGGREGATION = re.compile(
    r"\b(?:how many|how often|what (?:is|are|was|were) the|which of the|which|who|list(?: all)?|name all|in total|total"
    r"|number of|count(?: of)?|(?:the )?(?:average|mean|median|sum of|high(?:est|er)|low(?:est|er)|larg(?:est|er)"
    r"|small(?:est|er)|most|least|maximum|minimum|earliest|latest)"
    r"|across|all|each|every|any|compared? (?:to|with)|between|trend(?: in)?"
    r"|over (?:the )?(?:years|time))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;?]|,? and (?=which|who|what|when|where|how)|, (?=which|who|what|when|where|how)", re.IGNORECASE
)
SHORTEST = 2  # words


class DocumentQuestions(Record):
    """Questions to each document, and the summary that a document with the answer would have."""

    questions: tuple[str, ...] = Field(min_length=1)
    hypothetical_summary: str


@runtime_checkable
class Decomposer(Protocol):
    """A decomposer of a question over a corpus into questions to one document."""

    def decompose(self, query: str) -> DocumentQuestions: ...


class ClauseDecomposer:
    """A decomposer without a model: a question a clause, without words of aggregation ("how many", "the highest")."""

    def decompose(self, query: str) -> DocumentQuestions:
        """Return the clauses of at least two words, or the query itself if there is none."""
        clauses = [_plain(clause) for clause in _CLAUSE.split(query)]
        questions = tuple(dict.fromkeys(clause for clause in clauses if len(clause.split()) >= SHORTEST))
        return DocumentQuestions(questions=questions or (query,), hypothetical_summary=_plain(query) or query)


def _plain(text: str) -> str:
    return " ".join(_AGGREGATION.sub(" ", text).split()).strip(" ,.?!")
