"""What RARE-Met found out: about a question, and about a system."""

from __future__ import annotations

from typing import TypeAlias

from kgservice.evaluation.passages import Passages
from kgservice.evaluation.perturb import Variant
from kgservice.evaluation.robustness import Cell, Scores, Share
from kgservice.evaluation.run_folder import Line, Run
from kgservice.model import Problem, Record


class Tested(Line):
    """A question with everything that was asked about it; `knows` is the probe g(q, ∅), `lacking` what could not be."""

    pattern: str
    domain: str
    question: str
    answer: str
    knows: bool
    probe: str
    queries: tuple[Variant, ...]
    passages: tuple[Passages, ...]
    cells: tuple[Cell, ...]
    lacking: tuple[Problem, ...]


class Summary(Record):
    """What a run comes to; `by_cell` is keyed by query, then by passages; counts are by reason."""

    questions: int
    skipped: dict[str, int]
    answers: int
    known_by_heart: int
    scores: Scores
    by_pattern: dict[str, Scores]
    by_domain: dict[str, Scores]
    by_cell: dict[str, dict[str, Share]]
    outcomes: dict[str, dict[str, int]]
    similarity: dict[str, float]
    lacking: dict[str, int]
    failed: dict[str, int]


RareRun: TypeAlias = Run[Summary]
