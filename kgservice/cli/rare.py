"""evaluate rare: how robust a system is, by RARE-Met, with a report that can be read."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice import __version__
from kgservice.cli.options import GeneratorName, Limit, Report, Seed, Timeout
from kgservice.cli.session import AsJson, Corpus, graph, print_json, progress
from kgservice.cli.spending import BudgetOption, RetryFailed, print_spending
from kgservice.cli.systems import generator_named, with_model
from kgservice.connect import language_model
from kgservice.embedding import Embedder
from kgservice.journal import Journal
from kgservice.llm.budget import Budget

if TYPE_CHECKING:
    from kgservice.evaluation.rare import Chosen, Systems
    from kgservice.evaluation.run_folder import Identity, RunFolder
    from kgservice.evaluation.tested import RareRun, Tested
    from kgservice.llm.client import LLM

METHOD = "RARE-Met 1"  # another number where a change makes other perturbations or scores


def rare(
    report: Report,
    corpus: Corpus = "default",
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25, dense, hybrid, rerank, multistep …")] = "hybrid",
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Passages retrieved.")] = 5,
    limit: Limit = None,
    seed: Seed = 0,
    judge: Annotated[
        bool | None, typer.Option("--judge/--no-judge", help="Let a model judge where strings differ (if prompted).")
    ] = None,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure robustness: typos, other words, missing answers, reworded passages, real retrieval (RARE-Met)."""
    from kgservice.evaluation import rare as evaluation
    from kgservice.evaluation.run_folder import RunFolder
    from kgservice.evaluation.tested import Tested
    from kgservice.retrieval import retriever as made
    from kgservice.retrieval.scoring import scorer

    started, judging = time.monotonic(), judge if judge is not None else generator == "prompted"
    with graph() as (opened, settings), Journal(settings.home, "evaluate-rare") as journal:
        embedder = Embedder(settings.embedding_model)
        bound = Budget.read(budget) if budget else None
        asked = judging or generator == "prompted"
        model = language_model(settings, journal, bound, retry_failed=retry_failed) if asked else None
        found = made(retriever, opened, corpus, embedder, k=k, scorer=scorer(settings.reranker, embedder))
        systems = evaluation.Systems(
            generator_named(generator, embedder, model, timeout), found, model if judging else None
        )
        chosen = evaluation.choose(opened, corpus, limit, seed)
        identity = _identity(systems, chosen, corpus, retriever, k, seed, limit, embedder)
        folder = RunFolder(report, identity, Tested)
        with progress("questions", total=len(chosen.questions)) as advance:
            step = partial(advance, "questions")
            going = evaluation.run(opened, corpus, chosen, systems, embedder, folder, seed=seed, advance=step)
            asyncio.run(with_model(going, model))
        run = _finished(folder, chosen, time.monotonic() - started, model)
        journal.finish(run)
        print_json(run.model_dump()) if as_json else _print(run, report)
        raise typer.Exit(int(bool(run.summary and run.summary.failed)))


def _identity(
    systems: Systems,
    chosen: Chosen,
    corpus: str,
    retriever: str,
    k: int,
    seed: int,
    limit: int | None,
    embedder: Embedder,
) -> Identity:
    from kgservice.evaluation.run_folder import Identity
    from kgservice.generation.prompted import PROMPTS
    from kgservice.prompts import prompt_hashes

    used = {
        *(PROMPTS if systems.generator.name.startswith("prompted") else ()),
        *(["judge_answer"] if systems.judge else ()),
    }
    return Identity(
        kgservice=__version__, evaluation=METHOD, corpus=corpus, generator=systems.generator.name, retriever=retriever,
        k=k, embedding_model=embedder.name,
        judge=f"strings, then {systems.judge.model}" if systems.judge else "strings",
        seed=seed, limit=limit, prompts=prompt_hashes(used), data=chosen.digest(),
    )  # fmt: skip


def _finished(folder: RunFolder[Tested], chosen: Chosen, seconds: float, model: LLM | None) -> RareRun:
    from kgservice.evaluation import report
    from kgservice.evaluation.tested import RareRun

    tested = sorted(folder.done(), key=lambda one: one.id)
    run = RareRun(
        identity=folder.identity, summary=report.summary(tested, chosen.skipped), seconds=round(seconds, 1),
        llm=model.spending() if model else None,
    )  # fmt: skip
    folder.finish(run, report.page(run, tested))
    return run


def _print(run: RareRun, folder: Path) -> None:
    found = run.summary
    if found is None:
        return
    typer.echo(
        f"{run.identity.generator}, {run.identity.retriever}: {found.questions:,} questions, {found.answers:,} answers"
    )
    for name, one in found.scores:
        typer.echo(f"{name:<10} {one.share:7.1%}   {one.robust:,} of {one.of:,}   [{one.low:.3f}, {one.high:.3f}]")
    for title, counts in (("not asked", found.skipped), ("not made", found.lacking), ("failed", found.failed)):
        for reason, number in counts.items():
            typer.echo(f"{title:<10} {number:,} {reason}")
    if run.llm:
        print_spending(run.llm)
    typer.echo(f"{folder / 'index.html'}")
