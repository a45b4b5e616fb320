"""Fifty clients at once on a service: its answers and their time, then with the database away in the middle.

Also the processor time of the service's processes and of the database a request, since clients share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

import httpx
import numpy as np
import psutil

from kgservice.core.settings import Settings
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import choose_port

KGS = [sys.executable, "-c", "from kgservice.cli import app; app()"]
CORPUS, WAIT = "demo", 120.0
AROUND = 20.0  # seconds of asking before the database goes, and after it is back
PATTERNS = ("single", "chain", "conditional_chain", "set_of_objects")


class Seen(NamedTuple):
    """One answer: its route, status (0: none at all), milliseconds, when it came, whether it says when to try again.

    `error`: the name of httpx's error and the one behind it, where there is no answer.
    """

    route: str
    status: int
    ms: float
    at: float
    retry_after: bool
    error: str = ""


class Ask(NamedTuple):
    """One request."""

    route: str
    method: str
    path: str
    body: dict[str, Any] | None = None


def main() -> None:
    """Load the demo corpus, serve it, ask; print a JSON object."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            with _service(home, options.workers) as (url, process):
                asks = _asks(url)
                _warm(url, asks, options.workers)
                measured = {"service": _family(process), "database": _family(psutil.Process(_pid(home)))}
                before = {name: _processor(family) for name, family in measured.items()}
                started = time.monotonic()
                calm = asyncio.run(_calm(url, asks, options))
                taken = time.monotonic() - started
                used = {name: _processor(family) - before[name] for name, family in measured.items()}
                memory = round(sum(one.memory_info().rss for one in measured["service"]) / 1e6)
                away, returned = asyncio.run(_with_outage(home, url, asks, options))
        finally:
            server.stop(home)
    spent = {name: round(1_000 * seconds / len(calm), 2) for name, seconds in used.items()}
    more = {"workers": options.workers, "processor_ms_a_request": spent, "memory_mb": memory}
    print(json.dumps(_result(calm, taken, away, returned, options) | more))


def _pid(home: Path) -> int:
    return int(json.loads((home / "neo4j" / "server.json").read_text())["pid"])


def _family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def _processor(family: list[psutil.Process]) -> float:
    return sum(one.cpu_times().user + one.cpu_times().system for one in family)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--workers", type=int, default=1, help="processes of the service")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--away", type=float, default=20, help="seconds that the database is stopped")
    return parser.parse_args()


@contextmanager
def _service(home: Path, workers: int) -> Iterator[tuple[str, psutil.Process]]:
    """Start a service on a managed Neo4j of its own, with the demo corpus; its address and process."""
    environment = environment_of(home)
    load_demo(environment)
    with service(home, environment, workers) as served:
        yield served


def environment_of(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a service on the managed Neo4j of a home: open to all, without a limit of requests."""
    environment = os.environ | {"KGS_HOME": str(home), "KGS_RATE_LIMIT": "0", "KGS_API_KEYS": "{}"} | more
    environment["PYTHONPATH"] = sys.path[0]
    for name in {"KGS_NEO4J_URI", "KGS_NEO4J_BOLT_PORT", "KGS_NEO4J_HTTP_PORT"} - more.keys():
        environment.pop(name, None)
    return environment


def load_demo(environment: dict[str, str]) -> None:
    """Load the demo corpus and make its questions."""
    subprocess.run([*KGS, "demo", "--json"], env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def service(home: Path, environment: dict[str, str], workers: int) -> Iterator[tuple[str, psutil.Process]]:
    """Run a service; its address and process."""
    port = choose_port(None, "port", [8765], None)
    command = [*KGS, "serve", "--port", str(port), "--workers", str(workers)]
    with (home / "service.log").open("wb") as log, serving(command, port, environment, log) as served:
        yield served


@contextmanager
def serving(
    command: list[str], port: int, environment: dict[str, str], log: IO[bytes] | None = None, folder: Path | None = None
) -> Iterator[tuple[str, psutil.Process]]:
    """Run a service that answers at a port; its address and process."""
    with subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            _await(url, process)
            yield url, psutil.Process(process.pid)
        finally:
            process.terminate()


def _await(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + WAIT
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{url}/health").is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise SystemExit(f"the service does not start (exit status {process.poll()})")


def _asks(url: str) -> list[Ask]:
    """Questions for two retrievers and pages of subgraphs, in turn."""
    return asks_of(demo_questions(url), CORPUS, ("bm25", "hybrid"))


def demo_questions(url: str) -> list[str]:
    """Return 200 questions of the demo."""
    found = httpx.get(f"{url}/questions", params={"corpus": CORPUS, "state": "active", "limit": 200}, timeout=60).json()
    return [one["question"] for one in found["items"]]


def asks_of(texts: list[str], corpus: str, retrievers: Sequence[str], *, pages: bool = True) -> list[Ask]:
    """Return a request for each text, of the retrievers in turn, and after each a page of subgraphs."""
    asks = []
    for text, pattern, name in zip(texts, cycle(PATTERNS), cycle(retrievers)):
        body = {"query": text, "retriever": name, "corpus": corpus, "k": 10}
        asks.append(Ask(f"retrieve {name}", "POST", "/retrieve", body))
        if pages:
            asks.append(Ask("subgraphs", "GET", f"/subgraphs/{pattern}?corpus={corpus}&limit=20"))
    return asks


def _warm(url: str, asks: list[Ask], workers: int) -> None:
    """Ask each kind of request some times, so that models are loaded and statements planned, in every worker."""
    for _ in range(4 * workers if workers > 1 else 1):  # a connection is one worker's
        with httpx.Client(base_url=url, timeout=300, trust_env=False) as http:
            for ask in asks[: 4 * len(PATTERNS)]:
                http.request(ask.method, ask.path, json=ask.body).raise_for_status()


async def _calm(url: str, asks: list[Ask], options: argparse.Namespace) -> list[Seen]:
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(options.seconds, over.set)
    return await _asked(url, asks, options.clients, over)


async def _asked(url: str, asks: list[Ask], clients: int, over: asyncio.Event) -> list[Seen]:
    """Let each client ask one after the other; one that is told to come again does so.

    Each has a connection of its own: a pool of 200 takes more processor time than the service, and reads answers late.
    """
    found, secure = list[Seen](), ssl.create_default_context()

    async def one(number: int) -> None:
        turn = islice(cycle(asks), number * 7, None)
        async with httpx.AsyncClient(base_url=url, timeout=60, verify=secure, trust_env=False) as http:
            while not over.is_set():
                seen = await _answer(http, next(turn))
                found.append(seen)
                if seen.status != 200:
                    await asyncio.sleep(1)

    await asyncio.gather(*(one(number) for number in range(clients)))
    return found


async def _answer(http: httpx.AsyncClient, ask: Ask) -> Seen:
    started = time.perf_counter()
    try:
        answer = await http.request(ask.method, ask.path, json=ask.body)
        status, again, wrong = answer.status_code, "retry-after" in answer.headers, ""
    except httpx.HTTPError as error:
        status, again, wrong = 0, False, f"{type(error).__name__}: {_root(error)!r}"
    return Seen(ask.route, status, 1_000 * (time.perf_counter() - started), time.monotonic(), again, wrong)


def _root(error: BaseException) -> BaseException:
    """Return the error that began it all: httpx wraps those of the connection."""
    before = error.__cause__ or error.__context__
    return error if before is None else _root(before)


async def _with_outage(home: Path, url: str, asks: list[Ask], options: argparse.Namespace) -> tuple[list[Seen], float]:
    """Ask on while the database stops for a while; return the answers and when it was there again."""
    over, settings = asyncio.Event(), Settings(neo4j_uri=None)
    asking = asyncio.create_task(_asked(url, asks, options.clients, over))
    await asyncio.sleep(AROUND)
    await asyncio.to_thread(server.stop, home)
    await asyncio.sleep(options.away)
    memory = {"heap": settings.neo4j_heap, "pagecache": settings.neo4j_pagecache}
    version = settings.neo4j_version
    await asyncio.to_thread(lambda: server.start(home, settings.cache, version=version, **memory))
    returned = time.monotonic()
    await asyncio.sleep(AROUND)
    over.set()
    return await asking, returned


def _result(
    calm: list[Seen], taken: float, away: list[Seen], returned: float, options: argparse.Namespace
) -> dict[str, Any]:
    good, refused = [one for one in calm if one.status == 200], [one for one in away if one.status == 503]
    if not good:
        raise SystemExit("no request was answered")
    last = max((one.at for one in away if one.status != 200), default=returned)
    return {
        "clients": options.clients,
        "seconds": round(taken, 1),
        "requests": len(calm),
        "requests_per_second": round(len(good) / taken, 1),
        "errors": sum(one.status != 200 for one in calm),
        "what_went_wrong": Counter(one.error or str(one.status) for one in calm if one.status != 200),
        "longest_ms": round(max(one.ms for one in calm)),
        "ms": {route: _times(good, route) for route in sorted({one.route for one in good})},
        "p95_ms": round(float(np.percentile([one.ms for one in good], 95)), 1),
        "away": {
            "seconds": options.away,
            "answers": dict(sorted(Counter(str(one.status) for one in away).items())),
            "refused": len(refused),
            "refused_without_retry_after": sum(not one.retry_after for one in refused),
            "other_than_200_and_503": sum(one.status not in (200, 503) for one in away),
            "seconds_until_all_is_well": round(max(last - returned, 0.0), 1),
            "answers_afterwards": sum(one.status == 200 and one.at > returned for one in away),
        },
    }


def _times(seen: list[Seen], route: str) -> dict[str, float]:
    times = [one.ms for one in seen if one.route == route]
    return {f"p{at}": round(float(np.percentile(times, at)), 1) for at in (50, 95, 99)}


if __name__ == "__main__":
    main()
