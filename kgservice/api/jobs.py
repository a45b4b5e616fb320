"""Background jobs: one thread, a queue on disk. Jobs of a service that was killed continue at the next start."""

from __future__ import annotations

import logging
import multiprocessing
import queue
import sqlite3
import threading
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import HTTPException

from kgservice.api.job_records import Job, Kind, Report, State
from kgservice.core.errors import KgserviceError, NotFound
from kgservice.core.records import Record
from kgservice.core.sqlite import transaction
from kgservice.core.storage import storage_error
from kgservice.ingest.pipeline import Advance

log = logging.getLogger("kgservice")
WAITING, FINISHED = 20, 1_000  # jobs in the queue; finished ones that are remembered
STARTS = 3  # of one job: what brings the service down is not tried for ever
REMEMBERED = f"of those that have ended the last {FINISHED:,} are remembered, and GET /jobs lists them"
FORGOTTEN = "a job ends with the connection that ordered it; load the documents again, what is stored is not read twice"
INTERRUPTED = "interrupted: the service stopped while it ran; send it again, what was done is not done twice"

Runner = Callable[[str, Advance], Report]  # from an order as JSON
_TABLE = "job (id TEXT PRIMARY KEY, record TEXT NOT NULL, given TEXT)"


class _Stopped(Exception):  # noqa: N818 - not an error
    """Raised inside a running job, between two batches, to end it."""


class Jobs:
    """Runs jobs one after the other; the thread starts with the first one. `runners` do what is ordered, by kind.

    `lasting` False: nobody takes the jobs over, so none resumes and none is known once the process has ended.
    """

    def __init__(self, path: Path, runners: Mapping[Kind, Runner], *, lasting: bool = True) -> None:
        self._path, self._runners, self._lasting = path, runners, lasting
        self._jobs: dict[str, Job] = {}
        self._queue: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._cancelled: set[str] = set()
        self._stopping = False
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Take over the jobs of the service before: what did not end is queued again, or failed where that costs."""
        with self._open() as db:
            rows = db.execute("SELECT record FROM job ORDER BY rowid").fetchall()
        with self._lock:
            for job in (Job.model_validate_json(row[0]) for row in rows):
                self._jobs[job.id] = job
                if job.finished is None:
                    self._again(job.id)

    def add(self, kind: Kind, corpus: str, order: Record, *, by: str = "", resumes: bool = True) -> Job:
        """Queue what is ordered, or return the job that does so already (429 where too many wait).

        `resumes` False: it is begun once only, as it costs money or makes something each time.
        """
        text = order.model_dump_json()
        known: dict[str, Any] = {"kind": kind, "corpus": corpus, "by": by, "resumes": resumes and self._lasting}
        job = Job(id=uuid.uuid4().hex, state="queued", created=datetime.now(UTC), **known)
        with self._lock:
            with self._open() as db:
                waiting = dict(db.execute("SELECT id, given = ? FROM job WHERE given IS NOT NULL", (text,)).fetchall())
                same = (self._jobs[key] for key, equal in waiting.items() if equal and key in self._jobs)
                if found := next((one for one in same if one.kind == kind and one.state == "queued"), None):
                    return found
                if kind != "evaluation" and len(waiting) > WAITING:
                    raise HTTPException(429, f"{WAITING} jobs wait already: try again later", {"Retry-After": "30"})
                db.execute("INSERT INTO job VALUES (?, ?, ?)", (job.id, job.model_dump_json(), text))
                for key in self._old():
                    db.execute("DELETE FROM job WHERE id = ?", (key,))
            self._jobs[job.id] = job
            self._put(job.id)
        return job

    def orders(self, kind: Kind) -> list[str]:
        """Return what is ordered (JSON) by the jobs of a kind that have not ended."""
        with self._lock:
            with self._open() as db:
                rows = db.execute("SELECT id, given FROM job WHERE given IS NOT NULL").fetchall()
            return [given for key, given in rows if key in self._jobs and self._jobs[key].kind == kind]

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
            return self._end(key, "cancelled") if job.state == "queued" else self._set(key, state="cancelling")

    def stop(self, wait: float = 30.0) -> None:
        """Wait, at most so many seconds, for the running job to pause; what did not end goes on at the next start."""
        self._stopping = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(wait)
            if self._thread.is_alive():  # a signal ends the service without Python's own end, and these would stay
                for worker in multiprocessing.active_children():
                    worker.terminate()

    def _run(self) -> None:
        while (key := self._queue.get()) is not None and not self._stopping:
            with self._lock:
                job = self._jobs.get(key)
                if job is None or job.state != "queued":  # cancelled, and perhaps forgotten since
                    continue
                self._set(key, state="running", started=datetime.now(UTC), starts=job.starts + 1)
            self._do(key, job.kind)

    def _do(self, key: str, kind: Kind) -> None:
        try:
            with self._open() as db:
                order = db.execute("SELECT given FROM job WHERE id = ?", (key,)).fetchone()[0]
            report = self._runners[kind](order, lambda stage, count: self._advance(key, stage, count))
        except _Stopped:
            with self._lock:
                self._end(key, "cancelled") if key in self._cancelled else self._again(key)
        except KgserviceError as error:
            self._ended(key, "failed", error=str(error))
        except Exception as error:  # the thread must live for the jobs after this one
            log.error("job %s failed", key, exc_info=error)
            unknown = f"unexpected {type(error).__name__}; it is in the service's log"
            self._ended(key, "failed", error=str(storage_error(error) or unknown))
        else:
            self._ended(key, "done", report=report)

    def _advance(self, key: str, stage: str, count: int) -> None:
        with self._lock:
            job = self._jobs[key]
            progress = job.progress | {stage: job.progress.get(stage, 0) + count}
            self._jobs[key] = job.model_copy(update={"progress": progress})
            # what is being read is still written, but where a model reads: its answers are kept, and each more costs
            if self._stopping or (key in self._cancelled and (stage != "read" or not job.resumes)):
                raise _Stopped

    def _again(self, key: str) -> None:
        job = self._jobs[key]
        if job.state == "cancelling":  # the service was stopped before the job was
            self._end(key, "cancelled")
            return
        if job.state == "running" and (job.starts >= STARTS or not job.resumes):
            self._end(key, "failed", error=INTERRUPTED)
            return
        self._set(key, state="queued", progress={}, started=None)
        if not self._stopping:
            self._put(key)

    def _put(self, key: str) -> None:
        self._queue.put(key)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="kgservice-jobs", daemon=True)
            self._thread.start()

    def _ended(self, key: str, state: State, *, report: Report | None = None, error: str | None = None) -> None:
        with self._lock:
            self._end(key, state, report=report, error=error)

    def _end(self, key: str, state: State, *, report: Report | None = None, error: str | None = None) -> Job:
        self._cancelled.discard(key)
        return self._set(key, state=state, finished=datetime.now(UTC), report=report, error=error)

    def _set(self, key: str, **changes: Any) -> Job:
        job = self._jobs[key] = self._jobs[key].model_copy(update=changes)
        change = "UPDATE job SET record = ?, given = CASE WHEN ? THEN NULL ELSE given END WHERE id = ?"
        try:
            with self._open() as db:
                db.execute(change, (job.model_dump_json(by_alias=True), job.finished is not None, key))
        except sqlite3.Error as error:  # a full disk: the job itself goes on
            log.error("the state of job %s cannot be kept", key, exc_info=error)
        return job

    def _open(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._path, _TABLE)

    def _get(self, key: str) -> Job:
        if key not in self._jobs:
            raise NotFound(f"no job {key!r}: {REMEMBERED if self._lasting else FORGOTTEN}")
        return self._jobs[key]

    def _old(self) -> list[str]:
        """Forget the oldest of too many finished jobs and return their ids."""
        ended = [key for key, job in self._jobs.items() if job.finished is not None]
        old = ended[: max(0, len(ended) - FINISHED)]
        for key in old:
            del self._jobs[key]
        return old
