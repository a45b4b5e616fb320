"""`kgservice keys` and `serve` as a person runs them: refused without keys, killed in a load, and going on with it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.conftest import Run, command
from tests.unit.test_server import free

DOCUMENTS = 2_000


@contextmanager
def serving(
    environment: dict[str, str], port: int, log: Path
) -> Iterator[tuple[subprocess.Popen[bytes], httpx.Client]]:
    with (
        log.open("ab") as out,
        subprocess.Popen(command("serve", "--port", port), env=environment, stderr=out) as process,
    ):
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60) as http:
                until(lambda: answers(http))
                yield process, http
        finally:
            process.kill()


def answers(http: httpx.Client) -> bool:
    try:
        return http.get("/health").is_success
    except httpx.HTTPError:
        return False


def until(true: Callable[[], Any], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_killed_service_goes_on_with_its_load(
    kgs: Run, kgs_json: Callable[..., Any], environment: dict[str, str], corpus: str, tmp_path: Path
) -> None:
    refused = kgs("serve", "--host", "0.0.0.0", "--port", 1)
    assert (refused.returncode, "keys create" in refused.stderr) == (1, True)
    key = {"X-API-Key": kgs_json("keys", "create", "cleo", "--role", "curator")["key"]}
    towns = [
        {"id": f"{n}", "text": f"Town {n}.", "triplets": [{"subject": f"T{n}", "relation": "in", "object": "Varnia"}]}
        for n in range(DOCUMENTS)
    ]
    port, log = free(), tmp_path / "service.log"
    with socket.create_server(("127.0.0.1", port)):
        taken = kgs("serve", "--port", port)
        assert (taken.returncode, taken.stdout) == (1, "")
        assert taken.stderr.startswith(f"kgservice: cannot listen on port {port} of 127.0.0.1 (")
    with serving(environment, port, log) as (process, http):
        body = {"corpus": corpus, "documents": towns, "vectors": False}
        where = http.post("/documents", json=body, headers=key).headers["location"]
        until(lambda: http.get(where, headers=key).json()["progress"].get("documents", 0) >= 1_000)
        process.kill()
    with serving(environment, port, log) as (process, http):
        again = kgs("serve", "--port", port + 1)
        assert (again.returncode, "another service" in again.stderr) == (1, True)
        assert len(again.stderr.strip().splitlines()) == 1
        until(lambda: http.get(where, headers=key).json()["finished"])
        job = http.get(where, headers=key).json()
        assert (job["state"], job["starts"]) == ("done", 2)
        assert job["report"]["documents"]["unchanged"] > 0
        assert job["report"]["facts"] == DOCUMENTS
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    assert any(line["message"] == "Application shutdown complete." for line in lines)
    assert key["X-API-Key"] not in log.read_text(encoding="utf-8")
