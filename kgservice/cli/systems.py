"""The system under test, as the options of an evaluation name it, and the model that may be part of it."""

from __future__ import annotations

from collections.abc import Collection, Coroutine
from importlib.resources import files
from typing import TYPE_CHECKING

from kgservice import keys
from kgservice.embedding import Embedder
from kgservice.errors import NotFound

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


def prompt_hashes(names: Collection[str]) -> dict[str, str]:
    """Return the hashes of prompts by name: figures of other words are another run's."""
    folder = files("kgservice.prompts")
    return {name: keys.digest(12, (folder / f"{name}.md").read_text(encoding="utf-8")) for name in sorted(names)}
