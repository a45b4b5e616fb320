"""200 clients on retrieval: kgservice's service, and neo4j-graphrag's retrievers behind a bare FastAPI, in turn.

One database, the demo's chunks and indexes, one encoder. The peer has no keys, limits, log or explanations of hits; its
service is the least that answers, a thread a request as FastAPI gives it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

import neo4j
import numpy as np
import psutil
from load import CORPUS, Ask, Seen, _asks, _calm, _family, _pid, _processor, _service, _times, _warm, serving
from made_corpus import index_names

from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import choose_port, read_state
from kgservice.vectors.embedder import Embedder

SERVED = "KGS_BENCHMARK_HOME"  # set for the peer's process alone


def main() -> None:
    """Ask both services, each twice; print a JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=150, help="of each of the four turns")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            with _service(home, 1) as ours, _peer(home) as theirs:
                services = {"kgservice": ours, "neo4j-graphrag": theirs}
                asks = [ask for ask in _asks(ours[0]) if ask.method == "POST"]
                found: dict[str, list[dict[str, Any]]] = {name: [] for name in services}
                for url, _ in services.values():
                    _warm(url, asks, 1)
                for _ in range(2):
                    for name, (url, process) in services.items():
                        found[name].append(_turn(home, url, process, asks, options))
                        print(name, json.dumps(found[name][-1]), file=sys.stderr, flush=True)
        finally:
            server.stop(home)
    errors = sum(turn["errors"] for turn in found["kgservice"])
    print(json.dumps({"clients": options.clients, "seconds": options.seconds, "errors": errors} | found))


def _turn(
    home: Path, url: str, process: psutil.Process, asks: list[Ask], options: argparse.Namespace
) -> dict[str, Any]:
    families = {"service": _family(process), "database": _family(psutil.Process(_pid(home)))}
    before, started = {name: _processor(family) for name, family in families.items()}, time.monotonic()
    seen: list[Seen] = asyncio.run(_calm(url, asks, options))
    taken = time.monotonic() - started
    spent = {name: 1_000 * (_processor(family) - before[name]) / len(seen) for name, family in families.items()}
    return {
        "requests_per_second": round(len(seen) / taken, 1),
        "errors": sum(one.status != 200 for one in seen),
        "ms": {route: _times(seen, route) for route in sorted({one.route for one in seen})},
        "p95_ms": round(float(np.percentile([one.ms for one in seen], 95))),
        "processor_ms_a_request": {name: round(ms, 2) for name, ms in spent.items()},
        "memory_mb": round(sum(one.memory_info().rss for one in families["service"]) / 1e6),
    }


@contextmanager
def _peer(home: Path) -> Iterator[tuple[str, psutil.Process]]:
    port = choose_port(None, "port", [8790], None)
    environment = os.environ | {SERVED: str(home)}
    command = [sys.executable, "-m", "uvicorn", "load_peer:peer", "--factory", "--port", str(port)]
    command += ["--log-level", "warning"]
    with serving(command, port, environment, folder=ROOT / "benchmarks") as served:
        yield served


def peer() -> Any:
    """Return the peer's service: /retrieve by the full-text index or by both indexes."""
    from fastapi import Body, FastAPI
    from neo4j_graphrag.embeddings.base import Embedder as GraphRagEmbedder
    from neo4j_graphrag.retrievers import HybridRetriever

    class SameModel(GraphRagEmbedder):
        def embed_query(self, text: str, **_: Any) -> list[float]:
            return own.embed_query(text)

    own, state = Embedder(), read_state(Path(os.environ[SERVED]))
    assert state is not None
    driver = neo4j.GraphDatabase.driver(state.uri, auth=("neo4j", state.password))
    columns = ["key", "title", "text"]
    with Graph.open(state.uri, "neo4j", state.password) as graph:
        vectors, texts = index_names(graph, CORPUS)
    hybrid = HybridRetriever(driver, vectors, texts, SameModel(), return_properties=columns)
    words = (
        "CALL db.index.fulltext.queryNodes($index, $text, {limit: $k}) YIELD node, score "
        "RETURN node.key AS key, node.title AS title, node.text AS text, score"
    )
    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.post("/retrieve")
    def retrieve(query: str = Body(), retriever: str = Body(), corpus: str = Body(), k: int = Body()) -> Any:
        if retriever == "hybrid":
            found = hybrid.search(query_text=query, top_k=k)
            return {"hits": [{"content": one.content, "metadata": one.metadata} for one in found.items]}
        safe = "".join(letter if letter.isalnum() else " " for letter in query)
        rows, _, _ = driver.execute_query(words, index=texts, text=safe, k=k, routing_="r")
        return {"hits": [row.data() for row in rows]}

    return app


if __name__ == "__main__":
    main()
