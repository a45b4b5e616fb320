"""How good the results of a system are: hit rate, MRR, ROUGE-2, ROUGE-L (DRAGON, section 5.1), and RARE's match.

The portal, the client and `evaluate dragon` measure with this, so what a team sees is what the portal would say.
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
from kgservice.text.matching import answered, normalised

K = 10  # texts of a result that count
ROUGE = ("rouge2", "rougeL")
RETRIEVAL = (f"hit_rate@{K}", f"mrr@{K}")
_WORD = re.compile(r"[^\W_]+")

PublicId = Annotated[int, Field(ge=0, lt=2**53)]


class Result(Record):
    """What a system says to one question (DRAGON's client format): texts by public id, best first, and its answer.

    A system with chunks of its own gives `passages` in place of ids: where they stand in a document, or their text.
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

    `retrieval` is the mean of hit rate and MRR, `generation` of ROUGE-2 and ROUGE-L, `total` of these two and, where a
    model judged, of its `judge` score (as DRAGON's leaderboard has it, figure 4): of `total_of` scores, 2 or 3.
    """

    questions: int
    total_of: int = 2
    measures: dict[str, float]
    by_type: dict[str, dict[str, float]]


def expected(answers: bytes) -> tuple[Expected, ...]:
    """Read a file private_qa.jsonl."""
    return tuple(Expected.model_validate(json.loads(line)) for line in answers.splitlines())


def score(wanted: Iterable[Expected], results: Mapping[int, Result]) -> ResultScores:
    """Measure results by public id of their questions; a question without a result counts as answered by nothing."""
    return scored([(one.type, measured(one, results.get(one.public_id, NOTHING))) for one in wanted])


def ceiling(wanted: Iterable[Expected], *, judged: bool = False) -> ResultScores:
    """Return the scores of a perfect system; ROUGE-2 of a right answer of one word is 0, so they are not all 1."""
    rows = []
    for one in wanted:
        row = measured(one, Result(found_ids=one.text_ids[:100], model_answer=", ".join(one.answers)))
        rows.append((one.type, with_sums(row | {"judge": 1.0}) if judged else row))
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
        by_type={kind: _means(found) for kind, found in sorted(by_type.items())},
    )


def measured(one: Expected, result: Result) -> dict[str, float]:
    """Measure one result."""
    found = [str(key) for key in dict.fromkeys(result.found_ids)]
    ranked = ranking.measures(found, dict.fromkeys(map(str, one.text_ids), 1), [K])
    whole, said = ", ".join(one.answers), result.model_answer
    how = [answered(said, answer) for answer in one.answers]
    same = normalised(said) == normalised(whole) or all(kind == "exact" for kind in how)
    return with_sums({
        **{name: ranked[name] for name in RETRIEVAL},
        **_rouge().measures(whole, said),
        "exact": float(same),
        "match": float(same or all(how)),
    })  # fmt: skip


def with_sums(row: Mapping[str, float]) -> dict[str, float]:
    """Return measures with `retrieval`, `generation` and `total`, which counts `judge` where it is there."""
    parts = {"retrieval": fmean(row[name] for name in RETRIEVAL), "generation": fmean(row[name] for name in ROUGE)}
    judge = {name: row[name] for name in ("judge",) if name in row}
    return {**row, **parts, "total": fmean((parts | judge).values())}


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in ranking.mean(rows).items()}


@cache
def _rouge() -> _Rouge:
    return _Rouge()


class _Rouge:
    """F-measures by the library rouge-score, over words of any script (its own tokens are ASCII)."""

    def __init__(self) -> None:
        from rouge_score.rouge_scorer import RougeScorer  # with nltk, some seconds once

        self._scorer = RougeScorer(list(ROUGE), tokenizer=self)

    def tokenize(self, text: str) -> list[str]:
        """Return the words in lower case."""
        return _WORD.findall(text.lower())

    def measures(self, wanted: str, said: str) -> dict[str, float]:
        """Return the measures of an answer."""
        return {name: float(found.fmeasure) for name, found in self._scorer.score(wanted, said).items()}
