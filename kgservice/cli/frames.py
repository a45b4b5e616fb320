"""evaluate frames: what it takes to answer questions that need several articles."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice import __version__
from kgservice.cli.options import GeneratorName, Limit, Report, Seed, Timeout, chosen_of
from kgservice.cli.session import AsJson, Corpus, graph, print_json, progress
from kgservice.cli.spending import BudgetOption, RetryFailed, print_spending
from kgservice.cli.systems import generator_named, with_model
from kgservice.connect import language_model
from kgservice.embedding import Embedder
from kgservice.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.prompts import prompt_hashes

if TYPE_CHECKING:
    from kgservice.evaluation.articles import FramedQuestions
    from kgservice.evaluation.frames import AnsweredQuestion, Systems
    from kgservice.evaluation.frames_report import FramesRun
    from kgservice.evaluation.run_folder import Identity, RunFolder
    from kgservice.llm.client import LLM

METHOD = "FRAMES 1"  # another number where a change makes other contexts or scores


def frames(
    questions: Annotated[Path, typer.Option(help="JSONL with FRAMES' fields; .gz too.")],
    report: Report,
    corpus: Corpus = "default",
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25 as in the paper, dense, hybrid or graph.")] = "bm25",
    conditions: Annotated[
        str, typer.Option(help="Of naive, bm25-2, bm25-4, oracle, multistep-2, planned-2, multistep-10, planned-10.")
    ] = "naive,bm25-2,bm25-4,oracle,multistep-2,planned-2,multistep-10,planned-10",
    limit: Limit = None,
    seed: Seed = 0,
    judge: Annotated[
        bool | None, typer.Option("--judge/--no-judge", help="Let a model rate where strings differ (if prompted).")
    ] = None,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers that need several articles: from memory, found ones, their own, after many searches (FRAMES)."""
    from kgservice.evaluation.articles import read_questions
    from kgservice.evaluation.frames import CONDITIONS, AnsweredQuestion, Evaluation, Systems
    from kgservice.evaluation.run_folder import RunFolder
    from kgservice.retrieval import named

    started, judging = time.monotonic(), judge if judge is not None else generator == "prompted"
    with graph() as (opened, settings), Journal(settings.home, "evaluate-frames") as journal:
        wanted, asked = chosen_of(conditions, CONDITIONS), read_questions(questions, limit, seed)
        opened.check_corpus(corpus)
        bound = Budget.read(budget) if budget else None
        needed = judging or generator == "prompted"
        model = language_model(settings, journal, bound, retry_failed=retry_failed) if needed else None
        embedder = Embedder(settings.embedding_model)
        tested = generator_named(generator, embedder, model, timeout)
        searcher = model if generator == "prompted" else None
        systems = Systems(tested, named(retriever)[0], model if judging else None, searcher)
        identity = _identity(systems, corpus, retriever, embedder, seed, limit, asked, ",".join(wanted))
        folder = RunFolder(report, identity, AnsweredQuestion)
        with progress("questions", total=len(asked.questions)) as advance:
            going = Evaluation(opened, corpus, embedder, systems, wanted).run(
                asked, folder, partial(advance, "questions")
            )
            asyncio.run(with_model(going, model))
        done = _finished(folder, asked, time.monotonic() - started, model)
        journal.finish(done)
        print_json(done.model_dump()) if as_json else _print(done, report)
        raise typer.Exit(int(bool(done.summary and done.summary.failed)))


def _identity(
    systems: Systems,
    corpus: str,
    retriever: str,
    embedder: Embedder,
    seed: int,
    limit: int | None,
    questions: FramedQuestions,
    conditions: str,
) -> Identity:
    from kgservice.evaluation.run_folder import Identity
    from kgservice.evaluation.searches import PROMPTS as SEARCHING
    from kgservice.generation.prompted import PROMPTS

    used = {
        *((*PROMPTS, *SEARCHING) if systems.searcher else ()),
        *(["rate_answer"] if systems.rater else ()),
    }
    return Identity(
        kgservice=__version__, evaluation=METHOD, corpus=corpus, generator=systems.generator.name, retriever=retriever,
        k=0, embedding_model=embedder.name,
        judge=f"strings, then {systems.rater.model}" if systems.rater else "strings", seed=seed, limit=limit,
        prompts=prompt_hashes(used), data=questions.digest(),
        options={"conditions": conditions, "searches": systems.searcher.model if systems.searcher else "entities"},
    )  # fmt: skip


def _finished(
    folder: RunFolder[AnsweredQuestion], questions: FramedQuestions, seconds: float, model: LLM | None
) -> FramesRun:
    from kgservice.evaluation import frames_report
    from kgservice.evaluation.frames_report import FramesRun

    answered = folder.done()
    run = FramesRun(
        identity=folder.identity, summary=frames_report.summary(answered, questions.skipped), seconds=round(seconds, 1),
        llm=model.spending() if model else None,
    )  # fmt: skip
    folder.finish(run, frames_report.report(run, answered))
    return run


def _print(run: FramesRun, folder: Path) -> None:
    found = run.summary
    if found is None:
        return
    typer.echo(f"{run.identity.generator}, {run.identity.retriever}: {found.questions:,} questions")
    typer.echo(f"{'':<13} accuracy   95 % interval     recall   articles")
    for name, one in found.accuracy.items():
        ended = ", ".join(f"{number:,} {how}" for how, number in sorted(found.ended[name].items()))
        recall = f"{found.recall.get(name, 0):.3f}   {found.articles[name]:8.1f}"
        typer.echo(f"{name:<13} {one.share:7.1%}    [{one.low:.3f}, {one.high:.3f}]    {recall}   {ended}")
    for title, reasons in (("not asked", found.skipped), ("failed", found.failed)):
        for reason, number in reasons.items():
            typer.echo(f"{title:<10} {number:,} {reason}")
    if found.absent:
        typer.echo(f"{found.absent:,} of {found.links:,} articles that the questions need are not in the corpus")
    if run.llm:
        print_spending(run.llm)
    typer.echo(f"{folder / 'index.html'}")
