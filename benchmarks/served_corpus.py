"""A corpus of made tables (made_tables.py) for a service to answer from: with vectors, totals and both search indexes.

Only 1,000 sentences are embedded: each chunk's vector is that of one of them, moved by a seeded noise. Queries are
sentences too, so the packaged model's vectors of them lie among those of the chunks.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

import neo4j
import numpy as np
from made_tables import MadeTables, entity_name

from kgservice.core import keys
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.managed_neo4j.backup import bulk_import
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder

SENTENCES, QUERIES = 1_000, 200
NOISE = 0.6  # length of what is added to a vector of length 1
BATCH = 2_000  # vectors a transaction


def store(settings: Settings, corpus: str, facts: int) -> list[str]:
    """Import a graph of so many facts into the managed Neo4j of the settings; return queries, the words of facts.

    Whatever that database held is gone.
    """
    started = time.perf_counter()
    with connect(settings) as graph:
        folder = settings.home / "tables"
        folder.mkdir(exist_ok=True)
        made = MadeTables(corpus, facts)
        nodes, relationships = made.write(folder)
        sentences = sentences_of(made, SENTENCES + QUERIES, "has ")
        made.forget()
        memory = {"heap": settings.neo4j_heap, "pagecache": settings.neo4j_pagecache}
        bulk_import(settings.home, settings.cache, nodes, relationships, version=settings.neo4j_version, **memory)
        for file in folder.iterdir():
            file.unlink()
        _say(started, "imported")
        index_all(graph, corpus)
        _say(started, "indexed")
        _store_vectors(graph, corpus, sentences[:SENTENCES])
        _say(started, "vectors stored")
    return sentences[SENTENCES:]


def sentences_of(made: MadeTables, number: int, verb: str = "") -> list[str]:
    """Return the words of facts, drawn with a seed."""
    chosen = random.Random(1).sample(range(len(made.subject)), number)
    subjects, others = (map(entity_name, made.label[ends[chosen]].tolist()) for ends in (made.subject, made.other))
    by = made.relation[chosen]
    return [f"{one} {verb}{made.names[at]} {two}" for one, at, two in zip(subjects, by, others, strict=True)]


def index_all(graph: Graph, corpus: str) -> None:
    """Make what a load makes beside the rows: the schema, the corpus with its totals, the full-text index."""
    graph.prepare()
    code = keys.corpus_code(corpus)
    graph.update("write/lock_corpus", corpus=corpus, code=code, text_index=graph.text_index(corpus))
    graph.command("write/await_chunk_text")
    graph.change(_await_indexes)
    graph.store_totals(corpus)


def _store_vectors(graph: Graph, corpus: str, sentences: list[str]) -> None:
    embedder, rng = Embedder(), np.random.default_rng(0)
    near = np.array(embedder.embed(sentences), np.float32)
    graph.store_model(embedder.name, embedder.dimension)
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/unembedded", after=after, until=code + "~", limit=BATCH):
        vectors = near[rng.integers(len(near), size=len(rows))]
        vectors = vectors + NOISE / embedder.dimension**0.5 * rng.normal(size=vectors.shape)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        found = zip(rows, vectors.tolist(), strict=True)
        graph.store_vectors([{"key": row["key"], "vector": vector} for row, vector in found])
        after = rows[-1]["key"]
    graph.make_vector_index(corpus, embedder.dimension)  # after the vectors, as it is then made by all cores at once
    graph.change(_await_indexes)


@neo4j.unit_of_work(timeout=0)
def _await_indexes(tx: neo4j.ManagedTransaction) -> None:
    tx.run("CALL db.awaitIndexes(3600)").consume()


def _say(started: float, what: str) -> None:
    print(f"{what} after {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)


def home_settings(home: Path, heap: str, pagecache: str) -> Settings:
    """Return the settings of a home whose managed Neo4j has so much memory."""
    return Settings(home=home, neo4j_uri=None, neo4j_heap=heap, neo4j_pagecache=pagecache)
