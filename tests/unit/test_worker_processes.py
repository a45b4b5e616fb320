"""The parent of workers: it waits for those that start, says when one answers, and replaces one that hangs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import psutil
import pytest

from tests.unit.test_server import free

SERVICE = """
import logging, os, sys, time
if __name__ == "__mp_main__":  # a worker, on a machine where it takes longer to start than one may hang
    time.sleep(2.5)
from fastapi import FastAPI
from kgservice.api import worker_processes

def made():
    app = FastAPI()
    app.get("/pid")(os.getpid)
    return app

if __name__ == "__main__":
    logging.basicConfig(level="INFO", format="%(message)s")
    worker_processes.HUNG = 1
    worker_processes.run_workers(made, 1, "127.0.0.1", int(sys.argv[1]), {"log_config": None})
"""


def until(answers: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not answers():
        assert time.monotonic() < end
        time.sleep(0.1)


@pytest.mark.whole
def test_a_worker_has_time_to_start_and_is_replaced_when_it_hangs(tmp_path: Path) -> None:
    script, log, port = tmp_path / "service.py", tmp_path / "log", free()
    script.write_text(SERVICE, encoding="utf-8")

    def asked() -> int:
        try:
            return int(httpx.get(f"http://127.0.0.1:{port}/pid", trust_env=False, timeout=1).json())
        except httpx.HTTPError:
            return 0

    with log.open("wb") as out, subprocess.Popen([sys.executable, script, str(port)], stderr=out) as service:
        try:
            until(lambda: "Uvicorn running on" in log.read_text(encoding="utf-8"))
            first = asked()
            assert first, "it said that it runs before a worker answers"
            assert "died" not in log.read_text(encoding="utf-8")
            os.kill(first, signal.SIGSTOP)
            until(lambda: asked() not in (0, first))
            assert f"Child process [{first}] died" in log.read_text(encoding="utf-8")
            service.terminate()
            assert service.wait(60) is not None
        finally:
            for one in (
                [*psutil.Process(service.pid).children(recursive=True), service] if service.poll() is None else []
            ):
                one.kill()
