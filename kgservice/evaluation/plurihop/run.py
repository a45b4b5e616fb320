"""PluriHop's measures (section 5.1): statements of answers, the documents behind them, and Loong's marks by set."""

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

METHOD = "PluriHop 3"  # count up when scores change
BATCH = 4  # questions answered and judged at a time; each may read a hundred documents


class PluriHopQuestion(Record):
    """A question over many documents, its reference (in statements if known), and the keys of its gold documents.

    `gold` is empty if a set does not give it. `mark`: a judge also gives Loong's mark. `documents` are the ids to
    search in, empty for all of the corpus.
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
    """Answer and judge every question that the folder lacks. Without a judge rules align statements."""

    async def test(batch: list[PluriHopQuestion]) -> list[MeasuredAnswer]:
        answers = await system.answers([QuestionWithPassages(unit=unit.id, question=unit.question) for unit in batch])
        aligned = await _aligned(judge, list(zip(batch, answers, strict=True)))
        marks = await _marked(judge, list(zip(batch, answers, strict=True)))
        return [_item(*row) for row in zip(batch, answers, aligned, marks, strict=True)]

    await folder.go_on(units, test, BATCH, advance)


async def _aligned(
    judge: LLM | None, answers: Sequence[tuple[PluriHopQuestion, SystemAnswer]]
) -> list[Aligned | LLMFailure]:
    if judge is not None:
        return await statement_judge.aligned(judge, [_pair(unit, answer) for unit, answer in answers])
    return [
        statements.aligned(answer.answer, unit.statements or unit.answer, unit.question) for unit, answer in answers
    ]


async def _marked(
    judge: LLM | None, answers: Sequence[tuple[PluriHopQuestion, SystemAnswer]]
) -> list[Marked | LLMFailure | None]:
    if judge is None:
        return [None] * len(answers)
    marks = iter(await statement_judge.marked(judge, [_pair(unit, answer) for unit, answer in answers if unit.mark]))
    return [next(marks) if unit.mark else None for unit, _ in answers]


def _pair(unit: PluriHopQuestion, answer: SystemAnswer) -> Pair:
    return Pair(unit.id, unit.question, answer.answer, unit.answer, unit.statements)


def _item(
    unit: PluriHopQuestion, answer: SystemAnswer, alignment: Aligned | LLMFailure, mark: Marked | LLMFailure | None
) -> MeasuredAnswer:
    row: dict[str, float] = {}
    failures = [answer.failure] if answer.failure else []
    if isinstance(alignment, Aligned):
        row |= statements.scores(alignment)
    else:
        failures.append(f"judge: {alignment.reason}")
    if unit.gold:
        row |= statements.document_scores(answer.documents, unit.gold)
    if isinstance(mark, Marked):
        row |= {"mark": float(mark.score), "perfect": float(mark.score == 100)}
    elif mark is not None:
        failures.append(f"judge: {mark.reason}")
    aligned = alignment if isinstance(alignment, Aligned) else Aligned(said=(), expected=())
    return MeasuredAnswer(
        id=unit.id, groups=unit.groups, question=unit.question, wanted=unit.answer, answer=answer.answer,
        reasoning=answer.reasoning, failure="; ".join(failures), remark=mark.remark if isinstance(mark, Marked) else "",
        found=answer.documents, gold=unit.gold, said=aligned.said, expected=aligned.expected, measures=row,
    )  # fmt: skip
