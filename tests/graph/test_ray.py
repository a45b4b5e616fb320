"""A load on Ray's workers makes the graph of one process, whoever reads what, in any order, and whichever worker dies."""

from __future__ import annotations

import gzip
import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.pools import Pool, ProcessPool, WorkerDied
from kgservice.core.ray_pool import RayPool, _run
from kgservice.core.records import Document
from kgservice.extraction import workers
from kgservice.extraction.workers import RuleExtractor
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.vectors.embedder import Embedder
from tests.conftest import LARGEST
from tests.graph.documents import BASE, DEMO
from tests.graph.snapshot import snapshot

ray = pytest.importorskip("ray", reason="Ray is not installed: `make tools`, or pip install ray")
SIZES = [(100, 40), (5, 2_000)] if LARGEST else [(1, 8)]  # cases, documents
MOST = 4  # workers
MANY = 100  # documents, of which the demo has fewer


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One Ray of this machine for the tests; a pool of k workers lets each call take MOST / k of its CPUs."""
    os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"  # else a FutureWarning
    ray.init(
        address="local", num_cpus=MOST, object_store_memory=100_000_000, include_dashboard=False, log_to_driver=False
    )
    yield
    ray.shutdown()


@pytest.mark.parametrize(("cases", "count"), SIZES)
def test_any_share_of_any_worker_gives_one_graph(
    graph: Graph,
    corpus: str,
    cluster: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    cases: int,
    count: int,
) -> None:
    documents = texts(count) if count < MANY else introductions(request.getfixturevalue("shared_data"), count)
    with processes() as pool:
        expected = loaded(graph, corpus, [documents], tmp_path, pool)
    killed = 0
    for case in range(cases):
        rng = Random(case)
        graph.remove_corpus(corpus)
        rng.shuffle(documents)
        monkeypatch.setattr(workers, "GROUP", rng.randrange(100, 5_000))
        cut = sorted(rng.choices(range(len(documents)), k=rng.randrange(3)))
        loads = [documents[start:end] for start, end in zip([0, *cut], [*cut, len(documents)], strict=True)]
        with killer(rng, longest=max(0.6, count / 100)) as kills:
            found = loaded(graph, corpus, loads, tmp_path, RayPool(cpus=MOST / rng.randint(1, MOST)))
        killed += len(kills)
        assert found == expected, f"case {case}: {len(loads)} loads, killed {kills}"
    assert killed


def test_a_call_fails_as_it_would_here(cluster: None) -> None:
    pool = RayPool()
    with pytest.raises(WorkerDied):
        pool.run_apart(os._exit, 1)
    with pytest.raises(BadRequest, match="no spaCy pipeline"):
        pool.submit(workers._read, "rules", "en_no_such", [workers.Passages("", ("A text.",))]).result()
    pool.close()
    assert ray.is_initialized(), "a Ray that was there before stays"
    assert "install the same" in str(_run("0.0.1", os.getpid, ())[1])


def texts(count: int) -> list[Document]:
    """Some of the demo's documents, as texts that rules read."""
    found = [one for one in read("triplets", [DEMO / f"{name}.jsonl" for name in BASE]) if isinstance(one, Document)]
    return [one.model_copy(update={"triplets": None}) for one in found[:: len(found) // count][:count]]


def introductions(shared_data: Path, count: int) -> list[Document]:
    """Some of the Wikipedia introductions of 2WikiMultihopQA."""
    with gzip.open(shared_data / "hipporag" / "2wikimultihopqa_corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [Document(source=f"w{row['idx']}", title=row["title"], text=row["text"]) for row in rows[:count]]


@contextmanager
def processes() -> Iterator[Pool]:
    pool = ProcessPool(1)
    yield pool
    pool.close()


def loaded(graph: Graph, corpus: str, loads: list[list[Document]], home: Path, pool: Pool) -> tuple[Any, ...]:
    """The whole graph after the loads, what they counted, and the lines of their journals.

    Left out is how many of the loads decided that names are one thing: two loads may share what one decides.
    """
    counts: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for documents in loads:
        with Journal(home, "load", corpus) as journal:
            with RuleExtractor("rules", pool) as extractor:
                embedder = Embedder(pool=pool)
                report = load(graph, documents, corpus, Recipe(), embedder, journal, extractor=extractor)
            lines.update(line.model_dump_json() for kind in ("document", "triplet") for line in journal.problems(kind))
        counts.update(counted(report))
    return snapshot(graph, corpus, without=("decisions",)), counts, lines


def counted(report: LoadReport) -> dict[str, int]:
    given = report.documents
    return {"in": given.given, "stored": given.stored, "chunks": report.chunks, "kept": report.triplets.kept}


@contextmanager
def killer(rng: Random, longest: float) -> Iterator[list[int]]:
    """Kill workers of Ray by pid while they work, after seeded pauses of at most so many seconds; yields the pids."""
    killed: list[int] = []
    over = threading.Event()
    pauses = [rng.uniform(0.05, longest) for _ in range(rng.randint(1, 3))]

    def kill() -> None:
        for pause in pauses:
            if over.wait(pause):
                return
            while not (busy := working()) and not over.is_set():
                time.sleep(0.01)
            if busy:
                os.kill(killed_one := rng.choice(busy), signal.SIGKILL)
                killed.append(killed_one)

    thread = threading.Thread(target=kill)
    thread.start()
    yield killed
    over.set()
    thread.join()


def working() -> list[int]:
    """The pids of the workers that run a call now."""
    found = []
    for child in psutil.Process().children(recursive=True):
        try:
            if child.cmdline()[:1] == ["ray::_run"]:
                found.append(child.pid)
        except psutil.Error:
            continue
    return sorted(found)
