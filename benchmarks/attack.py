"""A service on loopback under attack: the largest bodies, slow clients, and fifty clients whose memory must not grow.

Without KGS_NEO4J_URI a managed Neo4j of its own is started. Prints a JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

import httpx
import numpy as np
import psutil

from kgservice.api.reading import LIMIT, VALUES
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import choose_port

KGS = [sys.executable, "-c", "from kgservice.cli import app; app()"]
KEYS = {role: f"{role}-Q7kd0-2mzLx_91hTvbR4cnEw" for role in ("reader", "curator", "admin")}
ADMIN = {"X-API-Key": KEYS["admin"]}
CORPUS, OPEN = "attack", 60.0  # seconds after which a slow client must be gone
HALF_HEAD = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-A"
HALF_BODY = (
    b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nX-API-Key: " + KEYS["reader"].encode()
    + b'\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"query'
)  # fmt: skip


def main() -> None:
    """Start the service, and run the selected attacks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="of the largest bodies, for each route and kind")
    parser.add_argument("--routes", nargs="*", help="of the largest bodies; every one that takes a body if not given")
    parser.add_argument("--minutes", type=float, default=10, help="of fifty clients; 0: none")
    parser.add_argument("--slow", type=int, default=400, help="half heads, and as many half bodies")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home, found = Path(folder), dict[str, Any]()
        try:
            with _service(home) as (url, process):
                _fill(url)
                if options.slow:
                    found["slow"] = _slow(url, options.slow)
                if options.seconds:
                    found["bodies"] = _bodies(url, options.seconds, options.routes)
                    found["worst_p99_ms"] = max(one["p99_ms"] for one in found["bodies"].values())
                if options.minutes:
                    found["clients"] = asyncio.run(_clients(url, process, 60 * options.minutes))
        finally:
            server.stop(home)
    print(json.dumps(found))


@contextmanager
def _service(home: Path) -> Iterator[tuple[str, psutil.Process]]:
    given = {"KGS_HOME": str(home), "KGS_RATE_LIMIT": "0", "KGS_API_KEYS": json.dumps(KEYS), "PYTHONPATH": sys.path[0]}
    port = choose_port(None, "port", [8765], None)
    with (
        (home / "service.log").open("wb") as log,
        subprocess.Popen(
            [*KGS, "serve", "--port", str(port)], env=os.environ | given, stdout=log, stderr=log
        ) as process,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            end = time.monotonic() + 180
            while _status(url) != 200:
                if time.monotonic() > end or process.poll() is not None:
                    raise SystemExit(f"the service does not start (exit status {process.poll()})")
                time.sleep(0.2)
            yield url, psutil.Process(process.pid)
        finally:
            process.terminate()


def _status(url: str) -> int:
    try:
        return httpx.get(f"{url}/health", timeout=10, trust_env=False).status_code
    except httpx.HTTPError:
        return 0


def _fill(url: str) -> None:
    """Load two hundred documents of a fact each."""
    fact = {"relation": "in", "object": "V"}
    documents = [
        {"id": f"{n}", "text": f"Town {n} is in Varnia.", "triplets": [fact | {"subject": f"T{n}"}]}
        for n in range(200)
    ]  # fmt: skip
    body = {"corpus": CORPUS, "documents": documents, "vectors": False}
    with httpx.Client(base_url=url, headers=ADMIN, timeout=120, trust_env=False) as http:
        job = http.post("/documents", json=body).raise_for_status().headers["location"]
        while not http.get(job).json()["finished"]:
            time.sleep(0.2)


def _slow(url: str, number: int) -> dict[str, Any]:
    """Open half heads and half bodies, and return when the last is closed, while /health is polled."""
    host, port = url.removeprefix("http://").split(":")
    results: dict[str, Any] = {}
    for name, sent in (("half_heads", HALF_HEAD), ("half_bodies", HALF_BODY)):
        started, statuses, open_ones = time.monotonic(), Counter[int](), list[socket.socket]()
        with ExitStack() as stack:
            for _ in range(number):
                connection = stack.enter_context(socket.create_connection((host, int(port)), timeout=10))
                connection.sendall(sent)
                connection.setblocking(False)
                open_ones.append(connection)
            while open_ones and time.monotonic() < started + OPEN:
                statuses[_status(url)] += 1
                open_ones = [connection for connection in open_ones if not _closed(connection)]
                time.sleep(0.2)
        seconds = round(time.monotonic() - started, 1)
        results[name] = {
            "opened": number,
            "open_at_the_end": len(open_ones),
            "seconds": seconds,
            "health": dict(statuses),
        }
    return results


def _closed(connection: socket.socket) -> bool:
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    return True


def _bodies(url: str, seconds: float, routes: list[str] | None) -> dict[str, dict[str, float]]:
    """Send the largest bodies of every route that takes one (one client), and time /health (another)."""
    paths = httpx.get(f"{url}/openapi.json", headers=ADMIN, timeout=60, trust_env=False).json()["paths"]
    results = {"nothing": asyncio.run(_beside(url, "", (), seconds))}
    for path, item in sorted(paths.items()):
        limit = item.get("post", {}).get(LIMIT)
        if limit and (routes is None or path in routes):
            for kind, bodies in _largest(path, limit).items():
                where = path.replace("{key}", "0" * 32)
                results[f"{path} {kind}"] = asyncio.run(_beside(url, where, bodies, seconds))
    return results


def _largest(path: str, limit: int) -> dict[str, tuple[bytes, ...]]:
    """Return the largest bodies of a route: one text, as many values as are parsed, faults, and too many values."""
    kinds = {
        "text": json.dumps({"query": "x" * (limit - 20)}),
        "values": '{"query": "x", "a": [' + "{}," * (VALUES // 2 - 10) + "{}]}",
        "faults": "{" + ",".join(f'"{n:x}":1' for n in range(min(limit // 12, VALUES - 10))) + "}",
        "too many": "[" + "{}," * (limit // 3 - 2) + "{}]",
    }
    if path == "/submissions":
        one = '"%d":{"found_ids":[1,2,3,4,5,6,7,8,9],"model_answer":"Varnia"}'
        kinds["as meant"] = '{"version":"latest","system":"x","results":{' + ",".join(
            one % n for n in range(min(VALUES // 13, limit // 75))
        ) + "}}"  # fmt: skip
    if path == "/documents":
        triplet = '{"subject":"T","relation":"in","object":"V","sentence":"T is in V, they say."}'
        triplets = ",".join([triplet] * (VALUES // 7))
        kinds["as meant"] = (
            f'{{"corpus":"{CORPUS}","vectors":false,"documents":[{{"id":"1","text":"T.","triplets":[{triplets}]}}]}}'
        )
        words = "The harbour of Varnia is old. " * ((limit - 200) // 30)
        kinds["one text"] = f'{{"corpus":"{CORPUS}","vectors":false,"documents":[{{"id":"2","text":"{words}"}}]}}'
    return {name: (text.encode()[:limit],) for name, text in kinds.items()}


async def _beside(url: str, path: str, bodies: tuple[bytes, ...], seconds: float) -> dict[str, float]:
    times = list[float]()

    async def look() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=120, trust_env=False) as http:
            while time.monotonic() < over:
                started = time.perf_counter()
                (await http.get("/health")).raise_for_status()
                times.append(1_000 * (time.perf_counter() - started))
                await asyncio.sleep(0.02)

    with ProcessPoolExecutor(1, get_context("spawn")) as other:  # a thread that sends would delay this one's clock
        other.submit(_send, url, path, (), 0).result()  # started, and its modules imported
        over = time.monotonic() + seconds
        sending = other.submit(_send, url, path, bodies, over)
        await look()
        answers = sending.result()
    p50, p99 = np.percentile(times, (50, 99))
    shown = {f"answers_{status}": float(number) for status, number in answers.items()}
    return {
        "p50_ms": round(p50, 1),
        "p99_ms": round(p99, 1),
        "max_ms": round(max(times), 1),
        "asked": len(times),
        **shown,
    }


def _send(url: str, path: str, bodies: tuple[bytes, ...], over: float) -> Counter[int]:
    """Send the bodies in turn until the time is over, and return the number of answers by status."""
    answers = Counter[int]()
    with httpx.Client(base_url=url, timeout=120, trust_env=False) as http:
        headers = ADMIN | {"Content-Type": "application/json"}
        for body in cycle(bodies):
            if time.monotonic() > over:
                break
            answers[http.post(path, content=body, headers=headers).status_code] += 1
    return answers


async def _clients(url: str, process: psutil.Process, seconds: float) -> dict[str, Any]:
    """Let fifty clients read, and compare the service's memory after a fifth of the time with the end."""
    started, answers, memory = time.monotonic(), Counter[int](), list[float]()
    body = {"query": "Which town is in Varnia?", "corpus": CORPUS, "retriever": "bm25"}
    asks = (("POST", "/retrieve", body), ("GET", f"/documents?corpus={CORPUS}", None), ("GET", "/health", None))

    async def one(http: httpx.AsyncClient, number: int) -> None:
        while time.monotonic() < started + seconds:
            method, path, given = asks[number % len(asks)]
            try:
                answers[(await http.request(method, path, json=given)).status_code] += 1
            except httpx.TransportError:  # a connection that the service closed: an error as any other
                answers[0] += 1
            number += 1

    async def watch() -> None:
        while time.monotonic() < started + seconds:
            memory.append(process.memory_info().rss / 1e6)
            await asyncio.sleep(1)

    async with httpx.AsyncClient(
        base_url=url, headers=ADMIN, timeout=120, trust_env=False, limits=httpx.Limits(max_connections=50)
    ) as http:
        await asyncio.gather(watch(), *(one(http, number) for number in range(50)))
    early, late = np.median(memory[len(memory) // 5 :][:20]), np.median(memory[-20:])
    return {
        "seconds": seconds, "requests": sum(answers.values()), "errors": sum(answers.values()) - answers[200],
        "dropped": answers[0],
        "mb_after_a_fifth": round(float(early), 1), "mb_at_the_end": round(float(late), 1),
        "growth": round(float(late / early), 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()
