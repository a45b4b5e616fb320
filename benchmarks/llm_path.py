"""The way of a language model by the command line, with a model made of rules behind a real server.

The demo corpus is read (`load --extract llm`) and asked about (`questions generate --llm`, all patterns): estimated,
stopped by a budget, killed in the middle, gone on with, and done once more where a tenth of the calls goes wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from kgservice.cli.tour import BASE
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from kgservice.questions.patterns import PATTERNS
from tests.llm_program import served
from tests.llm_server import KEY

PRICES = '{"test-model": {"input": 0.4, "output": 1.6}}'
TIMEOUT = 8  # seconds for a call; what is to time out takes longer
WAYS = {"straight": 0.0, "interrupted": 0.0, "with-faults": 0.1}  # share of calls that go wrong


class Shell:
    """Commands of one home and one model."""

    def __init__(self, home: Path, url: str, database: dict[str, str]) -> None:
        model = {
            "KGS_LLM_BASE_URL": url,
            "KGS_LLM_API_KEY": KEY,
            "KGS_LLM_MODEL": "test-model",
            "KGS_LLM_PRICES": PRICES,
        }
        limits = {"KGS_LLM_TIMEOUT": str(TIMEOUT), "KGS_LLM_MAX_TOKENS": "3000"}
        self.environment = os.environ | database | model | limits | {"KGS_HOME": str(home), "PYTHONPATH": str(ROOT)}
        self.url = url

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start a command."""
        command = [sys.executable, "-c", "from kgservice.cli import app; app()", *map(str, arguments), "--json"]
        return subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: object) -> Any:
        """Run a command and return its last line as JSON."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=1_200)
        if not out.strip():
            raise SystemExit(f"{' '.join(map(str, arguments))}: {err}")
        return json.loads(out.strip().splitlines()[-1])

    def counts(self, name: str) -> int:
        """How many answers have arrived ("paid"), and of those to the same prompt ("paid_again")."""
        with urlopen(f"{self.url.removesuffix('/v1')}/counts") as reply:
            return int(json.load(reply)[name])


def main() -> None:
    """Go the way three times (straight; bounded, killed and gone on with; with faults), print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-pattern", type=int, default=8, help="questions of each pattern")
    parser.add_argument("--delay", type=float, default=0.05, help="seconds that the model takes for an answer")
    options = parser.parse_args()
    with _database() as database, tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as folder:
        texts = _texts(Path(folder) / "texts")
        load = ("load", "markdown", texts, "--no-vectors", "--extract", "llm", "-c")
        ask = ("questions", "generate", "--patterns", ",".join(PATTERNS), "--per-pattern", options.per_pattern, "-c")
        found = {}
        for name, faults in WAYS.items():
            delay, hang = str(options.delay), str(2 * TIMEOUT)
            with served("--rules", "--delay", delay, "--hang", hang, "--faults", str(faults)) as url:
                shell = Shell(Path(folder) / name, url, database)
                shell.run("load", "triplets", *_demo(), "--no-vectors", "-c", f"asked-{name}")
                found[name] = {
                    "reading": _gone(shell, (*load, f"read-{name}"), broken=name == "interrupted"),
                    "offline": _offline(shell.run(*ask, f"asked-{name}")),
                    "asking": _gone(
                        shell, (*ask, f"asked-{name}", "--llm", "--votes", 2), broken=name == "interrupted"
                    ),
                }
    print(json.dumps(found, ensure_ascii=False))


def _gone(shell: Shell, command: tuple[object, ...], *, broken: bool) -> dict[str, Any]:
    """Estimate and run a command; `broken`: first with a third of the money, then killed in the middle."""
    estimated = shell.run(*command, "--dry-run")
    told: dict[str, Any] = {
        "estimated": {name: estimated[name] for name in ("calls", "input_tokens", "output_tokens", "usd")}
    }
    before, again = shell.counts("paid"), shell.counts("paid_again")
    if broken:
        bound = round(estimated["usd"] / 3, 4)
        stopped = shell.run(*command, "--budget", bound)
        told["budget"] = {
            "usd": bound,
            "spent": _sum(stopped, "usd"),
            "failed": _failed(stopped),
            "done": _done(stopped),
        }
        killed, at = shell.start(*command), shell.counts("paid")
        while killed.poll() is None and shell.counts("paid") < at + estimated["calls"] // 4:
            time.sleep(0.02)
        told["killed_while_running"] = killed.poll() is None
        killed.kill()
        killed.communicate()
    started = time.monotonic()
    done = shell.run(*command)
    told |= {"seconds": round(time.monotonic() - started, 1), "usd": _sum(done, "usd"), "failed": _failed(done)}
    told["paid_answers"] = shell.counts("paid") - before
    told["ledger"] = {
        name: {key: one[key] for key in ("calls", "kept", "lost", "tried_again", "input_tokens", "output_tokens")}
        | {"seconds": round(one["seconds"], 1)}
        for name, one in done["llm"]["stages"].items()
    }
    told["paid_for_again"] = shell.counts("paid_again") - again
    retried = shell.run(*command, "--retry-failed")
    told["retried"] = {"failed": _failed(retried), "paid_answers": shell.counts("paid") - before - told["paid_answers"]}
    return told | (_asked(done) if "given" in done else _read(done))


def _asked(done: dict[str, Any]) -> dict[str, Any]:
    filters = {
        one["filter"]: {"passed": one["passed"], "rejected": one["rejected"], "failed": one["failed"]}
        | ({"variance": one["variance"]} if one["variance"] is not None else {})
        if one["how"] in ("run", "by the query") else one["how"]
        for one in done["filters"]
    }  # fmt: skip
    known = {"eligible": done["questions"]["eligible"], "asked": done["given"], "worded": done["worded"]}
    return known | {"rejected": done["rejected"], "short": done["questions"]["short"], "filters": filters}


def _read(done: dict[str, Any]) -> dict[str, Any]:
    return {name: done[name] for name in ("documents", "windows", "triplets", "facts")}


def _offline(done: dict[str, Any]) -> dict[str, Any]:
    filters = {one["filter"]: one["how"] if one["how"].startswith("not") else one["passed"] for one in done["filters"]}
    return {"added": done["added"], "rejected": done["rejected"], "filters": filters}


def _failed(done: dict[str, Any]) -> dict[str, int]:
    return dict(done["failed"] if "given" in done else done["windows"]["failed"])


def _done(done: dict[str, Any]) -> int:
    """Units that came to an end: documents read, questions worded or rejected."""
    return int(done["worded"] + sum(done["rejected"].values()) if "given" in done else done["windows"]["read"])


def _sum(done: dict[str, Any], name: str) -> float:
    return round(float(sum(stage[name] for stage in done["llm"]["stages"].values())), 4)


def _texts(folder: Path) -> Path:
    """The demo's documents as Markdown files, a file each."""
    folder.mkdir()
    for path in _demo():
        for line in path.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            (folder / f"{one['id']}.md").write_text(f"# {one['title']}\n\n{one['text']}\n", encoding="utf-8")
    return folder


def _demo() -> list[Path]:
    return [Path(str(files("kgservice.demo") / f"{name}.jsonl")) for name in BASE]


@contextmanager
def _database() -> Iterator[dict[str, str]]:
    """The database of the settings without the corpora of an earlier run, else a managed one of the benchmark's own."""
    settings = Settings()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        if settings.neo4j_uri and settings.neo4j_password:
            uri, password = settings.neo4j_uri, settings.neo4j_password.get_secret_value()
        else:
            running = server.start(home, settings.cache, heap=settings.neo4j_heap, pagecache=settings.neo4j_pagecache)
            uri, password = running.uri, running.password
        try:
            with Graph.open(uri, "neo4j", password) as graph:
                for corpus in [f"{what}-{way}" for what in ("asked", "read") for way in WAYS]:
                    graph.remove_corpus(corpus)
            yield {"KGS_NEO4J_URI": uri, "KGS_NEO4J_PASSWORD": password}
        finally:
            server.stop(home)


if __name__ == "__main__":
    main()
