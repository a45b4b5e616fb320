"""evaluate raguard-set: claims and posts as RAGuard publishes them, from rated claims and a corpus of posts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.evaluation.options import Limit, Seed
from kgservice.cli.session import AsJson, Corpus, echo, graph, print_json
from kgservice.cli.spending import BudgetOption, RetryFailed, print_spending
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.setup.connect import language_model
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kgservice.core.errors import LLMFailure
    from kgservice.evaluation.raguard.claim_set import ClaimSetReport, Keywords


def raguard_set(
    folder: Annotated[Path, typer.Argument(help="The folder for claims.csv and documents.csv.")],
    claims: Annotated[Path, typer.Option(help="CSV or JSONL: Claim ID, Claim, Verdict (true … pants on fire).")],
    corpus: Corpus = "default",
    retriever: Annotated[str, typer.Option(help="What finds posts by keywords: bm25, dense, hybrid …")] = "bm25",
    posts: Annotated[int, typer.Option(min=1, max=100, help="Most posts of a claim.")] = 10,
    half_true: Annotated[
        str, typer.Option(help="What becomes of half-true claims: true, as in the published set, or drop.")
    ] = "true",
    llm_keywords: Annotated[
        bool, typer.Option("--llm-keywords", help="Keywords by a model; not given: the claim's names and words.")
    ] = False,
    limit: Limit = None,
    seed: Seed = 0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Build a set like RAGuard's: six verdicts become two, and posts are found by keywords of each claim."""
    from kgservice.evaluation.raguard.claim_set import build_set, expanded, own_keywords, read_rated
    from kgservice.retrieval import retriever as retriever_of

    if half_true not in ("true", "drop"):
        raise typer.BadParameter('--half-true: give "true" or "drop"')
    if (budget or retry_failed) and not llm_keywords:
        raise typer.BadParameter("--budget and --retry-failed are about a language model: give --llm-keywords")
    with graph() as (opened, settings), Journal(settings.home, "raguard-set") as journal:
        if folder.is_dir() and any((folder / name).exists() for name in ("claims.csv", "documents.csv")):
            raise BadRequest(f"{folder} has a set already: name another folder")
        opened.check_corpus(corpus)
        rated = read_rated(claims, limit, seed, "drop" if half_true == "drop" else "true")
        found = retriever_of(retriever, opened, corpus, Embedder(settings.embedding_model))
        keywords: Mapping[str, Keywords | LLMFailure] = {one.id: own_keywords(one.text) for one in rated.units}
        spent = None
        if llm_keywords:
            bound = Budget.read(budget) if budget else None
            llm = language_model(settings, journal, bound, retry_failed=retry_failed, role="writer")
            keywords = asyncio.run(expanded(llm, rated.units))
            spent = llm.spending()
        done = build_set(opened, rated, keywords, found, folder, posts=posts, spent=spent)
        journal.finish(done)
    print_json(done.model_dump()) if as_json else _print(done, folder)
    if done.failed:
        raise typer.Exit(1)


def _print(done: ClaimSetReport, folder: Path) -> None:
    left = sum(done.left_out.values())
    echo(f"claims     in {done.claims:,} = written {done.written:,} + left out {left:,}; true: {done.true:,}")
    echo(f"documents  {done.documents:,}, attached {done.attached:,} times, in {folder / 'documents.csv'}")
    for title, counts in (("not taken", done.skipped), ("left out", done.left_out), ("failed", done.failed)):
        for reason, number in counts.items():
            echo(f"  {title}: {number:,} {reason}")
    if done.llm:
        print_spending(done.llm)
    echo("Next, in a corpus of its own: kgservice load raguard, then evaluate raguard --conditions exam gives labels")
