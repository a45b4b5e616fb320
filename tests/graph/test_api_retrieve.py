"""POST /retrieve: every retriever answers any query, or says clearly why not."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.retrieval import RETRIEVERS
from kgservice.retrieval.reranker import SentenceScorer, cross_encoder
from tests.graph.test_retrieval import TEXTS, put

ODD = ["AND (", "~", '"Paris', "title: x^2", "столица Франции", "フランスの首都", "\x00", "?", "capital " * 1_250]


@pytest.fixture(scope="module")
def client(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path_factory.mktemp("home"), api_keys={}), graph)
    app.state.scorer = SentenceScorer(app.state.embedder)  # in place of a cross-encoder
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as opened:
        yield opened


@pytest.fixture(scope="module")
def corpora(graph: Graph, client: TestClient) -> Iterator[tuple[str, str]]:
    """One corpus with vectors, one without."""
    names = f"test-{uuid.uuid4().hex}", f"test-{uuid.uuid4().hex}"
    put(graph, names[0], TEXTS, client.app.state.embedder)  # type: ignore[attr-defined]
    put(graph, names[1], TEXTS)
    yield names
    for name in names:
        graph.remove_corpus(name)


@pytest.mark.parametrize("retriever", sorted(RETRIEVERS))
def test_any_query(client: TestClient, corpora: tuple[str, str], retriever: str) -> None:
    for query in ODD:
        body = {"query": query, "retriever": retriever, "k": 3, "corpus": corpora[0], "gold": ["paris"]}
        answers = [client.post("/retrieve", json=body) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
        assert answers[0].json() == answers[1].json()
        assert len(answers[0].json()["hits"]) <= 3
        assert all(hit["why"] for hit in answers[0].json()["hits"])


@pytest.mark.parametrize("retriever", sorted(RETRIEVERS))
def test_what_cannot_be_asked(client: TestClient, corpora: tuple[str, str], retriever: str) -> None:
    good = {"query": "paris", "retriever": retriever, "k": 3, "corpus": corpora[0], "gold": ["paris"]}
    refused = [
        ({"query": "  "}, 400, "the query is empty"),
        ({"k": 0}, 422, "greater than or equal to 1"),
        ({"corpus": "nowhere"}, 404, "no corpus 'nowhere'"),
        ({"retriever": f"{retriever}x"}, 404, "choose one of bm25"),
        ({"documents": ["nowhere"]}, 404, "no document 'nowhere'"),
        ({"published_since": "2031-02-01", "published_until": "2031-01-01"}, 400, "turn the two round"),
        ({"published_since": "yesterday"}, 422, "published_since"),
    ]
    for change, status, words in refused:
        answer = client.post("/retrieve", json=good | change)
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), change
        assert words in answer.text


@pytest.mark.parametrize("retriever", ["dense", "hybrid", "rerank", "plurihop"])
def test_a_corpus_without_vectors_says_what_to_run(
    client: TestClient, corpora: tuple[str, str], retriever: str
) -> None:
    answer = client.post("/retrieve", json={"query": "paris", "retriever": retriever, "corpus": corpora[1]})
    assert answer.status_code == 400
    assert "run `kgservice reembed`" in answer.json()["detail"]


def test_rerank_is_offered_with_a_cross_encoder_alone(
    client: TestClient, corpora: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"query": "paris", "retriever": "rerank:bm25", "corpus": corpora[0]}
    asked = {"question": "Which city is the capital of France?", "retriever": "rerank", "corpus": corpora[0]}
    assert "rerank" in client.get("/choices").json()["retrievers"]
    monkeypatch.setitem(client.app.state._state, "scorer", cross_encoder(Settings()))  # type: ignore[attr-defined]
    assert "rerank" not in client.get("/choices").json()["retrievers"]
    for answer in (client.post("/retrieve", json=body), client.post("/ask", json=asked)):
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")
        assert "set KGS_RERANKER to" in answer.json()["detail"]


def test_filters_and_gold_reach_the_retriever(client: TestClient, corpora: tuple[str, str]) -> None:
    body = {"query": "capital of France", "retriever": "hybrid", "corpus": corpora[0], "documents": ["berlin"]}
    assert [hit["text"] for hit in client.post("/retrieve", json=body).json()["hits"]] == [TEXTS["berlin"]]
    body = {"query": "anything", "retriever": "oracle", "corpus": corpora[0], "gold": ["tokyo"]}
    assert [hit["text"] for hit in client.post("/retrieve", json=body).json()["hits"]] == [TEXTS["tokyo"]]
