"""What one more document costs as the graph grows: its load with the resolution of its names, and the refresh.

Seeded Zipf graphs, each fact in a sentence of its own, in a managed server each. The spellings of all names are stored
and a pattern's questions are made before; then documents of 20 facts come one by one, half of their ends known to the
graph. At the end, on the largest graph: how long a document of one corpus takes while a write of another is held open.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from made_tables import RELATIONS
from own_graph import Silent
from refresh import Meter

from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.queries import query
from kgservice.graph.store import Graph
from kgservice.ingest.bulk import bulk_load
from kgservice.ingest.pipeline import Recipe, load
from kgservice.managed_neo4j import server
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.resolution.similar_names import Alike
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder

CORPUS, OTHER, FACTS = "grown", "other", 20
PLAIN, RESOLVED = Recipe(extract="none"), Recipe(extract="none", link="resolve")
WARM_UP = 40  # documents: the server compiles its statements while it runs them
HELD = 3.0  # seconds for which a write of the other corpus is held open


def main() -> None:
    """Measure graphs of the sizes that are asked for and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", nargs="*", type=int, default=[10_000, 1_000_000])
    parser.add_argument("--documents", type=int, default=40, help="that come one by one, after 40 that are not counted")
    parser.add_argument("--pattern", default="conditional_inverted_star", help="whose questions are kept up to date")
    parser.add_argument("--pagecache", default="2g", help="what of the graph the server holds in memory")
    options = parser.parse_args()
    asked = options.documents, options.pattern, options.pagecache
    sizes = {size: _measured(size, *asked) for size in sorted(options.facts)}
    first, last = (sizes[size] for size in (min(sizes), max(sizes)))
    ratio = {
        part: {unit: round(last[part][unit] / first[part][unit], 2) for unit in last[part]}
        for part in ("load", "refresh", "both")
    }
    print(json.dumps({"sizes": sizes, "largest_over_smallest": ratio}))


def _measured(facts: int, documents: int, pattern: str, pagecache: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kgservice-next-", ignore_cleanup_errors=True) as folder:
        home, made = Path(folder), Made(facts)
        settings = Settings(home=home, neo4j_uri=None, neo4j_heap="1g", neo4j_pagecache=pagecache)
        try:
            started = time.perf_counter()
            with connect(settings) as graph:
                first = made.documents("d", facts // FACTS)
                bulk_load(graph, settings, first, CORPUS, PLAIN, None, Silent(), lambda *_: None)  # type: ignore[arg-type]
            loaded = _since(started)
            with connect(settings) as graph:
                graph.command("write/await_chunk_text")
                _prepare(graph, made, pattern)
                prepared = _since(started)
                result = _one_by_one(graph, Meter(home), made, documents)
                result["hundredth"] = hundredth(graph, Meter(home), CORPUS, made)
                result |= {"load_seconds": loaded, "prepared_seconds": prepared, "beside": _beside(graph, made)}
        finally:
            server.stop(home)
    print(facts, json.dumps(result), file=sys.stderr, flush=True)
    return result


def _prepare(graph: Graph, made: Made, pattern: str) -> None:
    """Store the spellings of all names, as loads with `--link resolve` do one by one, and make the questions."""
    alike = Alike(graph, CORPUS, Embedder())
    names = iter(made.names)
    while page := [f"{LOCAL}{name}" for name in islice(names, 5_000)]:
        alike.register(page)
    generate(graph, CORPUS, Plan(patterns=(pattern,)))


def _one_by_one(graph: Graph, meter: Meter, made: Made, documents: int) -> dict[str, Any]:
    """Load and refresh one document after the other; medians of seconds of the clock and of the processor."""
    spent, looked = list[tuple[dict[str, float], dict[str, float]]](), 0
    for document in made.documents("n", WARM_UP + documents, new=0.5):
        loading, _ = meter(partial(_load, graph, document, CORPUS, RESOLVED))
        refreshing, done = meter(lambda: refresh(graph, CORPUS))
        spent.append((loading, refreshing))
        looked += sum(done.eligible.values())
    counted = spent[WARM_UP:]
    parts = {"load": [one for one, _ in counted], "refresh": [one for _, one in counted]}
    parts["both"] = [{unit: one[unit] + two[unit] for unit in one} for one, two in counted]
    medians = {
        name: {unit: round(median(one[unit] for one in rows), 4) for unit in rows[0]} for name, rows in parts.items()
    }
    return medians | {"subgraphs_looked_at": looked}


def hundredth(graph: Graph, meter: Meter, corpus: str, made: Made) -> dict[str, Any]:
    """Load a hundredth more documents and refresh the questions; seconds of both, and how many questions there are."""
    more = list(made.documents("h", made.facts // 100 // FACTS, new=0.5))
    loading, _ = meter(lambda: load(graph, more, corpus, PLAIN, None, Silent()))  # type: ignore[arg-type]
    refreshing, done = meter(lambda: refresh(graph, corpus))
    counts = {"documents": len(more), "added": done.added, "kept": done.kept, "retired": sum(done.retired.values())}
    return {"load": loading, "refresh": refreshing} | counts


def _beside(graph: Graph, made: Made) -> dict[str, float]:
    """Seconds of a document's load with nothing beside, and while a write of another corpus is held open."""
    alone = list[float]()
    documents = made.documents("o", 7)
    for document in islice(documents, 5):
        started = time.perf_counter()
        _load(graph, document, OTHER, PLAIN)
        alone.append(_since(started))

    def hold(tx: Any) -> float:
        code = keys.corpus_code(CORPUS)
        tx.run(query("write/lock_corpus"), corpus=CORPUS, code=code, text_index=graph.text_index(CORPUS)).consume()
        started = time.perf_counter()
        _load(graph, next(documents), OTHER, PLAIN)
        taken = _since(started)
        time.sleep(max(0.0, HELD - taken))
        return taken

    beside = graph.change(hold)
    return {"alone_seconds": median(alone), "beside_seconds": beside, "held_seconds": HELD}


def _load(graph: Graph, document: Document, corpus: str, recipe: Recipe) -> None:
    load(graph, [document], corpus, recipe, None, Silent())  # type: ignore[arg-type]


def _since(started: float) -> float:
    return round(time.perf_counter() - started, 3)


class Made:
    """Documents of a seeded graph: 0.37 as many names as facts, subjects nearly even, objects by Zipf's law.

    `names` are those of a graph that is there already (made_tables.py).
    """

    def __init__(self, facts: int, names: list[str] | None = None) -> None:
        self.facts, self._rng = facts, random.Random(facts)
        self.names = names or [self._name() for _ in range(max(int(0.37 * facts), 10))]
        self._weights = list(accumulate((rank + 1) ** -0.8 for rank in range(len(self.names))))

    def documents(self, prefix: str, number: int, new: float = 0.0) -> Iterator[Document]:
        """Yield documents of 20 facts; a share of their ends is new to the graph."""
        for at in range(number):
            ends = zip(
                self._rng.choices(self.names, k=FACTS),
                self._rng.choices(self.names, cum_weights=self._weights, k=FACTS),
                strict=True,
            )
            triplets = tuple(self._triplet(subject, other, new) for subject, other in ends)
            text = " ".join(one.sentence for one in triplets)
            yield Document(source=f"{prefix}{at}", text=text, title=f"Report {prefix}{at}", triplets=triplets)

    def _triplet(self, subject: str, other: str, new: float) -> Triplet:
        subject, other = (self._name() if self._rng.random() < new else end for end in (subject, other))
        relation = self._rng.choice(RELATIONS)
        sentence = f"{subject} has {relation} {other}."
        return Triplet(subject=Term(label=subject), relation=relation, object=Term(label=other), sentence=sentence)

    def _name(self) -> str:
        return " ".join("".join(self._syllable() for _ in range(3)).capitalize() for _ in range(2))

    def _syllable(self) -> str:
        return self._rng.choice("bdfgklmnprstvz") + self._rng.choice("aeiou")


if __name__ == "__main__":
    main()
