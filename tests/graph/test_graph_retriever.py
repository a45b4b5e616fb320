"""The graph retriever: passages that share no word with the query are found by the names between, in any order of loads."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import neo4j
import pytest

from kgservice.core import keys
from kgservice.core.records import Document
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.retrieval import graph as graph_retriever
from kgservice.retrieval import retrieve
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.walk import neighbourhood
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import Silent
from tests.graph.snapshot import snapshot

FILM = Document(
    source="film",
    title="Harbour Lights (1931 film)",
    text="Harbour Lights is directed by Orla P. Brandt, starring Tove Lund.",
    triplets=(),
)
DIRECTOR = Document(source="director", title="Orla Brandt", text="Brandt came from Varnia and kept bees.", triplets=())
ACTRESS = Document(source="actress", title="Tove Lund", text="Lund kept goats in Morden.", triplets=())
OTHERS = [
    Document(source=f"other{n}", title=f"Place {n}", text=f"Harbour and lights, {n} of them, stand at the quay of Place {n}.", triplets=())
    for n in range(12)
]  # fmt: skip
QUERY = "Where was the director of Harbour Lights born?"


def put(graph: Graph, corpus: str, documents: list[Document], *, vectors: bool = True) -> None:
    load(graph, documents, corpus, Recipe(extract="none"), Embedder() if vectors else None, Silent())


def ask(graph: Graph, corpus: str, query: str = QUERY, k: int = 3) -> list[Hit]:
    return retrieve(graph, corpus, "graph", query, k, Embedder())


def sources(corpus: str, hits: list[Hit]) -> list[str]:
    by_key = {keys.document_key(corpus, one.source): one.source for one in [FILM, DIRECTOR, ACTRESS, *OTHERS]}
    return [by_key[hit.document] for hit in hits]


def test_the_director_is_found_through_the_film(graph: Graph, corpus: str) -> None:
    put(graph, corpus, [FILM, DIRECTOR, ACTRESS, *OTHERS])
    hits = ask(graph, corpus)
    assert sources(corpus, hits) == ["film", "director", "actress"]
    assert hits[0].why["entities"] == ("Harbour Lights",)
    assert hits[1].why["path"] == (
        "query names 'Harbour Lights'", "[Harbour Lights (1931 film)]", "mentions Orla P. Brandt", "[Orla Brandt]",
    )  # fmt: skip
    assert set(hits[1].why) == {"pagerank", "cosine", "bridge", "entities", "path"}
    assert hits[1].why["bridge"] == (
        "from the bridge 'Orla P. Brandt', named in [Harbour Lights (1931 film)], to what is still asked: born"
    )
    assert ask(graph, corpus) == hits
    assert sources(corpus, ask(graph, corpus, "who stars in harbour lights?"))[:2] == ["film", "actress"]
    assert sources(corpus, ask(graph, corpus, "Where was the dierctor of Habrour Lihgts born?")) == sources(
        corpus, hits
    )


def test_the_order_of_loads_does_not_matter(graph: Graph, corpus: str) -> None:
    """A new passage mentions an old title, an old passage mentions a new title, and both at once: one graph.

    BM25 alone is left out: Lucene's counts hold removed passages until it merges its files.
    """
    found = []
    for number, order in enumerate(permutations([FILM, DIRECTOR, ACTRESS])):
        for document in order if number else [FILM]:
            put(graph, corpus, [document], vectors=False)
        if not number:
            put(graph, corpus, [DIRECTOR, ACTRESS, *OTHERS[:1]], vectors=False)
            graph.remove(corpus, [keys.document_key(corpus, OTHERS[0].source)])
        walked = [(hit.chunk, {**hit.why, "bm25": None}) for hit in ask(graph, corpus)]
        found.append((snapshot(graph, corpus), walked))
        graph.remove_corpus(corpus)
    assert found == [found[0]] * 6


def test_without_vectors_words_take_their_place(graph: Graph, corpus: str) -> None:
    put(graph, corpus, [FILM, DIRECTOR, ACTRESS, *OTHERS], vectors=False)
    hits = ask(graph, corpus)
    assert sources(corpus, hits)[:2] == ["film", "director"]
    assert "cosine" not in hits[0].why
    assert sources(corpus, ask(graph, corpus, "bees"))[0] == "director"  # no name in the query
    assert ask(graph, corpus, "zzz") == []


def test_listed_passages_are_read_once(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their vectors come with the lists, unless the lists are too long for that. The hits are the same."""
    put(graph, corpus, [FILM, DIRECTOR, ACTRESS, *OTHERS])
    hits, asked, read = ask(graph, corpus), [], graph.read

    def noted(name: str, /, **parameters: Any) -> list[neo4j.Record]:
        asked.append(name)
        return read(name, **parameters)

    monkeypatch.setattr(graph, "read", noted)
    assert ask(graph, corpus) == hits
    assert "retrieve/compared_chunks" not in asked
    monkeypatch.setattr(graph_retriever, "COMPARED", 39)
    assert ask(graph, corpus) == hits
    assert asked.count("retrieve/compared_chunks") == 1


def test_hubs_lead_nowhere_and_a_step_is_bounded(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put(graph, corpus, [FILM, DIRECTOR, ACTRESS, *OTHERS], vectors=False)
    seen: list[int] = []
    grow = neighbourhood.Neighbourhood.grow

    def counted(self: neighbourhood.Neighbourhood, chunks: list[str], forms: dict[str, int]) -> None:
        grow(self, chunks, forms)
        seen.append(len(self.passages))

    monkeypatch.setattr(neighbourhood.Neighbourhood, "grow", counted)
    everything = sources(corpus, ask(graph, corpus, QUERY, k=20))
    assert {"film", "director", "actress"} <= set(everything)
    monkeypatch.setattr(neighbourhood, "STEP", 0)
    seen.clear()
    assert "actress" not in sources(corpus, ask(graph, corpus, "Harbour Lights", k=20))
    assert max(seen) <= 1 + len(OTHERS)


def test_limits_grow_with_the_square_root_of_a_large_corpus(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(graph, corpus, [FILM, DIRECTOR, ACTRESS, *OTHERS], vectors=False)
    monkeypatch.setattr(graph, "_sizes", {})
    size = graph.size(corpus)
    assert size <= graph.totals(corpus).chunks < 2 * size

    def hub() -> int:
        return neighbourhood.Neighbourhood(graph, corpus, (), 1.0, 1.0).hub

    assert hub() == neighbourhood.HUB
    monkeypatch.setattr(neighbourhood, "SMALL", size / 4)
    assert hub() == 2 * neighbourhood.HUB


def test_special_queries_have_an_answer(graph: Graph, corpus: str) -> None:
    put(graph, corpus, [FILM, DIRECTOR])
    for query in ("AND (", "~", '"Harbour', "東京", "harbour " * 10_000, "Wo wurde Orla Brandt geboren?"):
        assert all(hit.score == hit.score for hit in ask(graph, corpus, query))
