"""Files sent over HTTP: loaded as `kgservice up` does, by the names that they were sent with."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.api.jobs import Jobs
from kgservice.api.routes import files
from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal, loads
from kgservice.core.records import Problem
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from tests.e2e.page_service import Hashed

OWN = {"reader": "reader-key", "curator": "curator-key"}
CURATOR = {"X-API-Key": "curator-key"}
TOWN = b"# Novosel\n\nNovosel is the capital of Varnia. Ada Lind was born in Novosel.\n"
PAGE = b"<!doctype html><title>Orlo</title><p>Orlo is the capital of Kest.</p>"


@pytest.fixture
def app(graph: Graph, tmp_path: Path) -> FastAPI:
    made = create_app(Settings(home=tmp_path / "home", api_keys=OWN), graph)  # type: ignore[arg-type]
    made.state.embedder = Hashed()
    return made


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


def sent(client: TestClient, corpus: str, *given: tuple[str, bytes], key: str = "curator-key", **asked: Any) -> Any:
    form = [("files", one) for one in given]
    return client.post("/files", params={"corpus": corpus} | asked, files=form, headers={"X-API-Key": key})


def ended(client: TestClient, answer: Any) -> dict[str, Any]:
    assert answer.status_code == 202, answer.text
    for _ in range(600):
        job: dict[str, Any] = client.get(answer.headers["location"], headers=CURATOR).json()
        if job["finished"]:
            return job
        time.sleep(0.1)
    raise AssertionError(job)


def test_files_are_loaded_by_their_names_and_asked_about(
    client: TestClient, graph: Graph, corpus: str, app: FastAPI
) -> None:
    job = ended(
        client,
        sent(client, corpus, ("towns/novosel.md", TOWN), ("orlo.html", PAGE), ("photo.png", b"\x89PNG\r\n\x1a\n")),
    )
    assert (job["state"], job["kind"]) == ("done", "files")
    assert job["report"]["documents"] == {
        "in": 3,
        "stored": 2,
        "unchanged": 0,
        "rejected": {"format not read": 1},
        "failed": {},
    }
    assert [(one["source"], one["reason"]) for one in job["report"]["left_out"]] == [("photo.png", "format not read")]
    documents = client.get("/documents", params={"corpus": corpus}, headers=CURATOR).json()["items"]
    assert {one["source"] for one in documents} == {"towns/novosel.md", "orlo.html"}
    assert client.get("/questions", params={"corpus": corpus, "state": "active"}, headers=CURATOR).json()["items"]
    assert list((app.state.settings.home / "uploads").iterdir()) == []
    again = ended(client, sent(client, corpus, ("towns/novosel.md", TOWN), ("copy.md", TOWN)))
    assert again["report"]["documents"]["unchanged"] == 1
    same = {"folders": None, "same_text": 1, "same_text_example": ["copy.md", "towns/novosel.md"]}
    assert again["report"]["leftovers"] == same
    told = client.get("/loads", params={"corpus": corpus}, headers=CURATOR).json()["items"]
    assert [one["report"]["documents"]["stored"] for one in told] == [1, 2]
    assert told[0]["report"]["leftovers"] == same
    assert [(one["source"], one["reason"]) for one in told[1]["left_out"]] == [("photo.png", "format not read")]
    assert told[1]["report"]["reading"]["words"] > 10
    other = client.get("/loads", params={"corpus": corpus, "limit": 1}, headers=CURATOR).json()["items"]
    assert [one["at"] for one in other] == [told[0]["at"]]


def test_questions_can_be_left_for_later(client: TestClient, graph: Graph, corpus: str) -> None:
    ended(client, sent(client, corpus, ("../towns/novosel.md", TOWN), questions=False))
    assert graph.totals(corpus).facts
    assert [
        one["source"] for one in client.get("/documents", params={"corpus": corpus}, headers=CURATOR).json()["items"]
    ] == ["towns/novosel.md"]
    assert client.get("/questions", params={"corpus": corpus}, headers=CURATOR).json()["items"] == []


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../../etc/passwd.md", "etc/passwd.md"),
        ("/tmp/x.md", "tmp/x.md"),
        ("C:\\Users\\me\\x.md", "C:/Users/me/x.md"),
        ("a/./b//c.md", "a/b/c.md"),
        (".hidden.md", ".hidden.md"),
        ("Screenshot 10.00\u202fAM.png", "Screenshot 10.00\u202fAM.png"),
        ("گزارش\u200cها.txt", "گزارش\u200cها.txt"),
    ],
)
def test_a_name_never_leads_out_of_the_upload(name: str, stored: str) -> None:
    assert files._name(name) == stored


@pytest.mark.parametrize(
    "name", ["", "..", "/", "a\tb.md", "a\nb", "a\u202eb.md", "x" * 201, "é" * 101, "/".join("abcdefghijkl")]
)
def test_what_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(BadRequest, match=r"no name of a file|too deep"):
        files._name(name)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no file came"),
        ([("..", TOWN)], "no name of a file"),
        ([("x" * 300 + ".md", TOWN)], "no name of a file"),
        ([("/".join("abcdefghijkl"), TOWN)], "too deep"),
        ([("a.md", TOWN), ("./a.md", TOWN)], "named 'a.md'"),
        ([("a", TOWN), ("a/b.md", TOWN)], "named 'a'"),
    ],
    ids=["none", "dots", "long", "deep", "twice", "file and folder"],
)
def test_what_cannot_be_stored_is_refused(
    client: TestClient, app: FastAPI, given: list[tuple[str, bytes]], said: str
) -> None:
    answer = sent(client, "no-such-corpus", *given)
    assert answer.status_code == 400, answer.text
    assert said in answer.json()["detail"]
    assert list((app.state.settings.home / "uploads").glob("*")) == []


def test_a_reader_and_too_much_are_refused_before_anything_is_kept(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sent(client, "x", ("a.md", TOWN), key="reader-key").status_code == 403
    assert sent(client, "x", ("a.md", TOWN), key="nobody").status_code == 401
    monkeypatch.setattr(files, "SIZE", 1_000)
    assert sent(client, "x", ("a.md", TOWN * 100)).status_code == 413

    def pieces() -> Iterator[bytes]:  # without a content-length
        yield b'--cut\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
        yield from [TOWN] * 100
        yield b"\r\n--cut--\r\n"

    form = {"Content-Type": "multipart/form-data; boundary=cut"} | CURATOR
    assert client.post("/files", content=pieces(), headers=form).status_code == 413
    for kind, body in (
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=cut", b"--other"),
        ("text/plain", b"x"),
        ("", b""),
    ):
        answer = client.post("/files", content=body, headers={"Content-Type": kind} | CURATOR)
        assert answer.status_code == 400, (kind, answer.text)
    assert list((app.state.settings.home / "uploads").glob("*")) == []


def test_files_that_no_job_waits_for_are_removed(
    client: TestClient, app: FastAPI, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Jobs, "_put", lambda *_: None)  # what is ordered waits
    job = sent(client, corpus, ("a.md", TOWN)).json()
    uploads = app.state.settings.home / "uploads"
    (waiting,) = uploads.iterdir()
    for name in ("left", f"{files.NEW}coming"):
        (uploads / name).mkdir()
    files.sweep(app.state.settings.home, app.state.jobs)
    assert (uploads / "left").exists(), "it may be about to become a job"
    monkeypatch.setattr(files, "FRESH", 0)
    files.sweep(app.state.settings.home, app.state.jobs)
    assert {one.name for one in uploads.iterdir()} == {waiting.name, f"{files.NEW}coming"}
    assert (waiting / "a.md").read_bytes() == TOWN
    client.delete(f"/jobs/{job['id']}", headers=CURATOR)
    files.sweep(app.state.settings.home, app.state.jobs, starting=True)
    assert list(uploads.iterdir()) == []


def test_a_journal_of_another_corpus_or_that_was_cut_is_no_load_of_this(tmp_path: Path) -> None:
    for corpus, verb in (("mine", "load"), ("other", "load"), ("mine", "questions"), ("mine", "up")):
        with Journal(tmp_path, verb, corpus) as journal:
            journal.problem(Problem(source=f"{verb}.md", state="rejected", reason="empty"))
            journal.problem(Problem(source="x", state="rejected", reason="vague"), item="triplet")
            journal.finish(Problem(source="report", state="failed", reason="any record"))
    with Journal(tmp_path, "load", "mine") as journal:
        journal.problem(Problem(source="cut", state="rejected", reason="empty"))
    (tmp_path / "runs" / "20310101T000000.0-load.jsonl").write_text('{"report": {}, "corpus": "mine"')
    (tmp_path / "runs" / "20310101T000001.0-load.jsonl").touch()  # of an earlier version, which made the file at once
    with Journal(tmp_path, "load", "mine") as journal:  # a dry run: nothing is written
        assert list(journal.problems("document")) == []
    assert not journal.path.exists()
    found = list(loads(tmp_path, "mine", 5))
    assert [[one.source for one in run.problems] for run in found] == [["up.md"], ["load.md"]]
    assert found[0].at >= found[1].at
    assert len(list(loads(tmp_path, "mine", 1))) == 1
    assert list(loads(tmp_path / "nothing", "mine", 1)) == []
