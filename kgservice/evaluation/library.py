"""Evaluations as functions, for the command line and for Python users with a system of their own.

Each function writes a folder and resumes there after an interruption. `model` is the LLM of the system or the judge, if
any. It is closed at the end. Questions that the budget stopped are asked again by the next run over the folder, with
`retry_failed` all of which something failed.
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
from kgservice.core import keys
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
from kgservice.evaluation.raguard.questions import Claim, write_claims
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
    """A set of questions with a hash of its content."""

    def digest(self) -> str: ...


class Setting(Record):
    """The settings of a run beside the system and the questions, kept in run.json."""

    corpus: str = ""
    retriever: str = ""
    k: int = 0
    embedding_model: str = ""
    seed: int = 0
    limit: int | None = None
    prompts: tuple[str, ...] = Field((), description="names of the system's prompts")
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
    retry_failed: bool = False,
    advance: Advance = lambda _: None,
) -> RareRun:
    """Measure the robustness of a generator's answers (RARE-Met)."""
    judge, prompts = _strings(systems.judge, "judge_answer")
    identity = _identity(_rare.METHOD, systems.generator.name, chosen, setting, judge, prompts)
    folder = RunFolder(report, identity, JudgedQuestion, retry_failed=retry_failed)
    running = _rare.run(graph, setting.corpus, chosen, systems, embedder, folder, seed=setting.seed, advance=advance)
    return _ran(RareRun, folder, running, model, partial(rare_report.summary, skipped=chosen.skipped), rare_report.page)


def raguard(
    graph: Graph,
    claims: EvaluationSet[Claim],
    conditions: Sequence[_raguard.Condition],
    systems: _raguard.RaguardSystems,
    report: Path,
    setting: Setting,
    *,
    model: LLM | None = None,
    retry_failed: bool = False,
    advance: Advance = lambda _: None,
) -> RaguardRun:
    """Measure verdicts on claims (RAGuard).

    Write labels.jsonl with the labels of the exam, and claims.csv with its claims, if "exam" is among the conditions.
    """
    setting = _with_conditions(setting, conditions)
    identity = _identity(_raguard.METHOD, systems.checker.name, claims, setting, "strings", ())
    folder = RunFolder(report, identity, _raguard.CheckedClaim, retry_failed=retry_failed)
    running = _raguard.run(graph, setting.corpus, claims, conditions, systems, folder, advance)
    summed = partial(raguard_report.summary, skipped=claims.skipped)
    run = _ran(RaguardRun, folder, running, model, summed, raguard_report.page)
    if labelled := raguard_report.examined(folder.done()):
        lines = "".join(label.model_dump_json() + "\n" for label in raguard_report.relabelled(labelled))
        (folder.path / "labels.jsonl").write_text(lines, encoding="utf-8")
        write_claims(folder.path / "claims.csv", labelled)
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
    retry_failed: bool = False,
    advance: Advance = lambda _: None,
) -> FramesRun:
    """Measure answers that need several articles (FRAMES)."""
    judge, prompts = _strings(systems.rater, "rate_answer")
    steps, queries = bounds or _frames.SearchBounds()
    searches = systems.searcher.name if systems.searcher else "entities"
    setting = _with_conditions(setting, conditions, searches=searches, steps=str(steps), queries=str(queries))
    identity = _identity(_frames.METHOD, systems.generator.name, questions, setting, judge, prompts)
    folder = RunFolder(report, identity, _frames.AnsweredQuestion, retry_failed=retry_failed)
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
    retry_failed: bool = False,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on DRAGON's sets. `judge`: another model, or True for `model`."""
    judging = judge if isinstance(judge, LLM) else model if judge else None
    identity = _identity(_dragon.METHOD, system.name, sets, setting or Setting(),
                      judging.name if judging else "strings", (_dragon.PROMPT,) if judging else ())  # fmt: skip
    folder = RunFolder(report, identity, MeasuredAnswer, retry_failed=retry_failed)
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
    retry_failed: bool = False,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on questions over many documents (PluriHop).

    `judge`: another model, or True for `model`, else rules.
    """
    judging = judge if isinstance(judge, LLM) else model if judge else None
    identity = _identity(_plurihop.METHOD, system.name, chosen, setting or Setting(),
                      judging.name if judging else "rules", statement_judge.PROMPTS if judging else ())  # fmt: skip
    folder = RunFolder(report, identity, MeasuredAnswer, retry_failed=retry_failed)
    running = _plurihop.run(chosen.units, system, judging, folder, advance)
    return _measured(folder, running, model, chosen.skipped, repetitiveness)


def retrieval(judged: Judgements, results: Sequence[QueryResult], report: Path, setting: Setting) -> MeasuredRun:
    """Write the report of a retriever's results over judged queries. Raises BadRequest if the folder has others."""
    content = keys.digest(20, [(one.query, one.found, one.measures) for one in results])
    setting = setting.model_copy(update={"options": setting.options | {"results": content}})
    asked = {query.id: query for query in judged.queries}
    items = [
        MeasuredAnswer(id=result.query, groups={"type": asked[result.query].kind} if asked[result.query].kind else {},
             question=asked[result.query].text, wanted="", answer="", found=result.found,
             gold=asked[result.query].gold, measures=result.measures)
        for result in results
    ]  # fmt: skip

    async def test(batch: list[MeasuredAnswer]) -> list[MeasuredAnswer]:
        return batch

    queries: EvaluationSet[Judged] = EvaluationSet(units=judged.queries, skipped=judged.skipped)
    folder = RunFolder(report, _identity(RETRIEVAL, "none", queries, setting, "qrels", ()), MeasuredAnswer)
    return _measured(folder, folder.go_on(items, test, len(items)), None, judged.skipped)


def _with_conditions(setting: Setting, conditions: Sequence[str], **also: str) -> Setting:
    return setting.model_copy(update={"options": setting.options | {"conditions": ",".join(conditions)} | also})


def _strings(judge: LLM | None, prompt: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of the judge that follows string comparison, and its prompts."""
    return (f"strings, then {judge.name}", (prompt, REFUSALS)) if judge else ("strings", ())


def _identity(
    method: str, system: str, asked: HasDigest, setting: Setting, judge: str, prompts: Sequence[str]
) -> Identity:
    """Return the identity of a run. `prompts` are the judge's."""
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
    running: Coroutine[None, None, None],
    model: LLM | None,
    summed: Callable[[list[Written]], Found],
    page: Callable[[Run[Found], list[Written]], ReportPage],
) -> Run[Found]:
    """Run an evaluation to its end, close the model, and write the report."""

    async def closing() -> None:
        try:
            await running
        finally:
            if model is not None:
                await model.close()

    started = time.monotonic()
    try:
        asyncio.run(closing())
    finally:
        spent = folder.spent(model.spending() if model else None)
    lines = sorted(folder.done(), key=lambda line: line.id)
    seconds = round(time.monotonic() - started, 1)
    run = kind(identity=folder.identity, summary=summed(lines), seconds=seconds, llm=spent)
    folder.finish(run, rendered(page(run, lines), run))
    return run
