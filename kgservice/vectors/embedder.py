"""Vectors of chunks and queries, by the packaged MiniLM or by any model of sentence-transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from kgservice.core import keys
from kgservice.core.errors import SettingsError
from kgservice.core.pools import Pool
from kgservice.core.tracing import Attribute, SpanNotes, operation
from kgservice.graph.store import Graph
from kgservice.text.summaries import summary
from kgservice.vectors.encoder import PACKAGED, Encoder, encoder
from kgservice.vectors.pooled_encoder import PooledEncoder
from kgservice.vectors.prefixes import Prefixes, prefixes
from kgservice.vectors.waiting_queries import WaitingQueries

if TYPE_CHECKING:
    from numpy.typing import NDArray

POOL = 512  # chunks fetched, embedded and stored at a time
DOCUMENTS = 64  # documents summarised at a time, with their whole text in memory
REMEMBERED = 50_000  # passages whose vectors are kept: 77 MB


class Embedder:
    """The packaged model, or one of sentence-transformers by name or path, loaded at first use.

    With a pool its workers load the model, and this process does not. `threads` of the packaged one, 0: one a core.
    """

    def __init__(self, name: str = PACKAGED, pool: Pool | None = None, *, threads: int = 0) -> None:
        self.name, self._pool, self._threads = name, pool, threads

    @property
    def is_loaded(self) -> bool:
        """Return whether the model is in memory."""
        return "_model" in vars(self)

    @cached_property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._model.dimension

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query, with the model's prefix for queries. Threads that ask at once share a call."""
        with self._traced(1):
            return self._queries.vector(self._prefixes.query + text)

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a query, in half the time of `embed_query` and near its vectors.

        The packaged model computes in 8 bits here.
        """
        with self._traced(len(texts)):
            return self._model.encode_fast([self._prefixes.query + text for text in texts])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a passage, with the model's prefix for passages."""
        if not texts:
            return []
        with self._traced(len(texts)):
            return self._model.encode([self._prefixes.passage + text for text in texts])

    def embed_once(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of passages by text. They are kept in memory: sentences come again with other queries."""
        found = {text: vector for text in texts if (vector := self._kept.get(text)) is not None}
        if new := [text for text in dict.fromkeys(texts) if text not in found]:
            made = dict(zip(new, np.array(self.embed(new), np.float32), strict=True))
            if len(self._kept) > REMEMBERED:
                self._kept.clear()
            self._kept.update(made)
            found |= made
        return found

    @cached_property
    def _kept(self) -> dict[str, NDArray[np.float32]]:
        return {}

    def _traced(self, texts: int) -> AbstractContextManager[SpanNotes]:
        attributes: dict[str, Attribute] = {
            "gen_ai.request.model": self.name,
            "gen_ai.embeddings.dimension.count": self.dimension,
        }
        return operation("embeddings", self.name, attributes | {"kgservice.texts": texts})

    @cached_property
    def _prefixes(self) -> Prefixes:
        return prefixes(self.name, self._model.prompts)

    @cached_property
    def _queries(self) -> WaitingQueries:
        return WaitingQueries(self._model.encode)

    @cached_property
    def _model(self) -> Encoder:
        return PooledEncoder(self.name, self._pool) if self._pool else encoder(self.name, threads=self._threads)


def embed_chunks(graph: Graph, corpus: str, embedder: Embedder, advance: Callable[[int], None] = lambda _: None) -> int:
    """Embed the chunks of a corpus that have no vector, and return their number. It can be interrupted anywhere.

    Then every document with vectors and no summary gets a summary with a vector (PluriHop, section 4). Raises
    SettingsError if another model made the stored vectors.
    """
    done = 0
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/unembedded", after=after, until=code + "~", limit=POOL):
        if not done:
            check_model(graph, embedder)
            graph.make_vector_index(corpus, embedder.dimension)  # also after an interrupted `reembed`
            graph.store_model(embedder.name, embedder.dimension)
        vectors = embedder.embed([passage(row["title"], row["text"]) for row in rows])
        batch = [{"key": row["key"], "vector": vector} for row, vector in zip(rows, vectors, strict=True)]
        graph.store_vectors(batch)
        after = rows[-1]["key"]
        done += len(rows)
        advance(len(rows))
    _summarise(graph, code, embedder)
    return done


def _summarise(graph: Graph, code: str, embedder: Embedder) -> None:
    """Store missing summaries. The summary of a document with one chunk reuses the chunk's vector."""
    after = code
    while rows := graph.read("read/unsummarised", after=after, until=code + "~", limit=DOCUMENTS):
        made = [
            {"key": row["key"], "content_hash": row["content_hash"], "summary": summary(row["texts"])} for row in rows
        ]
        longer = [index for index, row in enumerate(rows) if row["vector"] is None]
        vectors = [row["vector"] for row in rows]
        embedded = embedder.embed([passage(rows[index]["title"], made[index]["summary"]) for index in longer])
        for index, vector in zip(longer, embedded, strict=True):
            vectors[index] = vector
        graph.store_summaries([row | {"vector": vector} for row, vector in zip(made, vectors, strict=True)])
        after = rows[-1]["key"]


def check_model(graph: Graph, embedder: Embedder) -> bool:
    """Return whether there are vectors. Raises SettingsError if another model made them."""
    stored = graph.read("read/embedding_model")
    if stored and stored[0]["name"] != embedder.name:
        raise SettingsError(
            f"the vectors here were made by {stored[0]['name']!r}, not by {embedder.name!r}: set KGS_EMBEDDING_MODEL "
            f"back, or run `kgservice reembed` to make all of them anew"
        )
    return bool(stored)


def reembed(graph: Graph, embedder: Embedder, advance: Callable[[int], None] = lambda _: None) -> int:
    """Embed every chunk of every corpus again, for example by another model, and return their number."""
    dimension = embedder.dimension  # loads the model first: if that fails, the stored vectors stay
    graph.drop_vectors()
    graph.store_model(embedder.name, dimension)
    return sum(embed_chunks(graph, corpus, embedder, advance) for corpus in graph.corpora())


def passage(title: str, text: str) -> str:
    """Return the text to embed for a chunk: its document's title, unless the text begins with it, and the text."""
    return text if not title or text.startswith(title) else f"{title}\n{text}"
