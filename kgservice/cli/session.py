"""What every verb shares: the open graph, errors as one line, progress bars, and the one way to print."""

from __future__ import annotations

import json
import logging
import math
import re
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError as UnreadableSetting
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from kgservice.core.errors import BadRequest, KgserviceError, SettingsError, interrupted
from kgservice.core.settings import Settings
from kgservice.core.storage import storage_error
from kgservice.core.terminal import harmless
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.setup.connect import connect

if TYPE_CHECKING:
    from kgservice.ingest.pipeline import Advance

stderr = Console(stderr=True)
EVERY = 10  # seconds between two lines of progress where there is no terminal


def _named(corpus: str | None) -> str | None:
    """Return the name of a corpus. Raises typer.BadParameter if it is empty, as an unset variable of a shell is."""
    if corpus is not None and not corpus.strip():
        raise typer.BadParameter("the name of the corpus is empty: give one, or leave the option out for 'default'")
    return corpus


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
AnyCorpus = Annotated[
    str | None, typer.Option("--corpus", "-c", help="The corpus of the release; not given: of any.", callback=_named)
]
Corpus = Annotated[str, typer.Option("--corpus", "-c", help="The collection of documents.", callback=_named)]
AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", formats=["%Y-%m-%d"], help="By what the documents said on this day; not given: now."),
]


@contextmanager
def errors() -> Iterator[None]:
    """Print a KgserviceError as one line that says what to do, and exit with status 1."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(WarningLines("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    try:
        yield
    except (KgserviceError, OSError, sqlite3.Error) as error:
        if interrupted(error):
            raise KeyboardInterrupt from error
        found = error if isinstance(error, KgserviceError) else storage_error(error)
        if found is None and isinstance(error, FileExistsError | NotADirectoryError | IsADirectoryError):
            found = BadRequest(f"cannot write {error.filename}: {error.strerror}")
        if found is None:
            raise
        echo(f"kgservice: {found}", err=True)
        raise typer.Exit(1) from error


def settings() -> Settings:
    """Return the settings. Raises SettingsError that names a wrong one in one line."""
    try:
        found = Settings()
        _warn(tuple(Settings.misspelt().items()))
        return found
    except ValidationError as error:
        first = error.errors()[0]
        path = [str(part) for part in first["loc"]]
        form = Settings.form(path[0])
        raise SettingsError(f"KGS_{'_'.join(path).upper()}: {first['msg']}{f'. {form}' if form else ''}") from error
    except UnreadableSetting as error:  # it may be a key: it is not quoted
        name = next(iter(re.findall(r'field "(\w+)"', str(error))), "")
        raise SettingsError(f"KGS_{name.upper()}: this is not JSON. {Settings.form(name)}") from error


@cache
def _warn(misspelt: tuple[tuple[str, str], ...]) -> None:
    """Print the variables that are no settings, once a process."""
    for name, near in misspelt:
        note(f"{name} is no setting and changes nothing: did you mean {near}?")


@contextmanager
def graph() -> Iterator[tuple[Graph, Settings]]:
    """Open the graph of the settings; start the managed Neo4j if KGS_NEO4J_URI is not set."""
    with errors():
        values = settings()
        with connect(values, say=note) as opened:
            yield opened, values


def of_day(opened: Graph, corpus: str, day: datetime | None) -> str:
    """Return the corpus to read: the given one, or its view on a day, which is written or brought up to date."""
    if day is None:
        return corpus
    with progress("documents") as advance:
        made = make_view(opened, corpus, day.date(), lambda count: advance("documents", count))
    if made.changed:
        note(f"{made.corpus}: {made.documents:,} documents, {made.changed:,} of them written or removed now")
    return made.corpus


TOGETHER = ("read", "documents")  # stages of as many items as the first one has


@contextmanager
def progress(*stages: str, total: int | None = None, doing: str = "") -> Iterator[Advance]:
    """Show a bar a stage on a terminal (count, rate, time, time left); elsewhere a line every ten seconds.

    `total` is how many items the first stage will have, if that is known; it is shown no more once there are more, as
    of a file with several documents. `doing` says what is done until the first item is counted.
    """
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    started, ended = time.monotonic(), threading.Event()
    totals = {stage: total if stage in (stages[0], *TOGETHER) else None for stage in stages}
    with Progress(*columns, console=stderr, disable=not stderr.is_terminal) as bars:
        tasks = {stage: bars.add_task(stage, total=totals[stage], rate="") for stage in stages}
        bars.update(tasks[stages[0]], rate=doing)

        def advance(stage: str, count: int) -> None:
            bars.advance(tasks[stage], count)
            if bars.tasks[tasks[stage]].completed > (totals[stage] or math.inf):
                totals.update(dict.fromkeys(totals))
                for task in bars.tasks:
                    task.total = None
            speed = bars.tasks[tasks[stage]].speed
            bars.update(tasks[stage], rate=f"{speed:,.0f}/s" if speed else "")

        def tell() -> None:
            while not ended.wait(EVERY):  # also while one long document is read, and nothing advances
                done = {task.description: int(task.completed) for task in bars.tasks}
                note(progress_line(done, totals, time.monotonic() - started, doing))

        if not stderr.is_terminal:
            threading.Thread(target=tell, daemon=True).start()
        try:
            yield advance
        finally:
            ended.set()


def progress_line(done: Mapping[str, int], totals: Mapping[str, int | None], seconds: float, doing: str) -> str:
    """Return how far some work is after so many seconds, and about how many are left if that is known.

    >>> progress_line({"opened": 40, "read": 10, "vectors": 0}, {"opened": 40, "read": 40, "vectors": None}, 20, "")
    'opened 40 of 40, read 10 of 40, vectors 0 after 20 s, about 60 s left'
    """
    counts = [
        f"{stage} {count:,}" + (f" of {whole:,}" if (whole := totals[stage]) else "") for stage, count in done.items()
    ]
    if not any(done.values()):
        return f"{', '.join(counts)} after {seconds:,.0f} s{doing and f': {doing}'}"
    counted = [(done[stage], whole) for stage, whole in totals.items() if whole]  # the first is ahead of the others
    ended, whole = max(counted[1:] or counted, default=(0, 0))
    known = f", about {seconds * (whole - ended) / ended:,.0f} s left" if 0 < ended < whole else ""
    return f"{', '.join(counts)} after {seconds:,.0f} s{known}"


def print_json(value: Any) -> None:
    """Print one JSON value on one line."""
    echo(json.dumps(value, ensure_ascii=False, default=str))


def echo(value: object, *, err: bool = False, bold: bool = False, nl: bool = True) -> None:
    """Print a line or lines for people or programs: every verb prints by this or by `note` (a test checks it).

    Without `nl` the line goes on.
    """
    typer.secho(harmless(str(value)), err=err, bold=bold or None, nl=nl)


def note(text: str) -> None:
    """Print a message for people to standard error."""
    stderr.print(harmless(text), style="dim", markup=False, soft_wrap=True)  # an id can be copied whole


def note_rest(shown: int, total: int, after: str = "") -> None:
    """Print to standard error that a list ended early and how to see the rest. `after` is the cursor, if it has one."""
    if shown < total:
        following = f", --after {after} for the next" if after else ""
        note(f"{shown:,} of {total:,} shown: --limit for more{following}")


def written_to(file: Path, lines: int) -> str:
    """Return where lines were written: a file that is replaced only if there are any stays as it was without them."""
    return f"in {file}" if lines or not file.stat().st_size else f"written ({file} is left as it was)"


class WarningLines(logging.Formatter):
    """Format a warning as one harmless line; a library's warning may quote a document."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        return harmless(super().format(record))
