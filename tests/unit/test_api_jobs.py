"""Background jobs: order, states, failures, cancelling."""

from __future__ import annotations

import threading
import time

import pytest
from fastapi import HTTPException

from kgservice.api import jobs as module
from kgservice.api.jobs import Job, Jobs
from kgservice.errors import GraphUnavailable, NotFound
from kgservice.pipeline import Advance
from kgservice.tally import DocumentCounts, LoadReport, TripletCounts

REPORT = LoadReport(
    documents=DocumentCounts(given=1, stored=1, unchanged=0, rejected={}, failed={}),
    chunks=1,
    triplets=TripletCounts(given=0, kept=0, rejected={}),
    facts=0,
    entities=0,
    seconds=0.1,
)


def finished(jobs: Jobs, key: str) -> Job:
    for _ in range(500):
        if (job := jobs.get(key)).finished is not None:
            return job
        time.sleep(0.01)
    raise AssertionError(f"job {key} does not end")


class Batches:
    """Work that does one batch each time it is allowed to."""

    def __init__(self) -> None:
        self.started, self.go = threading.Event(), threading.Semaphore(0)

    def __call__(self, advance: Advance) -> LoadReport:
        self.started.set()
        for _ in range(3):
            assert self.go.acquire(timeout=5)
            advance("documents", 10)
        return REPORT


def test_jobs_run_one_after_the_other() -> None:
    jobs, first, second = Jobs(), Batches(), Batches()
    one, two = jobs.add("a", first), jobs.add("b", second)
    assert first.started.wait(5)
    assert (jobs.get(one.id).state, jobs.get(two.id).state) == ("running", "queued")
    assert not second.started.is_set()
    first.go.release(3)
    done = finished(jobs, one.id)
    assert (done.state, done.report, done.progress) == ("done", REPORT, {"documents": 30})
    second.go.release(3)
    assert finished(jobs, two.id).state == "done"
    assert [job.id for job in jobs.all()] == [two.id, one.id]
    assert done.created <= done.started <= done.finished  # type: ignore[operator]


def test_a_queued_job_is_cancelled_at_once_and_a_running_one_after_its_batch() -> None:
    jobs, first, second = Jobs(), Batches(), Batches()
    one, two = jobs.add("a", first), jobs.add("b", second)
    assert first.started.wait(5)
    assert jobs.cancel(two.id).state == "cancelled"
    assert jobs.cancel(one.id).state == "running"
    first.go.release(1)
    ended = finished(jobs, one.id)
    assert (ended.state, ended.progress, ended.report) == ("cancelled", {"documents": 10}, None)
    with pytest.raises(HTTPException, match="cancelled already") as refused:
        jobs.cancel(two.id)
    assert refused.value.status_code == 409
    third = jobs.add("c", lambda _: REPORT)
    assert finished(jobs, third.id).state == "done"
    assert not second.started.is_set()


def test_a_failing_job_says_why_and_the_next_one_runs(caplog: pytest.LogCaptureFixture) -> None:
    def unavailable(_: Advance) -> LoadReport:
        raise GraphUnavailable("no Neo4j answers")

    def broken(_: Advance) -> LoadReport:
        raise ZeroDivisionError("a secret")

    jobs = Jobs()
    keys = [jobs.add("a", work).id for work in (unavailable, broken, lambda _: REPORT)]
    found = [finished(jobs, key) for key in keys]
    assert [job.state for job in found] == ["failed", "failed", "done"]
    assert found[0].error == "no Neo4j answers"
    assert "secret" not in str(found[1].error)
    assert "a secret" in caplog.text


def test_too_many_waiting_jobs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1)
    jobs, work = Jobs(), Batches()
    jobs.add("a", work)
    assert work.started.wait(5)
    jobs.add("a", lambda _: REPORT)
    with pytest.raises(HTTPException) as refused:
        jobs.add("a", lambda _: REPORT)
    assert refused.value.status_code == 429
    work.go.release(3)


def test_old_finished_jobs_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FINISHED", 2)
    jobs = Jobs()
    for _ in range(5):
        finished(jobs, jobs.add("a", lambda _: REPORT).id)
    assert len(jobs.all()) == 3  # two finished ones, and the one whose coming forgot the others
    with pytest.raises(NotFound):
        jobs.get("none")


def test_stopping_ends_the_running_job_and_drops_the_queue() -> None:
    jobs, first, second = Jobs(), Batches(), Batches()
    one, two = jobs.add("a", first), jobs.add("b", second)
    assert first.started.wait(5)
    first.go.release(1)
    jobs.stop(5)
    assert {jobs.get(one.id).state, jobs.get(two.id).state} == {"cancelled"}
    assert not second.started.is_set()
