"""evaluate frames: what it takes to answer questions that need several articles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.evaluation.measuring import measuring, print_run
from kgservice.cli.evaluation.options import GeneratorName, Judge, Limit, Report, RetryFailed, Seed, Shared, Timeout
from kgservice.cli.session import AsJson, Corpus, graph, progress
from kgservice.cli.spending import BudgetOption

if TYPE_CHECKING:
    from kgservice.evaluation.frames.report import FramesRun

RANKED_BY = ("bm25", "dense", "hybrid", "graph")


def frames(
    questions: Annotated[Path, typer.Option(help="JSONL with FRAMES' fields; .gz too.")],
    corpus: Corpus = "default",
    report: Report = None,
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25 as in the paper, dense, hybrid or graph.")] = "bm25",
    conditions: Annotated[
        str, typer.Option(help="Of naive, oracle, bm25-N, multistep-N, planned-N (N articles; n_docs of a search).")
    ] = "naive,bm25-2,bm25-4,oracle,multistep-2,planned-2,multistep-10,planned-10",
    steps: Annotated[int, typer.Option("-n", "--steps", min=1, max=50, help="Steps of a search (n).")] = 5,
    queries: Annotated[int, typer.Option("-k", "--queries", min=1, max=50, help="Queries a step (k).")] = 5,
    limit: Limit = None,
    seed: Seed = 0,
    judge: Judge = None,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers that need several articles: without any, with found ones, the right ones, searches (FRAMES)."""
    from kgservice.answering.llm_generator import FRAMES as PROMPTS
    from kgservice.answering.llm_generator import PromptedGenerator
    from kgservice.evaluation import library
    from kgservice.evaluation.frames.questions import read_questions
    from kgservice.evaluation.frames.run import FramesSystems, SearchBounds, conditions_of
    from kgservice.evaluation.frames.searches import PROMPTS as SEARCHING
    from kgservice.retrieval import retriever_classes

    if retriever not in RANKED_BY:
        raise typer.BadParameter(
            f"{retriever!r} ranks no articles here: choose one of {', '.join(RANKED_BY)}", param_hint="--retriever"
        )
    shared = Shared(generator, report, judge, timeout, budget, retry_failed, as_json)
    shared.check()
    with graph() as (opened, settings), measuring("frames", settings, shared) as bench:
        wanted, asked = conditions_of(conditions), read_questions(questions, limit, seed)
        opened.check_corpus(corpus)
        tested = PromptedGenerator(bench.asked, PROMPTS) if bench.asked else bench.generator()
        systems = FramesSystems(tested, retriever_classes(retriever)[0], bench.judge, bench.asked)
        setting = library.Setting(
            corpus=corpus, retriever=retriever, embedding_model=bench.embedder.name, seed=seed, limit=limit,
            prompts=(*PROMPTS, *SEARCHING) if systems.searcher else (),
        )  # fmt: skip
        with progress("questions", total=len(asked.units)) as advance:
            run = library.frames(
                opened, asked, wanted, systems, bench.embedder, bench.place, setting, model=bench.model,
                bounds=SearchBounds(steps, queries), retry_failed=retry_failed, advance=partial(advance, "questions"),
            )  # fmt: skip
        bench.journal.finish(run)
    print_run(run, shared, _lines(run))


def _lines(run: FramesRun) -> Iterator[str]:
    found = run.ended
    yield f"{found.questions:,} questions\n{'':<13} accuracy   95 % interval     recall   articles"
    for name, one in found.accuracy.items():
        ended = ", ".join(f"{number:,} {how}" for how, number in sorted(found.ended[name].items()))
        recall = f"{found.recall.get(name, 0):.3f}   {found.articles[name]:8.1f}"
        yield f"{name:<13} {one.share:7.1%}    [{one.low:.3f}, {one.high:.3f}]    {recall}   {ended}"
    if found.absent:
        yield f"{found.absent:,} of {found.links:,} articles that the questions need are not in the corpus"
