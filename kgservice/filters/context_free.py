"""The closed-book probe (DRAGON, section 4.3): what a model answers without any document needs no retrieval."""

from __future__ import annotations

from pydantic import BaseModel

from kgservice.evaluation.matching import matches
from kgservice.llm.client import Ask
from kgservice.model import Subgraph
from kgservice.prompts import prompt

STAGE = "closed book"


class FromMemory(BaseModel):
    """An answer from memory, "no such info" for none."""

    answer: str


def asked(row: Subgraph, text: str) -> Ask:
    """Return what the model is asked."""
    return Ask(prompt("closed_book", question=text), FromMemory, STAGE, row.id)


def fault(row: Subgraph, reply: FromMemory) -> str:
    """Say so where the answer was known without a document."""
    return "answerable without context" if matches(reply.answer, row.answers) else ""
