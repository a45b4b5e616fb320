"""Verdicts on claims: by a model, or offline by overlap, numbers and negation (RAGuard, sections 3.3, 4.1).

The claim is the `question` of a QuestionWithPassages. The answer is "True" or "False". Any other answer is out of
scope.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from pydantic import BaseModel

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.core.errors import LLMFailure
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.retrieval.bm25 import bare
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.matching import agree, normalised, values
from kgservice.text.sentences import sentences

CHECK, EXAM = "check_claim", "examine_claim"  # prompts: a verdict in any case, and a verdict on the document's words
SHARED = 0.5  # least share of the claim's words in a sentence about it

_NEGATIONS = frozenset("not no never nor neither none nobody nothing without cannot false untrue denied".split())
_FUNCTION = BE | AUXILIARIES | PREPOSITIONS | _NEGATIONS


class Checked(BaseModel):
    """A verdict after the reasoning that led to it."""

    reasoning: str
    verdict: str


class PromptedVerdicts:
    """Verdicts of a model, shown two examples and warned that documents may be irrelevant or wrong (`CHECK`)."""

    def __init__(self, llm: LLM, asks: str = CHECK) -> None:
        self.name, self._llm, self._asks = f"prompted: {llm.name}", llm, asks

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return a verdict a claim. A verdict that the model failed at has the reason as its `failure`."""
        async with aclosing(gather(self._llm, map(self._ask, asked))) as replies:
            return [_generated(reply) async for reply in replies]

    def _ask(self, question: QuestionWithPassages) -> Ask:
        asked = prompt(self._asks, claim=question.question, documents=question.contexts)
        return Ask(asked, Checked, self._asks.replace("_", " "), question.unit)


class OverlapVerdicts:
    """A comparison of the claim with the sentence that shares most of its words. It tests the plumbing, not a system.

    The verdict is True unless the sentence has other numbers of the claim's kinds, or is negated and the claim is not.
    Without a sentence with half of the claim's words there is no verdict.
    """

    name = "extractive"

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return a verdict a claim. Its reasoning is the sentence compared with it."""
        return [_compared(one) for one in asked]


def verdict(answer: str) -> bool | None:
    """Return the verdict of an answer, None if it is out of scope.

    The answer must begin with "true" or "false" and not have both.
    """
    words = normalised(answer).split()
    if not words or words[0] not in ("true", "false") or {"true", "false"} <= set(words):
        return None
    return words[0] == "true"


def _generated(reply: BaseModel | LLMFailure) -> Generated:
    if isinstance(reply, LLMFailure):
        return Generated(failure=reply.reason)
    return Generated(answer=reply.verdict, reasoning=reply.reasoning) if isinstance(reply, Checked) else Generated()


def _compared(question: QuestionWithPassages) -> Generated:
    wanted = bare(question.question) - _FUNCTION
    each = [text[start:end] for text in question.contexts for start, end in sentences(text)]
    shared = [len(bare(sentence) & wanted) for sentence in each]
    if not wanted or max(shared, default=0) < SHARED * len(wanted):
        return Generated(answer=REFUSAL)
    best = each[shared.index(max(shared))]
    contrary = _negated(question.question) != _negated(best) or _other_numbers(question.question, best)
    return Generated(answer=str(not contrary), reasoning=best)


def _negated(text: str) -> bool:
    words = text.lower().replace("’", "'").split()
    return bool(sum(word.strip(".,;:!?\"'") in _NEGATIONS or word.endswith("n't") for word in words) % 2)


def _other_numbers(claim: str, sentence: str) -> bool:
    """Return whether a number or date of the claim is missing from a sentence with others of its kind."""
    stated = list(values(sentence))
    return any(
        not any(agree(other, wanted) for other in stated) and any(other[0] == wanted[0] for other in stated)
        for wanted in values(claim)
    )
