"""wikidata index|status: the local index that `load --link wikidata` asks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, echo, errors, print_json, progress, settings
from kgservice.linking.index_build import Building, SourceReport
from kgservice.linking.item_vectors import Vectors, make_vectors
from kgservice.linking.wikidata_index import Wikidata
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.encoder import PACKAGED

Place = Annotated[
    Path | None, typer.Option(help="The index file; not given: KGS_WIKIDATA, or wikidata.sqlite in KGS_HOME.")
]
wikidata = typer.Typer(no_args_is_help=True, help="The local index of Wikidata for `load --link wikidata`.")


@wikidata.command("index")
def index_sources(
    sources: Annotated[
        list[Path], typer.Argument(help="JSON dumps (.gz, .bz2), tables of items or of triples (JSONL, TSV, CSV).")
    ],
    out: Place = None,
    language: Annotated[list[str], typer.Option(help="Languages of labels, best first; repeatable.")] = ["en"],  # noqa: B006
    vectors: Annotated[bool, typer.Option(help="Compute vectors of labels: 1.5 kB and some ms an item.")] = True,
    as_json: AsJson = False,
) -> None:
    """Add sources to the index. A run that was stopped continues; a source that was read is skipped."""
    with errors(), progress("rows", "vectors") as advance:
        path = out or settings().wikidata_index
        with Building(path, language) as building:
            for source in sources:
                report = building.add(source, lambda count: advance("rows", count))
                print_json(report.model_dump()) if as_json else print_source(report)
            building.finish()
        with Wikidata(path) as made:
            if vectors:
                make_vectors(path, made.fingerprint, Embedder(PACKAGED), lambda count: advance("vectors", count))
        print_status(path, as_json)


@wikidata.command("status")
def show_status(out: Place = None, as_json: AsJson = False) -> None:
    """Show what the index holds, and its sources."""
    with errors():
        print_status(out or settings().wikidata_index, as_json)


def print_source(report: SourceReport) -> None:
    """Print what became of a source's rows."""
    resumed = f" ({report.resumed:,} in an earlier run)" if report.resumed else ""
    echo(
        f"{report.source}: in {report.given:,}{resumed} = items {report.items:,} + claims {report.claims:,}"
        f" + rejected {sum(report.rejected.values()):,}"
    )
    for reason, count in report.rejected.items():
        echo(f"  rejected: {count:,} {reason}")


def print_status(path: Path, as_json: bool) -> None:
    """Print what an index holds."""
    with Wikidata(path) as made:
        status, vectors = made.status(), Vectors(path).exist(made.fingerprint, PACKAGED)
    if as_json:
        print_json(status.model_dump() | {"vectors": vectors})
        return
    echo(
        f"{status.path}  {status.megabytes:,} MB  {status.items:,} items, {status.properties:,} properties, "
        f"{status.names:,} names, {status.claims:,} claims, {'with' if vectors else 'without'} vectors"
    )
    echo(f"of {', '.join(status.sources)}; languages {status.languages}; fingerprint {status.fingerprint}")
