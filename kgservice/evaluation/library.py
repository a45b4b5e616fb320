"""Evaluations as functions: what the command line calls, and anyone who has a system of their own.

Each writes a folder, and goes on there where it was stopped. `model` is what the system or the judge asks, if any; it
is closed at the end.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from pydantic import Field

from kgservice.answering.generator import System
from kgservice.core.records import Record, Scalar
from kgservice.evaluation.dragon import run as _dragon
from kgservice.evaluation.frames import report as frames_report
from kgservice.evaluation.frames import run as _frames
from kgservice.evaluation.frames.questions import Framed
from kgservice.evaluation.frames.report import FramesRun
from kgservice.evaluation.plurihop import run as _plurihop
from kgservice.evaluation.plurihop import statement_judge
from kgservice.evaluation.raguard import report as raguard_report
from kgservice.evaluation.raguard import run as _raguard
from kgservice.evaluation.raguard.questions import Claim
from kgservice.evaluation.raguard.report import RaguardRun
from kgservice.evaluation.rare import report as rare_report
from kgservice.evaluation.rare import run as _rare
from kgservice.evaluation.rare.run_records import JudgedQuestion, RareRun
from kgservice.evaluation.retrieval.query_results import QueryResult
from kgservice.evaluation.retrieval.questions import Judged, Judgements
from kgservice.evaluation.shared import report
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer, MeasuredRun, summary
from kgservice.evaluation.shared.report_page import ReportPage, rendered
from kgservice.evaluation.shared.run_folder import Advance, Found, Identity, Run, RunFolder, Written
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM
from kgservice.llm.prompts import prompt_hashes
from kgservice.metrics.judge import REFUSALS
from kgservice.vectors.embedder import Embedder

RETRIEVAL = "Retrieval 1"


class HasDigest(Protocol):
    """What is asked tells itself from everything else."""

    def digest(self) -> str: ...


class Setting(Record):
    """What makes a run this one beside the system and the questions; kept in run.json."""

    corpus: str = ""
    retriever: str = ""
    k: int = 0
    embedding_model: str = ""
    seed: int = 0
    limit: int | None = None
    prompts: tuple[str, ...] = Field((), description="those of the system")
    options: dict[str, Scalar] = Field(default_factory=dict)


def rare(
    graph: Graph,
    chosen: _rare.ChosenQuestions,
    systems: _rare.RareSystems,
    embedder: Embedder,
    report: Path,
    setting: Setting,
    *,
    model: LLM | None = None,
    advance: Advance = lambda _: None,
) -> RareRun:
    """Measure how robust the answers of a generator are."""
    judge, prompts = _strings(systems.judge, "judge_answer")
    known = _identity(_rare.METHOD, systems.generator.name, chosen, setting, judge, prompts)
    folder = RunFolder(report, known, JudgedQuestion)
    going = _rare.run(graph, setting.corpus, chosen, systems, embedder, folder, seed=setting.seed, advance=advance)
    return _ran(RareRun, folder, going, model, partial(rare_report.summary, skipped=chosen.skipped), rare_report.page)


def raguard(
    graph: Graph,
    claims: EvaluationSet[Claim],
    conditions: Sequence[_raguard.Condition],
    systems: _raguard.RaguardSystems,
    report: Path,
    setting: Setting,
    *,
    model: LLM | None = None,
    advance: Advance = lambda _: None,
) -> RaguardRun:
    """Measure verdicts on claims; labels.jsonl has those of the exam, if it is among the conditions."""
    setting = _with_conditions(setting, conditions)
    known = _identity(_raguard.METHOD, systems.checker.name, claims, setting, "strings", ())
    folder = RunFolder(report, known, _raguard.CheckedClaim)
    going = _raguard.run(graph, setting.corpus, claims, conditions, systems, folder, advance)
    summed = partial(raguard_report.summary, skipped=claims.skipped)
    run = _ran(RaguardRun, folder, going, model, summed, raguard_report.page)
    if labels := raguard_report.relabelled(folder.done()):
        lines = "".join(one.model_dump_json() + "\n" for one in labels)
        (folder.path / "labels.jsonl").write_text(lines, encoding="utf-8")
    return run


def frames(
    graph: Graph,
    questions: EvaluationSet[Framed],
    conditions: Sequence[_frames.Condition],
    systems: _frames.FramesSystems,
    embedder: Embedder,
    report: Path,
    setting: Setting,
    *,
    bounds: _frames.SearchBounds | None = None,
    model: LLM | None = None,
    advance: Advance = lambda _: None,
) -> FramesRun:
    """Measure answers that need several articles."""
    judge, prompts = _strings(systems.rater, "rate_answer")
    steps, queries = bounds or _frames.SearchBounds()
    searches = systems.searcher.model if systems.searcher else "entities"
    setting = _with_conditions(setting, conditions, searches=searches, steps=str(steps), queries=str(queries))
    known = _identity(_frames.METHOD, systems.generator.name, questions, setting, judge, prompts)
    folder = RunFolder(report, known, _frames.AnsweredQuestion)
    evaluation = _frames.FramesEvaluation(graph, setting.corpus, embedder, systems, conditions, bounds)
    summed = partial(frames_report.summary, skipped=questions.skipped)
    return _ran(FramesRun, folder, evaluation.run(questions, folder, advance), model, summed, frames_report.page)


def dragon(
    sets: _dragon.Sets,
    system: System,
    report: Path,
    setting: Setting | None = None,
    *,
    model: LLM | None = None,
    judge: LLM | bool = False,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on DRAGON's sets; with `judge` the model, or another one, judges."""
    judging = judge if isinstance(judge, LLM) else model if judge else None
    known = _identity(_dragon.METHOD, system.name, sets, setting or Setting(),
                      judging.model if judging else "strings", (_dragon.PROMPT,) if judging else ())  # fmt: skip
    folder = RunFolder(report, known, MeasuredAnswer)
    return _measured(folder, _dragon.run(sets, system, judging, folder, advance), model, {})


def plurihop(
    chosen: EvaluationSet[_plurihop.PluriHopQuestion],
    system: System,
    report: Path,
    setting: Setting | None = None,
    *,
    model: LLM | None = None,
    judge: LLM | bool = False,
    repetitiveness: Mapping[int, float] | None = None,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on questions over many documents; with `judge` the model, or another one, judges, else rules."""
    judging = judge if isinstance(judge, LLM) else model if judge else None
    known = _identity(_plurihop.METHOD, system.name, chosen, setting or Setting(),
                      judging.model if judging else "rules", statement_judge.PROMPTS if judging else ())  # fmt: skip
    folder = RunFolder(report, known, MeasuredAnswer)
    going = _plurihop.run(chosen.units, system, judging, folder, advance)
    return _measured(folder, going, model, chosen.skipped, repetitiveness)


def retrieval(judged: Judgements, results: Sequence[QueryResult], report: Path, setting: Setting) -> MeasuredRun:
    """Write the report of a retriever's results over judged queries."""
    asked = {query.id: query for query in judged.queries}
    items = [
        MeasuredAnswer(id=one.query, groups={}, question=asked[one.query].text, wanted="", answer="", found=one.found,
             gold=asked[one.query].gold, measures=one.measures)
        for one in results
    ]  # fmt: skip

    async def test(batch: list[MeasuredAnswer]) -> list[MeasuredAnswer]:
        return batch

    queries: EvaluationSet[Judged] = EvaluationSet(units=judged.queries, skipped=judged.skipped)
    folder = RunFolder(report, _identity(RETRIEVAL, "none", queries, setting, "qrels", ()), MeasuredAnswer)
    return _measured(folder, folder.go_on(items, test, len(items)), None, judged.skipped)


def _with_conditions(setting: Setting, conditions: Sequence[str], **also: str) -> Setting:
    return setting.model_copy(update={"options": setting.options | {"conditions": ",".join(conditions)} | also})


def _strings(judge: LLM | None, prompt: str) -> tuple[str, tuple[str, ...]]:
    """What judges where strings come first, and the prompt that it takes."""
    return (f"strings, then {judge.model}", (prompt, REFUSALS)) if judge else ("strings", ())


def _identity(
    method: str, system: str, asked: HasDigest, setting: Setting, judge: str, prompts: Sequence[str]
) -> Identity:
    """Which run this is; `prompts` are the judge's."""
    return Identity(
        kgservice=version("kgservice"), evaluation=method, generator=system, data=asked.digest(), judge=judge,
        prompts=prompt_hashes({*setting.prompts, *prompts}), **setting.model_dump(exclude={"prompts"}),
    )  # fmt: skip


def _measured(
    folder: RunFolder[MeasuredAnswer],
    going: Coroutine[None, None, None],
    model: LLM | None,
    skipped: Mapping[str, int],
    repetitiveness: Mapping[int, float] | None = None,
) -> MeasuredRun:
    summed = partial(summary, skipped=skipped, repetitiveness=repetitiveness)
    return _ran(MeasuredRun, folder, going, model, summed, report.page)


def _ran(
    kind: type[Run[Found]],
    folder: RunFolder[Written],
    going: Coroutine[None, None, None],
    model: LLM | None,
    summed: Callable[[list[Written]], Found],
    page: Callable[[Run[Found], list[Written]], ReportPage],
) -> Run[Found]:
    """Run an evaluation to its end, close the model, and write what came of it."""

    async def closing() -> None:
        try:
            await going
        finally:
            if model is not None:
                await model.close()

    started = time.monotonic()
    asyncio.run(closing())
    lines = sorted(folder.done(), key=lambda line: line.id)
    run = kind(
        identity=folder.identity, summary=summed(lines), seconds=round(time.monotonic() - started, 1),
        llm=model.spending() if model else None,
    )  # fmt: skip
    folder.finish(run, rendered(page(run, lines), run))
    return run
