"""demo: the main job on the corpus that comes with the project, from documents to questions and back."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable
from importlib.resources import as_file, files
from pathlib import Path

from kgservice.cli.documents import print_counts, store
from kgservice.cli.questions import described
from kgservice.cli.session import AsJson, echo, graph, print_json
from kgservice.core.journal import Journal
from kgservice.core.records import Document, Question
from kgservice.core.settings import Settings
from kgservice.demo.yardstick import Yardstick, measure
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Recipe
from kgservice.ingest.sources import LoaderReading
from kgservice.questions import question_store
from kgservice.questions.export.showcase import showcase, shuffled
from kgservice.questions.selection import Plan, generate, refresh

CORPUS = "demo"
BASE = ("annual_reports", "country_surveys", "housing_plans", "news")


def demo(as_json: AsJson = False) -> None:
    """Load the demo corpus, make questions, load two newer documents, and show which questions changed.

    A corpus called `demo` is removed first.
    """
    with graph() as (opened, settings), as_file(files("kgservice.demo")) as folder:
        say = _silent if as_json else echo
        say(f"1. Load the demo corpus into a fresh corpus {CORPUS!r}", bold=True)
        opened.remove_corpus(CORPUS)
        documents = _documents(folder, BASE)
        loaded = _load(opened, settings, documents, as_json)
        measured = measure(opened, CORPUS, documents)
        say(f"  {_beside(measured)}")

        say("\n2. Enumerate the subgraphs whose question has exactly one answer, and ask", bold=True)
        made = generate(opened, CORPUS, Plan())
        for pattern, number in made.eligible.items():
            say(f"  {number:>6,}  {pattern}")
        say(f"  {made.added:,} questions; rejected: {json.dumps(made.rejected)}")
        _show(say, "Ten questions with their evidence", showcase(opened, CORPUS, 10))

        say("\n3. Load two newer documents, one of them a new version of a survey", bold=True)
        updated = _load(opened, settings, _documents(folder, ("update",)), as_json)
        moved = refresh(opened, CORPUS)
        say(f"  questions: {moved.added:,} appeared, {moved.kept:,} stand, {sum(moved.retired.values()):,} retired")
        appeared, retired = _named(opened, moved.added_ids), _named(opened, moved.retired_ids)
        _show(say, f"Appeared (5 of {len(appeared)})", shuffled(appeared)[:5])
        _show(say, f"Retired (5 of {len(retired)}): {json.dumps(moved.retired)}", shuffled(retired)[:5])
        address = _address(settings)
        if as_json:
            reports = {"load": loaded, "yardstick": measured, "questions": made, "update": updated, "refresh": moved}
            print_json({name: item.model_dump(by_alias=True) for name, item in reports.items()} | address)
            return
        _next(address)


def _documents(folder: Path, names: Iterable[str]) -> list[Document]:
    """Return the documents of the demo with what is known of them, which only the yardstick sees."""
    found = LoaderReading("triplets", [folder / f"{name}.jsonl" for name in names])
    return [item for item in found if isinstance(item, Document)]


def _load(opened: Graph, settings: Settings, documents: list[Document], as_json: bool) -> LoadReport:
    """Load the texts alone, as `up` loads a folder."""
    texts = [item.model_copy(update={"triplets": None}) for item in documents]
    with Journal(settings.home, "demo", CORPUS) as journal:
        report = store(opened, settings, texts, CORPUS, Recipe(), journal)
        if not as_json:
            print_counts(report)
    return report


def _beside(measured: Yardstick) -> str:
    """Return the yardstick as a sentence."""
    return (
        f"The texts alone were read. Their authors wrote down {measured.known:,} facts, of which"
        f" {100 * measured.read / measured.known:.0f} % were read; of {measured.compared:,} facts read between the same"
        f" things {100 * measured.right / max(measured.compared, 1):.0f} % say what is known."
    )


def _named(opened: Graph, ids: tuple[str, ...]) -> list[Question]:
    wanted = set(ids)
    return [question for question in question_store.questions(opened, CORPUS) if question.id in wanted]


def _show(say: object, title: str, questions: list[Question]) -> None:
    if say is _silent:
        return
    echo(f"\n{title}", bold=True)
    for question in questions:
        echo(described(question))


def _address(settings: Settings) -> dict[str, str]:
    if settings.neo4j_uri:
        return {"uri": settings.neo4j_uri}
    from kgservice.managed_neo4j import server

    running = server.running(settings.home)
    if running is None:
        return {}
    return {"browser": running.browser, "uri": running.uri, "user": "neo4j", "password": running.password}


def _next(address: dict[str, str]) -> None:
    echo("\n4. Do the same with a folder of yours", bold=True)
    activate = Path(sys.executable).with_name("activate")
    if shutil.which("kgservice") is None and activate.exists():
        echo(f"  . {activate}   once in a shell, which finds kgservice then")
    echo("  kgservice up YOUR-FOLDER -c mine")
    echo("\nOr look around in this one", bold=True)
    echo('  kgservice ask "Who is the mayor of Port Ambrel?" -c demo')
    echo("  kgservice serve                          the page: the graph, the questions, each with its sentences")
    echo("  kgservice browse -c demo --picture hubs  the same graph in Neo4j Browser")
    for name, value in address.items():
        echo(f"    {name:<9} {value}")


def _silent(*_: object, **__: object) -> None:
    """Print nothing, because the output is JSON."""
