"""load, documents, reembed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer

from kgservice.cli.session import AsJson, Corpus, echo, errors, graph, note, note_rest, print_json, progress
from kgservice.cli.spending import BudgetOption, DryRun, RetryFailed, print_estimate, print_spending
from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound, command, interrupted
from kgservice.core.journal import Journal
from kgservice.core.records import Document, Problem
from kgservice.core.settings import Settings
from kgservice.core.terminal import one_line
from kgservice.extraction import plugins
from kgservice.extraction.extractor import check_method
from kgservice.graph.filter_words import find_document
from kgservice.graph.store import Graph
from kgservice.ingest.leftovers import LoadedFiles
from kgservice.ingest.load_report import Account, Leftovers, LoadCounts, LoadReport
from kgservice.ingest.load_workers import load_workers
from kgservice.ingest.pipeline import Advance, Recipe, estimate_reading
from kgservice.ingest.pipeline import load as load_documents
from kgservice.ingest.sources import ANY, LoaderReading, names
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.questions import question_store
from kgservice.setup.connect import language_model, linker
from kgservice.text.near_names import did_you_mean, nearest
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.embedder import reembed as embed_anew

Extract = Annotated[
    str,
    typer.Option(help="rules+reader, rules, reader, each with :PIPELINE (spaCy, UD labels), llm, llm:WINDOW or none."),
]
SHOWN, QUOTED = 200, 300  # documents and statements that --explain prints, characters of a statement
EXAMPLE = 160  # characters of a report's example
REASONS, NAMED = 8, 5  # of each kind, and documents that did not get in, in a report
OPENED = "opened"  # the stage in which a file's text is taken out of it
STAGES = (OPENED, "read", "documents", "vectors")
OPENING = "loading the models, then opening the first files"
LITTLE = 0.5  # facts per 100 words; filings' prose has 0.1, an encyclopaedia 1 to 3
documents = typer.Typer(no_args_is_help=True, help="The documents of a corpus.")


def load(
    given: Annotated[
        list[str],
        typer.Argument(metavar="[LOADER] PATHS...", help=f"Files or folders; LOADER: {', '.join(names())}."),
    ],
    corpus: Corpus = "default",
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Skip documents published before this day.")
    ] = None,
    chunking: Annotated[str, typer.Option(help="rare, page, chars:SIZE:OVERLAP or tokens:SIZE:OVERLAP.")] = "rare",
    extract: Extract = "rules+reader",
    link: Annotated[
        str,
        typer.Option(
            help="case (in texts, names that differ in letter case are one), none (names as written), resolve (merge "
            "names of one thing), wikidata, wikidata:llm."
        ),
    ] = "case",
    schema: Annotated[
        str,
        typer.Option(help="default, none or a TOML file. Not given: default for texts, none for ready-made triplets."),
    ] = "",
    bulk: Annotated[
        bool, typer.Option("--bulk", help="Use Neo4j's import tool; needs an empty managed database.")
    ] = False,
    vectors: Annotated[bool, typer.Option(help="Embed the chunks for dense retrieval.")] = True,
    ray: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Read and embed on a Ray cluster; local: on Ray on this machine.")
    ] = "",
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Follow symbolic links that lead out of a folder.")
    ] = False,
    budget: BudgetOption = None,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Name all documents and statements that did not get in, and why.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Load documents: chunk, extract, link, write, embed. Unchanged documents are skipped, changed ones replaced.

    Without a loader each file is read by what it holds.
    """
    loader, paths = _loader_and_paths(given)
    with graph() as (opened, settings), Journal(settings.home, "load", corpus) as journal:
        llm, chooser = _models(settings, journal, extract, link, budget, retry_failed)
        if dry_run and not llm:
            raise BadRequest("--dry-run tells what reading by a language model would cost: add --extract llm")
        if not (llm or chooser) and (budget or retry_failed):
            raise BadRequest(
                "--budget and --retry-failed are about a language model: add --extract llm or --link wikidata:llm"
            )
        named = {"extract": extract, "model": llm.model if llm else "", "schema_name": schema}
        recipe = Recipe(chunking=chunking, link=link, since=since.date() if since else None, **named)
        reading = LoaderReading(loader, paths, follow_links=follow_links)
        files = partial(LoadedFiles, opened, settings.home, corpus, reading, paths, since=recipe.since)
        if llm and dry_run:
            estimated = estimate_reading(opened, files(), corpus, recipe, LoadCounts(journal), llm)
            print_json(estimated.model_dump()) if as_json else print_estimate(estimated)
            return
        workers = load_workers(settings.home, corpus, recipe, settings.embedding_model, ray=ray)
        _note_new(opened, corpus)
        bars = progress(*STAGES, total=reading.expected(), doing=OPENING)
        with resumable(opened, corpus), linker(settings, link, chooser) as linking, workers as by, bars as advance:
            found = files(_opening(advance))
            embedder = by.embedder if vectors else None
            given_on = (corpus, recipe, embedder, journal, advance, llm, linking, by.extractor)
            if bulk:
                from kgservice.ingest.bulk import bulk_load

                report = bulk_load(opened, settings, found, *given_on)
            else:
                report = load_documents(opened, found, *given_on)
        print_report(report, journal, extract, as_json=as_json, named=SHOWN if explain else NAMED)
        print_leftovers(report.leftovers, corpus, as_json=as_json)
        if explain:
            print_lost(journal, report.documents.unchanged)
        if report.failed():
            note(failures(report, journal))
            raise typer.Exit(1)


def store(
    opened: Graph,
    settings: Settings,
    found: LoaderReading | list[Document],
    corpus: str,
    recipe: Recipe,
    journal: Journal,
    paths: Iterable[Path] = (),
) -> LoadReport:
    """Load documents with vectors and without a language model, and show the progress; `paths` are what was read."""
    total = len(found) if isinstance(found, list) else found.expected()
    _note_new(opened, corpus)
    bars = progress(*STAGES, total=total, doing=OPENING)
    workers = load_workers(settings.home, corpus, recipe, settings.embedding_model)
    with resumable(opened, corpus), workers as by, bars as advance:
        files = LoadedFiles(opened, settings.home, corpus, found, paths, _opening(advance))
        return load_documents(opened, files, corpus, recipe, by.embedder, journal, advance, extractor=by.extractor)


def _opening(advance: Advance) -> Callable[[Document | Problem], None]:
    """Return what counts each document that a loader gives; one that did not get in is through all stages."""

    def count(found: Document | Problem) -> None:
        for stage in STAGES[:-1] if isinstance(found, Problem) else STAGES[:1]:
            advance(stage, 1)

    return count


def _note_new(opened: Graph, corpus: str) -> None:
    """Print that a load makes a corpus whose name is nearly that of another one: it may be mistyped."""
    there = opened.corpora()
    if corpus not in there and (near := nearest(corpus, there)) is not None:
        note(f"{corpus!r} is a new corpus; did you mean {near!r}? Ctrl-C ends the load")


@contextmanager
def resumable(opened: Graph, corpus: str) -> Iterator[None]:
    """On Ctrl-C, print what is stored and how to continue, and exit with status 130."""
    try:
        yield
    except BaseException as error:
        if not interrupted(error):
            raise
        held = ""
        with suppress(Exception, KeyboardInterrupt):  # the database may be why it was interrupted
            held = f"{opened.totals(corpus).documents if corpus in opened.corpora() else 0:,}"
        told = f"{corpus!r} holds {held} documents; " if held else ""
        note(f"interrupted: {told}the same command goes on where this one ended")
        raise typer.Exit(130) from None


def _loader_and_paths(given: list[str]) -> tuple[str, list[Path]]:
    """Return (loader, paths) of the arguments; the loader is ANY if none is named. Raises BadRequest, NotFound."""
    with errors():
        first, paths = given[0], [Path(one) for one in given]
        if first in names() and (len(given) > 1 or not paths[0].exists()):
            if len(given) == 1:
                raise BadRequest(f"give the files or folders that {first} is to read")
            return first, paths[1:]
        if len(given) > 1 and not paths[0].exists() and not paths[0].suffix and paths[0].name == first:
            raise NotFound(f"no loader {first!r}: choose one of {', '.join(names())}{did_you_mean(first, names())}")
        if missing := [one for one in given if not Path(one).exists()]:
            raise NotFound(f"no such file or folder: {', '.join(missing)}")
        return ANY, paths


def _models(
    settings: Settings, journal: Journal, extract: str, link: str, budget: str | None, retry_failed: bool
) -> tuple[LLM | None, LLM | None]:
    """Return (model that extracts, model that links), None for one that is not used. Both share one budget."""
    check_method(extract, plugins.names())
    reads, chooses = extract.partition(":")[0] == "llm", link == "wikidata:llm"
    if reads and chooses:
        raise BadRequest("one load uses a model for one step: give --link wikidata, or another --extract than llm")
    if not reads and not chooses:
        return None, None
    llm = language_model(settings, journal, Budget.read(budget) if budget else None, retry_failed=retry_failed)
    return (llm, None) if reads else (None, llm)


@documents.command("list")
def list_documents(
    corpus: Corpus = "default",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most documents to print.")] = 50,
    after: Annotated[str, typer.Option(help="The key of the last document you have.")] = "",
    as_json: AsJson = False,
) -> None:
    """List documents by key, one page at a time."""
    with graph() as (opened, _):
        opened.check_corpus(corpus)
        code = keys.corpus_code(corpus)
        asked = {"after": keys.cursor(corpus, after), "until": code + "~", "limit": limit + 1}
        rows = opened.read("read/documents", **asked)
        if rows and not as_json:
            note("key, day of publication, chunks, document:")
        for row in rows[:limit]:
            known = {name: value for name, value in row["document"].items() if value is not None}
            document: dict[str, Any] = known | {"chunks": row["chunks"]}
            if as_json:
                print_json(document)
            else:
                columns = (document["key"], document.get("published") or "no date", row["chunks"], document["source"])
                echo("\t".join(one_line(str(column)) for column in columns))
        if len(rows) > limit:
            note_rest(limit, opened.totals(corpus).documents, rows[limit - 1]["document"]["key"])


@documents.command("remove")
def remove_documents(
    names: Annotated[list[str], typer.Argument(help="Keys, or the names that the loader gave the documents.")],
    corpus: Corpus = "default",
    on: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="The first day on which --as-of leaves them out; not given: today."),
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete their former versions and questions too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove documents and the facts that no other document states.

    What they said until now is kept for --as-of, unless --forget is given.
    """
    with graph() as (opened, _):
        found = [find_document(opened, name, corpus, removed=forget)[0] for name in names]
        removed = opened.remove(corpus, found, on.date() if on else None, forget=forget)
        totals = opened.totals(corpus).model_dump()
        if as_json:
            print_json({"removed": removed, **totals})
            return
        echo(f"removed {removed}; left {', '.join(f'{number:,} {name}' for name, number in totals.items())}")
        if question_store.plan(opened, corpus)[0]:
            note(f"the questions follow with {command('questions refresh', corpus)}")


def reembed(as_json: AsJson = False) -> None:
    """Compute every vector again with the model named in KGS_EMBEDDING_MODEL."""
    with graph() as (opened, settings), progress("vectors") as advance:
        done = embed_anew(opened, Embedder(settings.embedding_model), lambda count: advance("vectors", count))
        model = settings.embedding_model
        print_json({"model": model, "vectors": done}) if as_json else echo(f"{done} vectors by {model}")


def print_account(reading: Account, stored: int, extract: str) -> None:
    """Print facts per 100 words, the most frequent reasons for rejection, and texts that look odd."""
    if not stored:
        return
    rate = f"{reading.per_100_words:.2f} facts per 100 words"
    echo(f"reading    {rate} ({reading.words:,} words); {reading.empty / stored:.0%} of the documents gave none")
    if reading.per_100_words < LITTLE and extract == "rules":
        echo("  That is little: rules read plain statements. `--extract rules+reader`, the default, finds more.")
    for one in reading.reasons:
        example = f': "{" ".join(one.example.split())[:EXAMPLE]}"' if one.example else ""
        echo(f"  not read: {one.count:,} {one.reason}{example}")
    for odd, count in reading.notes.items():
        echo(f"  look at: {count:,} of {stored:,} documents, {odd}")


def print_lost(journal: Journal, unchanged: int) -> None:
    """Print the first rejected statements to standard error, one a line; the journal has all of them.

    Of `unchanged` documents there are none: they were read by an earlier load.
    """
    shown = 0
    for problem in journal.problems("triplet"):
        shown += 1
        if shown <= SHOWN:
            detail = shorten(problem.detail, QUOTED, placeholder=" …")
            echo(f"{problem.reason}\t{one_line(problem.source)}\t{detail}", err=True)
    if shown > SHOWN:
        note(f"… and {shown - SHOWN:,} more in {journal.path}")
    if unchanged:
        told = f"{unchanged:,} documents are unchanged, so they were not read again"
        note(f"{told}: what was not read in them is in the journal of their load, in {journal.path.parent}")


def print_reasons(report: LoadReport) -> None:
    """Print the reasons for documents, triplets, windows, names and relations, most frequent first."""
    for title, reasons in (
        ("rejected documents", report.documents.rejected),
        ("failed documents", report.documents.failed),
        ("rejected triplets", report.triplets.rejected),
        ("failed windows", report.windows.failed if report.windows else {}),
        ("unlinked names", report.links.unlinked if report.links else {}),
        ("open relations", report.relations.open if report.relations else {}),
        ("violations of the schema", report.relations.violations if report.relations else {}),
    ):
        most = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        for reason, number in most[:REASONS]:
            echo(f"  {title}: {number:,} {reason}")
        if rest := most[REASONS:]:
            echo(f"  {title}: {sum(number for _, number in rest):,} for {len(rest)} other reasons")


def print_leftovers(found: Leftovers | None, corpus: str, *, as_json: bool = False) -> None:
    """Print the documents whose files are gone, how to remove them, and the texts that are held under several names."""
    if found is None or as_json:
        return
    if (folders := found.folders) and folders.gone:
        gone = folders.gone
        echo(
            f"folder     in {folders.given:,} = on disk {folders.on_disk:,} + gone {len(gone):,} (still in the corpus)"
        )
        first = " ".join(shlex.quote(name) for name in gone[:NAMED])
        rest = f" ({len(gone) - NAMED:,} more: load --json names all)" if len(gone) > NAMED else ""
        echo(f"  to remove them: kgservice documents remove -c {shlex.quote(corpus)} {first}{rest}")
    if found.same_text_example:
        one, two = found.same_text_example
        echo(f"  same text: {found.same_text:,} documents have the text of another one, such as {one} and {two}")


def failures(report: LoadReport, journal: Journal) -> str:
    """Return what a load says last if a document or a window of one failed: what is loaded, what is not, what to do."""
    counts, failed = report.documents, sum(report.documents.failed.values())
    loaded = counts.stored + counts.unchanged
    said = f"{loaded:,} of {counts.given:,} documents are loaded" if loaded else "no document is loaded"
    if failed:
        named = list(islice((one.source for one in journal.left_out()), min(NAMED, failed)))
        more = f" and {failed - len(named):,} more" if failed > len(named) else ""
        said += (
            f"; {failed:,} failed: {', '.join(named)}{more}. Mend or remove what failed, and run the same command again"
        )
    if windows := report.windows and sum(report.windows.failed.values()):
        said += f"; a model failed at {windows:,} windows: --retry-failed asks again"
    return f"{said} (exit status 1)"


def print_counts(report: LoadReport) -> None:
    """Print how many documents and triplets went where, and what the corpus holds now."""
    counts, triplets = report.documents, report.triplets
    echo(
        f"documents  in {counts.given:,} = stored {counts.stored:,} + unchanged {counts.unchanged:,}"
        f" + rejected {sum(counts.rejected.values()):,} + failed {sum(counts.failed.values()):,}"
    )
    echo(
        f"triplets   in {triplets.given:,} = kept {triplets.kept:,} + rejected {sum(triplets.rejected.values()):,}"
        f"   from {report.chunks:,} chunks"
    )
    echo(f"corpus     {report.facts:,} facts, {report.entities:,} entities of facts   {report.seconds:.1f} s")


def print_report(report: LoadReport, journal: Journal, extract: str, *, as_json: bool, named: int = NAMED) -> None:
    """Print what became of everything that was loaded, with names of documents that did not get in, `named` at most."""
    if as_json:
        print_json(report.model_dump(by_alias=True, exclude_none=True))
        return
    print_counts(report)
    counts, triplets = report.documents, report.triplets
    if report.reading:
        print_account(report.reading, counts.stored, extract)
    if relations := report.relations:
        left = sum(relations.open.values())
        repeats = "   (before repeats are dropped)" if relations.given > triplets.kept else ""
        echo(f"relations  in {relations.given:,} = in the schema {relations.mapped:,} + open {left:,}{repeats}")
    if links := report.links:
        echo(f"names      in {links.given:,} = linked {links.linked:,} + unlinked {sum(links.unlinked.values()):,}")
    if (windows := report.windows) and report.llm:
        failed = sum(windows.failed.values())
        echo(f"windows    in {windows.given:,} = read {windows.read:,} + failed {failed:,}")
        print_spending(report.llm)
    print_reasons(report)
    for problem in islice(journal.left_out(), named):
        why = f" ({problem.detail})" if problem.detail else ""
        echo(f"  {problem.state}: {one_line(problem.source)}: {problem.reason}{why}")
    if (lost := sum(counts.rejected.values()) + sum(counts.failed.values())) > named:
        more = "" if named > NAMED else " (load --explain names them)"
        echo(f"  … and {lost - named:,} more that did not get in{more}")
    if counts.rejected or counts.failed or triplets.rejected or (windows and windows.failed):
        note(f"each by name in {journal.path}")
    if report.llm:
        note(f"each call in {report.llm.ledger}")
