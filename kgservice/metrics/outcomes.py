"""The outcome of an answer, by the system's output and the judge's verdict."""

from __future__ import annotations

from kgservice.answering.generator import Generated
from kgservice.core.errors import LLMFailure
from kgservice.metrics.judge import Judgement
from kgservice.metrics.robustness import Outcome


def prediction(answer: Generated) -> str:
    """Return the text to judge, "" for a failure."""
    return "" if answer.failure else answer.answer


def outcome(answer: Generated, verdict: Judgement | LLMFailure) -> Outcome:
    """Return the outcome of an answer. One that the judge failed at is "unjudged", neither right nor wrong."""
    if answer.failure or not answer.answer.strip():
        return "failed"
    if isinstance(verdict, LLMFailure):
        return "unjudged"
    if verdict.refused:
        return "refused"
    return "correct" if verdict.right else "wrong"


def failure(answer: Generated, verdict: Judgement | LLMFailure) -> str:
    """Return why there is no answer or no verdict, "" if there are both."""
    if outcome(answer, verdict) == "unjudged" and isinstance(verdict, LLMFailure):
        return f"judge: {verdict.reason}"
    return answer.failure or ("" if answer.answer.strip() else "empty answer")
