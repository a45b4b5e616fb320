"""/baselines: systems that the service runs itself."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import Field

from kgservice.api.deps import TheArchive, TheCaller, TheJobs, queued
from kgservice.api.job_records import Job, SubmissionEvaluation
from kgservice.api.policy import gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.core.records import Record
from kgservice.ingest.pipeline import Advance
from kgservice.leaderboard.baselines import Ours, baselines, check_baseline, enter, is_paid
from kgservice.releases.archive import LATEST

router = APIRouter(prefix="/baselines", tags=["submissions"], route_class=ReadingRoute)


class Baselines(Record):
    """The baselines by name."""

    items: tuple[str, ...]


class BaselineEntry(Record):
    """A baseline for a release."""

    baseline: str = Field(max_length=100, examples=["hybrid+extractive"])
    version: str = Field(LATEST, examples=[LATEST])


@router.get("", dependencies=[gives("service")])
def list_baselines(request: Request) -> Baselines:
    """List the systems that the service can run itself: those with a language model where the service has one."""
    return Baselines(items=baselines(request.app.state.settings))


@router.post("", status_code=202, dependencies=[gives("decisions")], openapi_extra=body_of(MB // 10))
def enter_baseline(
    entry: BaselineEntry, archive: TheArchive, jobs: TheJobs, caller: TheCaller, request: Request, response: Response
) -> Job:
    """Run a baseline on a release, as a job: it waits for approval, and once approved it follows each release."""
    check_baseline(entry.baseline, request.app.state.settings)
    release = archive.get(entry.version)
    order = entry.model_copy(update={"version": release.version})
    job = jobs.add("baseline", release.corpus, order, by=caller.owner, resumes=not is_paid(entry.baseline))
    return queued(job, request, response, baseline=entry.baseline, version=release.version)


def work(app: FastAPI, order: str, advance: Advance) -> SubmissionEvaluation:
    """Run a baseline and evaluate its results."""
    entry, state = BaselineEntry.model_validate_json(order), app.state
    release, step = state.archive.get(entry.version), partial(advance, "questions")
    done = enter(state.archive, state.submissions, ours(app), entry.baseline, release, advance=step)
    return SubmissionEvaluation(version=done.version, questions=done.scores.questions if done.scores else 0)


def ours(app: FastAPI) -> Ours:
    """Return what our own retrievers and reader work with, in a job."""
    return Ours(app.state.job_graph, app.state.embedder, app.state.scorer, app.state.settings)
