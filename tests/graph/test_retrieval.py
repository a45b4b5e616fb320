"""Retrievers on a real Neo4j: BM25 equals Lucene's formula, dense equals a comparison one by one."""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterator

import numpy as np
import pytest

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound, SettingsError
from kgservice.core.records import Document
from kgservice.evaluation.retrieval.questions import Judged
from kgservice.evaluation.retrieval.run import absent
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.retrieval import RETRIEVERS, dense, retrieve, retriever
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit, placed
from kgservice.retrieval.reranker import SentenceScorer
from kgservice.vectors.embedder import Embedder, passage
from tests.graph.documents import Silent

K1, B = 1.2, 0.75
TEXTS = {
    "seine": "The river Seine flows through Paris and reaches the sea at Le Havre.",
    "paris": "Paris is the capital of France.",
    "berlin": "Berlin is the capital of Germany, on the river Spree.",
    "obrien": "O'Brien's U.S.-based company sold 10,000km of cable.",
    "tokyo": "東京は日本の首都です",
}


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture
def other_corpus(graph: Graph) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    yield name
    graph.remove_corpus(name)


def put(graph: Graph, corpus: str, texts: dict[str, str], embedder: Embedder | None = None, title: str = "") -> None:
    documents = [Document(source=name, title=title, text=text, triplets=()) for name, text in texts.items()]
    report = load(graph, documents, corpus, Recipe(), embedder, Silent())
    assert report.chunks == report.documents.stored == len(texts)


def names(graph: Graph, corpus: str, texts: dict[str, str], hits: list[str]) -> list[str]:
    by_key = {keys.document_key(corpus, name): name for name in texts}
    return [by_key[hit] for hit in hits]


def ask(graph: Graph, corpus: str, name: str, query: str, k: int = 10) -> list[str]:
    hits = retrieve(graph, corpus, name, query, k, Embedder())
    assert [(-hit.score, hit.chunk) for hit in hits] == sorted((-hit.score, hit.chunk) for hit in hits)
    return names(graph, corpus, TEXTS, [hit.document for hit in hits])


def lucene_length(tokens: int) -> int:
    """A field's length as Lucene stores it in one byte: exact up to 39, then 4 significant bits (SmallFloat.intToByte4)."""
    exact = 255 - 231  # 24 values of the byte that SmallFloat keeps for exact lengths
    if tokens < exact:
        return tokens
    over = tokens - exact
    bits = over.bit_length()
    return exact + (over if bits < 4 else (over >> (bits - 4)) << (bits - 4))


def test_bm25_is_lucenes_formula(graph: Graph, corpus: str) -> None:
    """Fit idf and the average length, which depend on all of the database, then all scores must follow from them."""
    rare, rarer = (f"q{uuid.uuid4().hex[:12]}x" for _ in range(2))
    shapes = [(1, 3), (1, 30), (2, 12), (3, 60), (5, 9), (1, 200), (7, 117)]  # (occurrences, other words)
    texts = {
        f"d{index}": " ".join([rare] * count + ["filler"] * others + ([rarer] if index < 3 else []))
        for index, (count, others) in enumerate(shapes)
    }
    put(graph, corpus, texts)
    tokens = {name: lucene_length(len(text.split())) for name, text in texts.items()}
    scores = {hit.document: hit.score for hit in retrieve(graph, corpus, "bm25", rare, 10, Embedder())}
    by_name = {name: scores[keys.document_key(corpus, name)] for name in texts}
    # score = idf * tf / (tf + K1 * (1 - B + B * length / average)), so 1 / score is linear in 1/idf and 1/(idf*average)
    counts = {name: text.split().count(rare) for name, text in texts.items()}
    rows = [[1 + K1 * (1 - B) / counts[name], K1 * B * tokens[name] / counts[name]] for name in texts]
    (inverse_idf, slope), *_ = np.linalg.lstsq(
        np.array(rows), np.array([1 / by_name[name] for name in texts]), rcond=None
    )
    idf, average = 1 / inverse_idf, inverse_idf / slope
    expected = {name: idf * counts[name] / (counts[name] + K1 * (1 - B + B * tokens[name] / average)) for name in texts}
    assert by_name == pytest.approx(expected, rel=1e-5)
    assert sorted(by_name, key=by_name.__getitem__) == sorted(expected, key=expected.__getitem__)
    # idf = ln((N + 1) / (n + 0.5)): the number of chunks cancels out of the difference of two words' idf
    for hit in retrieve(graph, corpus, "bm25", rarer, 10, Embedder()):
        name = next(name for name in texts if keys.document_key(corpus, name) == hit.document)
        second = hit.score * (1 + K1 * (1 - B + B * tokens[name] / average))
        assert second - idf == pytest.approx(math.log((7 + 0.5) / (3 + 0.5)), rel=1e-4)


def test_bm25_sums_words_and_repeated_ones(graph: Graph, corpus: str) -> None:
    put(graph, corpus, TEXTS)

    def score(query: str) -> float:
        return {hit.document: hit.score for hit in retrieve(graph, corpus, "bm25", query, 10, Embedder())}[
            keys.document_key(corpus, "paris")
        ]

    assert score("Paris capital") == pytest.approx(score("Paris") + score("capital"), rel=1e-5)
    assert score("Paris paris") == pytest.approx(2 * score("Paris"), rel=1e-5)
    assert ask(graph, corpus, "bm25", "Which city is the capital of France?")[0] == "paris"
    assert ask(graph, corpus, "bm25", "rivers flowing")[0] == "seine"  # stemmed
    assert ask(graph, corpus, "bm25", "10,000km") == ["obrien"]
    assert ask(graph, corpus, "bm25", "o'brien") == ["obrien"]
    assert ask(graph, corpus, "bm25", "東京") == ["tokyo"]
    hit = retrieve(graph, corpus, "bm25", "capital of France", 1, Embedder())[0]
    assert hit.why == {"words": ("capital", "france")}
    assert hit.chunk.startswith(hit.document)
    assert hit.text == TEXTS["paris"]


@pytest.mark.parametrize(
    "query",
    [
        "AND (", "OR", "NOT paris", "~", '"Paris', "paris^", "title: paris", "[a TO", "*", "paris AND", "\\", "{", "a\x00b",
        " ".join(f"w{index}" for index in range(10_000)), "-".join("a" * 5_000), "—".join(["q"] * 3_000), "😀" * 3_000,
        "界" * 5_000, "'" * 9_999, "x" * 100_000, "1,2" * 5_000, "corpus_code:xxxxxx", "the of and",
    ],
)  # fmt: skip
def test_any_query_is_plain_words(graph: Graph, corpus: str, query: str) -> None:
    put(graph, corpus, TEXTS)
    found = ask(graph, corpus, "bm25", query)
    assert set(found) <= {"paris", "seine"}
    assert ("paris" in found) == ("paris" in query.lower())


def test_a_word_that_the_analyzer_takes_apart_into_too_many_is_refused(graph: Graph, corpus: str) -> None:
    put(graph, corpus, TEXTS)
    with pytest.raises(BadRequest, match="shorten"):
        ask(graph, corpus, "bm25", "×".join(f"q{index}" for index in range(2_000)))


def test_equal_scores_come_in_order_of_key(graph: Graph, corpus: str) -> None:
    word = f"q{uuid.uuid4().hex[:12]}x"
    put(graph, corpus, {f"d{index}": f"{word} stands here" for index in range(15)})
    everything = retrieve(graph, corpus, "bm25", word, 1_000, Embedder())
    assert len(everything) == 15
    assert [hit.chunk for hit in everything] == sorted(hit.chunk for hit in everything)
    assert retrieve(graph, corpus, "bm25", word, 7, Embedder()) == everything[:7]


@pytest.mark.parametrize("name", sorted(RETRIEVERS))
def test_what_cannot_be_asked(graph: Graph, corpus: str, embedder: Embedder, name: str) -> None:
    put(graph, corpus, TEXTS, embedder)
    scorer = SentenceScorer(embedder)
    for query, k in ((" \n", 10), ("paris", 0), ("paris", -1), ("paris", 10**30)):
        with pytest.raises(BadRequest):
            retrieve(graph, corpus, name, query, k, embedder, scorer=scorer)
    with pytest.raises(NotFound, match="no corpus"):
        retrieve(graph, f"{corpus}-not", name, "paris", 1, embedder, scorer=scorer)
    with pytest.raises(NotFound, match="choose one of bm25, dense"):
        retrieve(graph, corpus, "bm26", "paris", 1, embedder)


@pytest.mark.parametrize("name", sorted(RETRIEVERS))
def test_retrievers_are_langchains(graph: Graph, corpus: str, embedder: Embedder, name: str) -> None:
    put(graph, corpus, TEXTS, embedder, title="Geography")
    options = {"gold": {"capital of France": ("paris",)}, "scorer": SentenceScorer(embedder)}
    documents = retriever(name, graph, corpus, embedder, k=2, **options).invoke("capital of France")
    hits = retrieve(graph, corpus, name, "capital of France", 2, embedder, **options)
    assert [document.page_content for document in documents] == [hit.text for hit in hits]
    assert set(documents[0].metadata) == {"chunk", "document", "title", "score", "why", "url", "page", "section"}
    assert {document.metadata["document"] for document in documents} <= set(TEXTS)
    assert documents[0].metadata["title"] == "Geography"
    assert documents[0].metadata["chunk"] == documents[0].id == hits[0].chunk


@pytest.mark.parametrize("within", [SearchFilter(), SearchFilter(documents=("paris", "seine"))])
@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid"])
def test_hits_come_with_their_places(
    graph: Graph, corpus: str, embedder: Embedder, name: str, within: SearchFilter
) -> None:
    documents = [
        Document(source=source, title="Geography", text=text, triplets=(), url=f"https://places.example/{source}")
        for source, text in TEXTS.items()
    ]
    load(graph, documents, corpus, Recipe(), embedder, Silent())
    hits = retrieve(graph, corpus, name, "the capital on the river", 3, embedder, within=within)
    bare = [Hit(**hit.model_dump(include=set(Hit.model_fields))) for hit in hits]
    assert hits == placed(graph, bare) == placed(graph, hits)
    assert [hit.url for hit in placed(graph, hits)] == [
        f"https://places.example/{source}" for source in names(graph, corpus, TEXTS, [hit.document for hit in hits])
    ]


def test_an_option_of_one_query_is_obeyed_or_refused(graph: Graph, corpus: str, embedder: Embedder) -> None:
    put(graph, corpus, TEXTS, embedder, title="Geography")
    asked = retriever("bm25", graph, corpus, embedder, k=2)
    assert len(asked.invoke("capital", k=1)) == 1
    assert len(asked.invoke("capital")) == 2
    for wrong, told in (({"top_k": 1}, "unknown option top_k: choose of k, within"), ({"k": "many"}, "k: ")):
        with pytest.raises(BadRequest, match=told):
            asked.invoke("capital", **wrong)
    with pytest.raises(ValueError, match="top_k"):
        type(asked)(graph=graph, corpus=corpus, embedder=embedder, top_k=1)


@pytest.mark.parametrize("widest", [dense.WIDEST, 0])  # 0: compare one by one at once
def test_dense_stays_in_its_corpus_and_equals_a_comparison_one_by_one(
    graph: Graph,
    corpus: str,
    other_corpus: str,
    embedder: Embedder,
    widest: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dense, "WIDEST", widest)
    put(graph, corpus, TEXTS, embedder, title="Places")
    near = {f"near{index}": f"Paris, {index} times the capital of France." for index in range(60)}
    put(graph, other_corpus, near, embedder)
    query = np.array(embedder.embed(["capital of France"])[0])
    vectors = {name: np.array(embedder.embed([passage("Places", text)])[0]) for name, text in TEXTS.items()}
    cosines = {name: float(query @ vector) for name, vector in vectors.items()}
    asked = []
    read = Graph.read
    monkeypatch.setattr(Graph, "read", lambda *given, **options: asked.append(given[1]) or read(*given, **options))
    hits = retrieve(graph, corpus, "dense", "capital of France", 4, embedder)
    assert len(asked) <= 2, asked  # a first look finds neighbours alone, and tells how wide the next one has to be
    assert names(graph, corpus, TEXTS, [hit.document for hit in hits]) == sorted(cosines, key=lambda n: -cosines[n])[:4]
    for hit, name in zip(hits, sorted(cosines, key=lambda n: -cosines[n]), strict=False):
        assert hit.why["cosine"] == pytest.approx(cosines[name], abs=1e-5)
    everything = retrieve(graph, corpus, "dense", "capital of France", 100, embedder)
    assert len(everything) == len(TEXTS)


def test_dense_refuses_a_corpus_without_vectors_and_another_model(
    graph: Graph, corpus: str, other_corpus: str, embedder: Embedder
) -> None:
    put(graph, corpus, TEXTS)
    with pytest.raises(BadRequest, match="reembed"):
        retrieve(graph, corpus, "dense", "paris", 1, embedder)
    put(graph, other_corpus, TEXTS, embedder)
    with pytest.raises(BadRequest, match="reembed"):
        retrieve(graph, corpus, "dense", "paris", 1, embedder)
    with pytest.raises(SettingsError, match="all-MiniLM-L6-v2"):
        retrieve(graph, other_corpus, "dense", "paris", 1, Embedder("another-model"))


def test_lengths_are_rounded_as_lucene_does() -> None:
    lengths = {1: 1, 23: 23, 24: 24, 39: 39, 40: 40, 41: 40, 42: 42, 88: 88, 1_000: 984}
    assert {tokens: lucene_length(tokens) for tokens in lengths} == lengths


def test_judgements_of_other_documents_are_refused(graph: Graph, corpus: str) -> None:
    put(graph, corpus, TEXTS)
    own, other = (Judged(id=name, text="capital", grades={name: 1}) for name in ("paris", "lima"))
    assert absent(graph, corpus, [own, other]) == 1
    with pytest.raises(BadRequest, match=r"has none of the 1 documents .* beir/corpus\.jsonl"):
        absent(graph, corpus, [other])
