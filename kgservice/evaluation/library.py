"""Evaluations as functions: what the command line calls, and anyone who has a system of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path

from pydantic import Field

from kgservice import __version__, keys
from kgservice.evaluation import dragon as _dragon
from kgservice.evaluation import page, statement_judge
from kgservice.evaluation import plurihop as _plurihop
from kgservice.evaluation.judgements import Judgements
from kgservice.evaluation.measured import Item, MeasuredRun, summary
from kgservice.evaluation.results import Result
from kgservice.evaluation.run_folder import Advance, Identity, RunFolder
from kgservice.generation.generator import System
from kgservice.llm.client import LLM
from kgservice.model import Record, Scalar
from kgservice.prompts import prompt_hashes

RETRIEVAL = "Retrieval 1"


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


def dragon(
    sets: _dragon.Sets,
    system: System,
    report: Path,
    setting: Setting | None = None,
    *,
    model: LLM | None = None,
    judge: bool = False,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on DRAGON's sets, into a folder; one that was stopped goes on there.

    `model` is what the system asks, if it asks one, and with `judge` what judges.
    """
    started = time.monotonic()
    prompts = (_dragon.PROMPT,) if judge else ()
    told = _identity(_dragon.METHOD, system, sets.digest(), setting or Setting(), model, prompts, "strings")
    folder = RunFolder(report, told, Item)
    _run(_dragon.run(sets, system, model if judge else None, folder, advance), model)
    return _finished(folder, {}, started, model)


def plurihop(
    chosen: _plurihop.Chosen,
    system: System,
    report: Path,
    setting: Setting | None = None,
    *,
    model: LLM | None = None,
    judge: bool = False,
    repetitiveness: Mapping[int, float] | None = None,
    advance: Advance = lambda _: None,
) -> MeasuredRun:
    """Measure a system on questions over many documents, into a folder; one that was stopped goes on there.

    `model` is what the system asks, if it asks one, and with `judge` what judges; without, rules align the statements.
    """
    started = time.monotonic()
    prompts = statement_judge.PROMPTS if judge else ()
    told = _identity(_plurihop.METHOD, system, chosen.digest(), setting or Setting(), model, prompts, "rules")
    folder = RunFolder(report, told, Item)
    _run(_plurihop.run(chosen.units, system, model if judge else None, folder, advance), model)
    return _finished(folder, chosen.skipped, started, model, repetitiveness)


def retrieval(judged: Judgements, results: Sequence[Result], report: Path, setting: Setting) -> MeasuredRun:
    """Write the report of a retriever's results over judged queries."""
    started, asked = time.monotonic(), {query.id: query for query in judged.queries}
    items = [
        Item(id=one.query, groups={}, question=asked[one.query].text, wanted="", answer="", found=one.found,
             gold=asked[one.query].gold, measures=one.measures)
        for one in results
    ]  # fmt: skip

    async def test(batch: list[Item]) -> list[Item]:
        return batch

    data = keys.digest(20, [query.model_dump() for query in judged.queries])
    known = Identity(
        kgservice=__version__, evaluation=RETRIEVAL, generator="none", data=data, judge="qrels", prompts={},
        **setting.model_dump(exclude={"prompts"}),
    )  # fmt: skip
    folder = RunFolder(report, known, Item)
    asyncio.run(folder.go_on(items, test, len(items)))
    return _finished(folder, judged.skipped, started, None)


def _identity(
    method: str, system: System, data: str, setting: Setting, model: LLM | None, prompts: Sequence[str], offline: str
) -> Identity:
    """`prompts` are the judge's; without any, judged `offline`."""
    return Identity(
        kgservice=__version__, evaluation=method, generator=system.name, data=data,
        judge=model.model if prompts and model else offline, prompts=prompt_hashes((*setting.prompts, *prompts)),
        **setting.model_dump(exclude={"prompts"}),
    )  # fmt: skip


def _run(going: Coroutine[None, None, None], model: LLM | None) -> None:
    async def closing() -> None:
        try:
            await going
        finally:
            if model is not None:
                await model.close()

    asyncio.run(closing())


def _finished(
    folder: RunFolder[Item],
    skipped: Mapping[str, int],
    started: float,
    model: LLM | None,
    repetitiveness: Mapping[int, float] | None = None,
) -> MeasuredRun:
    items = sorted(folder.done(), key=lambda item: item.id)
    run = MeasuredRun(
        identity=folder.identity, summary=summary(items, skipped, repetitiveness),
        seconds=round(time.monotonic() - started, 1), llm=model.spending() if model else None,
    )  # fmt: skip
    folder.finish(run, page.measured(run, items))
    return run
