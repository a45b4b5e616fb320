"""DRAGON's measures of whole systems (section 5.1): retrieval, ROUGE, and a judge's score, by type of question.

The measures are those of the portal (metrics/result_scores.py). The judge has the six criteria of appendix F, 0 to 2
each; its score is their mean, from 0 to 1.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from statistics import fmean

import jiter
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from kgservice.answering.generator import QuestionWithPassages, System, SystemAnswer
from kgservice.core import keys
from kgservice.core.errors import BadRequest, LLMFailure
from kgservice.core.records import Record
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer
from kgservice.evaluation.shared.run_folder import Advance, RunFolder
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import Prompt, prompt
from kgservice.metrics import result_scores
from kgservice.metrics.result_scores import Expected, Result, ResultScores, is_right
from kgservice.metrics.stale_answers import StaleRate, stale_rate
from kgservice.releases.archive import ANSWERS, LATEST, MAPPING, Archive
from kgservice.releases.changed_answers import changed_since
from kgservice.text.matching import NOT_STATED

METHOD = "DRAGON 2"  # count up when scores change
STAGE, PROMPT = "judge answers", "judge_dragon_system"
BATCH = 16  # questions answered and judged at a time
SEEN = 5  # retrieved texts in the judge's prompt
LONGEST = 3_000  # characters of each
LONGEST_ID = 18  # digits of a public id
ANSWER = 10_000  # characters of an answer that are read, as by the portal


class _Row(Record):
    """A line of a set. Other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class DragonText(_Row):
    """A passage by its public id."""

    public_id: int
    title: str = ""
    text: str


class DragonItem(Record):
    """A question with its expected answer and texts."""

    id: str
    question: str
    expected: Expected


class Sets(Record):
    """DRAGON's four sets.

    `public` maps our keys of texts to public ids, or public ids to themselves if there are no keys. `before` has the
    answers in the release `since`, the one before, of the questions whose answer changed, by public id.
    """

    version: str
    corpus: str
    texts: dict[int, DragonText]
    public: dict[str, int]
    units: tuple[DragonItem, ...]
    since: str = ""
    before: dict[int, tuple[str, ...]] = Field(default_factory=dict)

    def digest(self) -> str:
        """Return the hash of the questions."""
        return keys.digest(20, [unit.model_dump() for unit in self.units])


class Marks(BaseModel):
    """A judge's marks, after what weighs most (appendix F)."""

    remark: str
    conciseness: int = Field(ge=0, le=2)
    consistency: int = Field(ge=0, le=2)
    extraction: int = Field(ge=0, le=2)
    completeness: int = Field(ge=0, le=2)
    accuracy: int = Field(ge=0, le=2)
    preservation: int = Field(ge=0, le=2)

    @property
    def score(self) -> float:
        """Return the mean of the criteria, from 0 to 1."""
        return fmean(self.model_dump(exclude={"remark"}).values()) / 2


def of_release(archive: Archive, version: str, corpus: str | None = None, *, sandbox: bool = False) -> Sets:
    """Return the sets of a release, or of its sandbox, with every file checked by its hash.

    `latest` is the newest release of the corpus, with None of all.
    Raises NotFound if there is no such release, BadRequest if a file does not match its hash or format.
    """
    release = archive.get(version, corpus if version == LATEST else None)
    place, private = ("sandbox/", "sandbox/") if sandbox else ("", "private/")

    def read(name: str) -> bytes:
        return archive.file(release, name, private=True)

    found = _sets(
        f"{release.version}{' sandbox' if sandbox else ''}", release.corpus, read(f"{place}public_texts.jsonl"),
        read(f"{place}public_questions.jsonl"), read(private + Path(ANSWERS).name), read(private + Path(MAPPING).name),
    )  # fmt: skip
    changed = () if sandbox else changed_since(archive, release)
    before = {one.newer_id: one.before for one in changed}
    return found.model_copy(update={"since": release.previous or "", "before": before})


def of_folder(folder: Path, corpus: str) -> Sets:
    """Return the four sets of a folder, as written by `questions export --layout dragon`. Raises BadRequest."""
    names = ("public_texts", "public_questions", Path(ANSWERS).stem, Path(MAPPING).stem)
    try:
        files = [(folder / f"{name}.jsonl").read_bytes() for name in names]
    except OSError as error:
        raise BadRequest(f"{folder} has not DRAGON's four sets ({', '.join(names)}): {error.strerror}") from error
    return _sets(folder.name, corpus, *files)


def results_of(path: Path, sets: Sets) -> dict[str, Result]:
    """Read a system's results in DRAGON's client format.

    {"0": {"found_ids": [17, 69], "model_answer": "…"}, "1": …}, by public ids. Raises BadRequest if the file does not
    fit the sets.
    """
    results = _read_results(path)
    asked = {unit.id for unit in sets.units}
    if unknown := sorted(results.keys() - asked):
        raise BadRequest(f"{path} has results for {len(unknown):,} questions that {sets.version} does not ask: "
                         f"{', '.join(unknown[:5])}")  # fmt: skip
    for key, result in results.items():
        if result.passages:
            raise BadRequest(f"{path}, question {key}: passages are measured by `kgservice gate` and by a submission; "
                             "give found_ids here")  # fmt: skip
        if alien := [number for number in result.found_ids if number not in sets.texts]:
            raise BadRequest(f"{path}, question {key}: {alien[0]} is no text of {sets.version}")
    return results


def _read_results(path: Path) -> dict[str, Result]:
    form = '{"0": {"found_ids": [17], "model_answer": "…"}, …}'
    try:
        data = path.read_bytes().removeprefix(BOM_UTF8)
        jiter.from_json(data, catch_duplicate_keys=True)
        return TypeAdapter(dict[str, Result]).validate_json(data)
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        fault = f"question {where}: {first['msg']}" if where else f"give results as {form}"
        raise BadRequest(f"{path}: {fault}") from error
    except ValueError as error:
        raise BadRequest(f"{path} is no JSON object with each question once: {error}") from error


class Submitted:
    """The saved results of a system, by question. A question without a result is a failure, "no result"."""

    def __init__(self, name: str, results: Mapping[str, Result]) -> None:
        self.name, self._results = name, results

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return the saved answers of the system."""
        return [self._told(question.unit) for question in asked]

    def _told(self, key: str) -> SystemAnswer:
        if key not in self._results:
            return SystemAnswer(failure="no result")
        result = self._results[key]
        return SystemAnswer(answer=result.model_answer, chunks=tuple(map(str, result.found_ids)))


async def run(
    sets: Sets, system: System, judge: LLM | None, folder: RunFolder[MeasuredAnswer], advance: Advance = lambda _: None
) -> None:
    """Answer and judge every question that the folder lacks."""

    async def test(batch: list[DragonItem]) -> list[MeasuredAnswer]:
        answers = await system.answers([QuestionWithPassages(unit=unit.id, question=unit.question) for unit in batch])
        results = [_result(sets, answer) for answer in answers]
        marks = await judge_answers(judge, sets, list(zip(batch, results, strict=True)))
        return [_item(*row) for row in zip(batch, answers, results, marks, strict=True)]

    await folder.go_on(sets.units, test, BATCH, advance)


def scored(items: Sequence[MeasuredAnswer], sets: Sets) -> ResultScores:
    """Return the content of the score file: the portal's measures, with the judge's if a model judged.

    It has the stale rate too, if answers changed since the release before.
    """
    scores = result_scores.scored([(item.groups["type"], item.measures) for item in items])
    return scores.model_copy(update={"stale": stale(items, sets)})


def stale(items: Sequence[MeasuredAnswer], sets: Sets) -> StaleRate | None:
    """Return how many answers are right by the release before alone, None if no answer changed."""
    if not sets.before:
        return None
    said = {item.id: item.answer for item in items}
    answered = (
        (sets.before[unit.expected.public_id], unit.expected.answers, said[unit.id])
        for unit in sets.units
        if unit.expected.public_id in sets.before and unit.id in said
    )
    return stale_rate(answered, sets.since, is_right)


def results(items: Sequence[MeasuredAnswer]) -> dict[str, Result]:
    """Return the answers of a system in DRAGON's client format, ready to submit."""
    return {item.id: Result(found_ids=tuple(map(int, item.found)), model_answer=item.answer) for item in items}


def _sets(version: str, corpus: str, texts: bytes, questions: bytes, answers: bytes, mapping: bytes) -> Sets:
    try:
        passages = {text.public_id: text for text in map(DragonText.model_validate_json, texts.splitlines())}
        asked = {row.public_id: row.question for row in map(_Asked.model_validate_json, questions.splitlines())}
        public = {row.id: row.public_id for row in map(_Mapped.model_validate_json, mapping.splitlines())}
        wanted = result_scores.expected(answers)
        units = tuple(
            DragonItem(id=str(entry.public_id), question=asked[entry.public_id], expected=entry)
            for entry in sorted(wanted, key=lambda entry: entry.public_id)
        )
    except (ValueError, KeyError) as error:
        raise BadRequest(f"the sets of {version} are not DRAGON's: {str(error).splitlines()[0]}") from error
    if not units:
        raise BadRequest(
            f"the sets of {version} have 0 questions, so there is nothing to measure: choose another release"
        )
    return Sets(version=version, corpus=corpus, texts=passages, public=public, units=units)


class _Asked(_Row):
    public_id: int
    question: str


class _Mapped(_Row):
    id: str
    public_id: int


def _result(sets: Sets, answer: SystemAnswer) -> Result:
    """Return the scored part of an answer: texts that the sets have, and as much of the answer as the portal reads."""
    numbers = (sets.public.get(key, _number(key)) for key in answer.chunks)
    texts = dict.fromkeys(number for number in numbers if number in sets.texts)
    return Result(found_ids=tuple(texts)[:100], model_answer=answer.answer[:ANSWER])


def _number(key: str) -> int | None:
    return int(key) if key.isdecimal() and len(key) <= LONGEST_ID else None  # int() refuses "²" and 5,000 digits


def _item(unit: DragonItem, answer: SystemAnswer, result: Result, marks: Marks | LLMFailure | None) -> MeasuredAnswer:
    row = result_scores.measured(unit.expected, result)
    if isinstance(marks, Marks):
        row = result_scores.with_sums(row | {"judge": marks.score})
    elif isinstance(marks, LLMFailure):
        del row["total"]  # in judged runs it includes the judge's score
    failures = [answer.failure, f"judge: {marks.reason}" if isinstance(marks, LLMFailure) else ""]
    return MeasuredAnswer(
        id=unit.id, groups={"type": unit.expected.type}, question=unit.question,
        wanted=", ".join(unit.expected.answers), answer=result.model_answer, reasoning=answer.reasoning,
        failure="; ".join(filter(None, failures)), remark=marks.remark if isinstance(marks, Marks) else "",
        found=tuple(map(str, result.found_ids)), gold=tuple(map(str, unit.expected.text_ids)), measures=row,
    )  # fmt: skip


async def judge_answers(
    judge: LLM | None, sets: Sets, results: Sequence[tuple[DragonItem, Result]]
) -> list[Marks | LLMFailure | None]:
    """Return the judge's marks of each answer, an LLMFailure if it gave none, None without a judge.

    The judge sees the question, the reference answer and the first texts of the sets that the system found. A question
    that no document answers costs no call: a refusal has full marks, any other answer none.
    """
    if judge is None:
        return [None] * len(results)
    told = [_unanswerable(unit, result) for unit, result in results]
    asked = (pair for pair, mark in zip(results, told, strict=True) if mark is None)
    asks = (Ask(_prompt(sets, unit, result), Marks, STAGE, unit.id) for unit, result in asked)
    async with aclosing(gather(judge, asks)) as replies:
        marks = [mark if mark is not None else await anext(replies) for mark in told]
    return [one if isinstance(one, Marks | LLMFailure) else None for one in marks]


def _unanswerable(unit: DragonItem, result: Result) -> Marks | None:
    """Return the marks of an answer to a question that no document answers, None of any other question."""
    if unit.expected.answers != (NOT_STATED,):
        return None
    mark = 2 if is_right(unit.expected.answers, result.model_answer) else 0
    remark = "no document answers the question, and the system says so" if mark else "no document answers the question"
    return Marks.model_validate({"remark": remark, **dict.fromkeys(Marks.model_fields.keys() - {"remark"}, mark)})


def _prompt(sets: Sets, unit: DragonItem, result: Result) -> Prompt:
    found = [sets.texts[number] for number in result.found_ids if number in sets.texts]
    texts = [text.text[:LONGEST] for text in found[:SEEN]]
    wanted = ", ".join(unit.expected.answers)
    return prompt(PROMPT, question=unit.question, answer=result.model_answer, wanted=wanted, contexts=texts)
