"""evaluate: how good retrieval is, how robust answers are, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from kgservice.cli.evaluation.dragon import dragon
from kgservice.cli.evaluation.frames import frames
from kgservice.cli.evaluation.frames_set import frames_set
from kgservice.cli.evaluation.options import Seed
from kgservice.cli.evaluation.plurihop import plurihop
from kgservice.cli.evaluation.raguard import raguard
from kgservice.cli.evaluation.raguard_set import raguard_set
from kgservice.cli.evaluation.rare import rare
from kgservice.cli.session import AsJson, Corpus, echo, errors, graph, note, print_json, progress
from kgservice.core.errors import BadRequest
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgservice.core.settings import Settings
    from kgservice.evaluation.retrieval.query_results import QueryResult
    from kgservice.evaluation.retrieval.questions import Judgements
    from kgservice.evaluation.retrieval.run import Report
    from kgservice.graph.store import Graph
    from kgservice.metrics.significance import Comparison, Proportions

evaluate = typer.Typer(no_args_is_help=True, help="How good retrieval is, how robust answers are, how sure that is.")
evaluate.command()(rare)
evaluate.command()(raguard)
evaluate.command()(raguard_set)
evaluate.command()(frames)
evaluate.command()(frames_set)
evaluate.command()(plurihop)
evaluate.command()(dragon)

Queries = Annotated[Path, typer.Option(help="BEIR's queries.jsonl(.gz), or MultiHopRAG.json as published.")]
Qrels = Annotated[
    list[Path] | None, typer.Option(help="BEIR's qrels, a .tsv(.gz); repeatable. MultiHopRAG.json needs none.")
]


@evaluate.command()
def retrieval(
    queries: Annotated[
        Path | None,
        typer.Option(
            help="BEIR's queries.jsonl(.gz), or MultiHopRAG.json as published; not given: the corpus's questions."
        ),
    ] = None,
    qrels: Qrels = None,
    retriever: Annotated[list[str] | None, typer.Option(help="A retriever; repeatable; not given: bm25.")] = None,
    found: Annotated[
        Path | None, typer.Option(help="A file of passages that another system found, one line for each question.")
    ] = None,
    k: Annotated[str, typer.Option("-k", "--k", help="Measure the first k documents, for each of these k.")] = "2,5,10",
    corpus: Corpus = "default",
    misleading: Annotated[Path | None, typer.Option(help="Qrels of documents that mislead (RAGuard).")] = None,
    save: Annotated[
        Path | None, typer.Option(help="A folder for the results: a file a retriever, a line a query.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="A folder for a report of each retriever.")] = None,
    trec: Annotated[
        Path | None, typer.Option(help="A folder for a run file of each retriever, in trec_eval's format.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure retrievers on judged queries. The judgements name documents by the ids that they were loaded with.

    Without --queries the active questions of the corpus are asked, and their sentences' places decide; --found measures
    what any other system found for them: {"id" or "question": …, "passages": [{"document", "start", "end"} or text …]}.
    """
    from kgservice.evaluation import library
    from kgservice.evaluation.retrieval import run as runs
    from kgservice.evaluation.retrieval.query_results import save as write
    from kgservice.exchange.trec import write_run
    from kgservice.retrieval import retriever_classes

    names = [found.stem] if found else retriever or ["bm25"]
    with graph() as (opened, settings):
        if (queries is None and (qrels or misleading)) or (found and (queries or retriever)):
            raise BadRequest("give --qrels with --queries; --found is for the corpus's questions alone")
        for name in names if found is None else ():
            retriever_classes(name)
        ks, embedder = _numbers(k), Embedder(settings.embedding_model)
        judged, missing, run = (
            _of_questions(opened, corpus, ks, embedder, settings, found)
            if queries is None
            else _of_queries(opened, corpus, ks, embedder, settings, queries, qrels or [], misleading)
        )
        for name in names:
            with progress(name, total=len(judged.queries)) as advance:
                results = run(name, partial(advance, name))
            if save:
                write(results, save)
            if trec:
                write_run({one.query: one.found for one in results}, name, trec / f"{name.replace(':', '-')}.run")
            means = runs.report(name, results, judged, missing)
            print_json(means.printed()) if as_json else echo(_table(means, ks))
            if report:
                setting = library.Setting(
                    corpus=corpus, retriever=name, k=max(ks), embedding_model=embedder.name,
                    options={"ks": ",".join(map(str, ks))},
                )  # fmt: skip
                library.retrieval(judged, results, report / name.replace(":", "-"), setting)


class _RetrievalRun(NamedTuple):
    """What is asked, how much of its gold the corpus lacks, and how a retriever is run on it."""

    judged: Judgements
    missing: int
    run: Callable[[str, Callable[[int], None]], list[QueryResult]]


def _of_queries(
    opened: Graph,
    corpus: str,
    ks: list[int],
    embedder: Embedder,
    settings: Settings,
    queries: Path,
    qrels: list[Path],
    misleading: Path | None,
) -> _RetrievalRun:
    from kgservice.evaluation.retrieval import run as runs
    from kgservice.evaluation.retrieval.questions import grades, judgements
    from kgservice.retrieval.reranker import cross_encoder

    judged = judgements(queries, qrels)
    misled = grades([misleading]) if misleading else {}

    def run(name: str, advance: Callable[[int], None]) -> list[QueryResult]:
        return runs.run(
            opened, corpus, name, judged.queries, ks, embedder, misleading=misled, scorer=judge, advance=advance
        )

    judge = cross_encoder(settings)
    return _RetrievalRun(judged, runs.absent(opened, corpus, judged.queries), run)


def _of_questions(
    opened: Graph, corpus: str, ks: list[int], embedder: Embedder, settings: Settings, found: Path | None
) -> _RetrievalRun:
    from kgservice.evaluation.retrieval import by_place
    from kgservice.retrieval.reranker import cross_encoder

    asked = by_place.questions(opened, corpus)

    def run(name: str, advance: Callable[[int], None]) -> list[QueryResult]:
        if found is not None:
            passages = by_place.passages_of(found, asked)
            if missing := len(asked.questions) - len(passages):
                note(
                    f"{missing:,} of {len(asked.questions):,} questions have no line in {found}: nothing found for them"
                )
            if unknown := asked.unknown(passages):
                note(f"{len(unknown):,} documents that passages name are not in corpus {corpus!r}: {unknown[0]!r} …")
            return asked.results(name, passages, ks)
        return by_place.retrieved(opened, corpus, name, asked, ks, embedder, scorer=judge, advance=advance)

    judge = cross_encoder(settings)
    return _RetrievalRun(asked.judged(), 0, run)


@evaluate.command()
def compare(
    a: Annotated[Path, typer.Argument(help="A folder that --report wrote, or a file of `retrieval --save`.")],
    b: Annotated[Path, typer.Argument(help="Another one, over the same questions.")],
    measure: Annotated[
        list[str] | None, typer.Option(help="A measure, such as recall@5; repeatable; not given: all.")
    ] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Test whether two runs differ by more than chance: paired bootstrap and randomisation test; of rare, z-tests."""
    from kgservice.evaluation.compare import compared_runs

    with errors():
        found = compared_runs(a, b, measure or None, seed)
        if as_json:
            print_json({"a": a, "b": b, **found.model_dump(by_alias=True)})
            return
        apart = f", {found.only_in_one:,} in one run alone" if found.only_in_one else ""
        echo(f"{found.queries:,} questions{apart}")
        for line in _differences("", {**found.scores, **found.measures}):
            echo(line)
        for name, scores in (*found.by_pattern.items(), *found.by_domain.items()):
            for line in _differences(name, scores):
                echo(line)


@evaluate.command()
def repetitiveness(
    corpus: Corpus = "default",
    documents: Annotated[int | None, typer.Option(min=1, help="Size of a random sample; not given: all.")] = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Measure how much chunks resemble their k nearest ones: r@k, the mean cosine (PluriHop, section 3.2)."""
    from kgservice.evaluation.plurihop.repetitiveness import repetitiveness as measured

    with graph() as (opened, _):
        found = measured(opened, corpus, documents, seed)
        values = {f"r@{k}": round(value, 6) for k, value in found.at.items()}
        if as_json:
            print_json({"corpus": corpus, "documents": found.documents, "chunks": found.chunks, **values})
            return
        echo(f"{found.chunks:,} chunks of {found.documents:,} documents")
        for name, value in values.items():
            echo(f"{name:>5}  {value:.4f}")


@evaluate.command()
def threshold(
    queries: Queries,
    qrels: Qrels = None,
    kept: Annotated[float, typer.Option(min=0.01, max=1, help="Share of relevant documents to keep.")] = 0.9,
    candidates: Annotated[int, typer.Option(min=1, max=10_000, help="Documents looked at, a query.")] = 100,
    corpus: Corpus = "default",
    as_json: AsJson = False,
) -> None:
    """Find where plurihop's document filter should cut: the ROC of its scorer (PluriHop, figure 4)."""
    from kgservice.evaluation.plurihop.threshold import threshold as cut
    from kgservice.evaluation.retrieval.questions import judgements
    from kgservice.retrieval.per_document import PluriHopRetriever
    from kgservice.retrieval.reranker import cross_encoder

    with graph() as (opened, settings):
        judged = judgements(queries, qrels or [])
        embedder = Embedder(settings.embedding_model)
        judge = cross_encoder(settings)
        asked = PluriHopRetriever(graph=opened, corpus=corpus, embedder=embedder, scorer=judge, candidates=candidates)
        with progress("queries", total=len(judged.queries)) as advance:
            found = cut(asked, judged.queries, kept, partial(advance, "queries"))
        if as_json:
            print_json({"scorer": asked.judge.name, "queries": len(judged.queries), **found.model_dump()})
            return
        echo(
            f"{asked.judge.name}: area under the ROC {found.area:.3f}, {found.relevant:,} relevant and "
            f"{found.irrelevant:,} irrelevant documents\nτ = {found.chosen.threshold:.4f} keeps "
            f"{found.chosen.relevant_kept:.1%} of the relevant and {found.chosen.irrelevant_kept:.1%} of the others"
        )


def _differences(title: str, rows: Mapping[str, Comparison | Proportions]) -> Iterator[str]:
    yield f"{title:26}{'a':>8}{'b':>8}{'a - b':>9}   95 %{'p':>22}"
    for name, row in rows.items():
        interval = f"[{row.low:+.4f}, {row.high:+.4f}]"
        yield f"{name:26}{row.a:8.4f}{row.b:8.4f}{row.difference:+9.4f}   {interval}{row.p:9.4f}"


def _numbers(text: str) -> list[int]:
    try:
        return sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise BadRequest(f"-k {text}: give numbers with commas between them, such as 2,5,10") from error


def _table(report: Report, ks: list[int]) -> str:
    """Return a report as people read it: a measure a line, a k a column, with 95 % intervals."""
    skipped = "".join(f", {number:,} skipped ({reason})" for reason, number in report.skipped.items())
    lines = [f"{report.retriever}: {report.queries:,} queries{skipped}; {report.missing_gold:,} gold not in the corpus"]
    lines.append(" " * 12 + "".join(f"{f'@{k}':<26}" for k in ks))
    for kind in dict.fromkeys(name.partition("@")[0] for name in report.measures):
        cells = []
        for name in (f"{kind}@{k}" for k in ks):
            low, high = report.intervals.get(name, (nan, nan))
            cells.append(f"{f'{report.measures[name]:.4f}  [{low:.3f}, {high:.3f}]':<26}")
        lines.append(f"{kind:<12}" + "".join(cells))
    return "\n".join(lines)
