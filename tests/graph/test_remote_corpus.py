"""A corpus over HTTP beside the same corpus in the database, on a served service with keys of each role."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import uvicorn

from kgservice import Corpus, Plan, Settings
from kgservice.api.app import create_app
from kgservice.core.errors import BadRequest, Forbidden, KgserviceError, NotFound, TooMany
from kgservice.core.records import Record
from kgservice.graph.store import Graph
from kgservice.remote.remote_corpus import RemoteCorpus
from tests.conftest import Address

MAYOR = "Port Ambrel elected Ada Brune as its mayor."
BORN = "Ada Brune was born in Kasharra in 1961."


def test_many_files_are_sent_with_few_open(tmp_path: Path) -> None:
    texts = [f"Text {at}. " * 20_000 for at in range(200)]
    for at, text in enumerate(texts):
        (tmp_path / f"{at:03}.txt").write_text(text)

    def answered(request: httpx.Request) -> httpx.Response:
        body = request.read().decode()
        assert len(body.encode()) == int(request.headers["content-length"])
        return httpx.Response(400, json={"detail": f"{sum(text in body for text in texts)} came"})

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    with httpx.Client(transport=httpx.MockTransport(answered), base_url="http://kg") as http:
        resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
        try:
            with pytest.raises(BadRequest, match="200 came"):
                RemoteCorpus("c", "http://kg", http=http).load(tmp_path)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def dumps(records: Iterable[Record]) -> list[dict[str, Any]]:
    """What is public of records: some keep more beside, for the program that made them."""
    return [one.model_dump() for one in records]


class Places(NamedTuple):
    """A service's address and keys, and the corpus in its database."""

    url: str
    local: Corpus

    def open(self, role: str) -> RemoteCorpus:
        return Corpus.open(self.local.name, url=self.url, key=f"key-of-the-{role}")


@pytest.fixture
def places(address: Address, graph: Graph, corpus: str, tmp_path: Path) -> Iterator[Places]:
    home = tmp_path / "home"
    roles = {role: f"key-of-the-{role}" for role in ("reader", "curator", "admin")}
    server = uvicorn.Server(
        uvicorn.Config(create_app(Settings(home=home, api_keys=roles), graph), port=0, log_level="warning")
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    settings = Settings(home=home, neo4j_uri=address.uri, neo4j_user=address.user, neo4j_password=address.password)
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        with Corpus.open(corpus, settings) as local:
            yield Places(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", local)
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two files that count and one that does not."""
    monkeypatch.chdir(tmp_path)
    inside = Path("reports")
    (inside / ".git").mkdir(parents=True)
    (inside / "a.md").write_text(f"# Port Ambrel\n\n{MAYOR}\n")
    (inside / "b.txt").write_text(f"{BORN}\n")
    (inside / ".git" / "c.txt").write_text("Ada Brune was born in Velmora.\n")
    return inside


def test_it_does_what_the_local_corpus_does(places: Places, folder: Path) -> None:
    local = places.local
    with places.open("curator") as remote:
        report = remote.load(folder)
        assert (report.documents.stored, report.facts) == (2, local.totals().facts)
        assert remote.totals() == local.totals()
        made = remote.refresh()
        assert made.added == len(remote.questions()) > 0
        assert dumps(remote.questions()) == dumps(local.questions())
        assert dumps(remote.questions("single", state=None)) == dumps(local.questions("single", state=None))
        assert remote.rows() == local.rows()
        assert remote.ragas_rows() == local.ragas_rows()
        assert remote.ask("Who was elected mayor of Port Ambrel?") == local.ask("Who was elected mayor of Port Ambrel?")
        assert remote.ask("Who was elected mayor of Port Ambrel?").answer == "Ada Brune"
        assert remote.retrieve("Kasharra", "bm25", k=1) == local.retrieve("Kasharra", "bm25", k=1)
        assert remote.retrieve("Kasharra", "bm25", k=1)[0].source == "reports/b.txt"
        assert remote.as_retriever("bm25", k=2).invoke("Ada") == local.as_retriever("bm25", k=2).invoke("Ada")
        assert len(remote.as_retriever("bm25", k=2).invoke("Ada", k=1)) == 1
        assert dumps(remote.subgraphs("single", open=True)) == dumps(local.subgraphs("single", open=True))
        assert len([*remote.subgraphs("single", limit=1)]) == 1
        (folder / "b.txt").write_text("Ada Brune likes to read.\n")
        assert remote.load(folder / "b.txt").documents.stored == 1
        assert "fact withdrawn" in remote.refresh().retired
        assert remote.generate(Plan(patterns=("single",))).kept == len(local.questions())
        then, known = remote.as_of(date(2020, 1, 1)), local.as_of(date(2020, 1, 1))
        with pytest.raises(BadRequest, match="as of a day"):
            then.totals()
        assert (then.name, remote.name) == (known.name, local.name)
        assert "Kasharra" in str(dumps(then.subgraphs("single", open=True)))
        assert dumps(then.subgraphs("single", open=True)) == dumps(known.subgraphs("single", open=True))


def test_a_page_of_questions_is_not_the_end(places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"| Ort {n} | {1000 + n} | {n}.5 |\n" for n in range(30))
    (tmp_path / "t.md").write_text(f"# Towns\n\n| Town | Population | Area (km2) |\n|---|---|---|\n{rows}")
    monkeypatch.setattr("kgservice.remote.remote_corpus.PAGE", 7)
    with places.open("curator") as remote:
        remote.load(tmp_path / "t.md")
        assert remote.refresh().added > 7
        assert dumps(remote.questions()) == dumps(places.local.questions())
        assert len([*remote.subgraphs("single", limit=10)]) == 10


def test_a_role_is_told_what_it_may_not_do(places: Places, folder: Path) -> None:
    with places.open("reader") as reader:
        for forbidden in (lambda: reader.load(folder), reader.refresh, reader.generate):
            with pytest.raises(Forbidden, match="403"):
                forbidden()
    places.local.load(folder)
    with places.open("reader") as reader:
        assert reader.ask("Where was Ada Brune born?").answer == "Kasharra"
        assert reader.retrieve("Kasharra", "bm25")
        assert reader.totals().documents == 2
    with pytest.raises(Forbidden, match="401"), Corpus.open(places.local.name, url=places.url, key="wrong") as nobody:
        nobody.totals()


def test_what_cannot_work_over_http_says_so(places: Places, folder: Path) -> None:
    with places.open("curator") as remote:
        for wrong in ({"extract": "llm"}, {"loader": "pdf"}, {"vectors": False}):
            with pytest.raises(BadRequest, match="locally"):
                remote.load(folder, **wrong)
        with pytest.raises(NotFound, match="nowhere"):
            remote.load("nowhere/")
        (folder / "empty").mkdir()
        with pytest.raises(BadRequest, match="0 files"):
            remote.load(folder / "empty")
        with pytest.raises(BadRequest, match="locally"):
            remote.evaluate(str)
        with pytest.raises(AttributeError, match="beside its database"):
            _ = remote.graph
        with pytest.raises(NotFound, match="no corpus"):
            remote.totals()
        with pytest.raises(NotFound, match="no corpus"):
            remote.refresh()
    with (
        pytest.raises(KgserviceError, match="is `kgservice serve` up"),
        Corpus.open("x", url="http://127.0.0.1:9") as none,
    ):
        none.totals()


def test_an_answer_of_something_else_says_so() -> None:
    def answers(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/ask":
            return httpx.Response(429, json={"detail": "wait"}, headers={"Retry-After": "7"})
        return httpx.Response(200, text="<html>Sign in</html>")

    http = httpx.Client(base_url="http://proxy", transport=httpx.MockTransport(answers))
    remote = RemoteCorpus("x", "http://proxy", http=http)
    with pytest.raises(KgserviceError, match="not in JSON: is it the address of a kgservice"):
        remote.totals()
    with pytest.raises(TooMany, match="wait") as refused:
        remote.ask("Who?")
    assert refused.value.wait == 7


def test_an_option_without_a_value_is_not_sent() -> None:
    def answers(request: httpx.Request) -> httpx.Response:
        assert set(request.url.params) == {"asked", "corpus", "limit", "after"}
        return httpx.Response(200, json={"items": [], "next": None})

    http = httpx.Client(base_url="http://kg", transport=httpx.MockTransport(answers))
    assert list(RemoteCorpus("x", "http://kg", http=http).subgraphs("chain", relation=None, asked="last")) == []


def test_both_have_the_same_methods() -> None:
    def face(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    assert face(Corpus) - face(RemoteCorpus) == {"open", "embedder"}
    assert face(RemoteCorpus) <= face(Corpus)
