"""Time of enumeration as the graph grows: seeded Zipf graphs of 10^4 to 10^6 facts, CoDEx-S and -M, the OpenIE graph.

Each is loaded by the import tool into a managed server of its own (2 GiB); then every pattern with its defaults is
counted in full, its first 1,000 rows are read, and then its first 200,000, for the rate of a stream. With --tables the
tool gets tables that no document stands behind (made_tables.py), for sizes that a load does not reach in minutes.
With --refresh a pattern's questions are made there too, and refreshed after a hundredth more facts came.
With --rows documents become such tables and no server is started: what of --bulk is Python's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

import numpy as np
import psutil
from made_tables import MadeTables, entity_name
from next_document import Made, hundredth
from refresh import Meter
from served_corpus import index_all, sentences_of

from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.admission import admitted
from kgservice.ingest.bulk import bulk_load, gather_unread
from kgservice.ingest.import_files import Gathered
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.backup import bulk_import
from kgservice.questions.patterns import PATTERNS, SubgraphOptions, count, subgraphs
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retriever
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder
from loaders.triplets import TripletsLoader

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
REAL = {
    "codex-s": DATA / "codex" / "codex-s.tsv.gz",
    "codex-m": DATA / "codex" / "codex-m.tsv.gz",
    "openie": DATA / "hipporag" / "musique_train100_openie_gpt35.jsonl.gz",
}
FACTS_A_DOCUMENT = 10  # of one chunk
ROWS, STREAMED = 1_000, 200_000


def main() -> None:
    """Measure the graphs that are asked for and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*", default=["10000", "100000", *REAL], help="names or numbers of facts")
    parser.add_argument("--patterns", nargs="*", choices=list(PATTERNS), default=list(PATTERNS))
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--pagecache", default="1g", help="what of the graph the server holds in memory")
    parser.add_argument("--tables", action="store_true", help="import tables of made_tables.py, and load no documents")
    parser.add_argument("--refresh", choices=list(PATTERNS), help="with --tables: refresh this pattern's questions")
    parser.add_argument("--rows", action="store_true", help="make the tables of --bulk, and import none")
    options = parser.parse_args()
    imported = partial(_imported, refreshed=options.refresh)
    measured = imported if options.tables else _gathered if options.rows else _measured
    result = {name: measured(name, options.patterns, options.heap, options.pagecache) for name in options.graphs}
    print(json.dumps(result))


def _imported(
    name: str, patterns: list[str], heap: str, pagecache: str, refreshed: str | None = None
) -> dict[str, Any]:
    """Seconds to make the tables, to import them, to make the indexes, and of each pattern; then BM25's."""
    with tempfile.TemporaryDirectory(prefix="kgservice-scale-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        settings = Settings(home=home, neo4j_uri=None, neo4j_heap=heap, neo4j_pagecache=pagecache)
        lap = Laps(home)
        try:
            with connect(settings) as graph:
                lap("start")
                (home / "tables").mkdir()
                made = MadeTables("scale", int(name))
                nodes, relationships = made.write(home / "tables")
                sentences = sentences_of(made, 300)
                made.forget()
                lap("tables")
                bulk_import(
                    home, settings.cache, nodes, relationships,
                    version=settings.neo4j_version, heap=heap, pagecache=pagecache,
                )  # fmt: skip
                lap("import")
                index_all(graph, "scale")
                lap("indexes")
                rows = {pattern: _timed(graph, pattern) for pattern in patterns}
                lap("patterns")
                rows["retrieval"] = _searched(graph, sentences)
                if refreshed:
                    rows["refresh"] = _refreshed(graph, home, int(name), refreshed)
                    lap("refresh")
                totals, resident = graph.totals("scale"), round(lap.server().memory_info().rss / 2**20)
        finally:
            server.stop(home)
    known = {"facts": totals.facts, "entities": totals.entities, "chunks": totals.chunks, "server_mib": resident}
    return known | {"clock": lap.clock, "processor": lap.processor, "peak_mib": lap.peak_mib, "patterns": rows}


def _refreshed(graph: Graph, home: Path, facts: int, pattern: str) -> dict[str, Any]:
    """Seconds to make a pattern's questions, to load a hundredth more facts, and to refresh the questions after it."""
    meter = Meter(home)
    spent, made = meter(lambda: generate(graph, "scale", Plan(patterns=(pattern,))))
    names = [entity_name(at) for at in range(int(0.37 * facts))]
    return {"generate": spent, "made": made.added} | hundredth(graph, meter, "scale", Made(facts, names))


def _searched(graph: Graph, sentences: list[str]) -> dict[str, Any]:
    """Milliseconds of BM25 for the words of a fact, after 100 queries that are not counted."""
    spent, found = list[float](), 0
    search = retriever("bm25", graph, "scale", Embedder(), k=10)
    for words in sentences:
        started = time.perf_counter()
        hits = search.hits(words)
        spent.append(1_000 * (time.perf_counter() - started))
        found += bool(hits) and words.partition(" ")[0] in hits[0].text
    p50, p95 = np.percentile(spent[100:], (50, 95))
    best = round(found / len(sentences), 3)
    return {"bm25_p50_ms": round(float(p50), 1), "bm25_p95_ms": round(float(p95), 1), "first_names_subject": best}


class Laps:
    """Seconds of stages, of the clock and of the processor: of this process, those it started and the server."""

    def __init__(self, home: Path) -> None:
        self._home, self.clock, self.processor = home, dict[str, float](), dict[str, float]()
        self.peak_mib = dict[str, int]()
        self._peak = 0
        threading.Thread(target=self._watch, daemon=True).start()
        self._at, self._own, self._server = time.perf_counter(), self.spent(), 0.0

    def __call__(self, stage: str) -> None:
        """End a stage. A server that was started in it has spent all its time in it."""
        at, own, database = time.perf_counter(), self.spent(), self.server().cpu_times()
        theirs = database.user + database.system
        since = theirs - self._server if theirs >= self._server and stage != "import" else theirs
        self.clock[stage], self.processor[stage] = round(at - self._at, 1), round(own - self._own + since, 1)
        self._at, self._own, self._server = at, own, theirs
        self.peak_mib[stage], self._peak = self._peak, 0
        spent = f"{self.clock[stage]} s, processor {self.processor[stage]} s, at most {self.peak_mib[stage]} MiB"
        print(f"{stage}: {spent}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)

    def _watch(self) -> None:
        """Keep the most memory that this process and those it started had at once, pages they share counted once."""
        while True:
            held = 0
            for one in (psutil.Process(), *psutil.Process().children(recursive=True)):
                with suppress(psutil.Error):
                    held += one.memory_full_info().pss
            self._peak = max(self._peak, held >> 20)
            time.sleep(1)

    def server(self) -> psutil.Process:
        """Return the server's process."""
        return psutil.Process(json.loads((self._home / "neo4j" / "server.json").read_text())["pid"])

    @staticmethod
    def spent() -> float:
        """Return seconds of the processor, of this process and of those it has waited for."""
        used = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return sum(one.ru_utime + one.ru_stime for one in used)


def _measured(name: str, patterns: list[str], heap: str, pagecache: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="kgservice-scale-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        file = REAL.get(name) or _generated(home / "facts.jsonl.gz", int(name))
        if not file.exists():
            return {"skip": f"{file.name} is not there; set KGS_TEST_DATA"}
        settings = Settings(home=home, neo4j_uri=None, neo4j_heap=heap, neo4j_pagecache=pagecache)
        try:
            started = time.perf_counter()
            with connect(settings) as graph, Journal(home, "load") as journal:
                found, recipe = TripletsLoader(file).read(), Recipe(extract="none")
                report = bulk_load(graph, settings, found, "scale", recipe, None, journal, lambda *_: None)
            loaded = time.perf_counter() - started
            with connect(settings) as graph:
                graph.command("write/await_chunk_text")
                rows = {pattern: _timed(graph, pattern) for pattern in patterns}
        finally:
            server.stop(home)
    return {"facts": report.facts, "entities": report.entities, "load_seconds": round(loaded, 1), "patterns": rows}


def _gathered(name: str, *_: object) -> dict[str, Any]:
    """Microseconds of the processor a fact, of all processes: to read documents and make their rows, and the tables."""
    with tempfile.TemporaryDirectory(prefix="kgservice-scale-") as folder, Journal(Path(folder), "load") as journal:
        file, facts, tally = _generated(Path(folder) / "facts.jsonl.gz", int(name)), int(name), LoadCounts(journal)
        with Gathered(Path(folder), "scale") as gathered:
            started, found = Laps.spent(), admitted(TripletsLoader(file).read(), None, tally)
            gather_unread(gathered, found, "scale", Recipe(extract="none"), tally, journal, lambda *_: None)
            read = Laps.spent()
            gathered.tables()
        spent = {"rows": read - started, "tables": Laps.spent() - read}
    return {"facts": facts, "load": os.getloadavg()[0]} | {of: round(1e6 * one / facts, 1) for of, one in spent.items()}


def _timed(graph: Graph, pattern: str) -> dict[str, float]:
    """Rows in all, seconds to count them, to the first 1,000 (median of five after two that plan), rows a minute."""
    choice, first = SubgraphOptions(), []
    try:
        for _ in range(7):
            started = time.perf_counter()
            read = sum(1 for _ in islice(subgraphs(graph, "scale", pattern, choice), ROWS))
            first.append(time.perf_counter() - started)
        started = time.perf_counter()
        number = count(graph, "scale", pattern, choice)
        counted = time.perf_counter() - started
        started = time.perf_counter()
        streamed = sum(1 for _ in islice(subgraphs(graph, "scale", pattern, choice), STREAMED))
        rate = round(60 * streamed / (time.perf_counter() - started))
    except Exception as error:  # noqa: BLE001 - a pattern that is too much for a graph is a result
        return {"error": f"{type(error).__name__}: {str(error)[:200]}"}  # type: ignore[dict-item]
    print(
        f"{pattern}: {number:,} in {counted:.2f} s; first {read}: {median(first[2:]):.3f} s; {rate:,} a minute",
        file=sys.stderr,
        flush=True,
    )
    return {
        "rows": number,
        "count_seconds": round(counted, 2),
        "first_1000_seconds": round(median(first[2:]), 3),
        "rows_a_minute": rate,
    }


def _generated(file: Path, facts: int) -> Path:
    """Write `facts` different facts over 0.37 as many entities: subjects nearly even, objects by Zipf's law.

    Each stands in a sentence of its document, which is one chunk.
    """
    rng = random.Random(0)
    number = max(int(0.37 * facts), 10)
    weights = list(accumulate((rank + 1) ** -0.8 for rank in range(number)))
    with gzip.open(file, "wt", encoding="utf-8", compresslevel=1) as out:
        stream = _triplets(rng, number, weights)
        for index in range(0, facts, FACTS_A_DOCUMENT):
            parts = list(islice(stream, min(FACTS_A_DOCUMENT, facts - index)))
            said = [f"{subject} has {relation} {other}." for subject, relation, other in parts]
            named = ("subject", "relation", "object", "sentence")
            triplets = [dict(zip(named, (*one, own), strict=True)) for one, own in zip(parts, said, strict=True)]
            out.write(json.dumps({"id": f"d{index}", "text": " ".join(said), "triplets": triplets}) + "\n")
    return file


def _triplets(rng: random.Random, number: int, weights: list[float]) -> Iterator[list[str]]:
    seen: set[int] = set()
    while True:
        for other in rng.choices(range(number), cum_weights=weights, k=10_000):
            subject, relation = rng.randrange(number), rng.randrange(40)
            key = (subject * number + other) * 40 + relation
            if key not in seen:
                seen.add(key)
                yield [f"e{subject}", f"relation {chr(97 + relation % 26)}{relation}", f"e{other}"]


if __name__ == "__main__":
    main()
