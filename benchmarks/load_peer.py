"""200 clients on retrieval: kgservice's service, and neo4j-graphrag's retrievers behind a bare FastAPI, in turn.

One database, the same chunks and indexes, one encoder, the same requests: dense and hybrid, k 10. The corpus is the
demo, or with --facts a made one of so many facts. The peer has no keys, limits, log, places or explanations of hits;
its service is the least that answers, a thread a request as FastAPI gives it. With --mixed our service also gets
requests of which every second one is a page of subgraphs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

import neo4j
import numpy as np
import psutil
from load import (
    CORPUS,
    KGS,
    Ask,
    Seen,
    _calm,
    _family,
    _pid,
    _processor,
    _times,
    _warm,
    asks_of,
    demo_questions,
    environment_of,
    load_demo,
    service,
    serving,
)
from made_corpus import index_names
from served_corpus import home_settings, store

from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import choose_port, read_state
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder

SERVED, NAMED = "KGS_BENCHMARK_HOME", "KGS_BENCHMARK_CORPUS"  # set for the peer's process alone
RETRIEVERS = ("dense", "hybrid")
UNCOUNTED = 15  # seconds of a first turn
OURS, BEFORE, MIXED, PEER = "kgservice", "kgservice before", "kgservice, mixed", "neo4j-graphrag"


class Side(NamedTuple):
    """A service that is asked: its address, its first process, its requests."""

    url: str
    process: psutil.Process
    asks: list[Ask]


class Turn(NamedTuple):
    """The answers of one service in one turn, and what it took."""

    seen: list[Seen]
    seconds: float
    spent: dict[str, float]  # seconds of the processor: of the service, the database, the clients, all else
    memory: dict[str, float]  # bytes, pages that processes share counted once


def main() -> None:
    """Ask both services in turn, with each number of workers; print a JSON object."""
    options = _options()
    corpus = "made" if options.facts else CORPUS
    memory = {"KGS_NEO4J_HEAP": options.heap, "KGS_NEO4J_PAGECACHE": options.pagecache}
    found: dict[str, Any] = {"clients": options.clients, "seconds": options.seconds, "facts": options.facts}
    with _home(options.home) as home:
        environment = environment_of(home, **memory)
        try:
            texts = _texts(home, environment, options)
            for workers in options.workers:
                found[f"workers_{workers}"] = _compared(home, environment, corpus, texts, workers, options)
        finally:
            server.stop(home)
    sides = [one for name, one in found.items() if name.startswith("workers_")]
    found["errors"] = sum(one["errors"] for side in sides for one in side.values() if "errors" in one)
    print(json.dumps(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=150, help="of each turn")
    parser.add_argument("--rounds", type=int, default=2, help="turns of each service")
    parser.add_argument("--workers", type=int, nargs="*", default=[1], help="processes of each service")
    parser.add_argument("--facts", type=int, default=0, help="of a made corpus; not given: the demo")
    parser.add_argument("--mixed", action="store_true", help="a turn of retrieval and pages of subgraphs too")
    parser.add_argument("--before", type=Path, help="another checkout of kgservice, asked in turn too")
    parser.add_argument("--without-peer", action="store_true", help="ask our service alone")
    parser.add_argument("--home", type=Path, help="a folder for the corpus, which is kept; not given: made anew")
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--pagecache", default="512m", help="of the database; 2g holds a million facts with vectors")
    return parser.parse_args()


@contextmanager
def _home(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _texts(home: Path, environment: dict[str, str], options: argparse.Namespace) -> list[str]:
    """Return the queries; make the corpus first if the home does not have it."""
    kept = home / "queries.json"
    if not kept.exists():
        if options.facts:
            texts = store(home_settings(home, options.heap, options.pagecache), "made", options.facts)
        else:
            load_demo(environment)
            with service(home, environment, 1) as (url, _):
                texts = demo_questions(url)
        kept.write_text(json.dumps(texts))
    connect(home_settings(home, options.heap, options.pagecache)).close()  # starts the database
    found: list[str] = json.loads(kept.read_text())
    return found


def _compared(
    home: Path, environment: dict[str, str], corpus: str, texts: list[str], workers: int, options: argparse.Namespace
) -> dict[str, Any]:
    asks = asks_of(texts, corpus, RETRIEVERS, pages=False)
    with ExitStack() as stack:
        ours = stack.enter_context(service(home, environment, workers))
        sides = {OURS: Side(*ours, asks)}
        if options.before:
            sides[BEFORE] = Side(*stack.enter_context(_before(home, options.before, workers)), asks)
        if not options.without_peer:
            sides[PEER] = Side(*stack.enter_context(_peer(home, corpus, workers)), asks)
        if options.mixed:
            sides[MIXED] = Side(*ours, asks_of(texts, corpus, RETRIEVERS))
        turns: dict[str, list[Turn]] = {name: [] for name in sides}
        for side in sides.values():  # the database compiles its statements in the first thousand answers
            _warm(side.url, side.asks, workers)
            _turn(home, side, UNCOUNTED, options.clients)
        for _ in range(options.rounds):
            for name, side in sides.items():
                turns[name].append(_turn(home, side, options.seconds, options.clients))
                print(workers, name, json.dumps(_figures(turns[name][-1:])), file=sys.stderr, flush=True)
    result: dict[str, Any] = {name: _figures(own) for name, own in turns.items()}
    for name in (PEER, BEFORE):
        if name in result:
            result[f"over {name}"] = _ratios(result[OURS], result[name])
    return result


def _turn(home: Path, side: Side, seconds: float, clients: int) -> Turn:
    options = argparse.Namespace(seconds=seconds, clients=clients)
    families = {"service": _family(side.process), "database": _family(psutil.Process(_pid(home)))}
    families["clients"] = [psutil.Process()]
    before, all_before, started = _spent(families), _busy(), time.monotonic()
    seen: list[Seen] = asyncio.run(_calm(side.url, side.asks, options))
    taken = time.monotonic() - started
    spent = {name: seconds - before[name] for name, seconds in _spent(families).items()}
    spent["all else"] = _busy() - all_before - sum(spent.values())
    held = {name: sum(one.memory_full_info().pss for one in family) for name, family in families.items()}
    return Turn(seen, taken, spent, held)


def _spent(families: dict[str, list[psutil.Process]]) -> dict[str, float]:
    return {name: _processor(family) for name, family in families.items()}


def _busy() -> float:
    """Return the seconds in which any core worked, since the machine started."""
    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - times.guest - times.guest_nice  # guests' are in user's


def _figures(turns: list[Turn]) -> dict[str, Any]:
    """Return what the turns of a service show together; rates and times are of what was answered well."""
    seen = [one for turn in turns for one in turn.seen]
    seconds = sum(turn.seconds for turn in turns)
    spent = {name: sum(turn.spent[name] for turn in turns) for name in turns[0].spent}
    wrong = Counter(one.error or str(one.status) for one in seen if one.status != 200)
    good = [one for one in seen if one.status == 200]
    if not good:
        raise SystemExit(f"no request was answered: {dict(wrong)}")
    ms = [one.ms for one in good]
    return {
        "requests": len(seen),
        "requests_per_second": round(len(good) / seconds, 1),
        "of_each_turn": [round(sum(one.status == 200 for one in turn.seen) / turn.seconds, 1) for turn in turns],
        "errors": wrong.total(),
        "what_went_wrong": dict(wrong),
        **{f"p{at}_ms": round(float(np.percentile(ms, at))) for at in (50, 95, 99)},
        "ms": {route: _times(good, route) for route in sorted({one.route for one in good})},
        "processor_ms_a_request": {
            name: round(1_000 * spent[name] / len(good), 2) for name in ("service", "database", "clients")
        },
        "memory_mb": {name: round(max(turn.memory[name] for turn in turns) / 1e6) for name in ("service", "database")},
        "cores_of_other_work": round(spent["all else"] / seconds, 2),
    }


def _ratios(ours: dict[str, Any], others: dict[str, Any]) -> dict[str, float]:
    names = ("requests_per_second", "p50_ms", "p95_ms", "p99_ms")
    found = {name: round(ours[name] / others[name], 2) for name in names}
    for name, value in others["processor_ms_a_request"].items():
        if name != "clients":
            found[f"{name}_processor"] = round(ours["processor_ms_a_request"][name] / value, 2)
    return found


@contextmanager
def _before(home: Path, checkout: Path, workers: int) -> Iterator[tuple[str, psutil.Process]]:
    """Run the service of another checkout, with a home of its own, on the same database."""
    state = read_state(home)
    assert state is not None
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        reached = {"KGS_NEO4J_URI": state.uri, "KGS_NEO4J_PASSWORD": state.password}
        environment = environment_of(Path(folder), **reached) | {"PYTHONPATH": str(checkout)}
        port = choose_port(None, "port", [8770], None)
        command = [*KGS, "serve", "--port", str(port), "--workers", str(workers)]
        with (
            (Path(folder) / "service.log").open("wb") as log,
            serving(command, port, environment, log, checkout) as served,
        ):
            yield served


@contextmanager
def _peer(home: Path, corpus: str, workers: int) -> Iterator[tuple[str, psutil.Process]]:
    port = choose_port(None, "port", [8790], None)
    environment = os.environ | {SERVED: str(home), NAMED: corpus}
    command = [sys.executable, "-m", "uvicorn", "load_peer:peer", "--factory", "--port", str(port)]
    command += ["--workers", str(workers), "--log-level", "warning"]
    with serving(command, port, environment, folder=ROOT / "benchmarks") as served:
        yield served


def peer() -> Any:
    """Return the peer's service: /retrieve by the vector index, or by it and the full-text index."""
    from fastapi import Body, FastAPI
    from neo4j_graphrag.embeddings.base import Embedder as GraphRagEmbedder
    from neo4j_graphrag.retrievers import HybridRetriever, VectorRetriever

    class SameModel(GraphRagEmbedder):
        def embed_query(self, text: str, **_: Any) -> list[float]:
            return own.embed_query(text)

    own, state = Embedder(), read_state(Path(os.environ[SERVED]))
    assert state is not None
    driver = neo4j.GraphDatabase.driver(state.uri, auth=("neo4j", state.password))
    with Graph.open(state.uri, "neo4j", state.password) as graph:
        vectors, texts = index_names(graph, os.environ[NAMED])
    columns = ["key", "title", "text"]
    dense = VectorRetriever(driver, vectors, SameModel(), return_properties=columns)
    hybrid = HybridRetriever(driver, vectors, texts, SameModel(), return_properties=columns)
    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/retrieve")
    def retrieve(query: str = Body(), retriever: str = Body(), corpus: str = Body(), k: int = Body()) -> Any:
        words = "".join(letter if letter.isalnum() else " " for letter in query)  # Lucene takes "?" for an operator
        found = dense.search(query_text=query, top_k=k) if retriever == "dense" else hybrid.search(words, top_k=k)
        return {"hits": [{"content": one.content, "metadata": one.metadata} for one in found.items]}

    return app


if __name__ == "__main__":
    main()
