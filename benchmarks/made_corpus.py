"""A corpus made by seed, for benchmarks of retrieval: texts, vectors and queries, and how they are stored."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from kgservice.core import keys
from kgservice.core.records import Chunk, Document, StatedChunk, StatedDocument
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph, vector_index_name
from kgservice.ingest.pipeline import SearchedGraph
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import Server
from kgservice.vectors.embedder import Embedder

DIMENSION, CHUNKS_A_DOCUMENT, WORDS_A_CHUNK = 384, 5, 80
VOCABULARY, TOPICS, WORDS_A_QUERY = 20_000, 200, 8
BATCH = 200  # documents a transaction
MODEL = "made"


class MadeCorpus:
    """Seeded texts and queries with their vectors, so that embedding costs nobody anything.

    Words follow Zipf's law, and none begins another. A chunk and a query are of one of 200 topics, which its vector is
    near.
    """

    def __init__(self, chunks: int, queries: int, seed: int = 0) -> None:
        rng, numbers = random.Random(seed), np.random.default_rng(seed)
        self._weights = list(accumulate(1 / (rank + 2) for rank in range(VOCABULARY)))
        self._topics = numbers.normal(size=(TOPICS, DIMENSION))
        self.texts = [self._text(rng, WORDS_A_CHUNK) for _ in range(chunks)]
        self.vectors = self._near(numbers, chunks)
        self.queries = [f"{self._text(rng, WORDS_A_QUERY)} q{index}" for index in range(queries)]
        self.known = dict(zip(self.queries, self._near(numbers, queries), strict=True))

    def _text(self, rng: random.Random, count: int) -> str:
        return " ".join(f"word{rank:05}" for rank in rng.choices(range(VOCABULARY), cum_weights=self._weights, k=count))

    def _near(self, numbers: np.random.Generator, count: int) -> list[list[float]]:
        vectors = self._topics[numbers.integers(TOPICS, size=count)] + numbers.normal(size=(count, DIMENSION))
        found: list[list[float]] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist()
        return found


class MadeEmbedder(Embedder):
    """Gives the queries of a made corpus their vectors."""

    is_loaded = True

    def __init__(self, made: MadeCorpus) -> None:
        super().__init__(MODEL)
        self._made = made

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of one of the queries, or that of the first chunk."""
        return self._made.known.get(text, self._made.vectors[0])

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of what is asked of bridges."""
        return [self.embed_query(text) for text in texts]


@contextmanager
def own_server(version: str) -> Iterator[Server]:
    """Start a server in a temporary home, of the size that the settings give; stop it at the end."""
    settings = Settings()
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-", ignore_cleanup_errors=True) as folder:
        memory = {"heap": settings.neo4j_heap, "pagecache": settings.neo4j_pagecache}
        try:
            yield server.start(Path(folder), settings.cache, version=version, **memory)  # type: ignore[arg-type]
        finally:
            server.stop(Path(folder))


def store(graph: Graph, corpus: str, made: MadeCorpus, first: int, last: int) -> None:
    """Store the chunks from `first` up to `last` as a load does, with their vectors, and wait for both indexes."""
    documents = [_document(made, start, last) for start in range(first, last, CHUNKS_A_DOCUMENT)]
    writer = SearchedGraph(graph)
    for start in range(0, len(documents), BATCH):
        writer.write(writer.prepare_rows(corpus, documents[start : start + BATCH]))
    graph.make_vector_index(corpus, DIMENSION)
    graph.store_model(MODEL, DIMENSION)
    by_text = dict(zip(made.texts[first:last], made.vectors[first:last], strict=True))
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/unembedded", after=after, until=code + "~", limit=1_000):
        graph.store_vectors([{"key": row["key"], "vector": by_text[row["text"]]} for row in rows])
        after = rows[-1]["key"]
    graph.command("write/await_chunk_text")
    graph.command("write/await_index", name=index_names(graph, corpus)[0], seconds=3_600)


def index_names(graph: Graph, corpus: str) -> tuple[str, str]:
    """Return the names of the vector index and of the full-text index of a corpus."""
    vectors = vector_index_name(corpus) if graph.has_own_indexes else "chunk_embedding"
    return vectors, graph.text_index(corpus) or "chunk_text"


def _document(made: MadeCorpus, start: int, last: int) -> StatedDocument:
    texts = made.texts[start : min(start + CHUNKS_A_DOCUMENT, last)]
    document = Document(source=f"document-{start}", title=f"Document {start}", text="\n\n".join(texts), triplets=())
    known: dict[str, Any] = {"kind": "text", "contains_table": False, "section": "", "page": None}
    chunks = tuple(
        StatedChunk(
            chunk=Chunk(index=index, start=0, end=len(text), text=text, tokens=WORDS_A_CHUNK, **known),
            extracted=True,
            statements=(),
        )
        for index, text in enumerate(texts)
    )
    return StatedDocument(document=document, content_hash=f"{start:020d}", recipe="benchmark", chunks=chunks)
