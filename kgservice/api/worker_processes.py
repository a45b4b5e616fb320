"""Several processes that answer the requests of one service.

The parent holds the data folder, runs the jobs, watches Neo4j and counts requests for the rate limit; it answers none.
Its workers share one listening socket. They ask the parent for the queue of jobs and the limit over a connection on
loopback, with a secret that multiprocessing gives to the children of a process alone. A worker that dies is started
again; workers whose parent has died end.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.managers import BaseManager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from kgservice.api.app import OneService, at_work, create_app
from kgservice.api.entry.limit import Limit
from kgservice.api.entry.metrics import SHARED
from kgservice.api.jobs import Jobs
from kgservice.core.settings import Settings

LOOPBACK = "127.0.0.1"
HUNG = 30  # seconds without an answer to its parent after which a worker is replaced
JOBS, LIMIT = ("add", "orders", "get", "all", "cancel"), ("wait",)  # what workers ask for

Address = tuple[str, int]


def serve_by_workers(
    settings: Settings, number: int, host: str, port: int, prepare: Callable[[], None], options: dict[str, Any]
) -> None:
    """Serve until a signal ends it. Each worker calls `prepare` before it makes its app; `options` are uvicorn's."""
    app = create_app(settings)
    with at_work(app), tempfile.TemporaryDirectory(prefix="kgservice-metrics-") as metrics:
        os.environ[SHARED] = metrics
        with offered(app.state.jobs, Limit(settings.rate_limit)) as address:
            factory = partial(worker, settings, address, Path(metrics), prepare)
            config = uvicorn.Config(
                factory, factory=True, host=host, port=port, workers=number, timeout_worker_healthcheck=HUNG, **options
            )
            Multiprocess(config, sockets=[config.bind_socket()]).run()


def worker(settings: Settings, address: Address, metrics: Path, prepare: Callable[[], None]) -> FastAPI:
    """Return the app of a worker, whose parent offers the queue of jobs and the limit at an address."""
    threading.Thread(target=_end_with_parent, name="kgservice-parent", daemon=True).start()
    offer: Any = _offer(None, None)(address)
    offer.connect()
    app = create_app(settings, shared=OneService(offer.jobs(), offer.limit(), metrics))
    prepare()
    return app


@contextmanager
def offered(jobs: Jobs, limit: Limit) -> Iterator[Address]:
    """Offer a queue of jobs and a limit to the children of this process, and yield the address."""
    server: Any = _offer(jobs, limit)((LOOPBACK, 0)).get_server()
    threading.Thread(target=server.serve_forever, name="kgservice-workers", daemon=True).start()
    try:
        yield server.address
    finally:
        server.stop_event.set()


def _offer(jobs: Jobs | None, limit: Limit | None) -> type[BaseManager]:
    """Return the kind of manager by which the two are offered, or asked for."""

    class Offer(BaseManager):
        """Jobs and limit of the parent."""

    Offer.register("jobs", lambda: jobs, exposed=JOBS)
    Offer.register("limit", lambda: limit, exposed=LIMIT)
    return Offer


def _end_with_parent() -> None:
    """End this process, its requests under way first, when its parent has ended."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
