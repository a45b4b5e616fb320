"""Submissions in a small SQLite file, each in exactly one state, with its history.

received → evaluated or failed, from where an admin can have it evaluated again. evaluated → approved or declined by an
admin. withdrawn by the holder of the id. Others than admins see only the scores that ladder.py shows and, once the
release is closed, those of the private half.

The first evaluated submission decides for its release whether totals include a judge's score, and of which judge. Later
ones wait until the service has that judge, so a board never ranks totals of two scores beside totals of three.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from kgservice.core.errors import BadRequest, BadRows, NotFound, SettingsError, TooMany
from kgservice.core.records import Record
from kgservice.core.sqlite import transaction
from kgservice.leaderboard.ladder import in_public_half, rises, rounded
from kgservice.leaderboard.portal_judge import Advance, JudgeScores, PortalJudge
from kgservice.metrics.result_scores import (
    NOTHING,
    Expected,
    Result,
    ResultScores,
    expected,
    is_right,
    measured,
    scored,
    with_sums,
)
from kgservice.metrics.stale_answers import StaleRate, stale_rate
from kgservice.releases.archive import ANSWERS, MAPPING, Archive, Manifest
from kgservice.releases.changed_answers import changed_since
from kgservice.releases.release_places import PLACES, SubmittedPassages, evidence

State: TypeAlias = Literal["received", "evaluated", "failed", "approved", "declined", "withdrawn"]
BEFORE: dict[State, tuple[State, ...]] = {
    "received": ("evaluated", "failed"),
    "evaluated": ("received",),
    "failed": ("received",),
    "approved": ("evaluated", "declined"),
    "declined": ("evaluated", "approved"),
    "withdrawn": ("received", "evaluated", "failed", "approved", "declined"),
}
SHOWN = 50  # wrong rows in an error
NO_MARKS = "waits: the judge gives no marks"

_TABLE = (
    "submission (id TEXT PRIMARY KEY, version TEXT NOT NULL, state TEXT NOT NULL, digest TEXT NOT NULL, "
    "record TEXT NOT NULL, results BLOB NOT NULL)"
)
# what each question of the public half is worth in a submission; releases that were closed
_MORE = ("totals (id TEXT PRIMARY KEY, worth TEXT NOT NULL)", "closed (version TEXT PRIMARY KEY, at TEXT NOT NULL)")
_RESULTS = TypeAdapter(dict[str, Result])
DAY = timedelta(days=1)


class Event(Record):
    """A change of a submission's state."""

    state: State
    at: datetime
    reason: str = ""


class Submission(Record):
    """A system's results for a release. `id` is known to the sender alone, `tag` is public.

    `origin` is the id of the system's first submission, which this one resubmits. `owner` is the name of the sender's
    key, `baseline` the system if the service ran it itself.
    """

    id: str
    tag: str
    version: str
    system: str
    state: State
    resubmits: str | None = None
    origin: str
    owner: str = ""
    judge: str = Field("", description="whose marks are a third of the total; none: the mean of two scores")
    baseline: str | None = None
    history: tuple[Event, ...]
    scores: ResultScores | None = Field(None, description="once approved: those of the board; to an admin all at once")
    board: ResultScores | None = Field(None, description="the public half as an open release shows it; null: no rise")
    final: ResultScores | None = Field(None, description="the private half as the closed release shows it")

    def shown(self, closed: Collection[str] = ()) -> Submission:
        """Return the submission as its sender may see it. `closed`: versions that are closed.

        Scores before approval, or exact ones before the release is closed, would let a team find answers by trial.
        """
        public = (self.final or self.scores) if self.version in closed else self.board
        scores = public if self.state == "approved" else None
        scores = scores and scores.model_copy(update={"stale": None})
        return self.model_copy(update={"scores": scores, "board": None, "final": None})


class SubmittedResults(Record):
    """Results for a release in DRAGON's client format, by public id of the questions.

    `resubmits`: the id of an earlier submission of the same system, whose name is kept.
    """

    version: str = Field(examples=["1.0.0"])
    system: Annotated[str, Field(max_length=100)] = Field("", examples=["bm25 + best sentence"])
    resubmits: str | None = Field(None, max_length=64)
    results: dict[Annotated[str, Field(max_length=20)], Result] = Field(min_length=1, max_length=100_000)


class Submissions:
    """The submissions in a SQLite file. `judge` gives marks to those of releases that are judged."""

    def __init__(self, path: Path, judge: PortalJudge | None = None) -> None:
        self._path, self._judge = path, judge

    def add(
        self,
        archive: Archive,
        given: SubmittedResults,
        *,
        owner: str = "",
        baseline: str | None = None,
        reason: str = "",
        a_day: int = 0,
    ) -> Submission:
        """Store results as a submission, and return it. `reason` comes into its history.

        Only its sender can resubmit a submission. `a_day`: most submissions of an owner in 24 hours, withdrawn ones
        included, 0 for no limit. Raises BadRows if rows do not fit the release, BadRequest if it is closed or the
        results are repeated, NotFound if the owner has no such submission to resubmit, TooMany if the owner has sent
        `a_day` already.
        """
        release = archive.get(given.version)
        if release.version in self.closed():
            raise BadRequest(f"release {release.version} is closed: submit to the latest one")
        check(archive, release, given.results)
        first = self.get(given.resubmits, owner) if given.resubmits else None
        system = first.system if first else " ".join(given.system.split())
        if not system:
            raise BadRequest("name your system: the name is shown on the leaderboard")
        key, results = uuid.uuid4().hex, _RESULTS.dump_json(dict(sorted(given.results.items())))
        digest = hashlib.sha256(f"{release.version}\n{system}\n".encode() + results).hexdigest()
        submission = Submission(
            id=key, tag=tag_of(key), version=release.version, system=system,
            state="received", resubmits=given.resubmits, origin=first.origin if first else key,
            owner=owner, baseline=baseline, history=(Event(state="received", at=datetime.now(UTC), reason=reason),),
        )  # fmt: skip
        with self._open() as db:
            _check_attempts(db, owner, a_day)
            duplicate = "SELECT 1 FROM submission WHERE digest = ? AND state != 'withdrawn'"
            if db.execute(duplicate, (digest,)).fetchone():
                raise BadRequest(f"these results of {system!r} for {release.version} were submitted before")
            db.execute(
                "INSERT INTO submission VALUES (?, ?, ?, ?, ?, ?)",
                (key, submission.version, submission.state, digest, submission.model_dump_json(), results),
            )
        return submission

    def get(self, key: str, owner: str | None = None) -> Submission:
        """Return a submission. Raises NotFound if there is none, or none of `owner` if that is given."""
        with self._open() as db:
            return _get(db, key, owner)

    def all(
        self, *, version: str | None = None, state: State | None = None, owner: str | None = None
    ) -> list[Submission]:
        """Return submissions of one owner or of all, in order of arrival."""
        query = "SELECT record FROM submission WHERE version = coalesce(?, version) AND state = coalesce(?, state)"
        with self._open() as db:
            rows = db.execute(f"{query} ORDER BY rowid", (version, state)).fetchall()
        submissions = (Submission.model_validate_json(row[0]) for row in rows)
        return [submission for submission in submissions if owner in (None, submission.owner)]

    def move(self, key: str, state: State, reason: str = "") -> Submission:
        """Set the state of a submission. Raises BadRequest if it cannot follow the present state."""
        with self._open() as db:
            submission = _get(db, key)
            _check_move(submission, state)
            event = Event(state=state, at=datetime.now(UTC), reason=reason)
            moved = submission.model_copy(update={"state": state, "history": (*submission.history, event)})
            if state == "approved" and "approved" not in {event.state for event in submission.history}:
                moved = moved.model_copy(update={"board": _climbed(db, moved)})
            change = "UPDATE submission SET state = ?, record = ? WHERE id = ?"
            db.execute(change, (state, moved.model_dump_json(), key))
        return moved

    def evaluate(self, archive: Archive, key: str, advance: Advance = lambda _: None) -> Submission:
        """Measure a submission with the private answers of its release, and judge it if the release is judged.

        An answer without marks counts as judged 0, and the history says how many and why. Raises BadRequest if the
        release is judged and this service has another judge or none, SettingsError if the judge gives no marks at all.
        The submission then stays received and can be evaluated later.
        """
        with self._open() as db:
            submission = _get(db, key)
            _check_move(submission, "evaluated")
            results = db.execute("SELECT results FROM submission WHERE id = ?", (key,)).fetchone()[0]
        judge = self._judge_of(submission)
        release = archive.get(submission.version)
        try:
            by_question = {int(name): result for name, result in _RESULTS.validate_json(results).items()}
            wanted = expected(archive.file(release, ANSWERS, private=True))
            if any(result.passages for result in by_question.values()):
                by_question = evidence(partial(archive.file, release, private=True)).by_public_ids(by_question)
            judged = judge.judge(archive, release.version, by_question, advance) if judge else None
        except SettingsError:
            self._wait(submission, NO_MARKS)
            raise
        except BadRequest as error:  # the release is damaged
            self.move(key, "failed", str(error))
            raise
        rows = [(one, _measures(one, by_question, judged)) for one in wanted]
        worth = [row["total"] for one, row in rows if in_public_half(one.id)]
        name = judge.name if judge else ""
        measured_as = {
            "judge": name,
            "scores": scored([(one.type, row) for one, row in rows]).model_copy(
                update={"stale": _stale(archive, release, wanted, by_question)}
            ),
            "final": _final([(one.type, row) for one, row in rows if not in_public_half(one.id)]),
        }
        with self._open() as db:
            if _settled(db, release.version) not in (None, name):
                raise BadRequest(f"release {release.version} was judged in another way meanwhile: evaluate it again")
            db.execute("INSERT OR REPLACE INTO totals VALUES (?, ?)", (key, json.dumps(worth)))
            record = _get(db, key).model_copy(update=measured_as).model_dump_json()
            db.execute("UPDATE submission SET record = ? WHERE id = ?", (record, key))
        return self.move(key, "evaluated", judged.told() if judged else "")

    def _judge_of(self, submission: Submission) -> PortalJudge | None:
        """Return the judge of a submission's release, None if it is not judged. Raises BadRequest if it is not ours."""
        with self._open() as db:
            settled = _settled(db, submission.version)
        ours = self._judge.name if self._judge else ""
        if settled and settled != ours:
            why = f"waits: release {submission.version} is judged by {settled}"
            self._wait(submission, why)
            raise BadRequest(f"the submission {why}: set KGS_PORTAL_JUDGE and that model, and evaluate it again")
        return None if settled == "" else self._judge

    def _wait(self, submission: Submission, reason: str) -> None:
        """Write into the history, once, why a submission stays received."""
        if submission.history[-1].reason == reason:
            return
        event = Event(state="received", at=datetime.now(UTC), reason=reason)
        record = submission.model_copy(update={"history": (*submission.history, event)}).model_dump_json()
        with self._open() as db:
            db.execute("UPDATE submission SET record = ? WHERE id = ? AND state = 'received'", (record, submission.id))

    def close(self, version: str) -> None:
        """Close a release for good: it takes no more submissions, and its board shows the private half."""
        with self._open() as db:
            db.execute("INSERT OR IGNORE INTO closed VALUES (?, ?)", (version, datetime.now(UTC).isoformat()))

    def closed(self) -> frozenset[str]:
        """Return the versions of closed releases."""
        with self._open() as db:
            return frozenset(row[0] for row in db.execute("SELECT version FROM closed"))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with transaction(self._path, _TABLE) as db:
            for table in _MORE:
                db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
            yield db


def _check_attempts(db: sqlite3.Connection, owner: str, a_day: int) -> None:
    if not a_day:
        return
    rows = db.execute("SELECT record FROM submission WHERE state != 'failed' ORDER BY rowid").fetchall()
    sent = [one.history[0].at for row in rows if (one := Submission.model_validate_json(row[0])).owner == owner]
    wait = sent[-a_day] + DAY - datetime.now(UTC) if len(sent) >= a_day else timedelta()
    if wait > timedelta():
        hours = f"{wait.total_seconds() / 3600:.1f}"
        raise TooMany(f"a team may submit {a_day} times in 24 hours: the next one in {hours} h", wait.total_seconds())


def _climbed(db: sqlite3.Connection, submission: Submission) -> ResultScores | None:
    """Return the score that the open release's board shows of an approved submission, None if it is no rise."""
    rows = db.execute(
        "SELECT record FROM submission WHERE version = ? ORDER BY rowid", (submission.version,)
    ).fetchall()
    of_team = [other for row in rows if _same_team(other := Submission.model_validate_json(row[0]), submission)]
    before = [other for other in of_team if other.id != submission.id and _approved(other) is not None]
    rungs = sorted((other for other in before if other.board), key=lambda other: _approved(other) or 0)
    worth, best = _worth(db, submission.id), _worth(db, rungs[-1].id) if rungs else None
    if not rises(worth, best, max(len(before) - 1, 0), len(rungs)):
        return None
    total = rounded(sum(worth) / len(worth), len(worth))
    total_of = 3 if submission.judge else 2
    return ResultScores(questions=len(worth), total_of=total_of, measures={"total": total}, by_type={})


def _same_team(one: Submission, other: Submission) -> bool:
    """Return whether two submissions are of one team. Each of our own systems is a team by itself."""
    return one.origin == other.origin if other.baseline else one.owner == other.owner and not one.baseline


def _approved(submission: Submission) -> float | None:
    return next((event.at.timestamp() for event in submission.history if event.state == "approved"), None)


def _worth(db: sqlite3.Connection, key: str) -> list[float]:
    row = db.execute("SELECT worth FROM totals WHERE id = ?", (key,)).fetchone()
    return [float(value) for value in json.loads(row[0])] if row else []


def _check_move(submission: Submission, state: State) -> None:
    if submission.state not in BEFORE[state]:
        raise BadRequest(f"the submission is {submission.state}: it cannot become {state}")


def _settled(db: sqlite3.Connection, version: str) -> str | None:
    """Return the judge of the release's evaluated submissions, "" if they are not judged, None if there are none."""
    rows = db.execute("SELECT record FROM submission WHERE version = ? ORDER BY rowid", (version,))
    return next((one.judge for row in rows if (one := Submission.model_validate_json(row[0])).scores), None)


def _measures(question: Expected, results: Mapping[int, Result], judged: JudgeScores | None) -> dict[str, float]:
    """Return the measures of the result for a question, with the judge's score if the submission is judged."""
    row = measured(question, results.get(question.public_id, NOTHING))
    return row if judged is None else with_sums(row | {"judge": judged.scores[question.public_id]})


def _stale(
    archive: Archive, release: Manifest, wanted: Sequence[Expected], results: Mapping[int, Result]
) -> StaleRate | None:
    """Return how many answers are right by the release before alone, None if no answer changed since."""
    before = {one.newer_id: one.before for one in changed_since(archive, release)}
    answered = [
        (before[one.public_id], one.answers, results.get(one.public_id, NOTHING).model_answer)
        for one in wanted
        if one.public_id in before
    ]
    return stale_rate(answered, release.previous or "", is_right) if answered else None


def _final(rows: Sequence[tuple[str, Mapping[str, float]]]) -> ResultScores | None:
    """Return the rounded scores of the private half, None if a small release has no question in it."""
    if not rows:
        return None
    exact = scored(rows)
    means = {name: rounded(value, exact.questions) for name, value in exact.measures.items()}
    return exact.model_copy(update={"measures": means, "by_type": {}})


def tag_of(key: str) -> str:
    """Return the public tag of a submission's id."""
    return hashlib.sha256(key.encode()).hexdigest()[:6]


def check(archive: Archive, release: Manifest, results: Mapping[str, Result]) -> None:
    """Reject results that do not fit the questions and texts of a release. Raises BadRows with the wrong rows."""
    asked = {str(question.public_id) for question in expected(archive.file(release, ANSWERS, private=True))}
    wrong = [(f"results.{key}", "is no question of this release") for key in sorted(results.keys() - asked)]
    wrong += [(f"results.{key}", "is missing: give every question a result") for key in sorted(asked - results.keys())]
    mapping = archive.file(release, MAPPING, private=True).splitlines()
    texts = {row["public_id"] for row in map(json.loads, mapping)}
    places = _places_of(archive, release) if any(question.passages for question in results.values()) else b""
    passages = SubmittedPassages(places, texts)
    for key, result in results.items():
        if unknown := [number for number in result.found_ids if number not in texts]:
            wrong.append((f"results.{key}.found_ids", f"{unknown[0]} is no text of this release"))
        if result.passages and (unfit := passages.fault(result.passages)):
            wrong.append((f"results.{key}.passages", unfit))
    if wrong:
        raise BadRows(f"{len(wrong):,} rows do not fit release {release.version}", tuple(wrong[:SHOWN]))


def _places_of(archive: Archive, release: Manifest) -> bytes:
    if not any(file.name == PLACES for file in release.files):
        raise BadRequest(f"release {release.version} has no places of its texts: give found_ids, not passages")
    return archive.file(release, PLACES)


def _get(db: sqlite3.Connection, key: str, owner: str | None = None) -> Submission:
    row = db.execute("SELECT record FROM submission WHERE id = ?", (key,)).fetchone()
    submission = Submission.model_validate_json(row[0]) if row else None
    if submission is None or owner not in (None, submission.owner):
        raise NotFound(f"no submission {key!r} of yours: give the id that POST /submissions answered, and the same key")
    return submission
