"""Workers and readers of a load that are copied from a process that has read something (read_something.py).

A worker takes a fifth of the processor time of one that starts as a user's does, a reader of files a tenth.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext

from kgservice.core import pools
from kgservice.ingest import sources


class CopiedReader:
    """The child of `sources.py`, with what that uses of a Popen."""

    def __init__(self, _command: list[str], **_options: object) -> None:
        context = copying("")
        orders, to_child = context.Pipe(duplex=False)
        from_child, messages = context.Pipe(duplex=False)
        self._process = context.Process(target=_serve, args=(orders, messages), daemon=True)
        self._process.start()
        self.pid, self.returncode = self._process.pid, None
        self.stdin = os.fdopen(os.dup(to_child.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(from_child.fileno()), "rb")
        for one in (orders, to_child, from_child, messages):
            one.close()

    def poll(self) -> int | None:
        """Return the exit status, None while the child runs."""
        self.returncode = self._process.exitcode
        return self.returncode

    def communicate(self) -> None:
        """Wait until the child has ended."""
        with suppress(OSError):
            self.stdin.close()
        self.stdout.read()
        self.stdout.close()
        self._process.join()
        self.poll()


def _serve(orders: Connection, messages: Connection) -> None:
    """Be the child, in a session of its own, with its standard files."""
    os.setsid()
    os.dup2(orders.fileno(), 0)
    os.dup2(messages.fileno(), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    orders.close()
    messages.close()
    sys.stdin = os.fdopen(0, closefd=False)
    sources.serve()


def copying(_: str) -> BaseContext:
    """Return how processes are started, in place of `get_context` of core/pools.py."""
    multiprocessing.set_forkserver_preload(["tests.read_something"])
    return multiprocessing.get_context("forkserver")


def copy_workers() -> None:
    """Have the pools and readers of the processes that are forked from this one copy their processes."""
    pools.get_context = copying  # type: ignore[assignment]
    sources.Popen = CopiedReader  # type: ignore[assignment, misc]
    copying("")
    forkserver.ensure_running()
    # it runs as long as this process does, and a forked one cannot ask after it
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined, method-assign]
