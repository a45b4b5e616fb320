"""Workers of a load that are copied from a process that has read something (read_something.py), for a fifth of the time."""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import BaseContext

from kgservice.core import pools


def copying(_: str) -> BaseContext:
    """Return how processes are started, in place of `get_context` of core/pools.py."""
    multiprocessing.set_forkserver_preload(["tests.read_something"])
    return multiprocessing.get_context("forkserver")


def copy_workers() -> None:
    """Have the pools of the processes that are forked from this one copy their workers."""
    pools.get_context = copying  # type: ignore[assignment]
    copying("")
    forkserver.ensure_running()
    # it runs as long as this process does, and a forked one cannot ask after it
    forkserver._forkserver.ensure_running = lambda: None  # type: ignore[attr-defined, method-assign]
