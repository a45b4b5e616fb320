"""Retrieval beside peers that need no language model, on the same passages, questions and encoder, in one run.

bm25s ranks title and text with English stemming. neo4j-graphrag's hybrid retriever searches indexes of its own, over
nothing but the set's passages, as it has no filter: its own fusion of scores, and its default of equal weights.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

import bm25s
import Stemmer
from neo4j_graphrag.embeddings.base import Embedder as GraphRagEmbedder
from neo4j_graphrag.indexes import create_fulltext_index, create_vector_index, drop_index_if_exists
from neo4j_graphrag.retrievers import HybridRetriever
from neo4j_graphrag.types import RetrieverResultItem
from own_graph import graph_of
from retrieval_quality import K, loaded, measures, ranking
from retrieval_sets import DATA, DataSet
from writers import CYPHER

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.retrieval import retriever
from kgservice.retrieval.bm25 import words
from kgservice.vectors.embedder import Embedder

COMPARED = ("musique", "hotpotqa", "2wiki")
OURS = ("bm25", "hybrid", "graph")
LABEL, WORDS, VECTORS = "PeerPassage", "peer_words", "peer_vectors"
Ask = Callable[[str], list[str]]  # from a question to the sources of passages, best first


class SameModel(GraphRagEmbedder):
    """Our embedder as neo4j-graphrag takes one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_query(self, text: str, **_: Any) -> list[float]:
        """Return the vector of a query."""
        return self._embedder.embed_query(text)


def main() -> None:
    """Ask each set's questions of every system; print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", choices=COMPARED, help="repeat for several; all of them")
    options = parser.parse_args()
    if not (DATA / "hipporag").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    found: dict[str, Any] = {}
    with graph_of() as graph:
        embedder = Embedder()
        for name in options.set or COMPARED:
            data, corpus = loaded(graph, name, embedder)
            found[name] = {"passages": len(data.documents), "queries": len(data.questions)}
            found[name]["bm25s"] = _measured(_bm25s(data), data)
            with _graphrag(graph, corpus, data, embedder) as ask:
                found[name]["neo4j-graphrag hybrid"] = _measured(ask, data)
            for ours in OURS:
                found[name][ours] = _measured(_ours(graph, corpus, name, ours, data, embedder), data)
    print(json.dumps(found))


def _measured(ask: Ask, data: DataSet) -> dict[str, Any]:
    return measures([list(dict.fromkeys(ask(question.text))) for question in data.questions], data)


def _bm25s(data: DataSet) -> Ask:
    stemmer = Stemmer.Stemmer("english")
    texts = [f"{one.title} {one.text}" for one in data.documents]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)

    def ask(question: str) -> list[str]:
        words = bm25s.tokenize([question], stopwords="en", stemmer=stemmer, show_progress=False)
        places, _ = index.retrieve(words, k=K, show_progress=False)
        return [data.documents[at].source for at in places[0]]

    return ask


@contextmanager
def _graphrag(graph: Graph, corpus: str, data: DataSet, embedder: Embedder) -> Iterator[Ask]:
    """neo4j-graphrag's hybrid retriever over the corpus's chunks, which get a label and indexes for the time."""
    by_key = {keys.document_key(corpus, one.source): one.source for one in data.documents}
    driver, code = graph._driver, keys.corpus_code(corpus)
    driver.execute_query(CYPHER["label_passages"], code=code, until=code + "~")
    try:
        create_vector_index(driver, VECTORS, LABEL, "embedding", embedder.dimension, "cosine")
        create_fulltext_index(driver, WORDS, LABEL, ["title", "text"])
        driver.execute_query(CYPHER["await_indexes"])
        peer = HybridRetriever(
            driver, VECTORS, WORDS, SameModel(embedder), ["key"],
            result_formatter=lambda record: RetrieverResultItem(content=record["node"]["key"][: keys.KEY]),
        )  # fmt: skip

        def ask(question: str) -> list[str]:
            text = " ".join(words(question))  # it sends Lucene what it is given, and "?" is an operator there
            found = peer.search(query_text=text, query_vector=embedder.embed_query(question), top_k=K)
            return [by_key[item.content] for item in found.items]

        yield ask
    finally:
        for index in (VECTORS, WORDS):
            drop_index_if_exists(driver, index)
        driver.execute_query(CYPHER["unlabel_passages"])


def _ours(graph: Graph, corpus: str, name: str, system: str, data: DataSet, embedder: Embedder) -> Ask:
    by_key = {keys.document_key(corpus, one.source): one.source for one in data.documents}
    options = {"ranking": ranking(name)} if system == "graph" else {}
    asked = retriever(system, graph, corpus, embedder, k=K, **options)
    return lambda question: [by_key[hit.document] for hit in asked.hits(question)]


if __name__ == "__main__":
    main()
