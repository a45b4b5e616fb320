"""The service's metrics for Prometheus: requests by route and their time, jobs by state, and the process itself."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import Scope

METHODS = frozenset(("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"))
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """The counters of one app. `states` returns the states of its jobs. No label has a value chosen by a caller."""

    def __init__(self, states: Callable[[], Iterable[str]]) -> None:
        self._registry = CollectorRegistry()
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
        self.under_way = Gauge("kgservice_requests_under_way", "Requests being answered.", registry=self._registry)
        self._registry.register(_Jobs(states))

    def answered(self, scope: Scope, status: int, seconds: float) -> None:
        """Count an answered request under its route's template."""
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)


class _Jobs(Collector):
    def __init__(self, states: Callable[[], Iterable[str]]) -> None:
        self._states = states

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the jobs by state as they are now."""
        family = GaugeMetricFamily("kgservice_jobs", "Jobs that are remembered, by state.", labels=("state",))
        for state, number in sorted(Tally(self._states()).items()):
            family.add_metric((state,), number)
        yield family
