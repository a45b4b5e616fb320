"""A command that runs in a process of its own and can be killed, and what can be seen of its writing from outside."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import neo4j
import psutil

from kgservice.cli import app

WRITES = ("MERGE ", "CREATE ", "SET ", "DELETE ", "REMOVE ")
LOCKS = 8  # a transaction between two statements: reading ones hold a lock or two on the schema
PAUSE = 0.002  # seconds between two looks at whether a process has ended
WRITING, STEPS = 0.85, 50  # of the moments are to be in the middle of writing; looks in the time that the work takes


class Work:
    """A command of the command line in a forked process: what the parent has imported need not be imported again."""

    def __init__(self, log: Path, *arguments: object) -> None:
        self.started = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            _run(log, [str(one) for one in arguments])
        self.status: int | None = None

    def ended(self) -> bool:
        """Say whether the command has ended, by itself or killed."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.status = os.waitstatus_to_exitcode(status) if pid else None
        return self.status is not None

    def stop(self) -> bool:
        """Hold the process where it is; False where it has ended before."""
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            os.kill(self.pid, signal.SIGSTOP)
            while not self.ended():
                if psutil.Process(self.pid).status() == psutil.STATUS_STOPPED:
                    return True
        return False

    def go_on(self) -> None:
        """Let a process that was held go on."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill the process with SIGKILL, held or not."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.wait()

    def wait(self, seconds: float = 300) -> int:
        """Return the exit status once the command has ended."""
        end = time.monotonic() + seconds
        while not self.ended():
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                raise TimeoutError(f"process {self.pid} has not ended within {seconds:.0f} s")
            time.sleep(PAUSE)
        assert self.status is not None
        return self.status


def _run(log: Path, arguments: list[str]) -> None:
    """The child: everything that it prints goes to the log."""
    status = 1
    try:
        out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(out, 1)
        os.dup2(out, 2)
        app(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        os._exit(status)


class Database:
    """Looks at the transactions of a database."""

    def __init__(self, driver: neo4j.Driver) -> None:
        self._driver = driver

    def writing(self) -> bool:
        """Say whether a transaction of anybody is in the middle of writing."""
        statement = "SHOW TRANSACTIONS YIELD currentQuery, activeLockCount RETURN currentQuery, activeLockCount"
        rows = self._driver.execute_query(neo4j.Query(statement)).records
        return any(
            any(word in row["currentQuery"] for word in WRITES) or row["activeLockCount"] > LOCKS for row in rows
        )


def half_written(folder: Path) -> Callable[[], bool]:
    """Return a look at a folder of releases that says whether one is being written."""
    return lambda: any(folder.glob(".staging-*/*"))


def hold(
    work: Work, writing: Callable[[], bool], rng: Random, seconds: float, over: Callable[[], bool] | None = None
) -> tuple[float, bool] | None:
    """Hold a process at a moment of about so many seconds; return when that was, and whether it was writing.

    Most moments are drawn until one is in the middle of writing, the others once. None where the process has ended, or
    what it was to do is `over`.
    """
    wanted = rng.random() < WRITING
    step = seconds
    while True:
        end = time.monotonic() + rng.uniform(0, step)
        while time.monotonic() < end and not work.ended():
            time.sleep(PAUSE)
        if work.ended() or (over and over()) or not work.stop():
            return None
        if (seen := writing()) or not wanted:
            return round(time.monotonic() - work.started, 2), seen
        work.go_on()
        step = seconds / STEPS
