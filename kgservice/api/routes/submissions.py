"""/submissions and /leaderboard: results are taken in, evaluated in the background, approved, and ranked."""

from __future__ import annotations

import logging
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query, Request, Response
from pydantic import Field

from kgservice.api.deps import TheArchive, TheCaller, TheJobs, TheSubmissions
from kgservice.api.entry.access import Caller
from kgservice.api.entry.problems import forbidden
from kgservice.api.job_records import SubmissionEvaluation
from kgservice.api.jobs import Jobs
from kgservice.api.policy import gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.core.errors import NotFound
from kgservice.core.records import Record
from kgservice.ingest.pipeline import Advance
from kgservice.leaderboard.board import Board, as_csv, board
from kgservice.leaderboard.submissions import State, Submission, Submissions, SubmittedResults
from kgservice.releases.archive import LATEST, Archive

log = logging.getLogger(__name__)
router = APIRouter(tags=["submissions"], route_class=ReadingRoute)

CSV = "text/csv"
TABLE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The places.", "content": {CSV: {"schema": {"type": "string"}}}}
}


class SubmissionList(Record):
    """Submissions in the order in which they came."""

    items: tuple[Submission, ...]


class SubmissionDecision(Record):
    """What an admin decides about a submission."""

    approved: bool
    reason: str = Field("", max_length=1_000)


@router.post("/submissions", status_code=202, dependencies=[gives("results")], openapi_extra=body_of(10 * MB))
def submit(
    given: SubmittedResults,
    archive: TheArchive,
    submissions: TheSubmissions,
    jobs: TheJobs,
    caller: TheCaller,
    request: Request,
    response: Response,
) -> Submission:
    """Take in results for a release and evaluate them in the background. Keep the id: it leads back here."""
    a_day = 0 if caller.role == "admin" else request.app.state.settings.submissions_a_day
    one = submissions.add(archive, given, owner=caller.owner, a_day=a_day)
    evaluate_later(archive, jobs, one)
    response.headers["Location"] = f"/submissions/{one.id}"
    request.state.about |= {"submission": one.tag, "version": one.version, "system": one.system}
    return one


class Waiting(Record):
    """A submission that waits to be evaluated."""

    submission: str


def evaluate_later(archive: Archive, jobs: Jobs, one: Submission) -> None:
    """Queue the evaluation of a submission."""
    jobs.add("evaluation", archive.get(one.version).corpus, Waiting(submission=one.id), by=one.owner)


def resume(app: FastAPI) -> None:
    """Queue what was taken in and has no job: the service was killed between the two."""
    for one in app.state.submissions.all(state="received"):
        try:
            evaluate_later(app.state.archive, app.state.jobs, one)
        except NotFound as error:  # the service serves what there is
            log.warning("submission %s waits for its release: %s", one.id, error)


def work(app: FastAPI, order: str, advance: Advance) -> SubmissionEvaluation:
    """Evaluate a submission, if nobody has or withdrew it."""
    submissions: Submissions = app.state.submissions
    key = Waiting.model_validate_json(order).submission
    one = submissions.get(key)
    judged = partial(advance, "judged")
    done = submissions.evaluate(app.state.archive, key, judged) if one.state == "received" else one
    questions = done.scores.questions if done.scores else 0
    advance("questions", questions)
    return SubmissionEvaluation(version=done.version, questions=questions)


@router.get("/submissions", dependencies=[gives("results")])
def list_submissions(
    submissions: TheSubmissions,
    caller: TheCaller,
    version: str | None = None,
    state: State | None = None,
) -> SubmissionList:
    """List the submissions of the caller's key, with scores once approved; for an admin all, with scores."""
    if caller.role == "admin":
        return SubmissionList(items=tuple(submissions.all(version=version, state=state)))
    if caller.shared:
        raise forbidden("this needs a key of role admin, or one of your own (`kgservice keys create`)")
    own = submissions.all(version=version, state=state, owner=caller.owner)
    closed = submissions.closed()
    return SubmissionList(items=tuple(one.shown(closed) for one in own))


@router.get("/submissions/{key}", dependencies=[gives("results")])
def get_submission(key: str, submissions: TheSubmissions, caller: TheCaller) -> Submission:
    """Return a submission by its id to whose it is; its scores once it is approved (to an admin before)."""
    return _shown(submissions.get(key, _owner(caller)), caller, submissions)


@router.get("/submissions/{key}/resubmissions", dependencies=[gives("results")])
def list_resubmissions(key: str, submissions: TheSubmissions, caller: TheCaller) -> SubmissionList:
    """List the submissions of the same system, oldest first, each with its history."""
    one = submissions.get(key, _owner(caller))
    line = (other for other in submissions.all(owner=one.owner) if other.origin == one.origin)
    return SubmissionList(items=tuple(_shown(other, caller, submissions) for other in line))


@router.delete("/submissions/{key}", dependencies=[gives("results")])
def withdraw(key: str, submissions: TheSubmissions, caller: TheCaller) -> Submission:
    """Take a submission back; it leaves the leaderboard, its history stays."""
    submissions.get(key, _owner(caller))
    return submissions.move(key, "withdrawn").shown()


@router.post("/submissions/{key}/decision", dependencies=[gives("decisions")], openapi_extra=body_of(MB // 10))
def decide(key: str, decision: SubmissionDecision, submissions: TheSubmissions, request: Request) -> Submission:
    """Approve an evaluated submission, which puts it on the leaderboard, or decline it."""
    request.state.about |= decision.model_dump()
    return submissions.move(key, "approved" if decision.approved else "declined", decision.reason)


@router.post("/submissions/{key}/evaluation", status_code=202, dependencies=[gives("decisions")])
def evaluate_again(key: str, archive: TheArchive, submissions: TheSubmissions, jobs: TheJobs) -> Submission:
    """Evaluate a submission that waits for its judge, or one that nobody approved, again. What was judged is kept."""
    one = submissions.get(key)
    again = one if one.state == "received" else submissions.move(key, "received", "evaluated again")
    evaluate_later(archive, jobs, again)
    return again


def _owner(caller: Caller) -> str | None:
    """Return whose submissions the caller may see: None, all, for an admin."""
    return None if caller.role == "admin" else caller.owner


def _shown(one: Submission, caller: Caller, submissions: Submissions) -> Submission:
    return one if caller.role == "admin" else one.shown(submissions.closed())


@router.get("/leaderboard", response_model=Board, responses=TABLE, dependencies=[gives("results")])
def get_leaderboard(
    archive: TheArchive,
    submissions: TheSubmissions,
    version: str = LATEST,
    last: Annotated[int, Query(ge=1, le=100, description="Mean over so many versions up to this one.")] = 1,
    form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json",
) -> Board | Response:
    """Rank the approved submissions of a version, or of the last ones of its corpus, best first.

    Of an open release the public half of the questions counts, and only rises beyond a step are shown; of a closed one
    the private half.
    """
    release = archive.get(version)
    line = [one.version for one in archive.all(release.corpus)]
    until = line.index(release.version) + 1
    found = board(line[max(0, until - last) : until], submissions.all(state="approved"), submissions.closed())
    return Response(as_csv(found), media_type=CSV) if form == "csv" else found
