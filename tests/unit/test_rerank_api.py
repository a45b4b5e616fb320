"""The re-ranker behind an address, against a server that speaks `/rerank` and has every fault."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from pydantic import SecretStr

from kgservice.core.errors import BadRequest, SettingsError
from kgservice.core.settings import Settings
from kgservice.retrieval import reranker
from kgservice.retrieval.reranker import ApiScorer, Scorer, cross_encoder


class Reranking(BaseHTTPRequestHandler):
    """Scores a text by its number of words; the query says which fault it has, at the first request or always."""

    asked: ClassVar[list[dict[str, Any]]] = []
    over: ClassVar[threading.Event] = threading.Event()

    def log_message(self, *_: object) -> None: ...

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.asked.append(body | {"key": self.headers["authorization"], "path": self.path})
        fault, once, _ = body["query"].partition(" once")
        if once and len(self.asked) > 1:
            fault = ""
        if fault == "hang":
            self.over.wait(30)
        if fault == "away":
            self.connection.close()
            return
        self.send_response(int(fault) if fault.isdecimal() else 200)
        self.send_header("retry-after", "0")
        self.end_headers()
        scored = [
            {"index": at, "relevance_score": len(text.split()) / 10, "document": {"text": text}}
            for at, text in enumerate(body["documents"])
        ]
        scored.sort(key=lambda one: -one["relevance_score"])
        results = {
            "one missing": scored[1:], "twice": [*scored, *scored], "no number": [{"index": 0, "relevance_score": "a"}],
            "beyond": [{"index": len(scored), "relevance_score": 1}, *scored[1:]],
        }.get(fault, scored)  # fmt: skip
        sent = {
            "not json": b"<html>", "deep": b"[" * 100_000, "nan": b'{"results": [{"index": 0, "relevance_score": NaN}]}',
            "empty": b"{}", "huge": b" " * 2**21,
        }.get(fault, json.dumps({"id": "1", "results": results}).encode())  # fmt: skip
        try:
            while fault == "drip" and not self.over.wait(0.05):
                self.wfile.write(b" ")
            self.wfile.write(sent)
        except OSError:  # the client had enough
            self.close_connection = True


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(reranker, "WAITS", (0.01, 0.01))
    Reranking.over.clear()
    Reranking.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Reranking)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v2/rerank"
    Reranking.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_scores_come_in_the_order_of_the_texts(address: str) -> None:
    settings = Settings(reranker=address, reranker_model="rerank-v3.5", reranker_api_key=SecretStr("hidden"))
    judge = cross_encoder(settings)
    assert isinstance(judge, Scorer)
    assert judge.threshold == 0.1
    assert judge.name == f"rerank-v3.5 at {address}"
    texts = ["one", "one two three", "one two"]
    assert judge.scores("words", texts) == [0.1, 0.3, 0.2]
    sent = {"model": "rerank-v3.5", "query": "words", "documents": texts, "top_n": 3}
    assert Reranking.asked == [sent | {"key": "Bearer hidden", "path": "/v2/rerank"}]
    assert judge.scores("words", []) == []
    many = ["word " * (at % 7 + 1) for at in range(250)]
    assert judge.scores("words", many) == [len(text.split()) / 10 for text in many]
    assert [len(body["documents"]) for body in Reranking.asked[1:]] == [100, 100, 50]


@pytest.mark.parametrize("fault", ["429", "503", "away"])
def test_what_may_pass_is_asked_again(address: str, fault: str) -> None:
    assert ApiScorer(address, None, None).scores(f"{fault} once", ["one"]) == [0.1]
    assert len(Reranking.asked) == 2
    with pytest.raises(SettingsError, match="try again, or set KGS_RERANKER"):
        ApiScorer(address, None, None).scores(fault, ["one"])
    assert len(Reranking.asked) == 5


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("401", "refuses with status 401"), ("404", "status 404"), ("302", "status 302"), ("not json", "no scores"),
        ("deep", "no scores"), ("nan", "no scores"), ("empty", "no scores"), ("no number", "no scores"),
        ("huge", "more than a megabyte"), ("one missing", "scores 1 of 2 texts"), ("twice", "scores 4 of 2 texts"),
        ("beyond", "each once is asked for"),
    ],
)  # fmt: skip
def test_every_fault_is_named_once(address: str, fault: str, said: str) -> None:
    with pytest.raises(SettingsError, match=said) as raised:
        ApiScorer(f"{address}?secret=1", "m", SecretStr("hidden")).scores(fault, ["one", "two"])
    assert len(Reranking.asked) == 1, "what will not pass is not asked again"
    assert "hidden" not in str(raised.value)
    assert "secret" not in str(raised.value)


def test_a_service_that_hangs_or_is_away_ends_in_time(address: str) -> None:
    with pytest.raises(SettingsError, match="ReadTimeout"):
        ApiScorer(address, None, None, timeout=0.2).scores("hang", ["one"])
    with pytest.raises(SettingsError, match="takes too long"):
        ApiScorer(address, None, None, timeout=0.2).scores("drip", ["one"])
    with pytest.raises(SettingsError, match="ConnectError"):
        ApiScorer("http://127.0.0.1:9/rerank", None, None).scores("x", ["one"])
    with pytest.raises(BadRequest, match="is no address"):
        ApiScorer("http://[::1/", None, None)
