"""How an answer ended, from what a system said and what its judge said of it."""

from __future__ import annotations

from kgservice.answering.generator import Generated
from kgservice.core.errors import LLMFailure
from kgservice.metrics.judge import Judgement
from kgservice.metrics.robustness import Outcome


def prediction(answer: Generated) -> str:
    """Return what is judged, nothing of a failure."""
    return "" if answer.failure else answer.answer


def outcome(answer: Generated, verdict: Judgement | LLMFailure) -> Outcome:
    """Return how an answer ended; one that no judge could judge is neither right nor wrong."""
    if answer.failure or not answer.answer.strip():
        return "failed"
    if isinstance(verdict, LLMFailure):
        return "unjudged"
    if verdict.refused:
        return "refused"
    return "correct" if verdict.right else "wrong"


def failure(answer: Generated, verdict: Judgement | LLMFailure) -> str:
    """Return why there is no answer, or no verdict, "" where there are both."""
    if outcome(answer, verdict) == "unjudged" and isinstance(verdict, LLMFailure):
        return f"judge: {verdict.reason}"
    return answer.failure or ("" if answer.answer.strip() else "empty answer")
