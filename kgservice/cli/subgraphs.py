"""subgraphs: list, count or sample what a pattern can ask about."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from kgservice.cli.session import AsJson, AsOf, Corpus, echo, graph, note, of_day, print_json
from kgservice.core.errors import BadRequest
from kgservice.core.records import Source, Subgraph
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, count_listed, page

Years = Annotated[int, typer.Option(min=1, max=2_000, help="Pattern pluri_hop: most years of a range; 1: no ranges.")]
Properties = Annotated[
    int, typer.Option(min=1, max=2, help="Pattern pluri_hop: most properties that choose the documents.")
]
Pivot = Annotated[int, typer.Option(min=1, max=2**31, help="Most facts of a bridge entity.")]
CrossChunk = Annotated[bool, typer.Option(help="Skip rows whose facts are all in one chunk.")]
CrossDocument = Annotated[bool, typer.Option(help="Skip rows whose facts are all in one document.")]
Since = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], help="Only facts from documents published on this day or later."),
]
Until = Annotated[
    datetime | None,
    typer.Option(formats=["%Y-%m-%d"], help="Only facts from documents published on this day or earlier."),
]


def subgraphs(
    context: typer.Context,
    pattern: Annotated[str, typer.Argument(help=", ".join(PATTERNS))],
    corpus: Corpus = "default",
    asked: Annotated[str | None, typer.Option(help="Which end to ask for; not given: all.")] = None,
    count_only: Annotated[bool, typer.Option("--count", help="Print only the number of rows.")] = False,
    limit: Annotated[int | None, typer.Option(help="Most rows.")] = None,
    after: Annotated[str, typer.Option(help="List rows after this id.")] = "",
    seed: Annotated[int | None, typer.Option(help="Seed: return a uniform sample of --limit rows.")] = None,
    max_pivot_degree: Pivot = 20,
    cross_chunk: CrossChunk = True,
    cross_document: CrossDocument = False,
    each_needed: Annotated[
        bool, typer.Option(help="If the pivot is asked for: leave out rows where one condition would do.")
    ] = True,
    usually_several: Annotated[
        bool,
        typer.Option(
            help="With --each-needed: one of two conditions is needed, too, if usually several meet such a one."
        ),
    ] = False,
    max_set: Annotated[int, typer.Option(min=2, max=2**31, help="Most members of a set.")] = 10,
    both_ends: Annotated[bool, typer.Option(help="Pattern single: unique from both ends (DRAGON).")] = False,
    isolated: Annotated[bool, typer.Option(help="Pattern single: neither end has another fact (RARE).")] = False,
    max_partners: Annotated[
        int, typer.Option(min=1, max=1_000, help="Pattern comparison: most partners for each subject.")
    ] = 10,
    max_years: Years = 1,
    max_properties: Properties = 1,
    relation: Annotated[
        str | None, typer.Option(help="Only rows with this relation: its id or its label, P112 or 'founded by'.")
    ] = None,
    entity_type: Annotated[str | None, typer.Option("--type", help="Only rows with an entity of this type.")] = None,
    published_since: Since = None,
    published_until: Until = None,
    novel: Annotated[bool, typer.Option("--novel", help="Only rows whose facts are all novel.")] = False,
    open_facts: Annotated[
        bool, typer.Option("--open", help="Pattern single: also facts whose relation is in no schema.")
    ] = False,
    as_of: AsOf = None,
    as_json: AsJson = False,
) -> None:
    """List subgraphs whose question has exactly one answer in the corpus, with evidence."""
    with graph() as (opened, _):
        choice, corpus = subgraph_options(context.params), of_day(opened, corpus, as_of)
        if count_only:
            number = count_listed(opened, corpus, pattern, choice)
            print_json({"pattern": pattern, "count": number}) if as_json else echo(number)
            return
        shown = 0
        for row in page(opened, corpus, pattern, choice, limit=limit, after=after, seed=seed):
            echo(row.model_dump_json() if as_json else described(row))
            shown += 1
        if not shown and not as_json:
            note("no rows")


def subgraph_options(options: dict[str, Any]) -> SubgraphOptions:
    """Return the options of the command line, checked. Raises BadRequest for a combination that is not allowed."""
    given = options | {"type": options["entity_type"], "open": options["open_facts"]}
    try:
        return SubgraphOptions(**{name: given[name] for name in SubgraphOptions.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        raise BadRequest(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}") from error


def described(row: Subgraph) -> str:
    """Format a subgraph for the terminal: facts of its first reading, answer, evidence."""
    facts = [
        fact
        for reading in row.readings[: 1 if row.pattern.startswith(("chain", "star", "inv")) else None]
        for fact in reading.facts
    ]
    lines = [f"{row.id}  {row.pattern}, {row.asked} asked → {'; '.join(row.answers)}"]
    for fact in facts:
        period = fact.period and f", {fact.period}"
        lines.append(f"    ({fact.subject}) —{fact.relation}{period}→ ({fact.object})")
        source = fact.statements[0]
        known = f"{source.cell and f' ({source.cell})'}{_confidence(source)}"
        lines.append(f"        “{' '.join(source.sentence.split())[:200]}”{known}")
    if len(row.readings) > 1 and row.asked != "members":
        lines.append(f"    … and {len(row.readings) - 1} more readings")
    return "\n".join(lines)


def _confidence(source: Source) -> str:
    """Return " (confidence .83)", or an empty string if it is 1. Less than 1 is never rounded to 1."""
    return f" (confidence {f'{min(source.confidence, 0.99):.2f}'[1:]})" if source.confidence < 1 else ""
