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

COLUMNS = ("rank", "system", "tag", "versions", "total", "retrieval", "generation")


class BoardPlace(Record):
    """A place on the leaderboard; equal totals share it. `measures` are means over the board's versions.

    Of an open release it has the total over the public half alone, rounded.
    """

    rank: int
    tied: bool = Field(False, description="others have the same total: nothing tells them apart")
    system: str
    tag: str
    submitted: datetime
    questions: int
    measures: dict[str, float]


class Board(Record):
    """The places of a version, or of several recent ones (DRAGON's "actual versions"), best first."""

    versions: tuple[str, ...]
    open: tuple[str, ...] = Field((), description="versions whose private half is not shown yet")
    items: tuple[BoardPlace, ...]


def board(versions: Sequence[str], approved: Iterable[Submission], closed: Collection[str] = ()) -> Board:
    """Rank the systems that have an approved submission for each of the versions; the last one that has scores counts.

    `approved` in the order in which they came; a system is a submission with those that resubmit it. `closed`: versions
    of which the private half is shown.
    """
    by_system: dict[str, dict[str, Submission]] = defaultdict(dict)
    for one in (one.shown(closed) for one in approved):
        if one.scores and one.version in versions:
            by_system[one.origin][one.version] = one
    places = [_place(found) for found in by_system.values() if len(found) == len(versions)]
    places.sort(key=lambda place: (-place.measures["total"], place.submitted))
    totals = [place.measures["total"] for place in places]
    ranked = (
        place.model_copy(update={"rank": totals.index(total) + 1, "tied": totals.count(total) > 1})
        for place, total in zip(places, totals, strict=True)
    )
    left = tuple(version for version in versions if version not in closed)
    return Board(versions=tuple(versions), open=left, items=tuple(ranked))


def _place(found: Mapping[str, Submission]) -> BoardPlace:
    last = max(found.values(), key=lambda one: one.history[0].at)
    scores = [one.scores for one in found.values() if one.scores]
    shared = set.intersection(*(set(one.measures) for one in scores))  # an open release shows less than a closed one
    means = {name: round(value, 4) for name, value in mean([one.measures for one in scores]).items() if name in shared}
    return BoardPlace(
        rank=0, system=last.system, tag=last.tag, submitted=last.history[0].at,
        questions=sum(one.questions for one in scores), measures=means,
    )  # fmt: skip


def as_csv(found: Board) -> str:
    """Return a leaderboard as a table."""
    out = io.StringIO()
    measures = [name for name in (found.items[0].measures if found.items else {}) if name not in COLUMNS]
    table = csv.writer(out)
    table.writerow([*COLUMNS, *measures, "submitted"])
    for one in found.items:
        system = f"'{one.system}" if one.system[0] in "=+-@\t\r" else one.system  # else a spreadsheet would run it
        known = [
            one.rank,
            system,
            one.tag,
            " ".join(found.versions),
            *(one.measures.get(name, "") for name in (*COLUMNS[4:], *measures)),
        ]
        table.writerow([*known, one.submitted.isoformat()])
    return out.getvalue()
