"""Releases of the demo corpus: what changes between two, what is opened, and a team's whole way to the leaderboard."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr, TypeAdapter

from kgservice.api.app import create_app
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Fact, Question
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.leaderboard.submissions import Submissions, SubmittedResults
from kgservice.leaderboard.team_client import Client
from kgservice.metrics.result_scores import Result
from kgservice.questions import question_store
from kgservice.questions.filters.share import OVER
from kgservice.questions.question_store import USED
from kgservice.questions.selection import Plan, Refreshed, generate, refresh
from kgservice.releases import split
from kgservice.releases.archive import ANSWERS, MAPPING, Archive, Manifest, new_key
from kgservice.releases.best_sentence import BestSentence
from kgservice.releases.certificate import CERTIFICATE, COMMITMENTS, OPENINGS, SECRET
from kgservice.releases.check_release import check
from kgservice.releases.openings import all_openings, opened
from kgservice.releases.release import create, diff
from kgservice.releases.split import REPEATED, TAIL, parts
from tests.graph.documents import DEMO, asked, document, loaded
from tests.unit.releases import published

KEYS = {"reader": "r-key", "curator": "c-key", "admin": "a-key"}
KEY = SecretStr(new_key())
EVERY = 10_000
TOWNS = "Ambrel Brel Corrin Dunmar Esk Farl Gant Hove Ilm Jarn Kell Lorn Marn Nesk Orl Pell Quin Rost Sarn Tesk"


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive whose private files are encrypted: nothing else may read them."""
    return Archive(tmp_path / "releases", KEY)


def rows(archive: Archive, release: Manifest, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.file(release, name, private=True).splitlines()]


def evidence(question: Question) -> set[str]:
    return {fact.key for fact in question.facts}


def test_answers_that_changed_make_the_stale_rate(
    graph: Graph, corpus: str, tmp_path: Path, kgs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGS_RELEASE_KEY", KEY.get_secret_value())
    archive = Archive(tmp_path / "home" / "releases", KEY)
    plan = Plan(patterns=("single",), second_look=False, share=1)
    for first in ("Ada", "Bo"):
        mayors = [(f"Port {name}", f"{first} {name}son") for name in TOWNS.split()]
        stays = document("stays", [("Port Zell", "mayor", "Cy Lind")], [("Port Yarr", "mayor", "Di Lind")])
        loaded(graph, corpus, [stays, *(document(port, [(port, "mayor", mayor)]) for port, mayor in mayors)])
        generate(graph, corpus, plan)
        create(graph, corpus, archive)
    found = diff(archive, "1.0.0", "1.1.0", private=True)
    told = {one.question: (one.before, one.now) for one in found.changed}
    assert len(told) >= 2
    assert all(before[0].replace("Ada", "Bo") == now[0] for before, now in told.values())
    assert {one.newer_id for one in found.changed} <= {one.public_id for one in found.added}
    assert {one.older_id for one in found.changed} <= {one.public_id for one in found.retired}
    assert all(one.before == one.now == () for one in diff(archive, "1.0.0", "1.1.0").changed)
    assert next(iter(told)) in kgs("release", "diff", "1.0.0", "1.1.0").stdout

    rows_now = rows(archive, archive.get("1.1.0"), ANSWERS)
    said = {one.newer_id: one.before[0] for one in found.changed[1:]}  # the first one is answered as now
    answers = {
        str(row["public_id"]): Result(model_answer=said.get(row["public_id"], row["answer"])) for row in rows_now
    }
    (file := tmp_path / "results.json").write_bytes(TypeAdapter(dict[str, Result]).dump_json(answers))
    scores = tmp_path / "scores.json"
    shown = kgs("evaluate", "dragon", "--results", file, "--release", "1.1.0", "--scores", scores)
    assert shown.stdout.startswith("results.json, its own; strings\n"), "a file's results have no k"
    assert "stale rate" in shown.output
    stale = json.loads(scores.read_text())["stale"]
    assert (stale["since"], stale["of"], stale["stale"], stale["current"]) == ("1.0.0", len(told), len(said), 1)
    assert 0 < stale["low"] < stale["rate"] < stale["high"] < 1

    submissions = Submissions(tmp_path / "submissions.sqlite")
    sent = submissions.add(archive, SubmittedResults(version="1.1.0", system="ours", results=answers))
    evaluated = submissions.evaluate(archive, sent.id)
    assert evaluated.scores is not None
    assert evaluated.scores.stale is not None
    assert evaluated.scores.stale.model_dump() == stale
    approved = submissions.move(sent.id, "approved")
    assert all("stale" not in approved.shown(closed).model_dump_json() for closed in ((), ("1.1.0",)))


class Moved(NamedTuple):
    """Two releases of a demo corpus, before and after its two newer documents."""

    corpus: str
    folder: Path
    known: tuple[Question, ...]  # of the first
    refreshed: Refreshed
    first: Manifest
    second: Manifest

    def archive(self, beside: Path) -> Archive:
        """Return a copy of the archive, to which a test may add releases."""
        return Archive(Path(shutil.copytree(self.folder, beside / "releases", dirs_exist_ok=True)), KEY)


@pytest.fixture(scope="module")
def moved(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Moved]:
    corpus, archive = f"test-{uuid.uuid4().hex}", Archive(tmp_path_factory.mktemp("moved"), KEY)
    asked(graph, corpus)
    first = create(graph, corpus, archive, EVERY)
    known = tuple(question_store.questions(graph, corpus, state="active"))
    assert opened(archive, first, {"1.0.0"}) == [], "the newest release still asks them"
    loaded(graph, corpus, read("triplets", [DEMO / "update.jsonl"]))
    with pytest.raises(BadRequest, match="questions refresh"):
        create(graph, corpus, archive)
    refreshed = refresh(graph, corpus)
    yield Moved(corpus, archive.folder, known, refreshed, first, create(graph, corpus, archive, EVERY))
    graph.remove_corpus(corpus)


def test_two_newer_documents_change_only_what_they_are_about(graph: Graph, moved: Moved, tmp_path: Path) -> None:
    demo, archive, first, second, known = moved.corpus, moved.archive(tmp_path), moved.first, moved.second, moved.known
    out = parts(known, EVERY, 0, ()).left_out
    assert (first.version, second.version, second.previous) == ("1.0.0", "1.1.0", "1.0.0")

    for name in (ANSWERS, MAPPING):
        before, after = ({row["id"]: row["public_id"] for row in rows(archive, one, name)} for one in (first, second))
        assert before.keys() & after.keys()
        assert all(after[key] == before[key] for key in before.keys() & after.keys())
        assert not {after[key] for key in after.keys() - before.keys()} & set(before.values())
    before, after = ({row["id"] for row in rows(archive, one, ANSWERS)} for one in (first, second))
    facts = {one.id: evidence(one) for one in known}
    others = {
        one.id for one in question_store.questions(graph, demo, state="active") if facts.get(one.id) != evidence(one)
    }
    free = {key for key, why in out.items() if why in (REPEATED, TAIL)}  # where the one beside it went
    assert after - before <= set(moved.refreshed.added_ids) | others | free
    gone = before - after
    assert gone
    assert gone <= set(moved.refreshed.retired_ids) | others

    found = diff(archive, "1.0.0", "latest")
    assert (found.kept, len(found.added), len(found.retired)) == (len(before & after), len(after - before), len(gone))
    key = {row["public_id"]: row["id"] for row in rows(archive, first, ANSWERS)}
    reasons = {key[one.public_id]: one.reason for one in found.retired}
    assert {reasons[one] for one in gone & set(moved.refreshed.retired_ids)} <= set(moved.refreshed.retired)
    causes = {one.public_id: one.cause for one in diff(archive, "1.0.0", "latest", private=True).retired}
    ended = {one.id: one.cause for one in question_store.questions(graph, demo)}
    given = {key[number]: cause for number, cause in causes.items() if cause}
    assert given == {one: ended[one] for one in gone & set(moved.refreshed.retired_ids) if ended[one]}
    uncaused = {reasons[one] for one in gone & set(moved.refreshed.retired_ids) - given.keys()}
    assert uncaused <= {OVER, USED}  # others were asked instead
    assert all(cause.startswith(("added: ", "changed: ")) for cause in causes.values() if cause)
    assert not any(one.cause for one in found.retired)  # it may say where an answer of the older release stands
    left = parts(tuple(question_store.questions(graph, demo, state="active")), EVERY, 0, before).left_out
    still = gone - set(moved.refreshed.retired_ids)  # active, by other facts now: on both sides of the split, say
    assert {one: reasons[one] for one in still} == {one: left[one] for one in still}
    with pytest.raises(BadRequest, match="older one first"):
        diff(archive, "1.1.0", "1.0.0")
    name = "sandbox/private_qa.jsonl"
    assert archive.file(first, name) == archive.file(second, name)  # it stays, whatever changes
    assert create(graph, demo, archive, EVERY) == second  # the same questions are the same version
    assert [one.version for one in archive.all()] == ["1.0.0", "1.1.0"]
    assert not list(archive.folder.glob(".staging-*"))
    third = create(graph, demo, archive, 3)
    published(archive.folder, corpus="another")  # the newest of all, and not the latest of this corpus
    again = diff(archive, "1.1.0", "latest")
    assert (third.version, again.added, len(again.retired)) == (
        "1.2.0",
        (),
        len(after) - sum(third.counts.test.values()),
    )
    assert diff(archive, "1.0.0", "1.2.0").kept + len(diff(archive, "1.0.0", "1.2.0").retired) == len(before)


def test_answers_are_opened_when_nobody_is_asked_for_them(graph: Graph, moved: Moved, tmp_path: Path) -> None:
    archive, first, second = moved.archive(tmp_path), moved.first, moved.second

    def lines(release: Manifest, name: str) -> list[bytes]:
        return archive.file(release, name, private=True).splitlines()

    assert lines(first, SECRET) == lines(second, SECRET)
    assert opened(archive, first, ()) == [], "the release is open"
    told = opened(archive, first, {"1.0.0"})
    _opens_over_http(graph, tmp_path, first, told)
    before, after = ({row["public_id"]: row for row in rows(archive, one, ANSWERS)} for one in (first, second))
    still = {tuple(triple) for row in after.values() for triple in row["triplets"]}
    gone = {
        number for number in before.keys() - after.keys() if still.isdisjoint(map(tuple, before[number]["triplets"]))
    }
    assert gone
    assert {row["public_id"] for row in told} == gone
    assert not list(check(lines(first, COMMITMENTS), [], [json.dumps(row).encode() for row in told]))
    assert {row["public_id"]: row["opened"]["answers"] for row in told} == {n: before[n]["answers"] for n in gone}
    assert len(all_openings(archive, first)) == len(before)

    given = {tuple(triple) for number in gone for triple in before[number]["triplets"]}
    kept = {row["public_id"]: row["commitment"] for row in rows(archive, first, COMMITMENTS)[1:]}
    same = {row["public_id"]: row["commitment"] for row in rows(archive, second, COMMITMENTS)[1:]}
    assert any(kept[number] == same[number] for number in kept.keys() & same.keys()), "a kept answer keeps its seal"
    third = create(graph, moved.corpus, archive, 5, closed={"1.0.0"})
    assert given.isdisjoint(tuple(triple) for row in rows(archive, third, ANSWERS) for triple in row["triplets"])


def _opens_over_http(graph: Graph, home: Path, release: Manifest, told: list[dict[str, Any]]) -> None:
    """Ask the service for openings as everybody may, before and after an admin closes the older of two releases."""
    app = create_app(Settings(home=home, api_keys=KEYS, release_key=KEY), graph)  # type: ignore[arg-type]
    with TestClient(app, client=("127.0.0.1", 50000)) as http:

        def given(version: str, role: str) -> Any:
            return http.get(f"/releases/{version}/openings", headers={"X-API-Key": KEYS[role]}).json()["items"]

        newest = "1.1.0"
        assert http.get(f"/releases/{release.version}/openings").status_code == 401
        assert [given(one, role) for one in (release.version, newest) for role in KEYS] == [[]] * 6
        for role, status in (("reader", 403), ("curator", 403), ("admin", 200)):
            closing = http.post(f"/releases/{release.version}/closing", headers={"X-API-Key": KEYS[role]})
            assert closing.status_code == status
        assert told
        assert [given(release.version, role) for role in KEYS] == [told] * 3
        assert given(newest, "admin") == []
        for name in (OPENINGS, CERTIFICATE, SECRET):
            answer = http.get(f"/releases/{release.version}/files/{name}", headers={"X-API-Key": KEYS["admin"]})
            assert answer.status_code in (403, 404)


def test_everything_is_counted_and_no_fact_is_on_both_sides(graph: Graph, demo: str, archive: Archive) -> None:
    release = create(graph, demo, archive, 5, seed=3)
    counts = release.counts
    assert counts.given == question_store.active(graph, demo)
    assert counts.given == sum(counts.test.values()) + sum(counts.train.values()) + sum(counts.left_out.values())
    assert max(counts.test.values()) == 5
    assert counts.texts == graph.totals(demo).chunks
    assert counts.documents == graph.totals(demo).documents

    def facts(name: str) -> set[tuple[str, str, str]]:
        return {
            (fact["subject"], fact["relation"], fact["object"])
            for row in rows(archive, release, name)
            for fact in row["facts"]
        }

    assert facts("private/questions.jsonl")
    assert facts("private/questions.jsonl").isdisjoint(facts("train.jsonl"))
    assert {row["release"] for row in rows(archive, release, "train.jsonl")} == {"1.0.0"}
    sizes = {one.name: one.rows for one in release.files}
    assert sizes["public_questions.jsonl"] == sizes[ANSWERS] == sizes["beir/queries.jsonl"] == sum(counts.test.values())
    assert sizes["public_texts.jsonl"] == sizes[MAPPING] == sizes["beir/corpus.jsonl"] == counts.texts
    assert sizes["sandbox/private_qa.jsonl"] == sizes["sandbox/public_questions.jsonl"] == sum(counts.sandbox.values())
    card = archive.file(release, "CARD.md").decode()
    assert f"{sum(counts.test.values()):,} questions to be answered" in card
    for told in ("type: country_survey | 8", "facts on both sides of the split", "licence: not stated | 40"):
        assert told in card


def test_sides_that_another_rule_drew_stay_apart(
    graph: Graph, demo: str, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(split, "for_training", lambda fact: len(fact.object) % 2)
        first = create(graph, demo, archive)
    second = create(graph, demo, archive)
    told, asked = [], []
    for release in (first, second):
        given = rows(archive, release, "train.jsonl")
        told.append({(one["subject"], one["relation"], one["object"]) for row in given for one in row["facts"]})
        asked.append({tuple(one) for row in rows(archive, release, ANSWERS) for one in row["triplets"]})
    assert all([*told, *asked])
    assert (told[0] | told[1]).isdisjoint(asked[0] | asked[1])
    reasons = second.counts.left_out
    assert reasons[split.TOLD] and reasons[split.ASKED]


def test_the_sandbox_holds_what_its_answers_name(graph: Graph, demo: str, archive: Archive) -> None:
    release = create(graph, demo, archive)
    texts = {row["public_id"]: row["text"] for row in rows(archive, release, "sandbox/public_texts.jsonl")}
    answers = rows(archive, release, "sandbox/private_qa.jsonl")
    given_away = {row["id"]: row for row in rows(archive, release, "train.jsonl")}
    assert answers
    for row in answers:
        sentences = [text for fact in given_away[row["id"]]["facts"] for text in fact["sentences"]]
        assert all(any(sentence in texts[number] for number in row["text_ids"]) for sentence in sentences)


def test_what_has_no_questions_is_not_released(graph: Graph, corpus: str, archive: Archive) -> None:
    with pytest.raises(NotFound, match="no corpus"):
        create(graph, corpus, archive)
    loaded(graph, corpus, [document("a", [("Acme", "based in", "Lun")])])
    with pytest.raises(BadRequest, match="questions generate"):
        create(graph, corpus, archive)
    arcs = [("Acme", "based in", f"Lun {n}") for n in range(99)]
    given_away = next(
        arc
        for arc in arcs
        if split.for_training(Fact(key="f", subject=arc[0], relation=arc[1], object=arc[2], statements=()))
    )
    loaded(graph, corpus, [document("a", [given_away])])
    generate(graph, corpus, Plan())
    with pytest.raises(BadRequest, match=r"would ask 0 questions: . train .*: load more documents"):
        create(graph, corpus, archive)
    assert archive.all() == ()


@pytest.fixture
def app(graph: Graph, demo: str, archive: Archive, tmp_path: Path) -> FastAPI:
    create(graph, demo, archive, 20)
    return create_app(Settings(home=tmp_path, api_keys=KEYS, release_key=KEY), graph)  # type: ignore[arg-type]


@pytest.fixture
def http(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as opened:
        yield opened


def test_a_team_from_fetch_to_leaderboard(http: TestClient, demo: str) -> None:
    team, admin = Client("", "r-key", http=http), {"X-API-Key": "a-key"}
    assert [one.corpus for one in team.releases()] == [demo]
    sandbox, release = team.sandbox(), team.fetch("1.0.0")
    assert sandbox.expected is not None
    assert release.expected is None
    with pytest.raises(BadRequest, match="private"):
        release.evaluate({})

    def system(texts: Any) -> BestSentence:
        return BestSentence((one.public_id, one.title, one.text) for one in texts)

    local = sandbox.evaluate(sandbox.run(system(sandbox.texts)))
    assert local.questions == len(sandbox.questions)
    assert local.measures["hit_rate@10"] > 0.5
    results = release.run(system(release.texts))
    sent = team.submit(release, results, "best sentence")
    assert team.follow(sent.id).state == "evaluated"
    assert team.submission(sent.id).scores is None
    assert team.leaderboard().items == ()
    decision = http.post(f"/submissions/{sent.id}/decision", json={"approved": True}, headers=admin)
    assert decision.status_code == 200, decision.text
    scores = team.submission(sent.id).scores
    assert scores is not None
    assert scores.measures.keys() == {"total"}  # of the public half, in steps
    assert scores.measures["total"] > 0.1
    place = team.leaderboard().items[0]
    assert (place.system, place.measures) == ("best sentence", scores.measures)
    table = http.get("/leaderboard", params={"format": "csv"}, headers=admin)
    assert table.headers["content-type"].startswith("text/csv")
    assert "best sentence" in table.text

    with pytest.raises(BadRequest, match=r"results\.0: is missing"):
        team.submit(release, {key: value for key, value in results.items() if key}, "half")
    with pytest.raises(BadRequest, match="submitted before"):
        team.submit(release, results, "best sentence")
    assert team.withdraw(sent.id).state == "withdrawn"
    assert team.leaderboard().items == ()
    with pytest.raises(NotFound, match="no release"):
        team.fetch("2.0.0")


def test_results_have_to_be_as_promised(http: TestClient) -> None:
    headers = {"X-API-Key": "r-key", "content-type": "application/json"}
    for body, status, told in (
        (
            b'{"version": "1.0.0", "system": "x", "results": {"0": {"found_ids": [], "model_answer": ""}, "1": {}}}',
            422,
            "",
        ),
        (
            b'{"version": "1.0.0", "results": {"0": {"found_ids": [1], "model_answer": "a"}, '
            b'"0": {"found_ids": [2], "model_answer": "b"}}}',
            400,
            "repeated",
        ),
        (b'{"\\ud800": 1, "\\ud800": 2}', 422, "hex escape"),
        (b'{"version": "1.0.0", "results": {"\\ud800": {"found_ids": [], "model_answer": ""}}}', 422, "hex escape"),
        (
            b'{"version": "1.0.0", "results": {"0": {"found_ids": [1], "model_answer": "a"}}, '
            b'"results": {"0": {"found_ids": [2], "model_answer": "b"}}}',
            400,
            "repeated",
        ),
        (b'{"version": "1.0.0", "results": {}}', 422, "results"),
        (b'{"version": "1.0.0", "results": {"0": {"found_ids": ["a"], "model_answer": ""}}}', 422, "found_ids.0"),
        (b'{"version": "1.0.0", "results": {"0": {"found_ids": [], "model_answer": "\\ud800"}}}', 422, ""),
        (b'{"version": "../1.0.0", "results": {"0": {"found_ids": [], "model_answer": ""}}}', 404, "no release"),
        (b"[" * 50_000, 422, "recursion"),
        (b"{", 422, ""),
    ):
        answer = http.post("/submissions", content=body, headers=headers)
        assert (answer.status_code, told in answer.text) == (status, True), answer.text
    plain = http.post("/submissions", content=b"[" * 50_000, headers=headers | {"content-type": "text/plain"})
    assert plain.status_code == 422
    long = {"found_ids": [], "model_answer": "x" * 10_001}
    assert (
        http.post("/submissions", json={"version": "1.0.0", "results": {"0": long}}, headers=headers).status_code == 422
    )
