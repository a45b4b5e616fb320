"""What each managed Neo4j costs: its starts and the demo, in seconds of the clock and of the server's processor."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import psutil

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from kgservice.core.settings import Settings
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.jars import RELEASES

CACHE = Settings().cache


def main() -> None:
    """Measure each version in turn, the order turned round each time, and print the medians as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    for version in RELEASES:  # fetches the jars and makes the file of classes
        _measured(version, demo=False)
    runs: dict[str, list[dict[str, float]]] = {version: [] for version in RELEASES}
    for number in range(rounds):
        for version in list(RELEASES)[:: 1 if number % 2 else -1]:
            runs[version].append(_measured(version))
            print(version, runs[version][-1], file=sys.stderr, flush=True)
    medians = {
        version: {name: round(median(run[name] for run in found), 1) for name in found[0]}
        for version, found in runs.items()
    }
    ratio = {name: round(medians["2026"][name] / value, 2) for name, value in medians["5.26"].items()}
    print(json.dumps(medians | {"ratio": ratio}))


def _measured(version: str, *, demo: bool = True) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="kgservice-versions-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            first, _ = _started(home, version)
            server.stop(home)
            second, process = _started(home, version)
            if not demo:
                return {}
            found = {"first_start_s": first, "start_s": second, "start_cpu_s": _seconds(process)}
            started = time.perf_counter()
            command = [str(Path(sys.executable).with_name("kgservice")), "demo", "--json"]
            environment = os.environ | {"KGS_HOME": str(home), "KGS_NEO4J_VERSION": version}
            subprocess.run(command, env=environment, check=True, capture_output=True)
            found["demo_s"] = time.perf_counter() - started
            found["demo_cpu_s"] = _seconds(process) - found["start_cpu_s"]
            found["memory_mb"] = process.memory_info().rss / 1e6
            return found
        finally:
            server.stop(home)


def _started(home: Path, version: str) -> tuple[float, psutil.Process]:
    started = time.perf_counter()
    running = server.start(home, CACHE, version=version)
    return time.perf_counter() - started, psutil.Process(running.pid)


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    main()
