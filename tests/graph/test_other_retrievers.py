"""The retrievers of LlamaIndex and neo4j-graphrag over our graph, as docs/retrieval.md writes them."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kgservice.core.settings import Settings
from kgservice.corpus import Corpus
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import DEMO, Silent

DOCS = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text(encoding="utf-8")
QUESTION = "Who leads the port authority?"


@pytest.fixture
def opened(graph: Graph, corpus: str, tmp_path: Path) -> Iterator[Corpus]:
    documents = read("triplets", [DEMO / "news.jsonl"])
    load(graph, documents, corpus, Recipe(), Embedder(), Silent())
    yield Corpus(corpus, graph, Settings(home=tmp_path))


def written(title: str, known: dict[str, Any]) -> dict[str, Any]:
    """Run the code of a section of the docs and return its names."""
    code = re.search(rf"^## {title}\n.*?```python\n(.*?)```", DOCS, re.M | re.S)
    assert code is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.parse(code[1]), title, "exec"), known)
    return known


def test_llamaindex_gets_what_our_retriever_finds(opened: Corpus) -> None:
    nodes = written("LlamaIndex", {"corpus": opened})["nodes"]
    hits = opened.retrieve(QUESTION, "graph", k=5)
    assert [(one.node.node_id, one.node.text, one.score) for one in nodes] == [
        (hit.chunk, hit.text, hit.score) for hit in hits
    ]
    assert len(nodes) == 5


def test_neo4j_graphrag_finds_what_our_dense_finds(opened: Corpus, corpus: str, graph: Graph) -> None:
    load(graph, read("triplets", [DEMO / "housing_plans.jsonl"]), f"{corpus}-b", Recipe(), Embedder(), Silent())
    try:
        found = written("neo4j-graphrag", {"corpus": opened, "driver": graph._driver})["found"]
    finally:
        graph.remove_corpus(f"{corpus}-b")
    hits = opened.retrieve(QUESTION, "dense", k=5)
    assert len(found.items) == 5
    for item, hit in zip(found.items, hits, strict=True):
        assert f"'key': '{hit.chunk}'" in item.content
        assert item.metadata["score"] == pytest.approx(hit.score, abs=1e-3)
