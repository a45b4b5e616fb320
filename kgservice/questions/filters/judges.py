"""Judges of questions: RARE's (appendix F: 1 to 5, all above 3), DRAGON's (appendix D: eight criteria, 0 to 2, all 1).

A judge votes k times, every other time with everything in the other order: the chunks turned round, and before the
question in place of after it, so that there are two orders where there is one chunk. What counts is a criterion's mean,
and the variance of the votes is kept, so that a judge that wobbles is seen.

DRAGON asks for one criterion a prompt; here those of the question share one and those of the answer another: each
prompt pays for the chunks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean, pvariance

from pydantic import BaseModel, Field

from kgservice.core.records import Record, Subgraph
from kgservice.graph.contexts import Context
from kgservice.llm.client import Ask
from kgservice.llm.prompts import prompt

RARE, DRAGON_QUESTION, DRAGON_ANSWER = "judge: RARE", "judge: DRAGON, question", "judge: DRAGON, answer"


class Scores(BaseModel):
    """A vote: numbers by criterion, after what weighs most."""

    remark: str

    def by_criterion(self) -> dict[str, int]:
        """Return the numbers."""
        return self.model_dump(exclude={"remark"})


class RareSingle(Scores):
    """RARE's criteria for questions of one hop."""

    clarity: int = Field(ge=1, le=5)
    correctness: int = Field(ge=1, le=5)


class RareMultiHop(Scores):
    """RARE's criteria for questions of several hops."""

    reasonableness: int = Field(ge=1, le=5)
    clarity: int = Field(ge=1, le=5)
    correctness: int = Field(ge=1, le=5)


class DragonQuestion(Scores):
    """DRAGON's criteria of a question."""

    literacy: int = Field(ge=0, le=2)
    clarity: int = Field(ge=0, le=2)
    naturalness: int = Field(ge=0, le=2)
    sufficiency: int = Field(ge=0, le=2)
    necessity: int = Field(ge=0, le=2)


class DragonAnswer(Scores):
    """DRAGON's criteria of an answer."""

    correctness: int = Field(ge=0, le=2)
    uniqueness: int = Field(ge=0, le=2)
    literacy: int = Field(ge=0, le=2)


class Verdict(Record):
    """Mean and variance of the votes by criterion, and why the question falls, "" if it stands."""

    means: dict[str, float]
    variances: dict[str, float]
    reason: str


def judge_prompts(judge: str, row: Subgraph, text: str, contexts: Sequence[Context], votes: int) -> Iterator[Ask]:
    """Yield what a judge is asked, a question a vote; every other vote sees the material in the other order."""
    read = row.readings if row.asked == "members" else row.readings[:1]  # as in the prompts of wording
    facts = {fact.key for reading in read for fact in reading.facts}
    multi = len(facts) > 1 or row.pattern == "pluri_hop"  # whose one fact may be of many documents
    name, form = {
        RARE: ("judge_rare_multi_hop", RareMultiHop) if multi else ("judge_rare_single", RareSingle),
        DRAGON_QUESTION: ("judge_dragon_question", DragonQuestion),
        DRAGON_ANSWER: ("judge_dragon_answer", DragonAnswer),
    }[judge]
    answer = "; ".join(row.answers)
    for vote in range(votes):
        turned = vote % 2 == 1
        seen = tuple(reversed(contexts)) if turned else tuple(contexts)
        told = prompt(name, question=text, answer=answer, contexts=seen, turned=turned)
        yield Ask(told, form, judge, row.id, sample=vote)


def verdict(judge: str, votes: Sequence[Scores]) -> Verdict:
    """Return what the votes come to: RARE wants every mean above 3, DRAGON at least 1."""
    by_criterion = {name: [vote.by_criterion()[name] for vote in votes] for name in votes[0].by_criterion()}
    means = {name: fmean(numbers) for name, numbers in by_criterion.items()}
    low = [name for name, mean in means.items() if (mean <= 3 if judge == RARE else mean < 1)]
    return Verdict(
        means={name: round(mean, 3) for name, mean in means.items()},
        variances={name: round(pvariance(numbers), 3) for name, numbers in by_criterion.items()},
        reason=f"low {low[0]}" if low else "",
    )
