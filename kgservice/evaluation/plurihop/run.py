"""PluriHop's measures (section 5.1): statements of answers, documents that they rest on, and Loong's marks by set."""

from __future__ import annotations

from collections.abc import Sequence

from kgservice.answering.generator import QuestionWithPassages, System, SystemAnswer
from kgservice.core.errors import LLMFailure
from kgservice.core.records import Record
from kgservice.evaluation.plurihop import statement_judge, statements
from kgservice.evaluation.plurihop.statement_judge import Marked, Pair
from kgservice.evaluation.plurihop.statements import Aligned
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer
from kgservice.evaluation.shared.run_folder import Advance, RunFolder
from kgservice.llm.client import LLM

METHOD = "PluriHop 2"  # another number where a change makes other scores
BATCH = 4  # questions asked and judged at a time; each may ask a hundred documents


class PluriHopQuestion(Record):
    """A question over many documents: the reference, in statements where these are known, and what it rests on, by key.

    `gold` is empty where a set does not tell; `mark`: a judge gives Loong's mark too. `documents` are the ids to look
    in, all of the corpus where there are none.
    """

    id: str
    question: str
    answer: str
    statements: tuple[str, ...] = ()
    groups: dict[str, str]
    gold: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    mark: bool = False


async def run(
    units: Sequence[PluriHopQuestion],
    system: System,
    judge: LLM | None,
    folder: RunFolder[MeasuredAnswer],
    advance: Advance = lambda _: None,
) -> None:
    """Ask and judge every question that the folder does not have yet; without a judge rules align."""

    async def test(batch: list[PluriHopQuestion]) -> list[MeasuredAnswer]:
        told = await system.answers([QuestionWithPassages(unit=unit.id, question=unit.question) for unit in batch])
        found = await _aligned(judge, list(zip(batch, told, strict=True)))
        marks = await _marked(judge, list(zip(batch, told, strict=True)))
        return [_item(*row) for row in zip(batch, told, found, marks, strict=True)]

    await folder.go_on(units, test, BATCH, advance)


async def _aligned(
    judge: LLM | None, said: Sequence[tuple[PluriHopQuestion, SystemAnswer]]
) -> list[Aligned | LLMFailure]:
    if judge is not None:
        return await statement_judge.aligned(judge, [_pair(unit, told) for unit, told in said])
    return [statements.aligned(told.answer, unit.statements or unit.answer, unit.question) for unit, told in said]


async def _marked(
    judge: LLM | None, said: Sequence[tuple[PluriHopQuestion, SystemAnswer]]
) -> list[Marked | LLMFailure | None]:
    if judge is None:
        return [None] * len(said)
    marks = iter(await statement_judge.marked(judge, [_pair(unit, told) for unit, told in said if unit.mark]))
    return [next(marks) if unit.mark else None for unit, _ in said]


def _pair(unit: PluriHopQuestion, told: SystemAnswer) -> Pair:
    return Pair(unit.id, unit.question, told.answer, unit.answer, unit.statements)


def _item(
    unit: PluriHopQuestion, told: SystemAnswer, found: Aligned | LLMFailure, mark: Marked | LLMFailure | None
) -> MeasuredAnswer:
    row: dict[str, float] = {}
    failures = [told.failure] if told.failure else []
    if isinstance(found, Aligned):
        row |= statements.scores(found)
    else:
        failures.append(f"judge: {found.reason}")
    if unit.gold:
        row |= statements.document_scores(told.documents, unit.gold)
    if isinstance(mark, Marked):
        row |= {"mark": float(mark.score), "perfect": float(mark.score == 100)}
    elif mark is not None:
        failures.append(f"judge: {mark.reason}")
    aligned = found if isinstance(found, Aligned) else Aligned(said=(), expected=())
    return MeasuredAnswer(
        id=unit.id, groups=unit.groups, question=unit.question, wanted=unit.answer, answer=told.answer,
        reasoning=told.reasoning, failure="; ".join(failures), remark=mark.remark if isinstance(mark, Marked) else "",
        found=told.documents, gold=unit.gold, said=aligned.said, expected=aligned.expected, measures=row,
    )  # fmt: skip
