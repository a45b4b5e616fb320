"""Documents read by a model as in PluriHop (section 4.2, appendices A.1 and A.2).

The question is decomposed, and each document gets all its parts in one call, in several if its passages are long.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import TypeAlias

from pydantic import BaseModel

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.questions.export import tuning_examples
from kgservice.retrieval.subquestions import DocumentQuestions
from kgservice.text.refusal import refuses

STAGE, PROMPT, TOGETHER = "read documents", "read_document", "aggregate_pages"
PROMPTS = (tuning_examples.PROMPT, PROMPT, TOGETHER)
PART = 24_000  # characters of one call: about 6,000 tokens


class Answers(BaseModel):
    """A document's answers, one a question, in their order."""

    answers: list[str]


class DocumentTask(Record):
    """The questions to one document and its passages. `unit` names the task in ledgers."""

    unit: str
    title: str
    questions: tuple[str, ...]
    contexts: tuple[str, ...]


class ReadInParts(Record):
    """The answers of a document's parts to each question, to be put together (appendix A.2)."""

    unit: str
    title: str
    questions: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]


_Said: TypeAlias = list[tuple[str, str]] | Generated  # questions with their answers; a Generated is a failure


class ReadyDecomposer:
    """A decomposer for the retriever that returns parts made before."""

    def __init__(self, parts: DocumentQuestions) -> None:
        self._parts = parts

    def decompose(self, query: str) -> DocumentQuestions:
        """Return the parts, whatever the query."""
        return self._parts


class PromptedReader:
    """Decomposition of questions and reading of documents by a model; `decomposer` is a tuned one (section 4.2)."""

    def __init__(self, llm: LLM, decomposer: LLM | None = None) -> None:
        self.name, self._llm, self._decomposer = f"prompted: {llm.name}", llm, decomposer or llm

    async def taken_apart(self, asked: Sequence[QuestionWithPassages]) -> list[DocumentQuestions | LLMFailure]:
        """Return the questions to each document, a DocumentQuestions a question, or the model's failure."""
        decomposed = await tuning_examples.taken_apart(
            self._decomposer, {question.unit: question.question for question in asked}
        )
        return [
            parts if isinstance(parts, LLMFailure) else DocumentQuestions(
                questions=tuple(dict.fromkeys(parts.questions)), hypothetical_summary=parts.hypothetical_summary
            )
            for parts in (decomposed[question.unit] for question in asked)
        ]  # fmt: skip

    async def read(self, asked: Sequence[DocumentTask]) -> list[Generated]:
        """Return the answer of each document, a line an answered question, REFUSAL if it answers none.

        Passages of more than PART characters are read in parts, whose answers another call puts together.
        """
        parts = [_parts(task.contexts) for task in asked]
        tasks = [
            task.model_copy(update={"unit": f"{task.unit} part {number}" if number else task.unit, "contexts": part})
            for task, its in zip(asked, parts, strict=True)
            for number, part in enumerate(its)
        ]
        said = iter(await self._answers(PROMPT, tasks))
        read = [_whole(task, [next(said) for _ in its]) for task, its in zip(asked, parts, strict=True)]
        left = [one for one in read if isinstance(one, ReadInParts)]
        whole = iter(await self._answers(TOGETHER, left))
        return [_generated(next(whole) if isinstance(one, ReadInParts) else one) for one in read]

    async def _answers(self, template: str, asked: Sequence[DocumentTask | ReadInParts]) -> list[_Said]:
        """Return the answers to each task's questions, or why there are none."""
        asks = (Ask(prompt(template, **dict(task)), Answers, STAGE, task.unit) for task in asked)
        async with aclosing(gather(self._llm, asks)) as replies:
            return [_read(task.questions, await anext(replies)) for task in asked]


def _parts(contexts: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the passages in groups of at most PART characters, a longer passage by itself."""
    groups, length = [list[str]()], 0
    for text in contexts:
        if groups[-1] and length + len(text) > PART:
            groups.append([])
            length = 0
        groups[-1].append(text)
        length += len(text)
    return [tuple(group) for group in groups]


def _read(questions: Sequence[str], reply: BaseModel | LLMFailure) -> _Said:
    if not isinstance(reply, Answers):
        return Generated(failure=reply.reason if isinstance(reply, LLMFailure) else "no answer")
    if len(reply.answers) != len(questions):
        return Generated(failure="not as many answers as questions")
    return [(question, answer) for question, answer in zip(questions, reply.answers, strict=True) if _says(answer)]


def _says(answer: str) -> bool:
    return bool(answer.strip()) and not refuses(answer)


def _whole(task: DocumentTask, said: Sequence[_Said]) -> _Said | ReadInParts:
    """Return what the parts of a document say, to be put together if two of them say something.

    A part that was not read is a failure of the document.
    """
    if failed := next((one for one in said if isinstance(one, Generated)), None):
        return failed
    saying = [one for one in said if one and not isinstance(one, Generated)]
    if len(saying) < 2:
        return saying[0] if saying else []
    answers = tuple(
        tuple(answer for part in saying for asked, answer in part if asked == question) for question in task.questions
    )
    return ReadInParts(unit=f"{task.unit} whole", title=task.title, questions=task.questions, answers=answers)


def _generated(said: _Said) -> Generated:
    if isinstance(said, Generated):
        return said
    return Generated(answer="\n".join(f"{question} {answer}" for question, answer in said) or REFUSAL)
