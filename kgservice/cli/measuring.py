"""What `evaluate dragon` and `evaluate plurihop` share: two options, where a run is, what is printed of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.session import print_json
from kgservice.cli.spending import print_spending

if TYPE_CHECKING:
    from kgservice.evaluation.measured import MeasuredRun

ReportDir = Annotated[
    Path | None,
    typer.Option("--report", help="A folder: run.json, questions.jsonl, index.html; a run goes on there."),
]
JudgeOption = Annotated[
    bool | None, typer.Option("--judge/--no-judge", help="Have a model judge (it does if prompted); else rules do.")
]


@contextmanager
def report_folder(report: Path | None) -> Iterator[Path]:
    """Give the folder of a run; without one, a place that is gone at the end."""
    if report is not None:
        yield report
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-") as folder:
        yield Path(folder)


def print_run(run: MeasuredRun, report: Path | None, as_json: bool) -> None:
    """Print what a run comes to; exit with status 1 where something failed."""
    found = run.summary
    if found is None:
        return
    if as_json:
        print_json(run.model_dump())
        raise typer.Exit(int(bool(found.failed)))
    known = run.identity
    typer.echo(f"{known.generator}, {known.retriever}, k = {known.k}: {found.questions:,} questions; {known.judge}")
    for name, one in found.measures.items():
        typer.echo(f"{name:<19} {one.mean:8.4f}   [{one.low:.3f}, {one.high:.3f}]   of {one.of:,}")
    for title, counts in (("not asked", found.skipped), ("failed", found.failed)):
        for reason, number in counts.items():
            typer.echo(f"{title:<19} {number:,} {reason}")
    if run.llm:
        print_spending(run.llm)
    if report:
        typer.echo(f"{report / 'index.html'}")
    raise typer.Exit(int(bool(found.failed)))
