"""Pools of workers that run a stage's functions: processes of this machine here, a Ray cluster's in ray_pool.py."""

from __future__ import annotations

import atexit
import gc
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Protocol, TypeVar

DIED = "the process that read it died, perhaps for want of memory"
T = TypeVar("T")


class WorkerDied(RuntimeError):  # noqa: N818 - it says what happened
    """The worker of a call died, perhaps for want of memory."""


class Pool(Protocol):
    """Workers that run functions of a module, which get and return values that can be pickled.

    A future raises what its function raised, or another error if the worker died. What is submitted is never tried
    again: that is for the stage to decide.
    """

    def submit(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Run `work(*given)` in a worker."""
        ...

    def run_apart(self, work: Callable[..., T], *given: object) -> T:
        """Return `work(*given)`, run in a worker that no other call can end. Raises WorkerDied if it dies."""
        ...

    def close(self, *, at_once: bool = False) -> None:
        """End the workers; `at_once` without waiting for what they do."""
        ...


class ProcessPool:
    """Worker processes of this machine, one a core, started at the first call."""

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or os.cpu_count() or 1
        self._running: ProcessPoolExecutor | None = None

    def submit(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Run `work(*given)` in a worker. A worker that dies ends all calls under way, and the next starts new ones."""
        if self._running is None:
            self._running = _started(self._processes)
        try:
            return self._running.submit(work, *given)
        except BrokenProcessPool:
            self._running = _started(self._processes)
            return self._running.submit(work, *given)

    def run_apart(self, work: Callable[..., T], *given: object) -> T:
        """Return `work(*given)`, run in a process of its own. Raises WorkerDied if it dies."""
        with _started(1) as one:
            try:
                return one.submit(work, *given).result()
            except BrokenProcessPool:
                raise WorkerDied(DIED) from None

    def close(self, *, at_once: bool = False) -> None:
        """End the workers; `at_once` by killing them, also where the pool has not quite begun."""
        if self._running is None:
            return
        if at_once:
            for worker in active_children():
                worker.kill()
        self._running.shutdown(wait=not at_once, cancel_futures=True)


def _started(count: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(count, get_context("spawn"), _start)


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    Thread(target=_follow, name="parent", daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = "1"
    atexit.register(gc.freeze)  # no look for garbage among models and modules at a worker's end


def _follow() -> None:
    """End with the parent however it ends: what SIGKILL ends tells nobody, and its workers would wait for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
