"""Comparison of two runs of one evaluation: z-tests of RARE's shares, paired tests of measures a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import AliasChoices, ConfigDict, Field

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record, Scalar
from kgservice.evaluation.raguard.run import conditions
from kgservice.evaluation.rare import report
from kgservice.evaluation.rare.run_records import RareRun
from kgservice.evaluation.retrieval.query_results import saved
from kgservice.evaluation.shared.run_folder import Identity, RunLine, identity_of, lines_of, saved_run
from kgservice.metrics.robustness import RobustnessScores
from kgservice.metrics.significance import Comparison, Proportions, compare

RARE = "RARE-Met"
RIGHT = "right, "  # what the share of right answers under a condition is called
JUDGED = frozenset(("judge", "total", "precision", "recall", "f1", "mark", "perfect"))  # by a judge where there is one
DRAWING = frozenset(("per_pattern",))  # options of RARE that choose questions; all others change perturbations


class RunComparison(Record):
    """The differences of two runs: `scores` of RARE, else `measures` over the questions that both have.

    `by_pattern` and `by_domain` are the scores of RARE's questions of one pattern or domain.
    """

    queries: int
    only_in_one: int = Field(0, serialization_alias="only in one")
    scores: dict[str, Proportions] = Field(default_factory=dict)
    by_pattern: dict[str, dict[str, Proportions]] = Field(default_factory=dict)
    by_domain: dict[str, dict[str, Proportions]] = Field(default_factory=dict)
    measures: dict[str, Comparison] = Field(default_factory=dict)


class _Ended(Record):
    """The outcome of an answer under a condition (RAGuard's verdicts, FRAMES' answers). `label`: RAGuard's."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    condition: str
    label: str = ""
    outcome: str = Field(validation_alias=AliasChoices("outcome", "ended"))


class _Whole(Record):
    """The summary in a run.json, None if the run has not ended. Other fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    summary: dict[str, Any] | None = None


class _Measured(RunLine):
    """The comparable part of a question's line: its measures, and the outcomes of its answers by condition."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    measures: dict[str, float] = Field(default_factory=dict)
    answers: tuple[_Ended, ...] = Field((), validation_alias=AliasChoices("answers", "verdicts"))

    def compared(self) -> dict[str, float]:
        """Return the measures, and the share of right answers under each condition, of those that were judged."""
        right: dict[str, list[bool]] = defaultdict(list)
        for answer in self.answers:
            for name in conditions(answer.condition, answer.label) if answer.outcome != "unjudged" else ():
                right[f"{RIGHT}{name}"].append(answer.outcome == "correct")
        return self.measures | {name: fmean(correct) for name, correct in right.items()}


def compared_runs(a: Path, b: Path, names: Sequence[str] | None = None, seed: int = 0) -> RunComparison:
    """Return the comparison of two folders written by `--report`, or two files written by `retrieval --save`.

    Raises NotFound if there is none at a path, BadRequest if they are not ended runs of one evaluation over the same
    questions, with the same judge unless all `names` take none, and for RARE with the same perturbations.
    """
    if missing := [str(path) for path in (a, b) if not path.exists()]:
        raise NotFound(f"no such folder or file: {', '.join(missing)}")
    if a.is_dir() != b.is_dir():
        raise BadRequest(f"{a} and {b} are a folder and a file: give two runs of one evaluation")
    if not a.is_dir():
        return _paired(saved(a), saved(b), names, seed)
    first, second = identity_of(a), identity_of(b)
    if first.evaluation != second.evaluation:
        raise BadRequest(f"{a} is a run of {first.evaluation}, {b} of {second.evaluation}: give two of one evaluation")
    if first.data != second.data:
        raise BadRequest("the two runs have different questions: run both with the same data, limit and seed")
    if unended := [path for path in (a, b) if saved_run(path, _Whole).summary is None]:
        raise BadRequest(f"the run in {unended[0]} has not ended: run it again to its end first")
    if first.evaluation.startswith(RARE):
        _check_rare(first, second, names or ())
        return _shares(a, b, names)
    judged = [name for name in names or () if name in JUDGED or name.startswith(RIGHT)]
    if first.judge != second.judge and (judged or not names):
        raise BadRequest(
            f"{a} was judged by {first.judge}, {b} by {second.judge}: judge both alike, or name measures that take no "
            f"judge{f', unlike {judged[0]}' if judged else ''}"
        )
    return _paired(_measures(a), _measures(b), names, seed)


def _check_rare(a: Identity, b: Identity, names: Sequence[str]) -> None:
    """Check that two runs of RARE can be compared by these scores (BadRequest). Every score takes the judge."""
    if unknown := [name for name in names if name not in RobustnessScores.model_fields]:
        raise BadRequest(f"RARE has no score {unknown[0]!r}: choose of {', '.join(RobustnessScores.model_fields)}")
    if a.judge != b.judge:
        raise BadRequest(f"the two runs were judged by {a.judge} and by {b.judge}: judge both alike")
    if (one := _perturbed_by(a)) != (two := _perturbed_by(b)):
        raise BadRequest(f"the two runs were perturbed with {_told(one)} and with {_told(two)}: perturb both alike")


def _perturbed_by(identity: Identity) -> dict[str, Scalar]:
    """Return the settings of RARE's perturbations."""
    return {"seed": identity.seed} | {name: it for name, it in identity.options.items() if name not in DRAWING}


def _told(settings: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _shares(a: Path, b: Path, names: Sequence[str] | None) -> RunComparison:
    first, second = saved_run(a, RareRun).ended, saved_run(b, RareRun).ended
    return RunComparison(
        scores=_chosen(first.scores, second.scores, names), queries=first.questions,
        by_pattern=_by_group(first.by_pattern, second.by_pattern, names),
        by_domain=_by_group(first.by_domain, second.by_domain, names),
    )  # fmt: skip


def _by_group(
    a: Mapping[str, RobustnessScores], b: Mapping[str, RobustnessScores], names: Sequence[str] | None
) -> dict[str, dict[str, Proportions]]:
    return {group: _chosen(a[group], b[group], names) for group in a if group in b}


def _chosen(a: RobustnessScores, b: RobustnessScores, names: Sequence[str] | None) -> dict[str, Proportions]:
    return {name: one for name, one in report.compare(a, b).items() if not names or name in names}


def _measures(path: Path) -> dict[str, dict[str, float]]:
    by_question = {line.id: line.compared() for line in lines_of(path, _Measured)}
    if not any(by_question.values()):
        raise BadRequest(f"the questions in {path} have no measures that could be compared")
    return by_question


def _paired(
    a: dict[str, dict[str, float]], b: dict[str, dict[str, float]], names: Sequence[str] | None, seed: int
) -> RunComparison:
    return RunComparison(
        measures=compare(a, b, names, seed), queries=len(a.keys() & b.keys()), only_in_one=len(a.keys() ^ b.keys())
    )
