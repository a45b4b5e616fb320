"""evaluate rare: how robust a system is, by RARE-Met, with a report that can be read."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kgservice.cli.evaluation.measuring import measuring, print_run, scored_by
from kgservice.cli.evaluation.options import GeneratorName, Judge, Limit, Report, RetryFailed, Seed, Shared, Timeout
from kgservice.cli.session import AsJson, Corpus, graph, progress
from kgservice.cli.spending import BudgetOption
from kgservice.cli.systems import prompts_of

if TYPE_CHECKING:
    from kgservice.evaluation.rare.run_records import RareRun

BackTranslate = Annotated[
    bool, typer.Option("--back-translate", help="A model rewords passages, to French and back; else rules do.")
]
LlmQueries = Annotated[
    bool, typer.Option("--llm-queries", help="A model writes other grammar and irrelevant details; else rules do.")
]
PER_PATTERN = 20  # questions: a graph may have tens of thousands, and each is asked in twenty ways


def rare(
    corpus: Corpus = "default",
    report: Report = None,
    generator: GeneratorName = "extractive",
    retriever: Annotated[
        str, typer.Option(help="bm25, dense, hybrid, graph …; or several, as dense,bm25,graph: a context of each.")
    ] = "hybrid",
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Passages that each retriever finds.")] = 5,
    per_pattern: Annotated[
        int, typer.Option(min=0, help="A random sample of so many questions of each pattern; 0: all.")
    ] = PER_PATTERN,
    limit: Limit = None,
    seed: Seed = 0,
    judge: Judge = None,
    back_translate: BackTranslate = False,
    llm_queries: LlmQueries = False,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure robustness: typos, other words, missing answers, reworded passages, real retrieval (RARE-Met)."""
    from kgservice.evaluation import library
    from kgservice.evaluation.rare import model_queries
    from kgservice.evaluation.rare.back_translation import PROMPT
    from kgservice.evaluation.rare.run import RareSystems, choose

    shared = Shared(generator, report, judge, timeout, budget, retry_failed, as_json)
    by_model = {"--back-translate": back_translate, "--llm-queries": llm_queries}
    shared.check(*(option for option, given in by_model.items() if given))
    with graph() as (opened, settings), measuring("rare", settings, shared) as bench:
        translator = bench.role("translator") if back_translate else None
        writer = bench.role("writer") if llm_queries else None
        names = dict.fromkeys(retriever.replace(",", " ").split())
        finds = {name: bench.retriever(name, opened, corpus, k=k) for name in names}
        systems = RareSystems(bench.generator(), finds, bench.judge, translator, writer)
        chosen = choose(opened, corpus, limit, seed, per_pattern)
        setting = library.Setting(
            corpus=corpus, retriever=", ".join(names), k=k, embedding_model=bench.embedder.name, seed=seed, limit=limit,
            prompts=(*prompts_of(generator), *((PROMPT,) if translator else ()),
                     *(model_queries.PROMPTS.values() if writer else ())),
            options={"per_pattern": per_pattern, **scored_by(*finds.values()),
                     **({"reworded by": translator.name} if translator else {}),
                     **({"queries by": writer.name} if writer else {})},
        )  # fmt: skip
        with progress("questions", total=len(chosen.units)) as advance:
            run = library.rare(
                opened, chosen, systems, bench.embedder, bench.place, setting, model=bench.model,
                retry_failed=retry_failed, advance=partial(advance, "questions"),
            )  # fmt: skip
        bench.journal.finish(run)
    print_run(run, shared, _lines(run))


def _lines(run: RareRun) -> Iterator[str]:
    from kgservice.evaluation.rare.report import unmade

    found = run.ended
    yield f"{found.questions:,} questions, {found.answers:,} answers"
    for name, one in found.scores:
        yield f"{name:<19} {one.share:7.1%}   {one.robust:,} of {one.of:,}   [{one.low:.3f}, {one.high:.3f}]"
    for name, one in found.by_retriever.items():
        yield f"  {f'by {name}':<17} {one.share:7.1%}   {one.robust:,} of {one.of:,}   [{one.low:.3f}, {one.high:.3f}]"
    yield from unmade(found)
    for name, share in found.changed.items():
        of = f", {found.made[name]:,} of {found.questions:,} questions" if name in found.made else ""
        yield f"{name:<24} {share:6.1%} changed, similarity {found.similarity[name]:.3f}{of}"
    for reason, number in found.lacking.items():
        yield f"{'not made':<19} {number:,} {reason}"
