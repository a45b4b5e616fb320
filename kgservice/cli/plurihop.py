"""evaluate plurihop: answers that take every document, statement by statement."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgservice.cli.measuring import JudgeOption, ReportDir, print_run, report_folder
from kgservice.cli.options import GeneratorName, Limit, Seed, Timeout
from kgservice.cli.session import AsJson, Corpus, graph, progress
from kgservice.cli.spending import BudgetOption, RetryFailed
from kgservice.cli.systems import generator_named, model_for, prompts_of
from kgservice.embedding import Embedder
from kgservice.journal import Journal

if TYPE_CHECKING:
    from kgservice.evaluation.plurihop import Chosen
    from kgservice.generation.generator import Generator, System
    from kgservice.graph.store import Graph
    from kgservice.llm.client import LLM
    from kgservice.retrieval.retriever import Retriever
    from kgservice.retrieval.scoring import Scorer

Way = Literal["naive", "reranked", "plurihop"]
RETRIEVERS: dict[Way, str] = {"naive": "dense", "reranked": "rerank:dense", "plurihop": "plurihop"}


def plurihop(
    system: Annotated[
        Way, typer.Option(help="naive: the nearest passages; reranked; plurihop: PluriHopRAG.")
    ] = "plurihop",
    corpus: Corpus = "default",
    questions: Annotated[
        Path | None, typer.Option(help="A file of questions, Loong's or ours; else the corpus's pluri_hop questions.")
    ] = None,
    report: ReportDir = None,
    generator: GeneratorName = "extractive",
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Passages, naive and reranked (the paper: 20).")] = 20,
    candidates: Annotated[int, typer.Option(min=1, max=10_000, help="Documents looked at, plurihop (K).")] = 200,
    limit: Limit = None,
    seed: Seed = 0,
    judge: JudgeOption = None,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers over many documents: precision, recall and F1 of statements and of documents (PluriHop)."""
    from kgservice.evaluation import library
    from kgservice.evaluation.pluri_questions import of_corpus, of_file
    from kgservice.evaluation.repetitiveness import repetitiveness
    from kgservice.retrieval.scoring import scorer

    judging = judge if judge is not None else generator == "prompted"
    with graph() as (opened, settings), report_folder(report) as place:
        chosen = (of_file(opened, corpus, questions, limit, seed) if questions
                  else of_corpus(opened, corpus, limit, seed))  # fmt: skip
        embedder, asks = Embedder(settings.embedding_model), judging or generator == "prompted"
        judged_by, size = scorer(settings.reranker, embedder), candidates if system == "plurihop" else k
        count = len(chosen.units)
        with Journal(settings.home, "evaluate-plurihop") as journal, progress("questions", total=count) as step:
            model = model_for(settings, journal, budget, retry_failed=retry_failed) if asks else None
            reader = generator_named(generator, embedder, model, timeout)
            finds = _retriever(system, opened, corpus, embedder, judged_by, size)
            tested = _system(finds, reader, chosen, model if generator == "prompted" else None)
            setting = library.Setting(
                corpus=corpus, retriever=RETRIEVERS[system], k=size, embedding_model=embedder.name, seed=seed,
                limit=limit, prompts=_prompts(system, generator), options={"system": system, "scorer": judged_by.name},
            )  # fmt: skip
            run = library.plurihop(
                chosen, tested, place, setting, model=model, judge=judging,
                repetitiveness=repetitiveness(opened, corpus).at, advance=partial(step, "questions"),
            )  # fmt: skip
            journal.finish(run)
    print_run(run, report, as_json)


def _retriever(way: Way, graph: Graph, corpus: str, embedder: Embedder, scorer: Scorer, size: int) -> Retriever:
    from kgservice.retrieval import retriever as made

    sizes = {"candidates": size} if way == "plurihop" else {"k": size}
    return made(RETRIEVERS[way], graph, corpus, embedder, scorer=scorer, **sizes)


def _system(finds: Retriever, generator: Generator, chosen: Chosen, writer: LLM | None) -> System:
    """The system over a retriever; `writer` is the model that puts the answers of documents together, else rules do."""
    from kgservice.generation.aggregate import PromptedAggregator, RuleAggregator
    from kgservice.generation.systems import ReadsDocuments, ReadsPassages
    from kgservice.retrieval.plurihop import PluriHopRetriever
    from kgservice.retrieval.within import Within

    scopes = {unit.id: Within(documents=unit.documents) for unit in chosen.units if unit.documents}
    if isinstance(finds, PluriHopRetriever):
        return ReadsDocuments(finds, generator, PromptedAggregator(writer) if writer else RuleAggregator(), scopes)
    return ReadsPassages(finds, generator, scopes)


def _prompts(way: Way, generator: str) -> tuple[str, ...]:
    from kgservice.generation.aggregate import PROMPT

    known = prompts_of(generator)
    return (*known, PROMPT) if known and way == "plurihop" else known
