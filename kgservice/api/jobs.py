"""Long work in the background: one thread, a queue, results in memory until the service stops."""

from __future__ import annotations

import logging
import queue
import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from fastapi import HTTPException
from pydantic import Field

from kgservice.errors import KgserviceError, NotFound
from kgservice.model import Record
from kgservice.pipeline import Advance
from kgservice.tally import LoadReport

log = logging.getLogger("kgservice")
WAITING, FINISHED = 20, 1_000  # jobs in the queue, whose documents are in memory; finished ones that are remembered


class Evaluation(Record):
    """That a submission for a release was measured; what it came to is between its sender and the admin."""

    version: str
    questions: int


Kind: TypeAlias = Literal["load", "evaluation"]
Report: TypeAlias = LoadReport | Evaluation
Work = Callable[[Advance], Report]


class Job(Record):
    """A piece of work; `progress` counts documents written and vectors made, `report` comes when it is done."""

    id: str
    kind: Kind = "load"
    corpus: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    progress: dict[str, int] = Field(default_factory=dict, examples=[{"documents": 500, "vectors": 0}])
    created: datetime
    started: datetime | None = None
    finished: datetime | None = None
    report: Report | None = None
    error: str | None = None


class _Cancelled(Exception):  # noqa: N818 - not an error
    """Ends a running job between two batches."""


class Jobs:
    """Runs jobs one after the other; the thread starts with the first one."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._work: queue.SimpleQueue[tuple[str, Work] | None] = queue.SimpleQueue()
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, corpus: str, work: Work, kind: Kind = "load") -> Job:
        """Queue a piece of work (429 where too many wait)."""
        job = Job(id=uuid.uuid4().hex, kind=kind, corpus=corpus, state="queued", created=datetime.now(UTC))
        with self._lock:
            if self._work.qsize() >= WAITING:
                raise HTTPException(429, f"{WAITING} jobs wait already: try again later", {"Retry-After": "30"})
            self._jobs[job.id] = job
            self._work.put((job.id, work))
            self._forget()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="kgservice-jobs", daemon=True)
                self._thread.start()
        return job

    def get(self, key: str) -> Job:
        """Return a job (NotFound)."""
        with self._lock:
            return self._get(key)

    def all(self) -> list[Job]:
        """Return the jobs, newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def cancel(self, key: str) -> Job:
        """Cancel a queued job now, a running one after its present batch; what it wrote stays (409 if it ended)."""
        with self._lock:
            job = self._get(key)
            if job.finished is not None:
                raise HTTPException(409, f"job {key} is {job.state} already")
            self._cancelled.add(key)
            return self._set(key, "cancelled") if job.state == "queued" else job

    def stop(self, wait: float = 30.0) -> None:
        """Cancel everything and wait, at most so many seconds, for the present batch to end."""
        with self._lock:
            self._cancelled.update(self._jobs)
        if self._thread is not None:
            self._work.put(None)
            self._thread.join(wait)

    def _run(self) -> None:
        while (item := self._work.get()) is not None:
            key, work = item
            with self._lock:
                if key in self._cancelled:
                    if self._jobs[key].finished is None:
                        self._set(key, "cancelled")
                    continue
                self._jobs[key] = self._jobs[key].model_copy(update={"state": "running", "started": datetime.now(UTC)})
            self._do(key, work)

    def _do(self, key: str, work: Work) -> None:
        def advance(stage: str, count: int) -> None:
            with self._lock:
                progress = self._jobs[key].progress
                self._jobs[key] = self._jobs[key].model_copy(
                    update={"progress": progress | {stage: progress.get(stage, 0) + count}}
                )
                if key in self._cancelled and stage != "read":  # what is being read is still written
                    raise _Cancelled

        try:
            report = work(advance)
        except _Cancelled:
            self._end(key, "cancelled")
        except KgserviceError as error:
            self._end(key, "failed", error=str(error))
        except Exception as error:  # the thread must live for the jobs after this one
            log.error("job %s failed", key, exc_info=error)
            self._end(key, "failed", error=f"unexpected {type(error).__name__}; it is in the service's log")
        else:
            self._end(key, "done", report=report)

    def _end(
        self,
        key: str,
        state: Literal["done", "failed", "cancelled"],
        *,
        report: Report | None = None,
        error: str | None = None,
    ) -> None:
        with self._lock:
            self._set(key, state, report=report, error=error)

    def _set(
        self,
        key: str,
        state: Literal["done", "failed", "cancelled"],
        *,
        report: Report | None = None,
        error: str | None = None,
    ) -> Job:
        end = {"state": state, "finished": datetime.now(UTC), "report": report, "error": error}
        self._jobs[key] = self._jobs[key].model_copy(update=end)
        return self._jobs[key]

    def _get(self, key: str) -> Job:
        if key not in self._jobs:
            raise NotFound(f"no job {key!r}; jobs are forgotten when the service stops")
        return self._jobs[key]

    def _forget(self) -> None:
        ended = [key for key, job in self._jobs.items() if job.finished is not None]
        for key in ended[: max(0, len(ended) - FINISHED)]:
            del self._jobs[key]
            self._cancelled.discard(key)
