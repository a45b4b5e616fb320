"""Answers with their measures, and their summary, for every evaluation but RARE-Met."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from pydantic import Field

from kgservice.core.records import Record
from kgservice.evaluation.shared.run_folder import Run, RunLine
from kgservice.metrics.ranking import mean, measures
from kgservice.metrics.significance import interval

KS = (1, 2, 3, 5, 10, 20, 50, 100)
CURVES = ("hit_rate", "recall", "mrr")


class AnswerPart(Record):
    """A statement of an answer. `held`: the other answer has it too."""

    text: str
    held: bool


class MeasuredAnswer(RunLine):
    """A question with a system's answer and its measures.

    `groups` are the groups of the report ({"type": "set"}). `found` and `gold` are ids of texts or documents, `found`
    best first. `failure` is why there is no answer or no verdict, `remark` the judge's comment. An undefined measure
    (the precision of no statement) is absent.
    """

    groups: dict[str, str]
    question: str
    wanted: str
    answer: str
    reasoning: str = ""
    failure: str = ""
    remark: str = ""
    found: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    said: tuple[AnswerPart, ...] = ()
    expected: tuple[AnswerPart, ...] = ()
    measures: dict[str, float]

    def failures(self) -> tuple[str, ...]:
        """Return why there is no answer or no verdict, if so."""
        return (self.failure,) if self.failure else ()


class Mean(Record):
    """The mean of a measure over the `of` questions that have it, and its 95 % interval (bootstrap)."""

    mean: float
    low: float
    high: float
    of: int


class Group(Record):
    """The means over some of the questions."""

    questions: int
    measures: dict[str, float]


class RunSummary(Record):
    """The summary of a run. `skipped` counts questions by reason, `groups` are by name and value, `curves` by k."""

    questions: int
    skipped: dict[str, int]
    failed: dict[str, int]
    measures: dict[str, Mean]
    groups: dict[str, dict[str, Group]]
    curves: dict[str, dict[int, float]]
    repetitiveness: dict[int, float] = Field(default_factory=dict, description="r@k of the corpus, by k")


MeasuredRun: TypeAlias = Run[RunSummary]


def summary(
    items: Sequence[MeasuredAnswer], skipped: Mapping[str, int], repetitiveness: Mapping[int, float] | None = None
) -> RunSummary:
    """Return the summary of a run."""
    rows = sorted((item.measures for item in items), key=len, reverse=True)  # names in the order of the longest row
    names = sorted({(name, value) for item in items for name, value in item.groups.items()})
    groups: dict[str, dict[str, Group]] = defaultdict(dict)
    for name, value in names:
        inside = [item.measures for item in items if item.groups.get(name) == value]
        groups[name][value] = Group(questions=len(inside), measures=_rounded(mean(inside)))
    return RunSummary(
        questions=len(items), skipped=dict(sorted(skipped.items())),
        failed=dict(Counter(item.failure for item in items if item.failure).most_common()),
        measures={name: _mean([row[name] for row in rows if name in row]) for name in mean(rows)},
        groups=dict(groups), curves=_curves(items), repetitiveness=dict(repetitiveness or {}),
    )  # fmt: skip


def _mean(values: Sequence[float]) -> Mean:
    value = sum(values) / len(values)
    low, high = interval(values) if len(values) > 1 else (value, value)
    return Mean(mean=round(value, 4), low=round(low, 4), high=round(high, 4), of=len(values))


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def _curves(items: Iterable[MeasuredAnswer]) -> dict[str, dict[int, float]]:
    """Return retrieval measures by k up to the deepest result, over the questions with known gold."""
    judged = [item for item in items if item.gold]
    deepest = max((len(item.found) for item in judged), default=0)
    ks = [k for k in KS if k < deepest] + [k for k in KS if k >= deepest][:1] if deepest else []
    means = mean([measures(item.found, dict.fromkeys(item.gold, 1), ks) for item in judged]) if ks else {}
    return {kind: {k: round(means[f"{kind}@{k}"], 4) for k in ks} for kind in CURVES if ks}
