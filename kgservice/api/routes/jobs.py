"""/jobs: work in the background."""

from __future__ import annotations

from fastapi import APIRouter

from kgservice.api.deps import TheJobs
from kgservice.api.job_records import Job
from kgservice.api.policy import Sight, TheSight, gives
from kgservice.core.records import Record

router = APIRouter(prefix="/jobs", tags=["jobs"])


class JobList(Record):
    """The jobs, newest first."""

    items: tuple[Job, ...]


@router.get("", dependencies=[gives("jobs")])
def list_jobs(jobs: TheJobs, sight: TheSight) -> JobList:
    """List the jobs, newest first; those that a service before left go on."""
    return JobList(items=tuple(shown(job, sight) for job in jobs.all()))


@router.get("/{key}", dependencies=[gives("jobs")])
def get_job(key: str, jobs: TheJobs, sight: TheSight) -> Job:
    """Return a job: its state, its progress and, when done, its report.

    A reader is shown reports of loads only, and none of a corpus that has a release.
    There the progress counts texts alone.
    """
    return shown(jobs.get(key), sight)


@router.delete("/{key}", status_code=202, dependencies=[gives("orders")])
def cancel_job(key: str, jobs: TheJobs) -> Job:
    """Cancel a queued job now, a running one after its present batch; what it wrote stays."""
    return jobs.cancel(key)


def shown(job: Job, sight: Sight) -> Job:
    """Return a job as the caller may see it."""
    return job.shown(whole=sight.sees("graph", job.corpus)) if sight.role == "reader" else job
