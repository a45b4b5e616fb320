"""The contract of generators and systems: questions in, an answer or a failure each out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kgservice.answering.reader.passage_statements import PassageStatement
from kgservice.core.records import Record

REFUSAL = "no such info"  # RARE, appendix F


def writable(text: str) -> str:
    """Return a text that can be written to a file: without NUL and halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


class QuestionWithPassages(Record):
    """A question and the passages to answer it from. No passages: from memory. `unit` names it in ledgers.

    `known` is what the graph has of these passages, for the extractive reader.
    """

    unit: str
    question: str
    contexts: tuple[str, ...] = ()
    known: tuple[PassageStatement, ...] = ()


class Generated(Record):
    """An answer with its reasoning. `failure` is a short, countable reason why there is none."""

    answer: str = ""
    reasoning: str = ""
    failure: str = ""


class SystemAnswer(Generated):
    """An answer of a whole system.

    `chunks` are the keys of the chunks it read, best first, `documents` those of the documents it rests on.
    """

    chunks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


class Generator(Protocol):
    """A generator of answers, in the order of the questions. It refuses with REFUSAL or words of that meaning."""

    name: str

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]: ...


class System(Protocol):
    """A system with retrieval of its own. It answers in the order of the questions, whose `contexts` are empty."""

    name: str

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]: ...
