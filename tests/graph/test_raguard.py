"""RAGuard's conditions over a real graph: what each verdict is asked from, going on, and systems that misbehave."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgservice.answering.generator import Generated, QuestionWithPassages
from kgservice.answering.verdicts import OverlapVerdicts
from kgservice.core.records import Document
from kgservice.evaluation.raguard import run as raguard
from kgservice.evaluation.raguard.questions import read_claims
from kgservice.evaluation.raguard.run import CONDITIONS, CheckedClaim, ClaimVerdict, RaguardSystems
from kgservice.evaluation.shared.run_folder import RunFolder
from kgservice.graph.store import Graph
from kgservice.retrieval import retriever
from kgservice.vectors.embedder import Embedder
from loaders.benchmarks.raguard import RaguardLoader
from tests.graph.documents import loaded
from tests.llm_server import KEY, LLMServer, filled, form
from tests.unit.test_claims import DATA, IDENTITY


@pytest.fixture(scope="module")
def posts(graph: Graph) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    loaded(graph, name, RaguardLoader(DATA / "documents.csv").read(), extract="none")
    yield name
    graph.remove_corpus(name)


class Recorded(OverlapVerdicts):
    """The offline checker, with what it was asked; it fails at the questions in `broken`."""

    def __init__(self, broken: Sequence[str] = ()) -> None:
        self.asked: list[QuestionWithPassages] = []
        self.broken = broken

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        self.asked += asked
        found = await super().answers(asked)
        broken = Generated(failure="time-out")
        return [broken if one.unit in self.broken else answer for one, answer in zip(asked, found, strict=True)]


def run(
    graph: Graph, corpus: str, folder: Path, checker: Recorded, *, conditions: Sequence[raguard.Condition] = CONDITIONS
) -> list[CheckedClaim]:
    opened = RunFolder(folder, IDENTITY, CheckedClaim)
    found = retriever("bm25", graph, corpus, Embedder())
    systems = RaguardSystems(checker, checker, found if "rag-1" in conditions else None)
    claims = read_claims(DATA / "claims.csv")
    asyncio.run(raguard.run(graph, corpus, claims, list(conditions), systems, opened))
    return opened.done()


def of(claim: CheckedClaim, condition: str) -> list[ClaimVerdict]:
    return [one for one in claim.verdicts if one.condition == condition]


def test_each_condition_gets_its_documents(graph: Graph, posts: str, tmp_path: Path) -> None:
    checker = Recorded()
    checked = run(graph, posts, tmp_path / "run", checker)
    assert [one.id for one in checked] == ["1", "2", "3", "4", "5"]
    port, ferry = checked[1], checked[4]
    assert [one.documents for one in of(port, "oracle")] == [("4",), ("5",), ("6",)]
    assert [one.label for one in of(port, "oracle")] == ["misleading", "supporting", "irrelevant"]
    assert [one.ended for one in of(port, "oracle")] == ["wrong", "correct", "out of scope"]
    assert of(port, "zero-context")[0].documents == ()
    assert of(port, "rag-1")[0].documents == port.found[:1]
    assert of(port, "rag-5")[0].documents == port.found[:5]
    assert ferry.absent == ("99",)
    assert len(of(ferry, "oracle")) == len(of(ferry, "exam")) == 2
    assert port.measures["recall@5"] == len({"4", "5", "6"} & set(port.found[:5])) / 3
    assert port.measures["misleading@1"] == float(port.found[0] == "4")
    alone = [one.contexts for one in checker.asked if one.unit == "2"]
    assert alone[0] == ()
    assert any(len(contexts) == 1 and "The yearbook counts 9 million" in contexts[0] for contexts in alone)


def test_a_run_goes_on_and_what_fails_is_recorded(graph: Graph, posts: str, tmp_path: Path) -> None:
    checked = run(graph, posts, tmp_path / "run", Recorded(broken=["3"]), conditions=["zero-context", "oracle"])
    assert {one.failure for one in checked[2].verdicts} == {"time-out"}
    assert {one.ended for one in checked[2].verdicts} == {"failed"}
    assert not [one for claim in checked if claim.id != "3" for one in claim.verdicts if one.failure]
    again = Recorded()
    lines = (tmp_path / "run" / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run" / "questions.jsonl").write_text("".join(lines[:3]), encoding="utf-8")
    run(graph, posts, tmp_path / "run", again, conditions=["zero-context", "oracle"])
    assert {one.unit for one in again.asked} == {"4", "5"}
    assert len(run(graph, posts, tmp_path / "run", again, conditions=["zero-context", "oracle"])) == 5
    assert {one.unit for one in again.asked} == {"4", "5"}, "what was done is asked again"


def test_a_set_is_built_of_rated_claims_and_posts_labelled_and_asked(
    graph: Graph, posts: str, kgs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        "a,The Vellmar Bridge was opened in 2009.,mostly-true", "b,Mayor Holt closed the public library in Isvik.,pants-fire",
        "c,Xyzzy plugh.,false", "d,The toll is two crowns.,half-true", "e,It rains.,maybe",
    ]  # fmt: skip
    rated, made = tmp_path / "rated.csv", tmp_path / "set"
    rated.write_text("\n".join(["Claim ID,Claim,Verdict", *rows]), encoding="utf-8")
    given = ("evaluate", "raguard-set", "--claims", rated, "-c", posts, "--half-true", "drop")
    report = json.loads(kgs(*given, made, "--posts", 3, "--json").stdout.splitlines()[-1])
    assert (report["claims"], report["written"], report["true"], report["left_out"]) == (3, 2, 1, {"no post found": 1})
    assert report["skipped"] == {"half true": 1, "no rating of the six": 1}
    claims = read_claims(made / "claims.csv").units
    assert [(one.id, one.truth, {post.label for post in one.documents}) for one in claims] == [
        ("a", True, {"unlabelled"}), ("b", False, {"unlabelled"}),
    ]  # fmt: skip
    written = {one.source: one for one in RaguardLoader(made / "documents.csv").read() if isinstance(one, Document)}
    assert len(written) == report["documents"] <= report["attached"] <= 6
    assert {one.id for claim in claims for one in claim.documents} == {*written}
    first = written[claims[0].documents[0].id]
    assert ("Vellmar Bridge" in first.text, first.metadata["claim_id"]) == (True, "a")
    assert first.url is not None and first.url.startswith("https://example.org/")
    assert "has a set already" in kgs(*given, made).output

    corpus = f"test-{uuid.uuid4().hex}"
    loaded(graph, corpus, written.values(), extract="none")
    try:
        exam = ("evaluate", "raguard", "-c", corpus, "--conditions")
        assert kgs(*exam, "exam", "--claims", made / "claims.csv", "--report", tmp_path / "exam").exit_code == 0
        labelled = read_claims(tmp_path / "exam" / "claims.csv").units
        labels = {written[post.id].title: post.label for claim in labelled for post in claim.documents}
        assert (labels["Bridge facts"], labels["The old bridge"]) == ("supporting", "misleading")
        assert labels["Council minutes"] == "supporting", "it says that he did not close it, and the claim is false"
        asked = kgs(*exam, "oracle", "--claims", tmp_path / "exam" / "claims.csv", "--json")
        assert "misleading-only" in json.loads(asked.stdout.splitlines()[-1])["summary"]["accuracy"]
    finally:
        graph.remove_corpus(corpus)

    def said(request: dict[str, Any]) -> Any:
        if "keywords" not in (form(request) or {}).get("properties", {}):
            return filled(request)
        told = request["messages"][1]["content"]
        return {"keywords": ["library", "\u200b", "a b c d e f g"] if "library" in told else [" "]}

    with LLMServer(said) as server:
        for name, value in (("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "test-model")):
            monkeypatch.setenv(f"KGS_LLM_{name}", value)
        done = kgs(*given, tmp_path / "by-model", "--llm-keywords", "--json")
    report = json.loads(done.stdout.splitlines()[-1])
    assert (done.exit_code, report["written"], report["left_out"]) == (1, 1, {"no keywords": 2})
    assert report["failed"] == {"no keyword that can be searched for": 2}
    (one,) = read_claims(tmp_path / "by-model" / "claims.csv").units
    found = list(RaguardLoader(tmp_path / "by-model" / "documents.csv").read())
    assert one.id == "b"
    assert {post.title for post in found if isinstance(post, Document)} == {"Council minutes", "Outrage"}
