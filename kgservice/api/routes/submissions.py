"""/submissions and /leaderboard: results are taken in, evaluated in the background, approved, and ranked."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from pydantic import Field

from kgservice.api.deps import Role, TheArchive, TheJobs, TheSubmissions, admin, get_role, reader
from kgservice.api.jobs import Evaluation, Jobs
from kgservice.benchmark.archive import LATEST, Archive
from kgservice.benchmark.leaderboard import Board, as_csv, board
from kgservice.benchmark.submissions import SHOWN, Given, State, Submission, Submissions
from kgservice.errors import BadRows
from kgservice.model import Record
from kgservice.pipeline import Advance

router = APIRouter(tags=["submissions"])

CSV = "text/csv"
TABLE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The places.", "content": {CSV: {"schema": {"type": "string"}}}}
}


class SubmissionList(Record):
    """Submissions in the order in which they came."""

    items: tuple[Submission, ...]


class Decision(Record):
    """What an admin decides about a submission."""

    approved: bool
    reason: str = Field("", max_length=1_000)


async def named_once(request: Request) -> None:
    """Refuse a question that is answered twice: JSON would silently keep the last answer."""
    repeated: list[str] = []

    def seen(pairs: list[tuple[str, Any]]) -> None:
        repeated.extend(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)

    try:
        json.loads(await request.body(), object_pairs_hook=seen)
    except (ValueError, RecursionError):  # no JSON: that is for the validation to say
        return
    if repeated:
        rows = tuple((ascii(name), "is there more than once in one object") for name in sorted(repeated)[:SHOWN])
        raise BadRows(f"{len(repeated):,} names are repeated", rows)


@router.post("/submissions", status_code=202, dependencies=[reader, Depends(named_once)])
def submit(
    given: Given, archive: TheArchive, submissions: TheSubmissions, jobs: TheJobs, response: Response
) -> Submission:
    """Take in results for a release and evaluate them in the background. Keep the id: it alone leads back here."""
    one = submissions.add(archive, given)
    evaluate_later(archive, submissions, jobs, one)
    response.headers["Location"] = f"/submissions/{one.id}"
    return one


def evaluate_later(archive: Archive, submissions: Submissions, jobs: Jobs, one: Submission) -> None:
    """Queue the evaluation of a submission."""

    def work(advance: Advance) -> Evaluation:
        done = submissions.evaluate(archive, one.id)
        questions = done.scores.questions if done.scores else 0
        advance("questions", questions)
        return Evaluation(version=done.version, questions=questions)

    jobs.add(archive.get(one.version).corpus, work, kind="evaluation")


def resume(app: FastAPI) -> None:
    """Queue what was taken in and not evaluated when the service stopped."""
    for one in app.state.submissions.all(state="received"):
        evaluate_later(app.state.archive, app.state.submissions, app.state.jobs, one)


@router.get("/submissions", dependencies=[admin])
def list_submissions(
    submissions: TheSubmissions,
    version: str | None = None,
    state: State | None = None,
) -> SubmissionList:
    """List the submissions with their scores, for an admin to decide."""
    return SubmissionList(items=tuple(submissions.all(version=version, state=state)))


@router.get("/submissions/{key}", dependencies=[reader])
def get_submission(key: str, submissions: TheSubmissions, role: Annotated[Role, Depends(get_role)]) -> Submission:
    """Return a submission by the id that its sender got; its scores once it is approved (to an admin before)."""
    one = submissions.get(key)
    return one if role == "admin" else one.shown()


@router.delete("/submissions/{key}", dependencies=[reader])
def withdraw(key: str, submissions: TheSubmissions) -> Submission:
    """Take a submission back; it leaves the leaderboard, its history stays."""
    return submissions.move(key, "withdrawn").shown()


@router.post("/submissions/{key}/decision", dependencies=[admin])
def decide(key: str, decision: Decision, submissions: TheSubmissions) -> Submission:
    """Approve an evaluated submission, which puts it on the leaderboard, or decline it."""
    return submissions.move(key, "approved" if decision.approved else "declined", decision.reason)


@router.get("/leaderboard", response_model=Board, responses=TABLE, dependencies=[reader])
def get_leaderboard(
    archive: TheArchive,
    submissions: TheSubmissions,
    version: str = LATEST,
    last: Annotated[int, Query(ge=1, le=100, description="Mean over so many versions up to this one.")] = 1,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> Board | Response:
    """Rank the approved submissions of a version, or of the last ones of its corpus, best first."""
    release = archive.get(version)
    line = [one.version for one in archive.all(release.corpus)]
    until = line.index(release.version) + 1
    found = board(line[max(0, until - last) : until], submissions.all(state="approved"))
    return Response(as_csv(found), media_type=CSV) if form == "csv" else found
