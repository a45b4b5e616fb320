"""Latency and throughput of retrieval beside neo4j-graphrag and langchain-neo4j: one server, corpus and embedder."""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout, in the peers' environment

import neo4j
import numpy as np
import psutil
from langchain_core.embeddings import Embeddings
from langchain_neo4j import Neo4jVector
from made_corpus import MadeCorpus, MadeEmbedder, index_names, own_server, store
from neo4j_graphrag.embeddings.base import Embedder as GraphRagEmbedder
from neo4j_graphrag.retrievers import HybridRetriever, VectorRetriever
from writers import CYPHER

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.managed_neo4j.folder import Server
from kgservice.managed_neo4j.jars import DEFAULT
from kgservice.retrieval import RETRIEVERS, retriever

CORPUS = "latency"
CLIENTS, ROUNDS = 8, 5
WIDTH = 3  # vectors that dense looks at, in k; a peer is asked for as many beside its own default
IDLE_SECONDS, IDLE_PERCENT = 3.0, 15.0
PEERS = {
    "bm25": ("driver full-text",),
    "dense": ("neo4j-graphrag dense", "langchain-neo4j dense"),
    "hybrid": ("neo4j-graphrag hybrid", "langchain-neo4j hybrid"),
}

Ask = Callable[[str], Any]


def main() -> None:
    """Load, warm up, ask every retriever every query in turn, then with eight clients at once; print a JSON object."""
    options = _options()
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    made = Made(options.chunks, options.warm_up + options.queries)
    with own_server(DEFAULT) as running, Graph.open(running.uri, "neo4j", running.password) as graph:
        store(graph, CORPUS, made, 0, options.chunks)
        _settle(graph, running, made)
        with neo4j.GraphDatabase.driver(running.uri, auth=("neo4j", running.password)) as driver:
            asked = _retrievers(graph, driver, running, made, options.k)
            _timed(asked, made.queries[: options.warm_up], 0)
            milliseconds = _timed(asked, made.queries[options.warm_up :], 1)
            rates = _rates(asked, made.queries[options.warm_up :], 1)
            recall = _recall(asked, made, made.queries[: options.warm_up])
    print(json.dumps(_result(milliseconds, rates) | {f"recall@{options.k}": recall}))


class Made(MadeCorpus, GraphRagEmbedder, Embeddings):
    """The corpus and queries, and the embedder of the peers."""

    def embed_query(self, text: str, **_: Any) -> list[float]:
        """Return the vector of one of the queries, or any: langchain-neo4j embeds "foo" to see the dimension."""
        return self.known.get(text, self.vectors[0])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return the vectors of queries."""
        return [self.embed_query(text) for text in texts]


def _settle(graph: Graph, running: Server, made: Made) -> None:
    """Wait until Neo4j has merged the parts of its vector index, and have it read them, as it does after a write."""
    process = psutil.Process(running.pid)
    while process.cpu_percent(IDLE_SECONDS) > IDLE_PERCENT:
        pass
    code = keys.corpus_code(CORPUS)
    (first,) = graph.read("read/vectors", after=code, until=code + "~", limit=1)
    for vector in (first["vector"][::-1], first["vector"]):  # an equal value is not written
        graph.store_vectors([{"key": first["key"], "vector": vector}])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=600)
    parser.add_argument("--warm-up", type=int, default=100, help="queries that are not counted")
    parser.add_argument("-k", type=int, default=10)
    return parser.parse_args()


def _retrievers(graph: Graph, driver: neo4j.Driver, running: Server, made: Made, k: int) -> dict[str, Ask]:
    """Every retriever by name, ready to be asked; all read the same nodes by the same two indexes."""
    ours = ["bm25", "dense", "hybrid", *(["graph"] if "graph" in RETRIEVERS else [])]
    asked: dict[str, Ask] = {name: retriever(name, graph, CORPUS, MadeEmbedder(made), k=k).hits for name in ours}
    returned = ["key", "title", "text"]
    vectors, texts = index_names(graph, CORPUS)
    near = VectorRetriever(driver, vectors, made, returned)
    both = HybridRetriever(driver, vectors, texts, made, returned)
    where: dict[str, Any] = {"url": running.uri, "username": "neo4j", "password": running.password}
    where |= {"index_name": vectors, "text_node_property": "text"}
    vector = Neo4jVector.from_existing_index(made, **where)
    hybrid = Neo4jVector.from_existing_index(made, **where, keyword_index_name=texts, search_type="hybrid")
    return asked | {
        "driver full-text": lambda query: (
            driver.execute_query(
                CYPHER["full_text"], index=texts, text=query, k=k, routing_="r", database_="neo4j"
            ).records
        ),
        "neo4j-graphrag dense": lambda query: near.search(query_text=query, top_k=k).items,
        "neo4j-graphrag dense, as wide": lambda query: (
            near.search(query_text=query, top_k=k, effective_search_ratio=WIDTH).items
        ),
        "neo4j-graphrag hybrid": lambda query: both.search(query_text=query, top_k=k).items,
        "langchain-neo4j dense": lambda query: vector.similarity_search(query, k=k),
        "langchain-neo4j hybrid": lambda query: hybrid.similarity_search(query, k=k),
    }


def _timed(asked: dict[str, Ask], queries: list[str], seed: int) -> dict[str, list[float]]:
    """Milliseconds by retriever; each query goes to all of them, in an order drawn anew."""
    rng, found = random.Random(seed), {name: list[float]() for name in asked}
    for query in queries:
        for name in rng.sample(list(asked), len(asked)):
            started = time.perf_counter()
            if not asked[name](query):
                raise SystemExit(f"{name} finds nothing for {query!r}")
            found[name].append(1_000 * (time.perf_counter() - started))
    return found


def _recall(asked: dict[str, Ask], made: Made, queries: list[str]) -> dict[str, float]:
    """The share of the exact k nearest that ours finds, and a peer that looks at k vectors."""
    vectors = np.array(made.vectors)
    texts: dict[str, Callable[[Any], str]] = {
        "dense": lambda hit: hit.text,
        "langchain-neo4j dense": lambda document: document.page_content,
    }
    shares: dict[str, list[float]] = {name: [] for name in texts}
    for query in queries:
        near = np.argsort(-(vectors @ np.array(made.known[query])))
        for name, text in texts.items():
            found = {text(one) for one in asked[name](query)}
            shares[name].append(len(found & {made.texts[place] for place in near[: len(found)]}) / len(found))
    return {name: round(float(np.mean(row)), 4) for name, row in shares.items()}


def _rates(asked: dict[str, Ask], queries: list[str], seed: int) -> dict[str, float]:
    """Queries a second by retriever: the median of five rounds, each in an order drawn anew."""
    rng, found = random.Random(seed), {name: list[float]() for name in asked}
    for _ in range(ROUNDS):
        for name in rng.sample(list(asked), len(asked)):
            found[name].append(_rate(asked[name], queries))
    return {name: float(np.median(row)) for name, row in found.items()}


def _rate(ask: Ask, queries: list[str]) -> float:
    """Queries a second with eight clients at once."""
    with ThreadPoolExecutor(CLIENTS) as clients:
        list(clients.map(ask, queries[:CLIENTS]))
        started = time.perf_counter()
        list(clients.map(ask, queries))
        return len(queries) / (time.perf_counter() - started)


def _result(milliseconds: dict[str, list[float]], rates: dict[str, float]) -> dict[str, Any]:
    """Percentiles and rates, and ours over the best of the peers' (below 1 is better for times, above 1 for rates)."""
    p50, p95 = ({name: float(np.percentile(row, at)) for name, row in milliseconds.items()} for at in (50, 95))
    result: dict[str, Any] = {
        "p50_ms": {name: round(value, 2) for name, value in p50.items()},
        "p95_ms": {name: round(value, 2) for name, value in p95.items()},
        "queries_per_second": {name: round(value, 1) for name, value in rates.items()},
        "p50_over_best_peer": {name: round(p50[name] / min(p50[peer] for peer in PEERS[name]), 3) for name in PEERS},
        "p95_over_best_peer": {name: round(p95[name] / min(p95[peer] for peer in PEERS[name]), 3) for name in PEERS},
        "dense_p50_over_peer_as_wide": round(p50["dense"] / p50["neo4j-graphrag dense, as wide"], 3),
        "rate_over_best_peer": {
            name: round(rates[name] / max(rates[peer] for peer in PEERS[name]), 3) for name in PEERS
        },
    }
    if "graph" in p95:
        result["graph_p95_over_dense"] = round(p95["graph"] / p95["dense"], 3)
    return result


if __name__ == "__main__":
    main()
