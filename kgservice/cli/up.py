"""up: from a folder to questions and the page, in one command."""

from __future__ import annotations

import shlex
import socket
import threading
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.documents import Extract, failures, print_leftovers, print_report, store
from kgservice.cli.questions import described, making
from kgservice.cli.serve import check_port, serve
from kgservice.cli.session import AsJson, Corpus, echo, errors, graph, note, print_json
from kgservice.core.errors import BadRequest, NotFound, SettingsError, command
from kgservice.core.journal import Journal
from kgservice.core.records import Question
from kgservice.core.settings import Settings
from kgservice.extraction import plugins
from kgservice.extraction.extractor import check_method
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe
from kgservice.ingest.sources import ANY, LoaderReading
from kgservice.questions import question_store
from kgservice.questions.export.showcase import showcase
from kgservice.questions.selection import Refreshed, follow

SHOWN, PATIENCE = 5, 60  # questions; seconds until the page answers


def up(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders of any format that a loader reads.")],
    corpus: Corpus = "default",
    extract: Extract = "rules+reader",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 8000,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    serving: Annotated[bool, typer.Option("--serve/--no-serve", help="Serve the page until interrupted.")] = True,
    as_json: AsJson = False,
) -> None:
    """Load a folder, make questions from it, show five, and serve the page.

    Run it again after the folder has changed: what is new is read, and the questions follow.

    Example: kgservice up reports/ -c mine
    """
    with errors():
        if missing := [str(path) for path in paths if not path.exists()]:
            raise NotFound(f"no such file or folder: {', '.join(missing)}")
        check_method(extract, plugins.names())
        if extract.partition(":")[0] == "llm":
            raise BadRequest("up reads without a language model; with one: load, questions generate and serve")
    with graph() as (opened, settings):
        with Journal(settings.home, "up", corpus) as journal:
            reading, recipe = LoaderReading(ANY, paths), Recipe(extract=extract)
            report = store(opened, settings, reading, corpus, recipe, journal, paths)
            if not as_json:
                print_report(report, journal, extract, as_json=False)
                print_leftovers(report.leftovers, corpus)
            failed = failures(report, journal) if report.failed() else ""
        if corpus not in opened.corpora():  # nothing was ever loaded into it
            note(failed or "no document is loaded, so there is nothing to ask about")
            raise typer.Exit(1)
        with making() as advance:
            moved = follow(opened, corpus)
            advance("questions", moved.added + moved.kept)
        questions = showcase(opened, corpus, SHOWN)
        if as_json:
            loaded = report.model_dump(by_alias=True, exclude_none=True)
            shown = [question.model_dump() for question in questions]
            print_json({"load": loaded, "questions": moved.model_dump(), "shown": shown})
        else:
            _print(moved, questions, corpus, "" if questions else _no_question(opened, corpus))
    if failed:
        note(failed)
    if serving and _can_serve(settings, corpus, port):
        if open_page:
            threading.Thread(target=_open, args=(port,), daemon=True).start()
        note(f"the page: http://127.0.0.1:{port} (Ctrl-C ends it; what was loaded stays)")
        serve(port=port, host="127.0.0.1", log=None, as_json=as_json)
    if failed:
        raise typer.Exit(1)


def _print(moved: Refreshed, questions: Sequence[Question], corpus: str, none: str) -> None:
    """Print what became of the questions, some of them or why there are `none`, and what to run next."""
    echo(f"questions  {moved.added:,} new, {moved.kept:,} stand, {sum(moved.retired.values()):,} retired")
    for question in questions:
        echo(f"\n{described(question)}")
    if none:
        echo(f"\n{none}")
    named = shlex.quote(corpus)
    echo(f'\nNext: kgservice questions list -c {named} · kgservice ask "…" -c {named} · kgservice status')


def _can_serve(settings: Settings, corpus: str, port: int) -> bool:
    """Return False if a service runs already, and print so. Raises typer.Exit if nothing can listen on the port."""
    from kgservice.api.app import alone

    try:
        with alone(settings.home):
            pass
    except SettingsError:
        note(f"a service runs already with KGS_HOME {settings.home}: its page, where it was started, shows {corpus!r}")
        return False
    with errors():
        try:
            check_port("127.0.0.1", port)
        except SettingsError as error:
            raise SettingsError(f"{error}. What was loaded stays; `kgservice serve --port …` shows it") from error
    return True


def _no_question(opened: Graph, corpus: str) -> str:
    """Return why a corpus has no active question, as far as that is known, and what to do."""
    if next(question_store.questions(opened, corpus, state="rejected", limit=1), None):
        why = command("questions list --state rejected", corpus)
        return f"No question is left, all were rejected. Why: {why}"
    return "No question yet: load more documents, or see what was not read: kgservice load … --explain"


def _open(port: int) -> None:
    """Open the page once the service answers."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.3)
        else:
            webbrowser.open(f"http://127.0.0.1:{port}")
            return
