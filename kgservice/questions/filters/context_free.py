"""The closed-book probe (DRAGON, section 4.3): what a model answers without any document needs no retrieval."""

from __future__ import annotations

from pydantic import BaseModel

from kgservice.core.records import Subgraph
from kgservice.llm.client import Ask
from kgservice.llm.prompts import prompt
from kgservice.text.matching import matches

STAGE = "closed book"


class FromMemory(BaseModel):
    """An answer from memory, "no such info" for none."""

    answer: str


def memory_prompt(row: Subgraph, text: str) -> Ask:
    """Return what the model is asked."""
    return Ask(prompt("closed_book", question=text), FromMemory, STAGE, row.id)


def rejection_reason(row: Subgraph, reply: FromMemory) -> str:
    """Say so where the answer was known without a document."""
    return "answerable without context" if matches(reply.answer, row.answers) else ""
