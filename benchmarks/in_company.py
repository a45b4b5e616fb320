"""What a small corpus pays for its neighbours: search in it alone in a database, and beside nine others."""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from itertools import pairwise
from typing import Any

import neo4j
import numpy as np
from made_corpus import MadeCorpus, MadeEmbedder, own_server, store

from kgservice.graph.store import Graph
from kgservice.managed_neo4j.jars import DEFAULT, RELEASES
from kgservice.retrieval import retriever

OURS, NEIGHBOURS, K = "ours", 9, 10
ASKED = ("bm25", "dense", "hybrid")


class CountingGraph(Graph):
    """Counts its reads: each is a round trip."""

    reads = 0

    def read(self, name: str, /, **parameters: Any) -> list[neo4j.Record]:
        """Run a reading statement and count it."""
        self.reads += 1
        return super().read(name, **parameters)


def main() -> None:
    """Measure a share of the chunks alone, add the others as nine corpora, measure again; print a JSON object."""
    options = _options()
    made = MadeCorpus(options.chunks, options.warm_up + options.queries)
    own = int(options.chunks * options.share)
    with (
        own_server(options.neo4j) as running,
        CountingGraph.open(running.uri, "neo4j", running.password) as graph,
    ):
        store(graph, OURS, made, 0, own)
        alone = _measured(graph, made, options.warm_up)
        ends = np.linspace(own, options.chunks, NEIGHBOURS + 1, dtype=int) // 5 * 5
        started = time.perf_counter()
        for number, (first, last) in enumerate(pairwise(ends)):
            store(graph, f"neighbour-{number}", made, int(first), int(last))
        seconds = time.perf_counter() - started
        beside = _measured(graph, made, options.warm_up)
    print(json.dumps(_result(made, own, alone, beside, options) | {"neighbours_stored_in_s": round(seconds, 1)}))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--neo4j", choices=sorted(RELEASES), default=DEFAULT)
    parser.add_argument("--chunks", type=int, default=30_000, help="of all corpora together")
    parser.add_argument("--share", type=float, default=0.01, help="of the chunks that the measured corpus holds")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument(
        "--warm-up", type=int, default=800, help="queries that are not counted: Java compiles what is asked often"
    )
    return parser.parse_args()


def _measured(graph: CountingGraph, made: MadeCorpus, warm_up: int) -> dict[str, dict[str, Any]]:
    """Milliseconds, reads and hits ({text: score}) of each query by retriever, asked in an order drawn anew."""
    embedder, rng = MadeEmbedder(made), random.Random(1)
    asked = {name: retriever(name, graph, OURS, embedder, k=K) for name in ASKED}
    found: dict[str, dict[str, Any]] = {name: {"ms": [], "reads": Counter(), "hits": []} for name in ASKED}
    for place, query in enumerate(made.queries):
        for name in rng.sample(ASKED, len(ASKED)):
            before, started = graph.reads, time.perf_counter()
            hits = asked[name].hits(query)
            spent = 1_000 * (time.perf_counter() - started)
            if place >= warm_up:
                found[name]["ms"].append(spent)
                found[name]["reads"][graph.reads - before] += 1
                found[name]["hits"].append({hit.text: hit.score for hit in hits})
    return found


def _result(
    made: MadeCorpus, own: int, alone: dict[str, Any], beside: dict[str, Any], options: argparse.Namespace
) -> dict[str, Any]:
    """Percentiles alone and beside, their ratio, recall of the exact ten nearest, and how far scores moved."""
    result: dict[str, Any] = {"neo4j": RELEASES[options.neo4j].number, "chunks": options.chunks, "own": own}
    for name in ASKED:
        p50, p95 = ([float(np.percentile(side[name]["ms"], at)) for side in (alone, beside)] for at in (50, 95))
        moved = [_moved(*pair) for pair in zip(alone[name]["hits"], beside[name]["hits"], strict=True)]
        result[name] = {
            "p50_ms": [round(value, 2) for value in p50],
            "p95_ms": [round(value, 2) for value in p95],
            "p95_beside_over_alone": round(p95[1] / p95[0], 3),
            "queries_of_one_read": [side[name]["reads"][1] for side in (alone, beside)],
            "scores_moved_by": max(moved),
        }
    vectors = np.array(made.vectors[:own])
    for side, measured in (("alone", alone), ("beside", beside)):
        result["dense"][f"recall@10_{side}"] = _recall(made, vectors, measured["dense"]["hits"], options.warm_up)
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
