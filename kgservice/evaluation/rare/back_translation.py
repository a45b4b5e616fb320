"""Texts paraphrased by a model that translates them into French and back (RARE, appendix C.2)."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import aclosing

from pydantic import BaseModel

from kgservice.core import keys
from kgservice.core.errors import LLMFailure
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt

STAGE, PROMPT = "translate", "translate"
THERE, BACK = "French", "English"


class Translated(BaseModel):
    """A translation."""

    text: str


async def back_translated(llm: LLM, texts: Collection[str]) -> dict[str, str | LLMFailure]:
    """Return each text with its back-translation, or with the failure of the model either way.

    Texts of which the model made nothing are dropped.
    """
    abroad = await _translated(llm, texts, THERE)
    back = await _translated(llm, [other for other in abroad.values() if isinstance(other, str)], BACK)
    ended = ((text, other if isinstance(other, LLMFailure) else back.get(other)) for text, other in abroad.items())
    return {text: other for text, other in ended if other is not None}


async def _translated(llm: LLM, texts: Collection[str], language: str) -> dict[str, str | LLMFailure]:
    each = list(dict.fromkeys(texts))
    asks = [
        Ask(prompt(PROMPT, text=text, language=language), Translated, STAGE, keys.digest(12, language, text))
        for text in each
    ]
    async with aclosing(gather(llm, asks)) as replies:
        translations = [reply async for reply in replies]
    return {
        text: reply.text if isinstance(reply, Translated) else reply
        for text, reply in zip(each, translations, strict=True)
        if isinstance(reply, LLMFailure) or (isinstance(reply, Translated) and reply.text.strip())
    }
