"""Several processes that answer the requests of one service.

The parent holds the data folder, runs the jobs, watches Neo4j and counts requests for the rate limit; it answers none.
Its workers share one listening socket. They ask the parent for the queue of jobs and the limit over a connection on
loopback, with a secret that multiprocessing gives to the children of a process alone. A worker that dies is started
again, and so is one that hangs; workers whose parent has died end.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
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
from uvicorn.supervisors.multiprocess import Process

from kgservice.api.app import OneService, at_work, create_app
from kgservice.api.entry.limit import Limit
from kgservice.api.entry.metrics import SHARED
from kgservice.api.jobs import Jobs
from kgservice.core.settings import Settings
from kgservice.core.storage import new_folder

log = logging.getLogger("uvicorn.error")
LOOPBACK = "127.0.0.1"
HUNG = 30  # seconds without an answer to its parent after which a worker is replaced, once it has answered requests
STARTING = 300  # seconds that a worker may take until it answers requests
JOBS, LIMIT = ("add", "orders", "get", "all", "cancel"), ("wait",)  # what workers ask for

Address = tuple[str, int]


def serve_by_workers(
    settings: Settings, number: int, host: str, port: int, prepare: Callable[[], None], options: dict[str, Any]
) -> None:
    """Serve until a signal ends it. Each worker calls `prepare` before it makes its app; `options` are uvicorn's."""
    app = create_app(settings)
    with at_work(app), new_folder(settings.home, "metrics-") as metrics:  # it holds the data folder
        os.environ[SHARED] = str(metrics)
        with offered(app.state.jobs, Limit(settings.rate_limit)) as address:
            factory = partial(worker, settings, address, metrics, prepare)
            run_workers(factory, number, host, port, options)


def run_workers(factory: Callable[[], FastAPI], number: int, host: str, port: int, options: dict[str, Any]) -> None:
    """Run so many workers, whose app `factory` makes, until a signal ends them."""
    config = uvicorn.Config(factory, factory=True, host=host, port=port, workers=number, **options)
    config.timeout_worker_healthcheck = HUNG
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        # not by uvicorn, which says that it runs as soon as the socket is bound
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.set_inheritable(True)
        Workers(config, sockets=[listener]).run()


class Workers(Multiprocess):
    """uvicorn's parent of workers. It gives a worker time to start, and says when the first one answers."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._seen: dict[int | None, float] = {}  # when a worker that starts was seen first, by pid
        self._answering: set[int | None] = set()

    def keep_subprocess_alive(self) -> None:
        """Start workers again that have died or hang; those that start are left alone."""
        starting = [one for one in self.processes if self._starts(one)]
        self.processes = [one for one in self.processes if one not in starting]
        super().keep_subprocess_alive()
        self.processes = [*starting, *self.processes]

    def restart_all(self) -> None:
        """Renew the workers one by one, each of which has the time to start."""
        self.config.timeout_worker_healthcheck = STARTING
        super().restart_all()
        self.config.timeout_worker_healthcheck = HUNG

    def _starts(self, process: Process) -> bool:
        """Say whether a worker lives, answers no requests yet, and has time left for that."""
        if process.pid in self._answering or not process.process.is_alive():
            return False
        while process.parent_conn.poll():  # answers to earlier calls
            process.parent_conn.recv()
        if process.is_ready(timeout=0.1):
            if not self._answering:
                host, port = self.config.host, self.config.port
                address = f"http://{host if ':' not in host else f'[{host}]'}:{port}"
                log.info("Uvicorn running on %s (Press CTRL+C to quit)", address)
            self._answering.add(process.pid)
            return False
        return time.monotonic() - self._seen.setdefault(process.pid, time.monotonic()) < STARTING


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
