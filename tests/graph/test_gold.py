"""A team with chunks of its own: what it quotes is measured as our ids are, in the sandbox, a submission, an evaluation."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.settings import Settings
from kgservice.evaluation.retrieval import by_place
from kgservice.evaluation.retrieval.run import report
from kgservice.exchange.exchange_rows import tables
from kgservice.exchange.parquet import write_parquet
from kgservice.exchange.trec import write_trec
from kgservice.gold.found_passage import passage_of
from kgservice.graph.store import Graph
from kgservice.leaderboard.team_client import Client
from kgservice.questions import question_store
from kgservice.releases.archive import Archive
from kgservice.releases.best_sentence import BestSentence
from kgservice.releases.release import create
from kgservice.releases.release_places import GOLD, PLACES
from kgservice.vectors.embedder import Embedder

KEYS = {"reader": "r-key", "curator": "c-key", "admin": "a-key"}


@pytest.fixture(scope="module")
def team(graph: Graph, demo: str, tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("home")
    create(graph, demo, Archive(home / "releases"), 20)
    app = create_app(Settings(home=home, api_keys=KEYS), graph)  # type: ignore[arg-type]
    with TestClient(app, client=("127.0.0.1", 50000)) as http:
        yield Client("", "r-key", http=http), Client("", "a-key", http=http), home


def test_quotes_are_scored_as_ids_are(team: Any) -> None:
    client, admin, _ = team
    sandbox = client.sandbox()
    system = BestSentence((one.public_id, one.title, one.text) for one in sandbox.texts)
    texts, titles = (
        {one.public_id: one.text for one in sandbox.texts},
        {one.public_id: one.title for one in sandbox.texts},
    )

    def quoting(question: str) -> tuple[str, list[object]]:
        answer, ids = system(question)
        return answer, [f"{titles[number]}\n\n{texts[number]}" for number in ids]

    by_id, by_text = (sandbox.evaluate(sandbox.run(one)) for one in (system, quoting))
    assert by_text == by_id
    assert by_id.measures["hit_rate@10"] > 0.5

    release = client.fetch()
    assert release.evidence is None  # where the evidence stands is private
    system = BestSentence((one.public_id, one.title, one.text) for one in release.texts)
    texts, titles = (
        {one.public_id: one.text for one in release.texts},
        {one.public_id: one.title for one in release.texts},
    )
    scores = []
    for name, asked in (("ids", system), ("quotes", quoting)):
        sent = client.submit(release, release.run(asked), name)
        assert client.follow(sent.id).state == "evaluated"
        scores.append(admin.submission(sent.id).scores)
    assert scores[0] == scores[1]
    assert scores[0].measures["hit_rate@10"] > 0.3


def test_places_are_public_and_gold_is_not(team: Any) -> None:
    client, _, home = team
    archive = Archive(home / "releases")
    release = archive.latest()
    assert release is not None
    access = {one.name: one.access for one in release.files}
    assert access[PLACES] == access[f"sandbox/{PLACES}"] == access[f"sandbox/{GOLD}"] == "public"
    assert access[f"private/{GOLD}"] == "private"
    with pytest.raises(NotFound):
        client._file(release, f"private/{GOLD}")
    texts = {
        row["public_id"]: row["text"]
        for row in map(json.loads, archive.file(release, "public_texts.jsonl").splitlines())
    }
    places = [json.loads(row) for row in archive.file(release, PLACES).splitlines()]
    assert {row["public_id"]: row["end"] - row["start"] for row in places} == {
        key: len(text) for key, text in texts.items()
    }
    where = {row["public_id"]: row for row in places}
    for row in map(json.loads, archive.file(release, f"private/{GOLD}", private=True).splitlines()):
        for one in (place for fact in row["facts"] for place in fact):
            text = where[int(one["id"])]
            start = one["start"] - text["start"]
            assert one["document"] == text["document"]
            assert texts[int(one["id"])][start : start + len(one["sentence"])] == one["sentence"]


def test_places_of_no_document_are_refused_row_by_row(team: Any) -> None:
    client, _, _ = team
    release = client.fetch()
    nothing = release.run(lambda _: ("", []))
    wrong = {"document": "nowhere.md", "start": 0, "end": 5}
    with pytest.raises(BadRequest, match=r"results\.0\.passages: 'nowhere.md' is no document"):
        client.submit(release, nothing | {0: release.run(lambda _: ("", [wrong]))[0]}, "x")
    with pytest.raises(BadRequest, match=r"results\.0\.passages: a passage of 60,000 characters is too long"):
        client.submit(release, nothing | {0: release.run(lambda _: ("", ["word " * 11_999 + "words"]))[0]}, "x")
    with pytest.raises(BadRequest, match=r"results\.0\.passages: '99999' is no text"):
        client.submit(release, nothing | {0: release.run(lambda _: ("", ["a", 99999]))[0]}, "x")


def test_all_of_a_corpus_goes_out_with_its_evidence(graph: Graph, demo: str, tmp_path: Path) -> None:
    found = tables(graph, demo, [*question_store.questions(graph, demo, state="active")])
    texts = {row["id"]: row for row in found.texts}
    assert len(texts) == graph.totals(demo).chunks
    assert {row["question"] for row in found.evidence} == {row["id"] for row in found.questions}
    for row in found.evidence:
        text = texts[row["text"]]
        assert text["document"] == row["document"]
        assert text["text"][row["start"] - text["start"] : row["end"] - text["start"]] == row["sentence"]
    assert next(one.lines for one in write_trec(found, tmp_path)) == len(found.questions)
    parquet = write_parquet(found, demo, tmp_path)
    assert [one.lines for one in parquet[:3]] == [len(found.questions), len(found.evidence), len(texts)]
    with pytest.raises(BadRequest, match="no such questions"):
        tables(graph, demo, [])


def test_any_systems_passages_are_measured_on_the_corpus(graph: Graph, demo: str, tmp_path: Path) -> None:
    asked = by_place.questions(graph, demo)
    chunks = by_place.retrieved(graph, demo, "bm25", asked, [5], Embedder())
    oracle = by_place.retrieved(graph, demo, "oracle", asked, [10], Embedder())
    means = report("bm25", chunks, asked.judged(), 0).measures
    assert 0.5 < means["recall@5"] < 1
    assert report("oracle", oracle, asked.judged(), 0).measures["recall@10"] > means["recall@5"]

    quotes = {
        one.id: [{"text": asked.documents.sentence(place.document, (place.start, place.end)), "document": place.document}
                 for fact in asked.gold[one.id].facts for place in fact]
        for one in asked.questions
    }  # fmt: skip
    file = tmp_path / "quotes.jsonl"
    twice = Counter(one.question for one in asked.questions)  # a table says in its own words what is given besides
    names = [{"id": one.id} if twice[one.question] > 1 else {"question": one.question} for one in asked.questions]
    lines = [name | {"passages": quotes[one.id]} for name, one in zip(names, asked.questions, strict=True)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = asked.results("quotes", by_place.passages_of(file, asked), [100])
    assert report("quotes", found, asked.judged(), 0).measures["all@100"] == 1
    stored = next(iter(asked.gold.values())).facts[0][0].document
    places = [passage_of({"document": name, "start": 0, "end": 9}) for name in (stored, "nowhere")]
    assert asked.unknown({"q": [*places, passage_of({"document": "elsewhere", "text": "Isvik"})]}) == ["nowhere"]
    for line, told in (
        ("[]", "line 1"),
        ('{"id": "x", "passages": []}', "no active question"),
        ('{"id": "x"}', "line 1"),
        ('{"question": "Who knows?", "passages": []}', r"line 1: no active question of the corpus: 'Who knows\?'"),
        (f'{{"id": "{asked.questions[0].id}", "passages": "Isvik"}}', "line 1: give .*passages is a str"),
        (2 * f'{{"id": "{asked.questions[0].id}", "passages": []}}\n', "line 2: a second line of question"),
    ):
        file.write_text(line)
        with pytest.raises(BadRequest, match=told):
            by_place.passages_of(file, asked)
