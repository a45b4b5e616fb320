"""`kgservice serve --workers`: one queue, one limit and one count for all, and no process that outlives the service."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil

from kgservice.graph.store import Graph
from tests.e2e.conftest import command
from tests.e2e.test_service import until
from tests.unit.test_server import free

WORKERS, LIMIT, DOCUMENTS = 2, 150, 1_000


@contextmanager
def serving(environment: dict[str, str], port: int, log: Path) -> Iterator[tuple[psutil.Process, Callable[..., Any]]]:
    """Start a service and yield its process and a way to ask it, over a new connection each time: of any worker."""

    def ask(method: str, path: str, **options: Any) -> httpx.Response:
        return httpx.request(
            method, f"http://127.0.0.1:{port}{path}", timeout=60, trust_env=False, verify=False, **options
        )

    def answers() -> bool:
        try:
            return ask("GET", "/health").is_success
        except httpx.HTTPError:
            return False

    arguments = command("serve", "--port", port, "--workers", WORKERS, "--log", "json")
    with log.open("ab") as out, subprocess.Popen(arguments, env=environment, stderr=out) as started:
        process = psutil.Process(started.pid)
        try:
            until(answers)
            until(lambda: len(answering(log)) >= WORKERS)
            yield process, ask
        finally:
            started.kill()
            psutil.wait_procs(workers(process), timeout=30)


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.startswith("{")]


def answering(log: Path) -> list[dict[str, Any]]:
    """The starts of workers in the log."""
    return [line for line in lines(log) if line["message"] == "Application startup complete."]


def workers(process: psutil.Process) -> list[psutil.Process]:
    """The workers of a service; Python's own helper processes, and those that read documents, are not among them."""
    try:
        return [one for one in process.children() if "spawn_main" in " ".join(one.cmdline())]
    except psutil.NoSuchProcess:
        return []


def counted(metrics: str, route: str) -> float:
    rows = (line for line in metrics.splitlines() if line.startswith("kgservice_requests_total{"))
    return sum(float(line.rsplit(" ", 1)[1]) for line in rows if f'route="{route}"' in line)


def towns(corpus: str) -> dict[str, Any]:
    found = [
        {"id": f"{n}", "text": f"Town {n}.", "triplets": [{"subject": f"T{n}", "relation": "in", "object": "Varnia"}]}
        for n in range(DOCUMENTS)
    ]
    return {"corpus": corpus, "documents": found, "vectors": False}


def test_workers_share_a_service_and_the_next_one_goes_on_with_what_a_killed_one_leaves(
    environment: dict[str, str], graph: Graph, corpus: str, tmp_path: Path
) -> None:
    log, port, second = tmp_path / "service.log", free(), f"{corpus}-second"
    try:
        with serving(environment | {"KGS_RATE_LIMIT": "0"}, port, log) as (process, ask):
            share_the_queue_and_the_counts(process, ask, corpus, log)
            job = ask("POST", "/documents", json=towns(second)).json()
            until(lambda: ask("GET", f"/jobs/{job['id']}").json()["progress"].get("documents", 0) >= 1)
            left = workers(process)
            process.kill()
            assert not psutil.wait_procs(left, timeout=30)[1]
        log.unlink()
        with serving(environment | {"KGS_RATE_LIMIT": str(LIMIT)}, port, log) as (process, ask):
            assert len(list(Path(environment["KGS_HOME"]).glob("metrics-*"))) == 1, "what a killed one left is removed"
            while not (done := ask("GET", f"/jobs/{job['id']}").json())["finished"]:
                time.sleep(1)  # less often than the limit lets
            assert (done["state"], done["starts"], done["report"]["facts"]) == ("done", 2, DOCUMENTS)
            share_the_limit(ask)
            family = [process, *workers(process)]
            process.send_signal(signal.SIGTERM)
            assert not psutil.wait_procs(family, timeout=60)[1]
    finally:
        graph.remove_corpus(second)


def share_the_queue_and_the_counts(
    process: psutil.Process, ask: Callable[..., httpx.Response], corpus: str, log: Path
) -> None:
    """Ask each worker for the jobs and the counts of all, also after one was killed."""
    job = ask("POST", "/documents", json=towns(corpus)).json()
    again = ask("POST", "/documents", json=towns(corpus)).json()
    seen = [ask("GET", f"/jobs/{one['id']}").json() for one in (job, again) for _ in range(20)]
    assert {one["id"] for one in seen} == {job["id"], again["id"]}  # each worker knows both
    until(lambda: ask("GET", f"/jobs/{job['id']}").json()["progress"].get("documents", 0) >= 1)
    assert ask("DELETE", f"/jobs/{job['id']}").status_code == 202
    until(lambda: ask("GET", f"/jobs/{job['id']}").json()["finished"])
    assert ask("GET", f"/jobs/{job['id']}").json()["state"] == "cancelled"
    assert ask("DELETE", f"/jobs/{job['id']}").status_code == 409  # an error of the parent is the worker's answer
    assert ask("GET", "/jobs/none").status_code == 404

    before = len(answering(log))
    workers(process)[0].kill()
    until(lambda: len(answering(log)) > before)
    assert len(workers(process)) == WORKERS
    until(lambda: ask("GET", f"/jobs/{again['id']}").json()["finished"])
    assert ask("GET", f"/jobs/{again['id']}").json()["report"]["facts"] == DOCUMENTS

    for _ in range(20):
        ask("GET", "/documents", params={"corpus": corpus}).raise_for_status()
    told = [ask("GET", "/metrics").text for _ in range(10)]
    assert {counted(one, "/documents") for one in told} == {22.0}  # and two that were sent
    assert all("\nkgservice_requests_under_way 1.0\n" in one for one in told)
    assert all('kgservice_jobs{state="cancelled"} 1.0' in one for one in told)


def share_the_limit(ask: Callable[..., httpx.Response]) -> None:
    """Ask twice as often as the service allows, over all of its workers."""
    started = time.monotonic()
    found = [ask("GET", "/metrics").status_code for _ in range(2 * LIMIT)]
    refilled = (time.monotonic() - started) * LIMIT / 60
    assert LIMIT - 30 <= found.count(200) <= LIMIT + refilled + 1  # some were spent on the start
    assert found.count(200) + found.count(429) == len(found)
