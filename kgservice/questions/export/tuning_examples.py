"""Questions over many documents taken apart into questions to one (PluriHop, section 4.2).

A model takes a question apart by a prompt with two examples; better is a model that was tuned on examples from the
documents themselves, of which `examples` makes as many as there are questions for (the paper: 100 a corpus).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from kgservice.core.errors import LLMFailure
from kgservice.core.records import Question, Record
from kgservice.graph.contexts import Context, chunk_contexts
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.estimate import Estimate, estimate
from kgservice.llm.ledger import Spending
from kgservice.llm.prompts import prompt
from kgservice.questions.export.replaced_file import replacing

STAGE, PROMPT = "decompose", "decompose"
LONGEST = 12_000  # characters of a document that a model is shown
ANSWER_TOKENS = 120

TuningLayout: TypeAlias = Literal["jsonl", "chat"]


class Decomposition(BaseModel):
    """What a document that helps would say of itself, and what to ask each document."""

    hypothetical_summary: str
    questions: list[str]


class ReasonedDecomposition(BaseModel):
    """A decomposition with a document at hand: first what in it bears on the question."""

    model_config = ConfigDict(title="Reasoned")  # its name in the key of paid answers

    relevant: str
    questions: list[str]
    hypothetical_summary: str


class TuningExample(Record):
    """A training example: a question over many documents, one of them, and what to ask it."""

    question_id: str
    question: str
    document: str
    title: str
    hypothetical_summary: str
    questions: tuple[str, ...]


class Message(Record):
    """A message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Conversation(Record):
    """An example as services for fine-tuning take it: what `decomposed` asks, and the answer that it should get."""

    messages: tuple[Message, ...]


class Examples(Record):
    """How many examples were asked for and written, and what they cost; asked = written + failed."""

    asked: int
    written: int
    failed: dict[str, int]
    llm: Spending


async def taken_apart(llm: LLM, questions: Mapping[str, str]) -> dict[str, Decomposition | LLMFailure]:
    """Take questions apart, each by its unit; what the model failed at has a failure."""
    asks = (Ask(prompt(PROMPT, question=text), Decomposition, STAGE, unit) for unit, text in questions.items())
    async with aclosing(gather(llm, asks)) as replies:
        return {unit: _whole(await anext(replies)) for unit in questions}


async def examples(
    llm: LLM, graph: Graph, questions: Sequence[Question], number: int, seed: int
) -> AsyncIterator[TuningExample | LLMFailure]:
    """Yield training examples, a pair of question and document each, drawn by the seed; a failure in its place."""
    pairs = list(_pairs(graph, questions, number, seed))
    async with aclosing(gather(llm, (_asked(question, part) for question, part in pairs))) as answers:
        for question, part in pairs:
            answer = await anext(answers)
            if isinstance(answer, ReasonedDecomposition):
                yield TuningExample(
                    question_id=question.id,
                    question=question.question,
                    document=part.chunk,
                    title=part.title,
                    hypothetical_summary=answer.hypothetical_summary,
                    questions=tuple(answer.questions),
                )
            elif isinstance(answer, LLMFailure):
                yield answer


def estimate_examples(llm: LLM, graph: Graph, questions: Sequence[Question], *, number: int, seed: int) -> Estimate:
    """Estimate what the examples cost; nothing is asked."""
    return estimate(llm, (_asked(*pair) for pair in _pairs(graph, questions, number, seed)), ANSWER_TOKENS)


def conversation(one: TuningExample) -> Conversation:
    """Return an example in the words that a decomposer is asked in, with its answer."""
    asked = prompt(PROMPT, question=one.question)
    answer = Decomposition(hypothetical_summary=one.hypothetical_summary, questions=list(one.questions))
    told = (("system", asked.system), ("user", asked.user), ("assistant", answer.model_dump_json()))
    return Conversation(messages=tuple(Message(role=role, content=content) for role, content in told))


def _whole(reply: BaseModel | LLMFailure) -> Decomposition | LLMFailure:
    """Return a decomposition that can be searched with: of blank ones nothing is found, and nobody would know why."""
    if not isinstance(reply, Decomposition):
        return reply if isinstance(reply, LLMFailure) else LLMFailure("wrong form", str(reply))
    asked = [question for question in reply.questions if question.strip()]
    if not asked or not reply.hypothetical_summary.strip():
        return LLMFailure("nothing to ask documents")
    return Decomposition(hypothetical_summary=reply.hypothetical_summary, questions=asked)


def _asked(question: Question, part: Context) -> Ask:
    told = prompt("decompose_example", question=question.question, title=part.title, text=part.text)
    return Ask(told, ReasonedDecomposition, STAGE, f"{question.id} {part.chunk}")


def _pairs(graph: Graph, questions: Sequence[Question], number: int, seed: int) -> Iterator[tuple[Question, Context]]:
    """Yield pairs of a question and a document that answers part of it, no question twice before all had their turn."""
    draw = random.Random(seed)
    turns = [(question, draw.sample(question.document_keys, len(question.document_keys))) for question in questions]
    draw.shuffle(turns)
    deepest = max((len(documents) for _, documents in turns), default=0)
    chosen = [
        (question, documents[turn]) for turn in range(deepest) for question, documents in turns if turn < len(documents)
    ]
    for question, document in chosen[:number]:
        stating = [chunk for chunk in question.chunk_ids if chunk.startswith(document)]
        parts = list(chunk_contexts(graph, stating).values())
        text = "\n\n".join(part.text for part in parts)[:LONGEST]
        yield question, parts[0].model_copy(update={"chunk": document, "text": text})


async def write_examples(
    llm: LLM,
    graph: Graph,
    questions: Sequence[Question],
    file: Path,
    *,
    number: int,
    seed: int,
    layout: TuningLayout = "jsonl",
) -> Examples:
    """Write examples, one a line, and close the model. A file that is there is replaced at the end, if by any."""
    written, failed = 0, Counter[str]()
    async with llm:
        with replacing(file) as out:
            async for one in examples(llm, graph, questions, number, seed):
                if isinstance(one, TuningExample):
                    made = one if layout == "jsonl" else conversation(one)
                    out.write(made.model_dump_json() + "\n")
                    written += 1
                else:
                    failed[one.reason] += 1
    spent = llm.spending()
    return Examples(asked=written + failed.total(), written=written, failed=dict(sorted(failed.items())), llm=spent)
