"""Options that evaluations of answers share, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from kgservice.errors import BadRequest, NotFound

if TYPE_CHECKING:
    from kgservice.generation.generator import Generator
    from kgservice.llm.client import LLM

Report = Annotated[Path, typer.Option(help="A folder: run.json, questions.jsonl, index.html; a run goes on there.")]
GeneratorName = Annotated[str, typer.Option(help="extractive, prompted, or the address of a system.")]
Limit = Annotated[int | None, typer.Option(min=1, help="A random sample of so many; all else.")]
Seed = Annotated[int, typer.Option(help="Of everything random.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one answer of a system by address.")]

Name = TypeVar("Name", bound=str)
CLAIM = (
    "Is this claim true or false? Answer True or False. The documents may be irrelevant or wrong. Claim: {}",
    "Going by the document alone, is this claim true or false? Answer True, False or Neither. Claim: {}",
)


def chosen_of(given: str, known: Sequence[Name]) -> list[Name]:
    """Return the names of a list with commas, in their known order (BadRequest)."""
    asked = {part.strip() for part in given.split(",") if part.strip()}
    if not asked or (unknown := asked - {*known}):
        wrong = min(unknown) if asked else given
        raise BadRequest(f"no condition {wrong!r}: choose of {', '.join(known)}, with commas between them")
    return [name for name in known if name in asked]


def verifiers(name: str, model: LLM | None, timeout: float) -> tuple[Generator, Generator]:
    """Return what checks claims, and what sits the exam that labels documents (NotFound)."""
    from kgservice.generation.remote import RemoteGenerator
    from kgservice.generation.verdicts import EXAM, OverlapVerdicts, PromptedVerdicts

    if name == "extractive":
        return OverlapVerdicts(), OverlapVerdicts()
    if model is not None:
        return PromptedVerdicts(model), PromptedVerdicts(model, EXAM)
    if "://" not in name:
        raise NotFound(f"no generator {name!r}: choose extractive, prompted, or give an address such as http://…")
    check, exam = (RemoteGenerator(name, timeout=timeout, phrasing=phrasing) for phrasing in CLAIM)
    return check, exam
