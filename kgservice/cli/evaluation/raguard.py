"""evaluate raguard: what misleading documents do to verdicts on claims."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.evaluation.measuring import measuring, print_run, scored_by
from kgservice.cli.evaluation.options import GeneratorName, Limit, Report, RetryFailed, Seed, Shared, Timeout, chosen_of
from kgservice.cli.session import AsJson, Corpus, graph, progress
from kgservice.cli.spending import BudgetOption
from kgservice.cli.systems import verifiers

if TYPE_CHECKING:
    from kgservice.evaluation.raguard.report import RaguardRun


def raguard(
    claims: Annotated[Path, typer.Option(help="claims.csv as published, or JSONL of its fields; .gz too.")],
    corpus: Corpus = "default",
    report: Report = None,
    generator: GeneratorName = "extractive",
    retriever: Annotated[str, typer.Option(help="bm25, dense, hybrid, graph …")] = "dense",
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
    """Measure verdicts on claims: without documents, with retrieved ones, their own, misleading ones (RAGuard)."""
    from kgservice.answering.verdicts import CHECK, EXAM
    from kgservice.evaluation import library
    from kgservice.evaluation.raguard.questions import read_claims
    from kgservice.evaluation.raguard.run import CONDITIONS, KS, RaguardSystems

    shared = Shared(generator, report, False, timeout, budget, retry_failed, as_json)
    shared.check(asked_by="--generator prompted")
    with graph() as (opened, settings), measuring("raguard", settings, shared) as bench:
        wanted, asked = chosen_of(conditions, CONDITIONS), read_claims(claims, limit, seed)
        if wanted != ["zero-context"]:
            opened.check_corpus(corpus)
        found = bench.retriever(retriever, opened, corpus) if {"rag-1", "rag-5"} & {*wanted} else None
        systems = RaguardSystems(*verifiers(generator, bench.asked, timeout), found)
        setting = library.Setting(
            corpus=corpus, retriever=retriever, k=max(KS), embedding_model=bench.embedder.name, seed=seed, limit=limit,
            prompts=(CHECK, EXAM) if bench.asked else (), options=dict(scored_by(found)),
        )  # fmt: skip
        with progress("claims", total=len(asked.units)) as advance:
            run = library.raguard(
                opened, asked, wanted, systems, bench.place, setting, model=bench.model,
                retry_failed=retry_failed, advance=partial(advance, "claims"),
            )  # fmt: skip
        bench.journal.finish(run)
    print_run(run, shared, _lines(run))


def _lines(run: RaguardRun) -> Iterator[str]:
    found = run.ended
    yield f"{found.claims:,} claims, {found.verdicts:,} verdicts"
    for name, one in found.accuracy.items():
        ended = ", ".join(f"{number:,} {how}" for how, number in sorted(found.ended[name].items()))
        yield f"{name:<19} {one.share:7.1%} of {one.of:,}   [{one.low:.3f}, {one.high:.3f}]   {ended}"
    for name, drop in found.drop.items():
        relative = "" if drop.relative is None else f", {drop.relative:.1%} of it"
        side = "below" if drop.absolute >= 0 else "above"
        yield f"{name:<19} {100 * abs(drop.absolute):.1f} points {side} zero-context{relative}"
    for name, one in found.by_label.items():
        yield f"oracle, {name:<11} {one.share:7.1%} of {one.of:,}"
    for name, value in found.retrieval.items():
        yield f"{name:<19} {value:.4f}"
    for label, counts in found.exam.items():
        yield f"exam of {label}: " + ", ".join(f"{number:,} {name}" for name, number in counts.items())
    if found.absent:
        yield f"{found.absent:,} documents of these claims are not in the corpus"
