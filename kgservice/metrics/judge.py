"""Whether an answer is right: string match first (RARE, section 5), a model only where strings do not agree.

The model votes k times, every other time with the two answers the other way round, since judges favour a place; the
majority decides, a tie is against the prediction, and the votes are kept. It also decides what is a refusal, before it
votes; without a model text/refusal.py does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from statistics import fmean

from pydantic import BaseModel, Field

from kgservice.answering.generator import REFUSAL
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.text.matching import How, answered, normalised
from kgservice.text.refusal import refuses

STAGE, RATING = "judge answers", "rate answers"
REFUSALS = "judge_refusal"  # the prompt that asks whether an answer refuses


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


class Refusal(BaseModel):
    """Whether an answer refuses."""

    refused: bool


class Judgement(Record):
    """Whether a prediction is right, or refuses: `how` strings agree ("" if a model had to say), votes, variance."""

    right: bool
    how: How
    refused: bool = False
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
    ended = list[Judgement | LLMFailure](map(_by_strings, found))
    told = (REFUSAL, "")  # the first is what systems are told to say: no judge need be paid for it
    unsure = [
        at
        for at, how in enumerate(ended)
        if not (isinstance(how, Judgement) and how.how) and normalised(found[at].prediction) not in told
    ]
    if llm is None or not unsure:
        return ended
    open_to = await _not_refused(llm, found, unsure, ended)
    async with aclosing(gather(llm, (ask for at in open_to for ask in asks(found[at], votes)))) as answers:
        for at in open_to:
            ended[at] = _majority([await anext(answers) for _ in range(votes)])
    return ended


def _by_strings(one: Answered) -> Judgement:
    how, refused = answered(one.prediction, one.truth), refuses(one.prediction)
    return Judgement(right=bool(how), how=how, refused=refused)


async def _not_refused(
    llm: LLM, found: Sequence[Answered], unsure: Sequence[int], ended: list[Judgement | LLMFailure]
) -> list[int]:
    """Have the model say which answers refuse; write these, and where it failed, to `ended`, and return the others."""
    asks = (
        Ask(prompt(REFUSALS, question=found[at].question, answer=found[at].prediction), Refusal, STAGE, found[at].unit)
        for at in unsure
    )
    left = list[int]()
    async with aclosing(gather(llm, asks)) as replies:
        for at in unsure:
            reply = await anext(replies)
            if isinstance(reply, LLMFailure):
                ended[at] = reply
            elif isinstance(reply, Refusal) and reply.refused:
                ended[at] = Judgement(right=False, how="", refused=True)
            else:
                left.append(at)
    return left


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
