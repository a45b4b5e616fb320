"""Sixteen real 10-K filings stage by stage: documents a minute of reading, chunking, tables, text, writing, vectors.

Each stage takes the whole output of the one before, so its time is its own. A load overlaps writing and reading.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from kgservice.core import keys
from kgservice.core.pools import ProcessPool
from kgservice.core.records import Chunk, Document, StatedChunk, StatedDocument, Triplet
from kgservice.core.settings import Settings
from kgservice.extraction.extractor import Passages
from kgservice.extraction.tables.table_facts import table_triplets
from kgservice.extraction.workers import RuleExtractor
from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from kgservice.names.local_entities import link
from kgservice.text.chunking import chunks
from kgservice.text.placement import place_stated
from kgservice.vectors.embedder import Embedder, embed_chunks
from loaders.sec.filings_10k import Filing10kLoader

T = TypeVar("T")
DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data")) / "sec-10k"
CORPUS = "filings"


def main() -> None:
    """Run the stages and print one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filings", type=int, default=16)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if not DATA.exists():
        print(json.dumps({"skip": f"no filings at {DATA}; set KGS_TEST_DATA"}))
        return
    clock = Clock()
    paths = sorted(DATA.glob("*.html.gz"))[: options.filings]
    documents = clock.run("read", lambda: [_document(path) for path in paths])
    cut = clock.run("chunk", lambda: [chunks(document) for document in documents])
    tables = clock.run("tables", lambda: [_tables(*pair) for pair in zip(documents, cut, strict=True)])
    texts = clock.run("text", lambda: _texts(documents, cut, options.processes))
    stated = [_stated(*parts) for parts in zip(documents, cut, tables, texts, strict=True)]
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        running = server.start(Path(folder), Settings().cache)
        try:
            with Graph.open(running.uri, "neo4j", running.password) as graph:
                clock.run("write", lambda: _write(graph, stated))
                clock.run("vectors", lambda: embed_chunks(graph, CORPUS, Embedder()))
                facts = graph.totals(CORPUS).facts
        finally:
            server.stop(Path(folder))
    counts = {
        "documents": len(documents),
        "chunks": sum(map(len, cut)),
        "table_triplets": sum(len(found) for document in tables for found in document.values()),
        "text_triplets": sum(len(found) for document in texts for found in document),
        "cover_triplets": sum(len(document.stated) for document in documents),
        "facts": facts,
    }
    rates = {stage: round(60 * len(documents) / seconds, 1) for stage, seconds in clock.seconds.items()}
    print(json.dumps({**counts, "documents_per_minute": rates, "seconds": clock.rounded()}))


class Clock:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def run(self, stage: str, work: Callable[[], T]) -> T:
        """Run a stage's work, and record its time."""
        started = time.perf_counter()
        done = work()
        self.seconds[stage] = time.perf_counter() - started
        return done

    def rounded(self) -> dict[str, float]:
        """Return the seconds, to a tenth."""
        return {stage: round(seconds, 1) for stage, seconds in self.seconds.items()}


def _document(path: Path) -> Document:
    (found,) = Filing10kLoader(path).read()
    assert isinstance(found, Document), found
    return found


def _tables(document: Document, cut: list[Chunk]) -> dict[int, list[Triplet]]:
    return {chunk.index: table_triplets(chunk, document)[0] for chunk in cut if chunk.contains_table}


def _texts(documents: list[Document], cut: list[list[Chunk]], processes: int) -> list[list[list[Triplet]]]:
    """Return the facts of the chunks without tables, by document. The workers' start counts, as in a load."""
    passages = [
        Passages(
            document.title,
            tuple(chunk.text for chunk in found if chunk.kind == "text"),
            about=tuple(document.metadata.items()),
        )
        for document, found in zip(documents, cut, strict=True)
    ]
    with closing(ProcessPool(processes)) as pool, RuleExtractor(pool=pool) as extractor:
        reads = list(extractor.read(passages))
    for read in reads:
        if isinstance(read, Exception):
            raise read
    return [read.triplets for read in reads if not isinstance(read, Exception)]


def _stated(
    document: Document, cut: list[Chunk], tables: dict[int, list[Triplet]], texts: list[list[Triplet]]
) -> StatedDocument:
    rest, (beside, _) = iter(texts), place_stated(document, cut)
    stated = tuple(
        StatedChunk(chunk=chunk, extracted=True, statements=link(dict.fromkeys([*beside[chunk.index], *found])))
        for chunk in cut
        for found in [next(rest) if chunk.kind == "text" else tables[chunk.index]]
    )
    return StatedDocument(document=document, content_hash=keys.digest(20, document.text), recipe="", chunks=stated)


def _write(graph: Graph, stated: list[StatedDocument]) -> None:
    for document in stated:
        graph.write(graph.prepare_rows(CORPUS, [document]))


if __name__ == "__main__":
    main()
