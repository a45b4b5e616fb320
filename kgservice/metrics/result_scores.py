"""Scores of a system's results: hit rate, MRR, ROUGE-2, ROUGE-L (DRAGON, section 5.1), and RARE's match.

The portal, the client and `evaluate dragon` share this module, so a team measures the same numbers as the portal.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Annotated

from pydantic import ConfigDict, Field

from kgservice.core.records import Record
from kgservice.gold.found_passage import FoundPassage
from kgservice.metrics import ranking
from kgservice.metrics.stale_answers import StaleRate
from kgservice.text.matching import MARKS, NOT_STATED, answered, match, normalised
from kgservice.text.values import Reading, read_value, signed

K = 10  # texts of a result that are scored
ROUGE = ("rouge2", "rougeL")
RETRIEVAL = (f"hit_rate@{K}", f"mrr@{K}")
_WORD = re.compile(r"[^\W_]+")
_PARTED = re.compile(r"[;,]\s+")

PublicId = Annotated[int, Field(ge=0, lt=2**53)]


class Result(Record):
    """A system's result for one question (DRAGON's client format): public ids of texts, best first, and its answer.

    A system with chunks of its own gives `passages` in place of ids: their place in a document, or their text.
    """

    found_ids: tuple[PublicId, ...] = Field((), max_length=100, examples=[[17, 69, 22]])
    passages: tuple[FoundPassage, ...] = Field((), max_length=100, exclude_if=lambda passages: not passages)
    model_answer: str = Field(max_length=10_000, examples=["Isvik"])


NOTHING = Result(found_ids=(), model_answer="")


class Expected(Record):
    """The canonical answers of a question and the texts that state them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    public_id: int
    id: str = ""  # the question's key
    type: str
    answers: tuple[str, ...]
    text_ids: tuple[int, ...]


class ResultScores(Record):
    """Means over all questions, and by type of question.

    `retrieval` is the mean of hit rate and MRR, `generation` of ROUGE-2 and ROUGE-L. `total` is the mean of these two
    and, if a model judged, of its `judge` score (as in DRAGON's leaderboard, figure 4). `total_of` is 2 or 3.
    """

    questions: int
    total_of: int = 2
    measures: dict[str, float]
    by_type: dict[str, dict[str, float]]
    stale: StaleRate | None = Field(
        None, exclude_if=lambda stale: stale is None, description="of questions whose answer changed since the last"
    )


def expected(answers: bytes) -> tuple[Expected, ...]:
    """Read the expected answers from the bytes of private_qa.jsonl."""
    return tuple(Expected.model_validate(json.loads(line)) for line in answers.splitlines())


def score(wanted: Iterable[Expected], results: Mapping[int, Result]) -> ResultScores:
    """Return the scores of results by public id of their questions. A question without a result gets an empty one."""
    return scored(
        [(question.type, measured(question, results.get(question.public_id, NOTHING))) for question in wanted]
    )


def ceiling(wanted: Iterable[Expected], *, judged: bool = False) -> ResultScores:
    """Return the scores of a perfect system. They are not all 1, as ROUGE-2 of a one-word answer is 0."""
    rows = []
    for question in wanted:
        row = measured(question, Result(found_ids=question.text_ids[:100], model_answer=", ".join(question.answers)))
        rows.append((question.type, with_sums(row | {"judge": 1.0}) if judged else row))
    return scored(rows)


def scored(rows: Sequence[tuple[str, Mapping[str, float]]]) -> ResultScores:
    """Return the means of measured results, each with its type of question."""
    by_type: dict[str, list[Mapping[str, float]]] = defaultdict(list)
    for kind, row in rows:
        by_type[kind].append(row)
    return ResultScores(
        questions=len(rows),
        total_of=3 if any("judge" in row for _, row in rows) else 2,
        measures=_means([row for _, row in rows]),
        by_type={kind: _means(members) for kind, members in sorted(by_type.items())},
    )


def measured(question: Expected, result: Result) -> dict[str, float]:
    """Return the measures of one result."""
    ids = [str(key) for key in dict.fromkeys(result.found_ids)]
    ranked = ranking.measures(ids, dict.fromkeys(map(str, question.text_ids), 1), [K])
    whole, said = ", ".join(question.answers), result.model_answer
    exact, right = _compared(question.answers, said)
    return with_sums({
        **{name: ranked[name] for name in RETRIEVAL},
        **(dict.fromkeys(ROUGE, float(right)) if whole == NOT_STATED else _rouge().measures(whole, said)),
        "exact": float(exact),
        "match": float(right),
    })  # fmt: skip


def is_right(answers: Sequence[str], said: str) -> bool:
    """Return True if a system's answer holds all of these answers, the measure `match`."""
    return _compared(answers, said)[1]


def _compared(answers: Sequence[str], said: str) -> tuple[bool, bool]:
    """Return whether a text is these answers in order and nothing else, and whether it holds all of them."""
    how, whole = [answered(said, answer) for answer in answers], ", ".join(answers)
    if " ".join(said.split()) == " ".join(whole.split()):
        return True, True
    right = bool(how) and all(how)
    return right and (set(how) == {"exact"} or _is_list(said, answers)), right


def _is_list(said: str, answers: Sequence[str]) -> bool:
    """Return whether a text is these answers, parted by "; " or ", ". Names in a row need no marks."""
    whole = ", ".join(answers)
    if len(answers) == 1 or all(_reading(answer)[0] == "entity" for answer in answers):
        return _is_same(said, whole)
    parts, wanted = _PARTED.split(said), _PARTED.split(whole)
    return len(parts) == len(wanted) and all(map(_is_same, parts, wanted))


def _is_same(said: str, answer: str) -> bool:
    """Return whether a text is an answer in other letters and marks: values by value and unit, too."""
    if _reading(said) != _reading(answer):
        return False
    return match(said, answer) == "exact" or (
        _reading(answer)[0] != "entity" and normalised(said) == normalised(answer)
    )


def _reading(text: str) -> Reading:
    return read_value(signed(text.strip(f"{MARKS} ")))


def with_sums(row: Mapping[str, float]) -> dict[str, float]:
    """Return measures with `retrieval`, `generation` and `total`, which includes `judge` if present."""
    parts = {"retrieval": fmean(row[name] for name in RETRIEVAL), "generation": fmean(row[name] for name in ROUGE)}
    judge = {name: row[name] for name in ("judge",) if name in row}
    return {**row, **parts, "total": fmean((parts | judge).values())}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in ranking.mean(rows).items()}


@cache
def _rouge() -> _Rouge:
    return _Rouge()


class _Rouge:
    """ROUGE F-measures of the library rouge-score, over words of any script (its own tokens are ASCII)."""

    def __init__(self) -> None:
        from rouge_score.rouge_scorer import RougeScorer  # with nltk, some seconds once

        self._scorer = RougeScorer(list(ROUGE), tokenizer=self)

    def tokenize(self, text: str) -> list[str]:
        """Return the words of a text in lower case."""
        return _WORD.findall(text.lower())

    def measures(self, wanted: str, answer: str) -> dict[str, float]:
        """Return the F-measures of an answer, by name."""
        return {name: float(score.fmeasure) for name, score in self._scorer.score(wanted, answer).items()}
