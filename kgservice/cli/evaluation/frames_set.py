"""evaluate frames-set: questions over several articles, written by a model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.session import AsJson, Corpus, echo, graph, print_json, written_to
from kgservice.cli.spending import BudgetOption, DryRun, RetryFailed, print_estimate, print_spending
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.setup.connect import language_model

if TYPE_CHECKING:
    from kgservice.evaluation.frames.written_questions import WritingReport


def frames_set(
    file: Annotated[Path, typer.Argument(help="The JSONL file to write, as `evaluate frames` reads it.")],
    corpus: Corpus = "default",
    k: Annotated[int, typer.Option("-k", "--articles", min=2, max=12, help="Articles that a question takes.")] = 3,
    sets: Annotated[int, typer.Option("-n", "--sets", min=1, help="Sets of articles to draw.")] = 20,
    per_set: Annotated[int, typer.Option(min=1, max=20, help="Most questions of a set.")] = 2,
    article: Annotated[
        list[str] | None,
        typer.Option(help="Name, title or address; repeat. These articles are the one set; not given: drawn ones."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    budget: BudgetOption = None,
    dry_run: DryRun = False,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Let a language model write questions that need several articles at once (FRAMES, figure 5), and check them."""
    from kgservice.evaluation.frames.article_sets import drawn_sets, named_set
    from kgservice.evaluation.frames.written_questions import estimate_questions, write_article_questions

    if article is not None and len({*article}) < 2:
        raise typer.BadParameter("--article: give two articles or more")
    with graph() as (opened, settings), Journal(settings.home, "frames-set") as journal:
        opened.check_corpus(corpus)
        bound = Budget.read(budget) if budget else None
        llm = language_model(settings, journal, bound, retry_failed=retry_failed, role="writer")
        chosen = [named_set(opened, corpus, article)] if article else list(drawn_sets(opened, corpus, k, sets, seed))
        if not chosen:
            raise BadRequest(f"corpus {corpus!r} has no {k} articles that lead to one another by names: give fewer")
        if dry_run:
            found = estimate_questions(llm, chosen, per_set)
            print_json(found.model_dump()) if as_json else print_estimate(found)
            return
        wanted = 1 if article else sets
        done = asyncio.run(write_article_questions(llm, chosen, file, number=per_set, wanted=wanted))
        journal.finish(done)
        print_json(done.model_dump()) if as_json else _print(done, file)
        if done.failed:
            raise typer.Exit(1)


def _print(done: WritingReport, file: Path) -> None:
    rejected, failed = sum(done.rejected.values()), sum(done.failed.values())
    place = written_to(file, done.written)
    echo(f"{done.written:,} questions {place}, of {done.sets:,} sets of articles ({done.wanted:,} wanted)")
    echo(f"questions  in {done.questions:,} = written {done.written:,} + rejected {rejected:,}; sets failed {failed:,}")
    for title, counts in (("rejected", done.rejected), ("failed", done.failed), ("type", done.types)):
        for name, number in counts.items():
            echo(f"  {title}: {number:,} {name}")
    for articles, number in done.articles.items():
        echo(f"  of {articles} articles: {number:,}")
    print_spending(done.llm)
