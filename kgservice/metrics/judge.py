"""Judgements of answers: string match first (RARE, section 5), and a model if strings do not agree.

The model votes k times. Every other vote swaps the two answers, each with its label, as judges favour a position. The
majority decides, a tie counts against the prediction, and the votes are kept. The model also decides what is a refusal,
before it votes. Without a model text/refusal.py does.
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
from kgservice.text.matching import NOT_STATED, How, answered, normalised
from kgservice.text.refusal import refuses

STAGE, RATING = "judge answers", "rate answers"
REFUSALS = "judge_refusal"  # the prompt that asks whether an answer refuses


class Answered(Record):
    """A question with a system's answer and the true one."""

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
    """The judgement of a prediction.

    `how` tells how strings agree ("" if a model decided). `variance` is that of the votes.
    """

    right: bool
    how: How
    refused: bool = False
    votes: tuple[bool, ...] = ()
    variance: float = Field(0.0, ge=0.0, le=0.25)


async def judged(llm: LLM | None, predictions: Sequence[Answered], votes: int = 3) -> list[Judgement | LLMFailure]:
    """Return a judgement or an LLMFailure for each prediction, in order. Without a model strings decide."""
    return await _ended(llm, predictions, votes, _asks)


async def rated(llm: LLM | None, predictions: Sequence[Answered]) -> list[Judgement | LLMFailure]:
    """Return the judgement of FRAMES' auto-rater for each prediction.

    Where strings do not agree it costs a call, whether the prediction refuses, and if it does not a second, the rating.
    """
    return await _ended(llm, predictions, 1, _rating)


async def _ended(
    llm: LLM | None, predictions: Sequence[Answered], votes: int, asks: Callable[[Answered, int], list[Ask]]
) -> list[Judgement | LLMFailure]:
    ended = list[Judgement | LLMFailure](map(_by_strings, predictions))
    free = (REFUSAL, "")  # REFUSAL is what prompts require, so it needs no judge
    unsure = [
        at
        for at, how in enumerate(ended)
        if not (isinstance(how, Judgement) and how.how) and normalised(predictions[at].prediction) not in free
    ]
    if llm is None or not unsure:
        return ended
    to_vote = await _not_refused(llm, predictions, unsure, ended)
    async with aclosing(gather(llm, (ask for at in to_vote for ask in asks(predictions[at], votes)))) as answers:
        for at in to_vote:
            ended[at] = _majority([await anext(answers) for _ in range(votes)])
    return ended


def _by_strings(prediction: Answered) -> Judgement:
    how = _of_all(prediction.prediction, prediction.truth)
    refused = refuses(prediction.prediction) and (not how or prediction.truth == NOT_STATED)
    return Judgement(right=bool(how), how=how, refused=refused)


def _of_all(prediction: str, truth: str) -> How:
    """Return how a prediction matches an answer, or all of a list ("Acme; Borea") in any order."""
    how, members = answered(prediction, truth), truth.split("; ")
    return "inclusive" if not how and len(members) > 1 and all(answered(prediction, one) for one in members) else how


async def _not_refused(
    llm: LLM, predictions: Sequence[Answered], unsure: Sequence[int], ended: list[Judgement | LLMFailure]
) -> list[int]:
    """Write refusals by the model, and its failures, to `ended`. Return the indexes of the other predictions."""
    asks = (
        Ask(
            prompt(REFUSALS, question=predictions[at].question, answer=predictions[at].prediction),
            Refusal,
            STAGE,
            predictions[at].unit,
        )
        for at in unsure
    )
    others = list[int]()
    async with aclosing(gather(llm, asks)) as replies:
        for at in unsure:
            reply = await anext(replies)
            if isinstance(reply, LLMFailure):
                ended[at] = reply
            elif isinstance(reply, Refusal) and reply.refused:
                ended[at] = Judgement(right=predictions[at].truth == NOT_STATED, how="", refused=True)
            else:
                others.append(at)
    return others


def _asks(answer: Answered, votes: int) -> list[Ask]:
    ends = {"question": answer.question, "prediction": answer.prediction, "truth": answer.truth}
    prompts = [prompt("judge_answer", **ends, turned=turned) for turned in (False, True)]
    return [Ask(prompts[vote % 2], Same, STAGE, answer.unit, sample=vote) for vote in range(votes)]


def _rating(answer: Answered, votes: int) -> list[Ask]:
    text = prompt("rate_answer", question=answer.question, prediction=answer.prediction, truth=answer.truth)
    return [Ask(text, Rated, RATING, answer.unit, sample=vote) for vote in range(votes)]


def _majority(replies: Sequence[BaseModel | LLMFailure]) -> Judgement | LLMFailure:
    if broken := next((reply for reply in replies if isinstance(reply, LLMFailure)), None):
        return broken
    votes = tuple(reply.same for reply in replies if isinstance(reply, Same | Rated))
    share = fmean(votes)
    return Judgement(right=share > 0.5, how="", votes=votes, variance=round(share * (1 - share), 4))
