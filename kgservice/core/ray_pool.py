"""A pool of Ray's workers: those of this machine, or of a cluster on whose nodes the same kgservice is installed."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from copy import copy
from functools import partial
from importlib.metadata import version as installed
from typing import Any, Self, TypeVar

from kgservice.core.errors import BadRequest
from kgservice.core.pools import DIED, WorkerDied

LOCAL = "local"
VERSION = installed("kgservice")
TRIES = 3  # workers that a call may cost
ANSWER = 10  # seconds for a cluster's head node to take a connection: Ray itself tries for minutes
STORE = 200_000_000  # bytes of shared memory for texts and results under way, on this machine
T = TypeVar("T")


class RayPool:
    """Ray's workers, one a CPU of the cluster. `address` is "local", "auto", or that of a cluster's head node.

    A Ray that the program has started before is used and left as it is. Raises BadRequest without the extra `ray` and
    if no cluster answers. `cpus` is how much of a CPU one call takes: 2 halves the number of workers.
    """

    def __init__(self, address: str = LOCAL, cpus: float = 1) -> None:
        self._ray = _ray()
        self._own = not self._ray.is_initialized()
        if self._own:
            _connect(self._ray, address)
        self._run = self._ray.remote(_run).options(num_cpus=cpus, max_retries=0)

    def submit(self, work: Callable[..., T], *given: object) -> Future[T]:
        """Run `work(*given)` in a worker."""
        made: Future[T] = Future()
        sent = self._run.remote(VERSION, work, given).future()
        sent.add_done_callback(partial(_pass_on, self._deaths(), made))
        return made

    def run_apart(self, work: Callable[..., T], *given: object) -> T:
        """Return `work(*given)`. Raises WorkerDied if it cost several workers: one may die for other reasons."""
        for _ in range(TRIES - 1):
            with suppress(WorkerDied):
                return self.submit(work, *given).result()
        return self.submit(work, *given).result()

    def close(self, *, at_once: bool = False) -> None:
        """Leave the cluster, which drops what is still under way; a Ray of our own ends."""
        if self._own:
            self._ray.shutdown()

    def on_gpus(self) -> Self:
        """Return this pool with calls that take a GPU each if the cluster has any."""
        if not self._ray.cluster_resources().get("GPU"):
            return self
        other = copy(self)
        other._run = self._run.options(num_gpus=1)
        return other

    def _deaths(self) -> tuple[type[Exception], ...]:
        raised = self._ray.exceptions
        return raised.WorkerCrashedError, raised.NodeDiedError, raised.OutOfMemoryError


def _run(version: str, work: Callable[..., T], given: tuple[object, ...]) -> tuple[T | None, Exception | None]:
    """Return (what the work returned, None) or (None, its error): Ray would put its own text around an error."""
    if version != VERSION:
        error = f"a node of the Ray cluster has kgservice {VERSION}, this machine {version}: install the same"
        return None, BadRequest(error)
    try:
        return work(*given), None
    except Exception as error:  # noqa: BLE001 - the caller's future raises it
        return None, error


def _pass_on(deaths: tuple[type[Exception], ...], made: Future[T], sent: Future[tuple[T, Exception | None]]) -> None:
    if (lost := sent.exception()) is not None:
        made.set_exception(WorkerDied(DIED) if isinstance(lost, deaths) else lost)
        return
    result, error = sent.result()
    if error is None:
        made.set_result(result)
    else:
        made.set_exception(error)


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
    try:
        import ray
    except ModuleNotFoundError:
        raise BadRequest("--ray needs Ray: pip install ray") from None
    return ray


def _connect(ray: Any, address: str) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        options |= {"num_cpus": os.cpu_count(), "object_store_memory": STORE, "include_dashboard": False}
    _check_answers(address)
    try:
        ray.init(address=address, **options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise BadRequest(f"no Ray cluster at {address!r} ({' '.join(str(error).split())[:200]})") from error


def _check_answers(address: str) -> None:
    """Raise BadRequest if nothing listens at a cluster's address (HOST:6379, ray://HOST:10001)."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER).close()
        except (OSError, OverflowError) as error:
            raise BadRequest(f"no Ray cluster at {address!r} ({error}): start it, or give its head node") from error
