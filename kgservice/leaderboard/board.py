"""The leaderboard: approved submissions, best first (DRAGON, sections 3 and 3.1)."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from pydantic import Field

from kgservice.core.records import Record
from kgservice.leaderboard.submissions import Submission
from kgservice.metrics.ranking import mean

COLUMNS = ("rank", "system", "tag", "versions", "total_of", "total", "retrieval", "generation")


class BoardPlace(Record):
    """A place on the leaderboard, shared by equal totals. `measures` are means over the board's versions.

    Of an open release it is only the total over the public half, rounded.
    """

    rank: int
    tied: bool = Field(False, description="others have the same total")
    system: str
    tag: str
    submitted: datetime
    questions: int
    measures: dict[str, float]


class Board(Record):
    """The places of a version, or of several recent ones (DRAGON's "actual versions"), best first."""

    versions: tuple[str, ...]
    open: tuple[str, ...] = Field((), description="versions whose private half is not shown yet")
    total_of: dict[str, int] = Field(
        default_factory=dict, description="of how many scores the total is the mean: retrieval, generation, judge"
    )
    judges: dict[str, str] = Field(default_factory=dict, description="the judge of each judged version")
    items: tuple[BoardPlace, ...]


def board(versions: Sequence[str], approved: Iterable[Submission], closed: Collection[str] = ()) -> Board:
    """Return the ranking of the systems with an approved submission for each of the versions.

    The last one with scores counts.

    `approved` is in order of arrival. A system is a submission with those that resubmit it. `closed`: versions with a
    visible private half.
    """
    by_system: dict[str, dict[str, Submission]] = defaultdict(dict)
    for submission in (submission.shown(closed) for submission in approved):
        if submission.scores and submission.version in versions:
            by_system[submission.origin][submission.version] = submission
    places = [_place(found) for found in by_system.values() if len(found) == len(versions)]
    places.sort(key=lambda place: (-place.measures["total"], place.submitted))
    totals = [place.measures["total"] for place in places]
    ranked = (
        place.model_copy(update={"rank": totals.index(total) + 1, "tied": totals.count(total) > 1})
        for place, total in zip(places, totals, strict=True)
    )
    still_open = tuple(version for version in versions if version not in closed)
    scored = [one for found in by_system.values() for one in found.values()]
    return Board(
        versions=tuple(versions), open=still_open, items=tuple(ranked),
        total_of={one.version: one.scores.total_of for one in scored if one.scores},
        judges={one.version: one.judge for one in scored if one.judge},
    )  # fmt: skip


def _place(submissions: Mapping[str, Submission]) -> BoardPlace:
    last = max(submissions.values(), key=lambda submission: submission.history[0].at)
    scores = [submission.scores for submission in submissions.values() if submission.scores]
    shared = set.intersection(
        *(set(submission.measures) for submission in scores)
    )  # an open release has fewer measures than a closed one
    means = {
        name: round(value, 4)
        for name, value in mean([submission.measures for submission in scores]).items()
        if name in shared
    }
    return BoardPlace(
        rank=0, system=last.system, tag=last.tag, submitted=last.history[0].at,
        questions=sum(submission.questions for submission in scores), measures=means,
    )  # fmt: skip


def as_csv(board_: Board) -> str:
    """Return a leaderboard as CSV."""
    out = io.StringIO()
    measures = [name for name in (board_.items[0].measures if board_.items else {}) if name not in COLUMNS]
    table = csv.writer(out)
    table.writerow([*COLUMNS, *measures, "submitted"])
    for place in board_.items:
        system = (
            f"'{place.system}" if place.system[0] in "=+-@\t\r" else place.system
        )  # keeps spreadsheets from running it
        row = [
            place.rank,
            system,
            place.tag,
            " ".join(board_.versions),
            " ".join(str(board_.total_of[version]) for version in board_.versions),
            *(place.measures.get(name, "") for name in (*COLUMNS[5:], *measures)),
        ]
        table.writerow([*row, place.submitted.isoformat()])
    return out.getvalue()
