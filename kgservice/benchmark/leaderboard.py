"""The leaderboard: approved submissions of a version, best first (DRAGON, section 3)."""

from __future__ import annotations

import csv
import io
from datetime import datetime

from kgservice.benchmark.submissions import Submission
from kgservice.model import Record

COLUMNS = ("rank", "system", "tag", "version", "total", "retrieval", "generation")


class Place(Record):
    """A place on the leaderboard; equal totals share it. `measures` are those of all questions."""

    rank: int
    system: str
    tag: str
    version: str
    submitted: datetime
    questions: int
    measures: dict[str, float]


class Board(Record):
    """The places of a version, best first."""

    version: str
    items: tuple[Place, ...]


def board(version: str, approved: list[Submission]) -> Board:
    """Rank approved submissions by their totals; of a system that was resubmitted only the last one stands."""
    replaced = {one.resubmits for one in approved}
    known = [(one, one.scores) for one in approved if one.scores and one.id not in replaced]
    known.sort(key=lambda pair: (-pair[1].measures["total"], pair[0].history[0].at))
    totals = [scores.measures["total"] for _, scores in known]
    return Board(
        version=version,
        items=tuple(
            Place(
                rank=totals.index(scores.measures["total"]) + 1, system=one.system, tag=one.tag, version=one.version,
                submitted=one.history[0].at, questions=scores.questions, measures=scores.measures,
            )
            for one, scores in known
        ),
    )  # fmt: skip


def as_csv(found: Board) -> str:
    """Return a leaderboard as a table."""
    out = io.StringIO()
    measures = [name for name in (found.items[0].measures if found.items else {}) if name not in COLUMNS]
    table = csv.writer(out)
    table.writerow([*COLUMNS, *measures, "submitted"])
    for one in found.items:
        system = f"'{one.system}" if one.system[0] in "=+-@\t\r" else one.system  # else a spreadsheet would run it
        known = [one.rank, system, one.tag, one.version, *(one.measures[name] for name in (*COLUMNS[4:], *measures))]
        table.writerow([*known, one.submitted.isoformat()])
    return out.getvalue()
