"""What a small corpus pays for its neighbours: search in it alone in a database, and beside nine others."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise, product
from typing import Any

import neo4j
import numpy as np
from made_corpus import CHUNKS_A_DOCUMENT, MadeCorpus, MadeEmbedder, own_server, store

from kgservice.graph.store import Graph
from kgservice.managed_neo4j.jars import DEFAULT, RELEASES
from kgservice.retrieval import retriever

OURS, NEIGHBOURS, K = "ours", 9, 10
ASKED = ("bm25", "dense", "hybrid")


class CountingGraph(Graph):
    """Counts its reads: each is a round trip."""

    reads = 0

    def read(self, name: str, /, **parameters: Any) -> list[neo4j.Record]:
        """Count a reading statement and run it."""
        self.reads += 1
        return super().read(name, **parameters)


def main() -> None:
    """Store a share of the chunks on one server, the same and nine others on a second; ask both in turn; print JSON."""
    options = _options()
    made = MadeCorpus(options.chunks, options.warm_up + options.queries)
    own = int(options.chunks * options.share)
    with _graph(options.neo4j) as alone, _graph(options.neo4j) as beside:
        ends = np.linspace(own, options.chunks, NEIGHBOURS + 1, dtype=int) // CHUNKS_A_DOCUMENT * CHUNKS_A_DOCUMENT
        for graph in (alone, beside):
            store(graph, OURS, made, 0, own)
        started = time.perf_counter()
        for number, (first, last) in enumerate(pairwise(ends)):
            store(beside, f"neighbour-{number}", made, int(first), int(last))
        seconds = time.perf_counter() - started
        measured = _measured({"alone": alone, "beside": beside}, made, options.warm_up)
    print(json.dumps(_result(made, own, measured, options) | {"neighbours_stored_in_s": round(seconds, 1)}))


@contextmanager
def _graph(version: str) -> Iterator[CountingGraph]:
    with (
        own_server(version) as running,
        CountingGraph.open(running.uri, "neo4j", running.password) as graph,
    ):
        yield graph


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neo4j", choices=sorted(RELEASES), default=DEFAULT)
    parser.add_argument("--chunks", type=int, default=30_000, help="of all corpora together")
    parser.add_argument("--share", type=float, default=0.01, help="of the chunks that the measured corpus holds")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--warm-up", type=int, default=300, help="queries that are not counted")
    return parser.parse_args()


def _measured(graphs: dict[str, CountingGraph], made: MadeCorpus, warm_up: int) -> dict[str, dict[str, Any]]:
    """Milliseconds, reads and hits ({text: score}) of each query by retriever and side.

    The two servers are asked in turn, in an order drawn anew for each query, so that what else runs slows both.
    """
    embedder, rng = MadeEmbedder(made), random.Random(1)
    sides = list(product(ASKED, graphs))
    asked = {(name, side): retriever(name, graphs[side], OURS, embedder, k=K) for name, side in sides}
    found: dict[str, Any] = {
        name: {side: {"ms": [], "reads": Counter(), "hits": []} for side in graphs} for name in ASKED
    }
    for place, query in enumerate(made.queries):
        for name, side in rng.sample(sides, len(sides)):
            before, started = graphs[side].reads, time.perf_counter()
            hits = asked[name, side].hits(query)
            spent = 1_000 * (time.perf_counter() - started)
            if place >= warm_up:
                kept = found[name][side]
                kept["ms"].append(spent)
                kept["reads"][graphs[side].reads - before] += 1
                kept["hits"].append({hit.text: hit.score for hit in hits})
    return found


def _result(made: MadeCorpus, own: int, measured: dict[str, Any], options: argparse.Namespace) -> dict[str, Any]:
    """Percentiles alone and beside, their ratio, recall of the exact ten nearest, and how far scores moved."""
    result: dict[str, Any] = {"neo4j": RELEASES[options.neo4j].number, "chunks": options.chunks, "own": own}
    for name, sides in measured.items():
        p50, p95 = ({side: float(np.percentile(one["ms"], at)) for side, one in sides.items()} for at in (50, 95))
        pairs = zip(sides["alone"]["hits"], sides["beside"]["hits"], strict=True)
        result[name] = {
            "p50_ms": {side: round(value, 2) for side, value in p50.items()},
            "p95_ms": {side: round(value, 2) for side, value in p95.items()},
            "p50_beside_over_alone": round(p50["beside"] / p50["alone"], 3),
            "p95_beside_over_alone": round(p95["beside"] / p95["alone"], 3),
            "queries_of_one_read": {side: round(one["reads"][1] / options.queries, 3) for side, one in sides.items()},
            "scores_moved_by": round(max(_moved(*pair) for pair in pairs), 6),
        }
    vectors = np.array(made.vectors[:own])
    for side, one in measured["dense"].items():
        result["dense"][f"recall@10_{side}"] = _recall(made, vectors, one["hits"], options.warm_up)
    return result


def _moved(alone: dict[str, float], beside: dict[str, float]) -> float:
    """The largest difference of a chunk's scores; a chunk that one list lacks counts with all of its score."""
    return max((abs(alone.get(text, 0.0) - beside.get(text, 0.0)) for text in alone.keys() | beside.keys()), default=0)


def _recall(made: MadeCorpus, vectors: Any, hits: list[dict[str, float]], warm_up: int) -> float:
    shares = []
    for query, found in zip(made.queries[warm_up:], hits, strict=True):
        best = np.argsort(-(vectors @ np.array(made.known[query])))[:K]
        shares.append(len(found.keys() & {made.texts[place] for place in best}) / K)
    return round(float(np.mean(shares)), 4)


if __name__ == "__main__":
    main()
