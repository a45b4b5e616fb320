"""How fast `--link wikidata` links: passages of MuSiQue with their given triples against the index made of CoDEx.

The stage alone is timed, from stated documents to linked ones; reading, writing and the model's start are not.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]

from linking_data import DATA, built
from own_graph import Silent
from retrieval_sets import musique_llm

from kgservice.core.records import Document, StatedDocument, Version
from kgservice.graph.rows import Rows, rows_of
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.linking.linker import WikidataLinker
from kgservice.linking.wikidata_index import Wikidata
from kgservice.vectors.embedder import Embedder

SEED = 7


class Counting(Embedder):
    """Counts the texts that it embeds."""

    texts = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        self.texts += len(texts)
        return super().embed(texts)


class Timed(WikidataLinker):
    """Times the link stage."""

    seconds = processor = 0.0

    def link(self, stated: Sequence[StatedDocument]) -> list[StatedDocument]:
        """Link, with the clock running."""
        started, used = time.perf_counter(), time.process_time()
        linked = super().link(stated)
        self.seconds += time.perf_counter() - started
        self.processor += time.process_time() - used
        return linked


class Nowhere:
    """A Writer that makes rows and drops them."""

    def versions(self, corpus: str, sources: list[str]) -> dict[str, Version]:
        """Nothing is stored."""
        return {}

    def prepare_rows(self, corpus: str, batch: list[StatedDocument]) -> Rows:
        """Make the rows."""
        return rows_of(corpus, batch, {})

    def write(self, rows: Rows) -> None: ...


def main() -> None:
    """Link the passages once and print the speed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, help="keep the index in this folder, or use the one that is there")
    parser.add_argument("--passages", type=int, default=200)
    options = parser.parse_args()
    if not (DATA / "codex").exists() or not (DATA / "hipporag").exists():
        print(json.dumps({"skip": f"no CoDEx or HippoRAG data at {DATA}; set KGS_TEST_DATA"}))
        return
    documents = random.Random(SEED).sample(musique_llm().documents, options.passages)
    with tempfile.TemporaryDirectory() as folder:
        path = built((options.index or Path(folder)) / "wikidata.sqlite", vectors=True)
        print(json.dumps(measured(path, documents)))


def measured(path: Path, documents: Sequence[Document]) -> dict[str, float]:
    """Link documents in batches as a load does."""
    embedder = Counting()
    embedder.embed(["started"])
    embedder.texts = 0
    with Wikidata(path) as index, Timed(index, embedder) as linker:
        recipe = Recipe(link="wikidata", extract="none")
        write_all(Nowhere(), documents, "c", recipe, LoadCounts(Silent()), lambda *_: None, linker=linker)  # type: ignore[arg-type]
        words = sum(len(one.text.split()) for one in documents)
        return {
            "passages": len(documents),
            "words": words,
            "names": sum(linker.counts.values()),
            "linked": linker.counts["linked"],
            "seconds": round(linker.seconds, 1),
            "processor_seconds": round(linker.processor, 1),
            "passages_a_minute": round(60 * len(documents) / linker.seconds),
            "words_a_second": round(words / linker.seconds),
            "texts_embedded_a_passage": round(embedder.texts / len(documents), 1),
        }


if __name__ == "__main__":
    main()
