"""The command line: one module a group of verbs; every verb takes --json."""

from __future__ import annotations

from typing import Annotated

import typer

from kgservice import __version__
from kgservice.cli.ask import ask
from kgservice.cli.doctor import doctor
from kgservice.cli.documents import documents, load, reembed
from kgservice.cli.entities import entities
from kgservice.cli.evaluation.commands import evaluate
from kgservice.cli.evaluation.gate import gate
from kgservice.cli.keys import keys
from kgservice.cli.neo4j import neo4j
from kgservice.cli.questions import questions
from kgservice.cli.release import leaked, release
from kgservice.cli.retrieve import retrieve
from kgservice.cli.schema import schema
from kgservice.cli.serve import mcp, serve
from kgservice.cli.session import echo
from kgservice.cli.spending import spending
from kgservice.cli.status import browse, delete, export, status
from kgservice.cli.subgraphs import subgraphs
from kgservice.cli.tour import demo
from kgservice.cli.up import up
from kgservice.cli.wikidata import wikidata

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"kgservice {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turn documents into a knowledge graph in Neo4j, and the graph into questions with exactly one answer."""


app.command()(up)
app.command()(load)
app.command()(status)
app.command()(browse)
app.command()(export)
app.command()(delete)
app.add_typer(neo4j, name="neo4j")
app.add_typer(wikidata, name="wikidata")
app.add_typer(schema, name="schema")
app.add_typer(documents, name="documents")
app.add_typer(entities, name="entities")
app.command()(subgraphs)
app.add_typer(questions, name="questions")
app.add_typer(release, name="release")
app.command()(leaked)
app.command()(ask)
app.command()(retrieve)
app.add_typer(evaluate, name="evaluate")
app.command()(gate)
app.command()(reembed)
app.add_typer(keys, name="keys")
app.command()(serve)
app.command()(mcp)
app.command()(demo)
app.command()(doctor)
app.command()(spending)
