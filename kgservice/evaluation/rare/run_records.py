"""The records of a RARE-Met run: a line a question, and the summary."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import Field

from kgservice.core.records import Problem, Record
from kgservice.evaluation.rare.passages import PassageSet
from kgservice.evaluation.rare.perturb import Variant
from kgservice.evaluation.shared.run_folder import Run, RunLine
from kgservice.metrics.robustness import JudgedAnswer, RobustnessScores, Share


class JudgedQuestion(RunLine):
    """A question with all its answers. `knows` is the probe g(q, ∅), `lacking` the perturbations that failed."""

    pattern: str
    domain: str
    question: str
    answer: str
    knows: bool
    probe: str
    queries: tuple[Variant, ...]
    passages: tuple[PassageSet, ...]
    cells: tuple[JudgedAnswer, ...]
    lacking: tuple[Problem, ...]

    def failures(self) -> tuple[str, ...]:
        """Return why answers, verdicts, the probe or perturbations failed."""
        failed = (f"{one.reason}: {one.detail}" for one in self.lacking if one.state == "failed")
        return (*(cell.failure for cell in self.cells if cell.failure), *failed)


class RareSummary(Record):
    """The summary of a run. `by_cell` is keyed by query, then by passages. Counts are by reason.

    `by_retriever`: the retrieval score of each retriever, if there are several.
    `similarity` and `changed` are means by perturbation: cosines, shares of characters (queries) or words (passages).
    `made` is the number of questions for which each could be made, empty in runs of earlier versions.
    """

    questions: int
    skipped: dict[str, int]
    answers: int
    known_by_heart: int
    scores: RobustnessScores
    by_pattern: dict[str, RobustnessScores]
    by_domain: dict[str, RobustnessScores]
    by_cell: dict[str, dict[str, Share]]
    by_retriever: dict[str, Share] = Field(default_factory=dict)
    outcomes: dict[str, dict[str, int]]
    similarity: dict[str, float]
    changed: dict[str, float] = Field(default_factory=dict)
    made: dict[str, int] = Field(default_factory=dict)
    lacking: dict[str, int]
    failed: dict[str, int]


RareRun: TypeAlias = Run[RareSummary]
