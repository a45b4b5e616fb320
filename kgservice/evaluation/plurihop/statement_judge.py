"""Statements split and compared by a model (PluriHop, section 5.1, appendices A.4 and A.5), and Loong's score."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from typing import NamedTuple

from pydantic import BaseModel, Field

from kgservice.core.errors import LLMFailure
from kgservice.evaluation.plurihop.statements import Aligned
from kgservice.evaluation.shared.measured_answers import AnswerPart
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.text.refusal import refuses

SPLIT, COMPARE, MARK = "split answers", "compare statements", "mark answers"
PROMPTS = ("split_statements", "compare_statements", "judge_whole_answer")


class Pair(NamedTuple):
    """An answer and the reference, which may be in statements already. `unit` names the question."""

    unit: str
    question: str
    said: str
    wanted: str
    statements: tuple[str, ...]


class Split(BaseModel):
    """An answer's statements."""

    statements: list[str]


class Compared(BaseModel):
    """Whether each statement follows from the text."""

    implied: list[bool]


class Marked(BaseModel):
    """A mark, after what weighs most."""

    remark: str
    score: int = Field(ge=1, le=100)


async def aligned(llm: LLM, pairs: Sequence[Pair]) -> list[Aligned | LLMFailure]:
    """Return the statements of each pair, each with whether the other side has it.

    A refusal has no statements and costs no call.
    """
    mine = await _split(llm, [(pair, "" if refuses(pair.said) else pair.said, ()) for pair in pairs])
    theirs = await _split(llm, [(pair, pair.wanted, pair.statements) for pair in pairs])
    forward = [(pair, said, pair.wanted) for pair, said in zip(pairs, mine, strict=True)]
    backward = [(pair, other, pair.said) for pair, other in zip(pairs, theirs, strict=True)]
    held = await _compared(llm, forward + backward)
    return [_aligned(said, expected) for said, expected in zip(held[: len(pairs)], held[len(pairs) :], strict=True)]


async def marked(llm: LLM, pairs: Sequence[Pair]) -> list[Marked | LLMFailure]:
    """Return Loong's mark of each answer, 1 to 100. A missing answer and a refusal get 1 without a call."""
    asks = [
        Ask(prompt("judge_whole_answer", question=pair.question, wanted=pair.wanted, answer=pair.said), Marked, MARK,
            pair.unit)
        for pair in pairs if _answers(pair.said)
    ]  # fmt: skip
    async with aclosing(gather(llm, asks)) as replies:
        marks = [await anext(replies) if _answers(pair.said) else Marked(remark="no answer", score=1) for pair in pairs]
    return [mark if isinstance(mark, Marked) else _failure(mark) for mark in marks]


async def _split(llm: LLM, answers: Sequence[tuple[Pair, str, tuple[str, ...]]]) -> list[tuple[str, ...] | LLMFailure]:
    """Return the statements of answers: given ones, none of an empty answer, else a model's."""
    asks = [
        Ask(prompt("split_statements", question=pair.question, answer=text), Split, SPLIT, pair.unit)
        for pair, text, ready in answers if text.strip() and not ready
    ]  # fmt: skip
    statements: list[tuple[str, ...] | LLMFailure] = []
    async with aclosing(gather(llm, asks)) as replies:
        for _, text, ready in answers:
            if ready or not text.strip():
                statements.append(ready)
                continue
            reply = await anext(replies)
            statements.append(tuple(reply.statements) if isinstance(reply, Split) else _failure(reply))
    return statements


async def _compared(
    llm: LLM, sides: Sequence[tuple[Pair, tuple[str, ...] | LLMFailure, str]]
) -> list[tuple[AnswerPart, ...] | LLMFailure]:
    """Return each side's statements with whether the other side's text has them. An empty text has none."""
    asks = [
        Ask(prompt("compare_statements", question=pair.question, statements=list(statements), text=text), Compared,
            COMPARE, pair.unit)
        for pair, statements, text in sides if not isinstance(statements, LLMFailure) and statements and _answers(text)
    ]  # fmt: skip
    held: list[tuple[AnswerPart, ...] | LLMFailure] = []
    async with aclosing(gather(llm, asks)) as replies:
        for _, statements, text in sides:
            if isinstance(statements, LLMFailure):
                held.append(statements)
            elif not statements or not _answers(text):
                held.append(tuple(AnswerPart(text=statement, held=False) for statement in statements))
            else:
                held.append(_with(statements, await anext(replies)))
    return held


def _with(statements: tuple[str, ...], reply: BaseModel | LLMFailure) -> tuple[AnswerPart, ...] | LLMFailure:
    if not isinstance(reply, Compared):
        return _failure(reply)
    if len(reply.implied) != len(statements):
        return LLMFailure("not as many verdicts as statements", f"{len(reply.implied)} of {len(statements)}")
    return tuple(
        AnswerPart(text=statement, held=held) for statement, held in zip(statements, reply.implied, strict=True)
    )


def _aligned(
    said: tuple[AnswerPart, ...] | LLMFailure, expected: tuple[AnswerPart, ...] | LLMFailure
) -> Aligned | LLMFailure:
    for side in (said, expected):
        if isinstance(side, LLMFailure):
            return side
    return Aligned(said=tuple(said), expected=tuple(expected))  # type: ignore[arg-type]


def _answers(text: str) -> bool:
    return bool(text.strip()) and not refuses(text)


def _failure(reply: BaseModel | LLMFailure) -> LLMFailure:
    return reply if isinstance(reply, LLMFailure) else LLMFailure("wrong form", str(reply))
