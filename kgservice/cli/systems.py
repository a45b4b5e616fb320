"""The system under test, as the options of an evaluation name it, and the prompts that it is asked with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgservice.core.errors import NotFound
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.answering.generator import Generator
    from kgservice.answering.remote import RemoteGenerator
    from kgservice.llm.client import LLM
    from kgservice.llm.endpoint import Told

CLAIM = (
    "Is this claim true or false? Answer True or False. The documents may be irrelevant or wrong. Claim: {}",
    "Going by the document alone, is this claim true or false? Answer True, False or Neither. Claim: {}",
)


def generator_named(
    name: str, embedder: Embedder, model: LLM | None, timeout: float, told: Told | None = None
) -> Generator:
    """Return a generator: extractive, prompted (where there is a model), or the one at an address (NotFound).

    `told` is called with the text of each reply of a model so far, as it comes.
    """
    from kgservice.answering.extractive import ExtractiveGenerator
    from kgservice.answering.llm_generator import PromptedGenerator

    if name == "extractive":
        return ExtractiveGenerator(embedder)
    return PromptedGenerator(model, told=told) if model is not None else _remote(name, timeout)


def verifiers(name: str, model: LLM | None, timeout: float) -> tuple[Generator, Generator]:
    """Return what checks claims, and what sits the exam that labels documents (NotFound)."""
    from kgservice.answering.verdicts import EXAM, OverlapVerdicts, PromptedVerdicts

    if name == "extractive":
        return OverlapVerdicts(), OverlapVerdicts()
    if model is not None:
        return PromptedVerdicts(model), PromptedVerdicts(model, EXAM)
    return _remote(name, timeout, CLAIM[0]), _remote(name, timeout, CLAIM[1])


def prompts_of(generator: str) -> tuple[str, ...]:
    """Return the prompts that a generator, by its name, is asked with."""
    from kgservice.answering.llm_generator import PROMPTS

    return PROMPTS if generator == "prompted" else ()


def _remote(name: str, timeout: float, phrasing: str = "{}") -> RemoteGenerator:
    from kgservice.answering.remote import RemoteGenerator

    if "://" not in name:
        raise NotFound(f"no generator {name!r}: choose extractive, prompted, or give an address such as http://…")
    return RemoteGenerator(name, timeout=timeout, phrasing=phrasing)
