"""status, delete: which corpora there are, and where."""

from __future__ import annotations

from typing import Annotated

import typer

from kgservice.cli.session import AsJson, echo, graph, print_json
from kgservice.graph import server
from kgservice.questions import stored


def status(as_json: AsJson = False) -> None:
    """Show the corpora, how much each holds, and the addresses of the database."""
    with graph() as (opened, settings):
        corpora = {
            name: opened.totals(name).model_dump() | {"questions": stored.active(opened, name)}
            for name in opened.corpora()
        }
        running = None if settings.neo4j_uri else server.running(settings.home)
        uri, browser = settings.neo4j_uri or (running.uri if running else ""), running.browser if running else ""
        if as_json:
            print_json({"corpora": corpora, "neo4j": uri, "browser": browser, "home": str(settings.home)})
            return
        echo(f"Neo4j      {uri}   {browser}".rstrip())
        echo(f"data       {settings.home}")
        for name, counts in corpora.items():
            echo(f"corpus     {name}: " + ", ".join(f"{number:,} {what}" for what, number in counts.items()))
        if not corpora:
            echo("no corpus yet: kgservice up FOLDER, or kgservice demo")


def delete(
    corpus: Annotated[str, typer.Argument(help="The corpus to remove.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a corpus with its documents, facts and questions; releases made of it stay."""
    with graph() as (opened, _):
        opened.check_corpus(corpus)
        totals = opened.totals(corpus)
        if not yes:
            held = f"{totals.documents:,} documents and {totals.facts:,} facts"
            typer.confirm(f"Remove {held} of {corpus!r}?", abort=True)
        opened.remove_corpus(corpus)
        print_json({"removed": corpus, **totals.model_dump()}) if as_json else echo(f"removed {corpus}")
