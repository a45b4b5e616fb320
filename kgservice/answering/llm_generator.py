"""Answers by a language model with the rules of RARE's generator prompt (appendix F), in our words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing

from pydantic import BaseModel

from kgservice.answering.generator import Generated, QuestionWithPassages
from kgservice.core.errors import LLMFailure
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.endpoint import Told
from kgservice.llm.prompts import prompt
from kgservice.questions.filters.context_free import FromMemory

STAGE, PROBE = "generate answers", "generate answers from memory"
PROMPTS = ("generate_answer", "closed_book")  # with passages, without
FRAMES = ("answer_with_articles", "answer_from_memory")  # with articles, and with the model's own knowledge


class Reasoned(BaseModel):
    """An answer after the reasoning that led to it."""

    reasoning: str
    answer: str


class PromptedGenerator:
    """Answers by a model. Without passages it answers from memory (the probe g(q, ∅)).

    `prompts`: one with passages, one without. `told` is called with the text of each reply so far, as it comes.
    """

    def __init__(self, llm: LLM, prompts: tuple[str, str] = PROMPTS, told: Told | None = None) -> None:
        self.name, self._llm, self._prompts, self._told = f"prompted: {llm.name}", llm, prompts, told

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question. An answer that the model failed at has the reason as its `failure`."""
        async with aclosing(gather(self._llm, map(self._ask, asked))) as replies:
            return [_generated(reply) async for reply in replies]

    def _ask(self, question: QuestionWithPassages) -> Ask:
        within, without = self._prompts
        if not question.contexts:
            return Ask(prompt(without, question=question.question), FromMemory, PROBE, question.unit, told=self._told)
        asked = prompt(within, question=question.question, contexts=question.contexts)
        return Ask(asked, Reasoned, STAGE, question.unit, told=self._told)


def _generated(reply: BaseModel | LLMFailure) -> Generated:
    if isinstance(reply, LLMFailure):
        return Generated(failure=reply.reason)
    return Generated.model_validate(reply.model_dump())
