"""The service's metrics for Prometheus: requests by route and their time, jobs by state, and the process itself.

Several workers of one service count in files of one folder, so that each of them can tell the sum; of memory and CPU
they tell nothing then. prometheus_client takes the folder from its environment variable as it is imported.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import psutil
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector
from starlette.types import Scope

SHARED = "PROMETHEUS_MULTIPROC_DIR"  # set before a worker starts
METHODS = frozenset(("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"))
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one app. `states` returns the states of its jobs. No label has a value chosen by a caller.

    `shared`: the folder in which this worker and the others count; None for a service of one process.
    """

    def __init__(self, states: Callable[[], Iterable[str]], shared: Path | None = None) -> None:
        self._registry, self._shared = CollectorRegistry(), shared
        if shared is None:
            ProcessCollector(registry=self._registry)
        labels = ("method", "route", "status")
        self._requests = Counter("kgservice_requests", "Requests answered.", labels, registry=self._registry)
        self._seconds = Histogram(
            "kgservice_request_seconds",
            "Time to the answer.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self.under_way = Gauge(
            "kgservice_requests_under_way",
            "Requests being answered.",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._jobs = _Jobs(states)

    def answered(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answered request under its route's template."""
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        registry = CollectorRegistry()
        registry.register(self._jobs)
        if self._shared is None:
            return generate_latest(self._registry) + generate_latest(registry)
        for file in self._shared.glob("gauge_live*.db"):
            if not psutil.pid_exists(pid := int(file.stem.rsplit("_", 1)[-1])):
                mark_process_dead(pid, str(self._shared))  # type: ignore[no-untyped-call]  # killed: nothing is under way
        MultiProcessCollector(registry, path=str(self._shared))  # type: ignore[no-untyped-call]
        return generate_latest(registry)


class _Jobs(Collector):
    def __init__(self, states: Callable[[], Iterable[str]]) -> None:
        self._states = states

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the jobs by state as they are now."""
        family = GaugeMetricFamily("kgservice_jobs", "Jobs that are remembered, by state.", labels=("state",))
        for state, number in sorted(Tally(self._states()).items()):
            family.add_metric((state,), number)
        yield family
