"""Background jobs: order, states, failures, cancelling, and what a service that is stopped or killed leaves."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi import HTTPException

from kgservice.api import jobs as module
from kgservice.api.job_records import Job, SubmissionEvaluation
from kgservice.api.jobs import INTERRUPTED, Jobs
from kgservice.core.errors import GraphUnavailable, NotFound
from kgservice.core.records import Record
from kgservice.ingest.load_report import DocumentCounts, LoadReport, TripletCounts
from kgservice.ingest.pipeline import Advance

REPORT = LoadReport(
    documents=DocumentCounts(given=1, stored=1, unchanged=0, rejected={}, failed={}),
    chunks=1,
    triplets=TripletCounts(given=0, kept=0, rejected={}),
    facts=0,
    entities=0,
    seconds=0.1,
)


class Order(Record):
    what: str


class Works:
    """Does what an order names; "batches" are three, each when it is allowed."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.started, self.go = threading.Event(), threading.Semaphore(0)

    def __call__(self, text: str, advance: Advance) -> LoadReport:
        what = Order.model_validate_json(text).what
        self.begun.append(what)
        if what == "away":
            raise GraphUnavailable("no Neo4j answers")
        if what == "broken":
            raise ZeroDivisionError("a secret")
        if what.startswith("batches"):
            self.started.set()
            for _ in range(3):
                assert self.go.acquire(timeout=5)
                advance("read", 10)
                advance("documents", 10)
        return REPORT


@pytest.fixture
def works() -> Works:
    return Works()


@pytest.fixture
def jobs(tmp_path: Path, works: Works) -> Jobs:
    return opened(tmp_path, works)


def opened(folder: Path, work: Callable[[str, Advance], LoadReport]) -> Jobs:
    return Jobs(
        folder / "jobs.sqlite", {"load": work, "evaluation": lambda *_: SubmissionEvaluation(version="1", questions=2)}
    )


def added(jobs: Jobs, what: str, **known: bool) -> str:
    return jobs.add("load", "a", Order(what=what), by="ada", **known).id


def finished(jobs: Jobs, key: str) -> Job:
    for _ in range(500):
        if (job := jobs.get(key)).finished is not None:
            return job
        time.sleep(0.01)
    raise AssertionError(f"job {key} does not end")


def test_jobs_run_one_after_the_other(jobs: Jobs, works: Works) -> None:
    one, two = added(jobs, "batches 1"), added(jobs, "batches 2")
    assert works.started.wait(5)
    assert (jobs.get(one).state, jobs.get(two).state, works.begun) == ("running", "queued", ["batches 1"])
    works.go.release(3)
    done = finished(jobs, one)
    assert (done.state, done.report, done.progress) == ("done", REPORT, {"read": 30, "documents": 30})
    works.go.release(3)
    assert finished(jobs, two).state == "done"
    assert [job.id for job in jobs.all()] == [two, one]
    assert done.created <= done.started <= done.finished  # type: ignore[operator]


def test_a_queued_job_is_cancelled_at_once_and_a_running_one_after_its_batch(jobs: Jobs, works: Works) -> None:
    one, two = added(jobs, "batches 1"), added(jobs, "batches 2")
    assert works.started.wait(5)
    assert jobs.cancel(two).state == "cancelled"
    assert jobs.cancel(one).state == "cancelling"
    works.go.release(1)
    ended = finished(jobs, one)
    assert (ended.state, ended.progress, ended.report) == ("cancelled", {"read": 10, "documents": 10}, None)
    with pytest.raises(HTTPException, match="cancelled already") as refused:
        jobs.cancel(two)
    assert refused.value.status_code == 409
    assert finished(jobs, added(jobs, "quick")).state == "done"
    assert works.begun == ["batches 1", "quick"]


def test_jobs_that_nobody_takes_over_do_not_resume(tmp_path: Path, works: Works) -> None:
    short = Jobs(tmp_path / "short.sqlite", {"load": works}, lasting=False)
    assert not short.get(added(short, "quick")).resumes
    with pytest.raises(NotFound, match="no job 'gone': a job ends with the connection that ordered it"):
        short.get("gone")


def test_cancelled_jobs_that_are_forgotten_stop_no_other(
    jobs: Jobs, works: Works, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FINISHED", 2)
    added(jobs, "batches")
    assert works.started.wait(5)
    for _ in range(5):
        jobs.cancel(added(jobs, "never"))
    last = added(jobs, "quick")
    works.go.release(3)
    assert finished(jobs, last).state == "done"


def test_what_costs_money_is_cancelled_while_it_reads(jobs: Jobs, works: Works) -> None:
    key = added(jobs, "batches", resumes=False)
    assert works.started.wait(5)
    jobs.cancel(key)
    works.go.release(1)
    assert finished(jobs, key).progress == {"read": 10}


def test_a_failing_job_says_why_and_the_next_one_runs(jobs: Jobs, caplog: pytest.LogCaptureFixture) -> None:
    keys = [added(jobs, what) for what in ("away", "broken", "quick")]
    found = [finished(jobs, key) for key in keys]
    assert [job.state for job in found] == ["failed", "failed", "done"]
    assert found[0].error == "no Neo4j answers"
    assert "secret" not in str(found[1].error)
    assert "a secret" in caplog.text


def test_too_many_waiting_jobs_are_refused(jobs: Jobs, works: Works, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAITING", 1)
    added(jobs, "batches")
    assert works.started.wait(5)
    second = added(jobs, "quick")
    assert added(jobs, "quick") == second  # the same order is the same job
    with pytest.raises(HTTPException) as refused:
        added(jobs, "another")
    assert refused.value.status_code == 429
    assert jobs.add("evaluation", "a", Order(what="one")).state == "queued"  # what was taken in is evaluated
    works.go.release(3)


def test_old_finished_jobs_are_forgotten(
    jobs: Jobs, works: Works, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FINISHED", 2)
    for number in range(5):
        finished(jobs, added(jobs, f"quick {number}"))
    assert len(jobs.all()) == 3  # two finished ones, and the one whose coming forgot the others
    after = opened(tmp_path, works)
    after.start()
    assert after.all() == jobs.all()
    with pytest.raises(NotFound):
        jobs.get("none")


def test_a_stopped_service_goes_on_at_its_next_start(jobs: Jobs, works: Works, tmp_path: Path) -> None:
    keys = [added(jobs, what) for what in ("batches", "quick")]
    assert works.started.wait(5)
    works.go.release(1)
    jobs.stop(5)
    assert {jobs.get(key).state for key in keys} == {"queued"}
    assert works.begun == ["batches"]

    after = opened(tmp_path, works)
    works.go.release(3)
    after.start()
    done = [finished(after, key) for key in keys]
    assert [(job.state, job.starts, job.by) for job in done] == [("done", 2, "ada"), ("done", 1, "ada")]
    assert (done[0].progress, done[0].report) == ({"read": 30, "documents": 30}, REPORT)
    assert works.begun == ["batches", "batches", "quick"]


def test_a_killed_service_does_not_try_for_ever(tmp_path: Path) -> None:
    key, every = "", [Works() for _ in range(3)]
    for work in every:
        jobs = opened(tmp_path, work)
        if key:
            jobs.start()
        key = key or added(jobs, "batches")
        assert work.started.wait(5)  # and stays so, which leaves the file as a kill would
        assert jobs.get(key).state == "running"
    last = opened(tmp_path, Works())
    last.start()
    assert (last.get(key).state, last.get(key).error, last.get(key).starts) == ("failed", INTERRUPTED, 3)
    for work in every:
        work.go.release(3)


def test_what_costs_money_is_not_begun_twice(jobs: Jobs, works: Works, tmp_path: Path) -> None:
    paid = added(jobs, "batches", resumes=False)
    assert works.started.wait(5)
    after = opened(tmp_path, works)
    after.start()
    assert (after.get(paid).state, after.get(paid).error) == ("failed", INTERRUPTED)
    works.go.release(3)
