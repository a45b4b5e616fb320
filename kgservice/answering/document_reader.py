"""Documents read by a model as in PluriHop (section 4.2, appendices A.1 and A.2).

The question is decomposed, and each document gets all its parts in one call.
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
    """The questions to one document and its passages. `unit` names the task in ledgers."""

    unit: str
    title: str
    questions: tuple[str, ...]
    contexts: tuple[str, ...]


class ReadyDecomposer:
    """A decomposer for the retriever that returns parts made before."""

    def __init__(self, parts: DocumentQuestions) -> None:
        self._parts = parts

    def decompose(self, query: str) -> DocumentQuestions:
        """Return the parts, whatever the query."""
        return self._parts


class PromptedReader:
    """Decomposition of questions and reading of documents by a model."""

    def __init__(self, llm: LLM) -> None:
        self.name, self._llm = f"prompted: {llm.model}", llm

    async def taken_apart(self, asked: Sequence[QuestionWithPassages]) -> list[DocumentQuestions | LLMFailure]:
        """Return the questions to each document, a DocumentQuestions a question, or the model's failure."""
        decomposed = await tuning_examples.taken_apart(
            self._llm, {question.unit: question.question for question in asked}
        )
        return [
            parts if isinstance(parts, LLMFailure) else DocumentQuestions(
                questions=tuple(dict.fromkeys(parts.questions)), hypothetical_summary=parts.hypothetical_summary
            )
            for parts in (decomposed[question.unit] for question in asked)
        ]  # fmt: skip

    async def read(self, asked: Sequence[DocumentTask]) -> list[Generated]:
        """Return the answer of each document, a line an answered part, REFUSAL if it answers none."""
        asks = (Ask(prompt(PROMPT, **dict(task)), Answers, STAGE, task.unit) for task in asked)
        async with aclosing(gather(self._llm, asks)) as replies:
            return [_said(task.questions, await anext(replies)) for task in asked]


def _said(questions: Sequence[str], reply: BaseModel | LLMFailure) -> Generated:
    if not isinstance(reply, Answers):
        return Generated(failure=reply.reason if isinstance(reply, LLMFailure) else "no answer")
    if len(reply.answers) != len(questions):
        return Generated(failure="not as many answers as questions")
    pairs = zip(questions, reply.answers, strict=True)
    lines = [f"{question} {answer}" for question, answer in pairs if answer.strip() and not refuses(answer)]
    return Generated(answer="\n".join(lines) or REFUSAL)
