"""Options that evaluations of answers share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import typer

from kgservice.core.errors import BadRequest

Report = Annotated[
    Path | None, typer.Option(help="A folder: run.json, questions.jsonl, index.html; a run goes on there.")
]
GeneratorName = Annotated[str, typer.Option(help="extractive, prompted, or the address of a system.")]
Limit = Annotated[int | None, typer.Option(min=1, help="Size of a random sample; not given: all.")]
Seed = Annotated[int, typer.Option(help="Seed of all random draws.")]
Judge = Annotated[
    bool | None,
    typer.Option("--judge/--no-judge", help="Have a model judge (it does if prompted); else strings and rules do."),
]
RetryFailed = Annotated[
    bool, typer.Option("--retry-failed", help="Ask again where an answer or a verdict failed, also in --report.")
]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one answer of a system by address.")]

Name = TypeVar("Name", bound=str)


class Shared(NamedTuple):
    """What these options say: what is tested and judged, what a model may cost, where the report goes."""

    generator: str
    report: Path | None
    judge: bool | None
    timeout: float
    budget: str | None
    retry_failed: bool
    as_json: bool

    @property
    def prompted(self) -> bool:
        """Return whether a model is what is tested."""
        return self.generator == "prompted"

    @property
    def judging(self) -> bool:
        """Return whether a model judges: where it is said, else where a model is tested."""
        return self.prompted if self.judge is None else self.judge

    def check(self, *models: str, asked_by: str = "--judge, or --generator prompted") -> None:
        """Raise BadParameter for options about a model, `models` and --budget, where none is asked."""
        if not (self.prompted or self.judging) and (about := [*models, *(["--budget"] if self.budget else [])]):
            raise typer.BadParameter(f"{about[0]} is about a language model, and none is asked: add {asked_by}")


def chosen_of(given: str, known: Sequence[Name]) -> list[Name]:
    """Return the names of a list with commas, in their known order (BadRequest)."""
    asked = {part.strip() for part in given.split(",") if part.strip()}
    if not asked or (unknown := asked - {*known}):
        wrong = min(unknown) if asked else given
        raise BadRequest(f"no condition {wrong!r}: choose of {', '.join(known)}, with commas between them")
    return [name for name in known if name in asked]
