"""status, browse, export, delete: which corpora there are, and where."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, echo, graph, print_json
from kgservice.core.errors import BadRequest
from kgservice.graph.queries import explored, pictures
from kgservice.ingest.load_workers import forget_readings
from kgservice.managed_neo4j import server
from kgservice.questions import question_store
from kgservice.resolution import decisions

NAMES = {"entities": "entities of facts", "questions": "active questions"}  # of counts, for people
PICTURE = "MATCH path = (:Entity {{{}}})-[:FACT]-(:Entity {{kind: 'entity'}}) RETURN path LIMIT 100"


def status(as_json: AsJson = False) -> None:
    """Show each corpus with its counts, and the addresses of the database."""
    with graph() as (opened, settings):
        corpora = {
            name: opened.totals(name).model_dump() | {"questions": question_store.active(opened, name)}
            for name in opened.corpora()
        }
        views = opened.views()
        running = None if settings.neo4j_uri else server.running(settings.home)
        uri, browser = settings.neo4j_uri or (running.uri if running else ""), running.browser if running else ""
        if as_json:
            shown = {"neo4j": uri, "browser": browser, "home": str(settings.home)}
            print_json({"corpora": corpora, "views": views, **shown})
            return
        echo(f"Neo4j      {uri}   {browser}".rstrip())
        echo(f"data       {settings.home}")
        for corpus, counts in corpora.items():
            echo(
                f"corpus     {corpus}: "
                + ", ".join(f"{number:,} {NAMES.get(what, what)}" for what, number in counts.items())
            )
            if days := [name for name, of in views.items() if of == corpus]:
                echo(f"  as of a day: {', '.join(days)}")
        if not corpora:
            echo("no corpus yet: kgservice up FOLDER, or kgservice demo")


def browse(
    entity: Annotated[
        str, typer.Argument(help="The exact name of an entity; not given: some facts of the corpus.")
    ] = "",
    corpus: Corpus = "default",
    picture: Annotated[str, typer.Option(help=f"A query of cypher/explore: {', '.join(pictures())}.")] = "",
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open a browser.")] = True,
    as_json: AsJson = False,
) -> None:
    """Open Neo4j Browser with a picture of the corpus, or of one entity and its facts.

    Example: kgservice browse "Port Ambrel" -c demo · kgservice browse -c demo --picture conflicts
    """
    with graph() as (opened, settings):
        opened.check_corpus(corpus)
        running = None if settings.neo4j_uri else server.running(settings.home)
        if running is None:
            raise BadRequest("KGS_NEO4J_URI names a database of your own: open its Neo4j Browser, see cypher/README.md")
        named = {"corpus": corpus} | ({"label": entity} if entity else {})
        if entity:
            decisions.explain(opened, corpus, entity, "entity")  # NotFound, with what to do
        facts = PICTURE.format(", ".join(f"{name}: {json.dumps(said)}" for name, said in named.items()))
        statement = explored(picture, corpus, entity) if picture else facts
        address = running.showing(statement)
        password = running.password
        if as_json:
            print_json({"url": address, "user": server.USER, "password": password})
            return
        echo(f"{address}\nuser {server.USER}, password {password}")
        if open_page:
            webbrowser.open(address)


def export(
    folder: Annotated[Path, typer.Argument(help="The folder to write.")],
    corpus: Corpus = "default",
    as_json: AsJson = False,
) -> None:
    """Write the graph as RDF: facts with the sentences that state them (graph.trig), and SHACL shapes (shapes.ttl).

    Example: kgservice export graph/ -c demo
    """
    from kgservice.exchange.rdf import write_rdf

    with graph() as (opened, _):
        written = {one.name: one.lines for one in write_rdf(opened, corpus, folder)}
        if as_json:
            print_json({"corpus": corpus, "files": written})
            return
        for name, count in written.items():
            echo(f"{count:>9,} {folder / name}")


def delete(
    corpus: Annotated[str, typer.Argument(help="The corpus to remove.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a corpus: documents, facts and questions. Its releases stay."""
    with graph() as (opened, settings):
        opened.check_corpus(corpus)
        totals = opened.totals(corpus)
        if not yes:
            held = f"{totals.documents:,} documents and {totals.facts:,} facts"
            typer.confirm(f"Remove {held} of {corpus!r}?", abort=True)
        opened.remove_corpus(corpus)
        forget_readings(settings.home, corpus)
        print_json({"removed": corpus, **totals.model_dump()}) if as_json else echo(f"removed {corpus}")
