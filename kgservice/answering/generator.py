"""What every generator is: questions with passages in, answers out, a fault in the place of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kgservice.core.records import Record

REFUSAL = "no such info"  # RARE, appendix F


class QuestionWithPassages(Record):
    """A question and the passages to answer it from; none: from memory. `unit` names it in ledgers."""

    unit: str
    question: str
    contexts: tuple[str, ...] = ()


class Generated(Record):
    """An answer with the reasoning apart from it; `failure`, short and countable, says why there is none."""

    answer: str = ""
    reasoning: str = ""
    failure: str = ""


class SystemAnswer(Generated):
    """What a whole system said: the chunks it read, by key, best first, and the documents that its answer rests on."""

    chunks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()


class Generator(Protocol):
    """Answers questions, in their order; what it cannot answer it refuses, with REFUSAL or what means the same."""

    name: str

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]: ...


class System(Protocol):
    """Answers questions, in their order, from what it finds by itself; `contexts` of what is asked are empty."""

    name: str

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]: ...
