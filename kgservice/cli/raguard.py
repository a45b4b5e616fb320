"""evaluate raguard: what misleading documents do to verdicts on claims."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice import __version__
from kgservice.cli.options import GeneratorName, Limit, Report, Seed, Timeout, chosen_of, verifiers
from kgservice.cli.session import AsJson, Corpus, graph, print_json, progress
from kgservice.cli.spending import BudgetOption, RetryFailed, print_spending
from kgservice.cli.systems import with_model
from kgservice.connect import language_model
from kgservice.embedding import Embedder
from kgservice.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.prompts import prompt_hashes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kgservice.evaluation.claims import Claims
    from kgservice.evaluation.raguard import CheckedClaim
    from kgservice.evaluation.raguard_report import RaguardRun
    from kgservice.evaluation.run_folder import Identity, RunFolder
    from kgservice.llm.client import LLM

METHOD = "RAGuard 1"  # another number where a change makes other questions or scores


def raguard(
    claims: Annotated[Path, typer.Option(help="claims.csv as published, or JSONL of its fields; .gz too.")],
    report: Report,
    corpus: Corpus = "default",
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25, dense, hybrid, rerank …")] = "dense",
    conditions: Annotated[
        str, typer.Option(help="Of zero-context, rag-1, rag-5, oracle; exam labels the documents anew.")
    ] = "zero-context,rag-1,rag-5,oracle",
    limit: Limit = None,
    seed: Seed = 0,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure verdicts on claims: with no documents, retrieved ones, each of their own, misleading ones (RAGuard)."""
    from kgservice.evaluation.claims import read_claims
    from kgservice.evaluation.raguard import CONDITIONS, CheckedClaim, Systems, run
    from kgservice.evaluation.run_folder import RunFolder
    from kgservice.retrieval import retriever as made
    from kgservice.retrieval.scoring import scorer

    started = time.monotonic()
    with graph() as (opened, settings), Journal(settings.home, "evaluate-raguard") as journal:
        wanted, asked = chosen_of(conditions, CONDITIONS), read_claims(claims, limit, seed)
        if wanted != ["zero-context"]:
            opened.check_corpus(corpus)
        bound = Budget.read(budget) if budget else None
        model = language_model(settings, journal, bound, retry_failed=retry_failed) if generator == "prompted" else None
        embedder = Embedder(settings.embedding_model)
        found = made(retriever, opened, corpus, embedder, scorer=scorer(settings.reranker, embedder))
        checker, examiner = verifiers(generator, model, timeout)
        systems = Systems(checker, examiner, found if {"rag-1", "rag-5"} & {*wanted} else None)
        identity = _identity(corpus, checker.name, retriever, embedder, seed, limit, asked, wanted)
        folder = RunFolder(report, identity, CheckedClaim)
        with progress("claims", total=len(asked.claims)) as advance:
            going = run(opened, corpus, asked, wanted, systems, folder, partial(advance, "claims"))
            asyncio.run(with_model(going, model))
        done = _finished(folder, asked, time.monotonic() - started, model)
        journal.finish(done)
        print_json(done.model_dump()) if as_json else _print(done, report)
        raise typer.Exit(int(bool(done.summary and done.summary.failed)))


def _identity(
    corpus: str,
    generator: str,
    retriever: str,
    embedder: Embedder,
    seed: int,
    limit: int | None,
    claims: Claims,
    conditions: Sequence[str],
) -> Identity:
    from kgservice.evaluation.raguard import KS
    from kgservice.evaluation.run_folder import Identity
    from kgservice.generation.verdicts import CHECK, EXAM

    prompts = prompt_hashes((CHECK, EXAM) if generator.startswith("prompted") else ())
    return Identity(
        kgservice=__version__, evaluation=METHOD, corpus=corpus, generator=generator, retriever=retriever, k=max(KS),
        embedding_model=embedder.name, judge="strings", seed=seed, limit=limit, prompts=prompts, data=claims.digest(),
        options={"conditions": ",".join(conditions)},
    )  # fmt: skip


def _finished(folder: RunFolder[CheckedClaim], claims: Claims, seconds: float, model: LLM | None) -> RaguardRun:
    from kgservice.evaluation import raguard_report
    from kgservice.evaluation.raguard_report import RaguardRun

    checked = folder.done()
    run = RaguardRun(
        identity=folder.identity, summary=raguard_report.summary(checked, claims.skipped), seconds=round(seconds, 1),
        llm=model.spending() if model else None,
    )  # fmt: skip
    folder.finish(run, raguard_report.report(run, checked))
    if labels := raguard_report.relabelled(checked):
        lines = "".join(one.model_dump_json() + "\n" for one in labels)
        (folder.path / "labels.jsonl").write_text(lines, encoding="utf-8")
    return run


def _print(run: RaguardRun, folder: Path) -> None:
    found = run.summary
    if found is None:
        return
    typer.echo(
        f"{run.identity.generator}, {run.identity.retriever}: {found.claims:,} claims, {found.verdicts:,} verdicts"
    )
    for name, one in found.accuracy.items():
        ended = ", ".join(f"{number:,} {how}" for how, number in sorted(found.ended[name].items()))
        typer.echo(f"{name:<16} {one.share:7.1%} of {one.of:,}   [{one.low:.3f}, {one.high:.3f}]   {ended}")
    for name, one in found.by_label.items():
        typer.echo(f"oracle, {name:<13} {one.share:7.1%} of {one.of:,}")
    for name, value in found.retrieval.items():
        typer.echo(f"{name:<16} {value:.4f}")
    for label, counts in found.exam.items():
        typer.echo(f"exam of {label}: " + ", ".join(f"{number:,} {name}" for name, number in counts.items()))
    for title, reasons in (("not checked", found.skipped), ("failed", found.failed)):
        for reason, number in reasons.items():
            typer.echo(f"{title:<12} {number:,} {reason}")
    if found.absent:
        typer.echo(f"{found.absent:,} documents of these claims are not in the corpus")
    if run.llm:
        print_spending(run.llm)
    typer.echo(f"{folder / 'index.html'}")
