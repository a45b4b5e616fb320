"""Documents read as PluriHop reads them with a model: what is asked of all is taken apart, and each document is asked
the parts in one call (section 4.2, appendices A.1 and A.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from pydantic import BaseModel

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.questions.export import tuning_examples
from kgservice.retrieval.subquestions import DocumentQuestions
from kgservice.text.refusal import refuses

STAGE, PROMPT = "read documents", "read_document"
PROMPTS = (tuning_examples.PROMPT, PROMPT)


class Answers(BaseModel):
    """A document's answers, one a question, in their order."""

    answers: list[str]


class DocumentTask(Record):
    """What one document is asked, and its passages; `unit` names it in ledgers."""

    unit: str
    title: str
    questions: tuple[str, ...]
    contexts: tuple[str, ...]


class ReadyDecomposer:
    """A question that is taken apart already, for the retriever."""

    def __init__(self, parts: DocumentQuestions) -> None:
        self._parts = parts

    def decompose(self, query: str) -> DocumentQuestions:
        """Return its parts, whatever the query."""
        return self._parts


class PromptedReader:
    """Has a model take questions apart and read documents."""

    def __init__(self, llm: LLM) -> None:
        self.name, self._llm = f"prompted: {llm.model}", llm

    async def taken_apart(self, asked: Sequence[QuestionWithPassages]) -> list[DocumentQuestions | LLMFailure]:
        """Return what to ask of each document, a question each; a failure in the place of what the model failed at."""
        found = await tuning_examples.taken_apart(self._llm, {one.unit: one.question for one in asked})
        return [
            parts if isinstance(parts, LLMFailure) else DocumentQuestions(
                questions=tuple(dict.fromkeys(parts.questions)), hypothetical_summary=parts.hypothetical_summary
            )
            for parts in (found[one.unit] for one in asked)
        ]  # fmt: skip

    async def read(self, asked: Sequence[DocumentTask]) -> list[Generated]:
        """Return what each document says, a line a part that it answers; REFUSAL where it answers none."""
        asks = (Ask(prompt(PROMPT, **dict(one)), Answers, STAGE, one.unit) for one in asked)
        async with aclosing(gather(self._llm, asks)) as replies:
            return [_said(one.questions, await anext(replies)) for one in asked]


def _said(questions: Sequence[str], reply: BaseModel | LLMFailure) -> Generated:
    if not isinstance(reply, Answers):
        return Generated(failure=reply.reason if isinstance(reply, LLMFailure) else "no answer")
    if len(reply.answers) != len(questions):
        return Generated(failure="not as many answers as questions")
    pairs = zip(questions, reply.answers, strict=True)
    lines = [f"{question} {answer}" for question, answer in pairs if answer.strip() and not refuses(answer)]
    return Generated(answer="\n".join(lines) or REFUSAL)
