"""evaluate plurihop: answers that take every document, statement by statement."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgservice.cli.evaluation.measuring import Bench, measuring, print_means
from kgservice.cli.evaluation.options import GeneratorName, Judge, Limit, Report, RetryFailed, Seed, Shared, Timeout
from kgservice.cli.session import AsJson, Corpus, graph, progress
from kgservice.cli.spending import BudgetOption
from kgservice.cli.systems import prompts_of

if TYPE_CHECKING:
    from kgservice.answering.generator import System
    from kgservice.evaluation.plurihop.run import PluriHopQuestion
    from kgservice.evaluation.shared.sample import EvaluationSet
    from kgservice.retrieval.retriever import Retriever

Way = Literal["naive", "reranked", "plurihop"]
Tested = Annotated[
    Way, typer.Option(help="naive: the nearest passages; reranked (KGS_RERANKER); plurihop: PluriHopRAG.")
]
RETRIEVERS: dict[Way, str] = {"naive": "dense", "reranked": "rerank:dense", "plurihop": "plurihop"}


def plurihop(
    system: Tested = "plurihop",
    corpus: Corpus = "default",
    questions: Annotated[
        Path | None, typer.Option(help="A file of questions, Loong's or ours; else the corpus's pluri_hop questions.")
    ] = None,
    report: Report = None,
    generator: GeneratorName = "extractive",
    k: Annotated[int, typer.Option("-k", "--k", min=1, help="Passages, naive and reranked (the paper: 20).")] = 20,
    candidates: Annotated[int, typer.Option(min=1, max=10_000, help="Documents looked at, plurihop (K).")] = 200,
    limit: Limit = None,
    seed: Seed = 0,
    judge: Judge = None,
    timeout: Timeout = 60.0,
    budget: BudgetOption = None,
    retry_failed: RetryFailed = False,
    as_json: AsJson = False,
) -> None:
    """Measure answers over many documents: precision, recall and F1 of statements and of documents (PluriHop)."""
    from kgservice.evaluation import library
    from kgservice.evaluation.plurihop.questions import of_corpus, of_file
    from kgservice.evaluation.plurihop.repetitiveness import repetitiveness
    from kgservice.retrieval.reranker import SENTENCES

    shared = Shared(generator, report, judge, timeout, budget, retry_failed, as_json)
    shared.check()
    with graph() as (opened, settings), measuring("plurihop", settings, shared) as bench:
        found = (of_file(opened, corpus, questions, limit, seed) if questions
                 else of_corpus(opened, corpus, limit, seed))  # fmt: skip
        finds = bench.retriever(RETRIEVERS[system], opened, corpus, k=k, candidates=candidates)
        scorer = bench.scorer()
        setting = library.Setting(
            corpus=corpus, retriever=RETRIEVERS[system], k=candidates if system == "plurihop" else k, seed=seed,
            limit=limit, embedding_model=bench.embedder.name, prompts=_prompts(system, generator),
            options={"system": system, "scorer": scorer.name if scorer else SENTENCES, "looked in": _looked_in(system),
                     **_taken_apart_by(system, bench)},
        )  # fmt: skip
        with progress("questions", total=len(found.units)) as advance:
            run = library.plurihop(
                found, _system(finds, bench, found), bench.place, setting, model=bench.model,
                judge=bench.judge or False, retry_failed=retry_failed,
                repetitiveness=repetitiveness(opened, corpus).at, advance=partial(advance, "questions"),
            )  # fmt: skip
        bench.journal.finish(run)
    print_means(run, shared)


def _system(finds: Retriever, bench: Bench, chosen: EvaluationSet[PluriHopQuestion]) -> System:
    """Return the system over a retriever; the model that is tested takes questions apart, reads documents and puts
    together what they say; where there is none rules do."""
    from kgservice.answering.aggregate import PromptedAggregator, RuleAggregator
    from kgservice.answering.document_filter import DocumentScope
    from kgservice.answering.document_reader import PromptedReader
    from kgservice.answering.systems import ReadsDocuments, ReadsPassages
    from kgservice.retrieval.filter import SearchFilter
    from kgservice.retrieval.per_document import PluriHopRetriever

    scopes = {unit.id: SearchFilter(documents=unit.documents) for unit in chosen.units if unit.documents}
    if isinstance(finds, PluriHopRetriever):
        told = DocumentScope(finds.graph, finds.corpus)
        scopes = {unit.id: told.within(unit.question) for unit in chosen.units} | scopes
        if (model := bench.asked) is None:
            return ReadsDocuments(finds, bench.generator(), RuleAggregator(), scopes)
        return ReadsDocuments(finds, PromptedReader(model, bench.role("decomposer")), PromptedAggregator(model), scopes)
    return ReadsPassages(finds, bench.generator(), scopes)


def _taken_apart_by(way: Way, bench: Bench) -> dict[str, str]:
    decomposer = bench.role("decomposer") if bench.asked and way == "plurihop" else None
    return {"taken apart by": decomposer.name} if decomposer else {}


def _looked_in(way: Way) -> str:
    return "the documents that a question asks of" if way == "plurihop" else "all documents"


def _prompts(way: Way, generator: str) -> tuple[str, ...]:
    from kgservice.answering import aggregate, document_reader

    known = prompts_of(generator)
    return (*document_reader.PROMPTS, aggregate.PROMPT) if known and way == "plurihop" else known
