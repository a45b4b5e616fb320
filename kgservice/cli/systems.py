"""The system under test, as the options of an evaluation name it, and the model that may be part of it."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING

from kgservice.connect import language_model
from kgservice.embedding import Embedder
from kgservice.errors import NotFound
from kgservice.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.settings import Settings

if TYPE_CHECKING:
    from kgservice.generation.generator import Generator
    from kgservice.llm.client import LLM


def generator_named(name: str, embedder: Embedder, model: LLM | None, timeout: float) -> Generator:
    """Return a generator: extractive, prompted, or the one at an address (NotFound)."""
    from kgservice.generation.extractive import ExtractiveGenerator
    from kgservice.generation.prompted import PromptedGenerator
    from kgservice.generation.remote import RemoteGenerator

    if name == "extractive":
        return ExtractiveGenerator(embedder)
    if name == "prompted" and model is not None:
        return PromptedGenerator(model)
    if "://" not in name:
        raise NotFound(f"no generator {name!r}: choose extractive, prompted, or give an address such as http://…")
    return RemoteGenerator(name, timeout=timeout)


async def with_model(going: Coroutine[None, None, None], model: LLM | None) -> None:
    """Run an evaluation, and close the model that it asks, if any."""
    if model is None:
        await going
        return
    async with model:
        await going


def model_for(settings: Settings, journal: Journal, budget: str | None, *, retry_failed: bool) -> LLM:
    """Return the model of the settings, bound by a budget as it is written on the command line."""
    bound = Budget.read(budget) if budget else None
    return language_model(settings, journal, bound, retry_failed=retry_failed)


def prompts_of(generator: str) -> tuple[str, ...]:
    """Return the prompts that a generator, by its name, is asked with."""
    from kgservice.generation.prompted import PROMPTS

    return PROMPTS if generator == "prompted" else ()
