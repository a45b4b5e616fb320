"""A question over many documents, turned into what to ask of each one (PluriHop, section 4.2)."""

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
    """What to ask of each document, and what the summary of a document that can answer would say."""

    questions: tuple[str, ...] = Field(min_length=1)
    hypothetical_summary: str


@runtime_checkable
class Decomposer(Protocol):
    """Turns a question over a corpus into questions to one document."""

    def decompose(self, query: str) -> DocumentQuestions: ...


class ClauseDecomposer:
    """Decomposes with no model: a question a clause, without the words that say how answers are put together."""

    def decompose(self, query: str) -> DocumentQuestions:
        """Return the clauses of at least two words; the query itself where nothing else is left."""
        clauses = [_plain(clause) for clause in _CLAUSE.split(query)]
        questions = tuple(dict.fromkeys(clause for clause in clauses if len(clause.split()) >= SHORTEST))
        return DocumentQuestions(questions=questions or (query,), hypothetical_summary=_plain(query) or query)


def _plain(text: str) -> str:
    return " ".join(_AGGREGATION.sub(" ", text).split()).strip(" ,.?!")
