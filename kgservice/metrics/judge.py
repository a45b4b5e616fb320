"""Whether an answer is right: string match first (RARE, section 5), a model only where strings do not agree.

The model votes k times, every other time with the two answers the other way round, since judges favour a place; the
majority decides, a tie is against the prediction, and the votes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from statistics import fmean

from pydantic import BaseModel, Field

from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.text.matching import How, match

STAGE, RATING = "judge answers", "rate answers"


class Answered(Record):
    """A question with the answer given and the one that is true."""

    unit: str
    question: str
    prediction: str
    truth: str


class Same(BaseModel):
    """A vote."""

    same: bool


class Rated(BaseModel):
    """FRAMES' auto-rater: whether the true answer is present in the prediction (figure 6), after an explanation."""

    explanation: str
    same: bool


class Judgement(Record):
    """Whether a prediction is right: `how` strings agree ("" if a model had to say), its votes, and their variance."""

    right: bool
    how: How
    votes: tuple[bool, ...] = ()
    variance: float = Field(0.0, ge=0.0, le=0.25)


async def judged(llm: LLM | None, found: Sequence[Answered], votes: int = 3) -> list[Judgement | LLMFailure]:
    """Return a judgement an answer, in order (LLMFailure in place of a verdict); without a model strings decide."""
    return await _ended(llm, found, votes, _asks)


async def rated(llm: LLM | None, found: Sequence[Answered]) -> list[Judgement | LLMFailure]:
    """Return a judgement an answer as FRAMES' auto-rater gives it, with one call where strings do not agree."""
    return await _ended(llm, found, 1, _rating)


async def _ended(
    llm: LLM | None, found: Sequence[Answered], votes: int, asks: Callable[[Answered, int], list[Ask]]
) -> list[Judgement | LLMFailure]:
    by_string = [match(one.prediction, one.truth) for one in found]
    ended: list[Judgement | LLMFailure] = [Judgement(right=bool(how), how=how) for how in by_string]
    open_to = [at for at, how in enumerate(by_string) if not how and found[at].prediction.strip()]
    if llm is None or not open_to:
        return ended
    async with aclosing(gather(llm, (ask for at in open_to for ask in asks(found[at], votes)))) as answers:
        for at in open_to:
            ended[at] = _majority([await anext(answers) for _ in range(votes)])
    return ended


def _asks(one: Answered, votes: int) -> list[Ask]:
    ends = ((one.prediction, one.truth), (one.truth, one.prediction))
    asked = [prompt("judge_answer", question=one.question, one=first, two=second) for first, second in ends]
    return [Ask(asked[vote % 2], Same, STAGE, one.unit, sample=vote) for vote in range(votes)]


def _rating(one: Answered, votes: int) -> list[Ask]:
    asked = prompt("rate_answer", question=one.question, prediction=one.prediction, truth=one.truth)
    return [Ask(asked, Rated, RATING, one.unit, sample=vote) for vote in range(votes)]


def _majority(replies: Sequence[BaseModel | LLMFailure]) -> Judgement | LLMFailure:
    if broken := next((reply for reply in replies if isinstance(reply, LLMFailure)), None):
        return broken
    votes = tuple(reply.same for reply in replies if isinstance(reply, Same | Rated))
    share = fmean(votes)
    return Judgement(right=share > 0.5, how="", votes=votes, variance=round(share * (1 - share), 4))
