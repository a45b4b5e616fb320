"""/jobs: work in the background."""

from __future__ import annotations

from fastapi import APIRouter

from kgservice.api.deps import TheJobs, curator, reader
from kgservice.api.jobs import Job
from kgservice.model import Record

router = APIRouter(prefix="/jobs", tags=["jobs"])


class JobList(Record):
    """The jobs since the service started, newest first."""

    items: tuple[Job, ...]


@router.get("", dependencies=[reader])
def list_jobs(jobs: TheJobs) -> JobList:
    """List the jobs since the service started, newest first."""
    return JobList(items=tuple(jobs.all()))


@router.get("/{key}", dependencies=[reader])
def get_job(key: str, jobs: TheJobs) -> Job:
    """Return a job: its state, its progress and, when done, its report."""
    return jobs.get(key)


@router.delete("/{key}", status_code=202, dependencies=[curator])
def cancel_job(key: str, jobs: TheJobs) -> Job:
    """Cancel a queued job now, a running one after its present batch; what it wrote stays."""
    return jobs.cancel(key)
