"""/jobs: work in the background."""

from __future__ import annotations

from fastapi import APIRouter

from kgservice.api.access import Caller
from kgservice.api.deps import TheCaller, TheJobs, curator, reader
from kgservice.api.job import Job
from kgservice.model import Record

router = APIRouter(prefix="/jobs", tags=["jobs"])


class JobList(Record):
    """The jobs, newest first."""

    items: tuple[Job, ...]


@router.get("", dependencies=[reader])
def list_jobs(jobs: TheJobs, caller: TheCaller) -> JobList:
    """List the jobs, newest first; those that a service before left go on."""
    return JobList(items=tuple(_shown(job, caller) for job in jobs.all()))


@router.get("/{key}", dependencies=[reader])
def get_job(key: str, jobs: TheJobs, caller: TheCaller) -> Job:
    """Return a job: its state, its progress and, when done, its report (of loads; all reports to a curator)."""
    return _shown(jobs.get(key), caller)


@router.delete("/{key}", status_code=202, dependencies=[curator])
def cancel_job(key: str, jobs: TheJobs) -> Job:
    """Cancel a queued job now, a running one after its present batch; what it wrote stays."""
    return jobs.cancel(key)


def _shown(job: Job, caller: Caller) -> Job:
    return job.shown() if caller.role == "reader" else job
