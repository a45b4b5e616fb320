"""Options that evaluations of answers share, and what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Report = Annotated[Path, typer.Option(help="A folder: run.json, questions.jsonl, index.html; a run goes on there.")]
GeneratorName = Annotated[str, typer.Option(help="extractive, prompted, or the address of a system.")]
Limit = Annotated[int | None, typer.Option(min=1, help="A random sample of so many; all else.")]
Seed = Annotated[int, typer.Option(help="Of everything random.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Seconds for one answer of a system by address.")]
