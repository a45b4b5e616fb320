"""What says whether a claim is true: a model, or offline overlap, numbers and negation (RAGuard, sections 3.3, 4.1).

The question of an Asked is the claim; an answer is "True" or "False", whatever else it is counts as out of scope.
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

CHECK, EXAM = "check_claim", "examine_claim"  # prompts: a verdict in any case; a verdict on what the document says
SHARED = 0.5  # of the claim's words, the least that a sentence on it has

_NEGATIONS = frozenset("not no never nor neither none nobody nothing without cannot false untrue denied".split())
_FUNCTION = BE | AUXILIARIES | PREPOSITIONS | _NEGATIONS


class Checked(BaseModel):
    """A verdict after the reasoning that led to it."""

    reasoning: str
    verdict: str


class PromptedVerdicts:
    """Asks a model: two examples, and told that documents may be irrelevant or wrong (`CHECK`)."""

    def __init__(self, llm: LLM, asks: str = CHECK) -> None:
        self.name, self._llm, self._asks = f"prompted: {llm.model}", llm, asks

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return a verdict a claim; what the model failed at carries the reason."""
        async with aclosing(gather(self._llm, map(self._ask, asked))) as replies:
            return [_generated(reply) async for reply in replies]

    def _ask(self, one: QuestionWithPassages) -> Ask:
        asked = prompt(self._asks, claim=one.question, documents=one.contexts)
        return Ask(asked, Checked, self._asks.replace("_", " "), one.unit)


class OverlapVerdicts:
    """Compares the claim with the sentence that shares most of its words. It tests the plumbing, not a system.

    True, unless the sentence has other numbers of the claim's kinds, or is negated where the claim is not; no verdict
    where no sentence has half of the claim's words.
    """

    name = "extractive"

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return a verdict a claim; its reasoning is the sentence that it was compared with."""
        return [_compared(one) for one in asked]


def verdict(answer: str) -> bool | None:
    """Return what an answer says, None where it is out of scope: it has to begin with "true" or "false", not both."""
    words = normalised(answer).split()
    if not words or words[0] not in ("true", "false") or {"true", "false"} <= set(words):
        return None
    return words[0] == "true"


def _generated(reply: BaseModel | LLMFailure) -> Generated:
    if isinstance(reply, LLMFailure):
        return Generated(failure=reply.reason)
    return Generated(answer=reply.verdict, reasoning=reply.reasoning) if isinstance(reply, Checked) else Generated()


def _compared(one: QuestionWithPassages) -> Generated:
    wanted = bare(one.question) - _FUNCTION
    each = [text[start:end] for text in one.contexts for start, end in sentences(text)]
    shared = [len(bare(sentence) & wanted) for sentence in each]
    if not wanted or max(shared, default=0) < SHARED * len(wanted):
        return Generated(answer=REFUSAL)
    best = each[shared.index(max(shared))]
    contrary = _negated(one.question) != _negated(best) or _other_numbers(one.question, best)
    return Generated(answer=str(not contrary), reasoning=best)


def _negated(text: str) -> bool:
    words = text.lower().replace("’", "'").split()
    return bool(sum(word.strip(".,;:!?\"'") in _NEGATIONS or word.endswith("n't") for word in words) % 2)


def _other_numbers(claim: str, sentence: str) -> bool:
    """Whether some number or date of the claim is not in the sentence, which has others of its kind."""
    there = list(values(sentence))
    return any(
        not any(agree(found, wanted) for found in there) and any(found[0] == wanted[0] for found in there)
        for wanted in values(claim)
    )
