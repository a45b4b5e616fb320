"""Answers by a language model, by the rules of RARE's generator prompt (appendix F) in our words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from pydantic import BaseModel

from kgservice.answering.generator import Generated, QuestionWithPassages
from kgservice.core.errors import LLMFailure
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.questions.filters.context_free import FromMemory

STAGE, PROBE = "generate answers", "generate answers from memory"
PROMPTS = ("generate_answer", "closed_book")  # with passages, without
FRAMES = ("answer_with_articles", "answer_from_memory")  # articles help, what is known by heart counts too


class Reasoned(BaseModel):
    """An answer after the reasoning that led to it."""

    reasoning: str
    answer: str


class PromptedGenerator:
    """Asks a model; without passages it asks for what the model knows by heart (the probe g(q, ∅)).

    `prompts`: one with passages, one without.
    """

    def __init__(self, llm: LLM, prompts: tuple[str, str] = PROMPTS) -> None:
        self.name, self._llm, self._prompts = f"prompted: {llm.model}", llm, prompts

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question; what the model failed at carries the reason."""
        async with aclosing(gather(self._llm, map(self._ask, asked))) as replies:
            return [_generated(reply) async for reply in replies]

    def _ask(self, one: QuestionWithPassages) -> Ask:
        within, without = self._prompts
        if not one.contexts:
            return Ask(prompt(without, question=one.question), FromMemory, PROBE, one.unit)
        return Ask(prompt(within, question=one.question, contexts=one.contexts), Reasoned, STAGE, one.unit)


def _generated(reply: BaseModel | LLMFailure) -> Generated:
    if isinstance(reply, LLMFailure):
        return Generated(failure=reply.reason)
    return Generated.model_validate(reply.model_dump())
