"""Submissions and the leaderboard without a service: validation, states, who sees what."""

from __future__ import annotations

import csv
import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import neo4j
import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core.errors import BadRequest, BadRows, GraphUnavailable, NotFound, TooMany
from kgservice.core.settings import RoleModel, Settings
from kgservice.gold.found_passage import FoundPassage
from kgservice.leaderboard import submissions
from kgservice.leaderboard.baselines import BEST_SENTENCE, Ours, baselines, check_baseline, enter, follow
from kgservice.leaderboard.board import as_csv, board
from kgservice.leaderboard.submissions import Submissions, SubmittedResults
from kgservice.leaderboard.team_client import Client, written
from kgservice.metrics.result_scores import Result, ResultScores
from kgservice.releases.archive import Archive, Manifest
from kgservice.releases.release_places import SubmittedPassages
from kgservice.vectors.embedder import Embedder
from tests.unit.releases import QUESTIONS, published
from tests.unit.test_api import NoGraph

pytestmark = pytest.mark.usefixtures("fine_steps")
RIGHT = {str(key): Result(found_ids=tuple(texts), model_answer=said) for key, (_, said, texts) in QUESTIONS.items()}


class Away(NoGraph):
    """A database that is not there."""

    def read(self, name: str, /, **parameters: object) -> list[neo4j.Record]:
        raise GraphUnavailable("gone")


NO_MODEL = Settings(llm_base_url=None, llm_model=None, llm_reader=RoleModel())
OURS = Ours(Away(), Embedder(), None, NO_MODEL)
WRONG = {key: Result(found_ids=(3,), model_answer="no such info") for key in RIGHT}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    published(tmp_path)
    return Archive(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Submissions:
    return Submissions(tmp_path / "own" / "submissions.sqlite")


def given(results: dict[str, Result], system: str = "mine", **known: str) -> SubmittedResults:
    return SubmittedResults(version="1.0.0", system=system, results=results, **known)  # type: ignore[arg-type]


def approved(archive: Archive, store: Submissions, one: SubmittedResults) -> str:
    owner = store.get(one.resubmits).owner if one.resubmits else one.system
    key = store.add(archive, one, owner=owner).id
    store.evaluate(archive, key)
    return store.move(key, "approved").id


def test_from_received_to_approved(archive: Archive, store: Submissions) -> None:
    one = store.add(archive, given(RIGHT, "  bm25\n + best  "))
    assert (one.state, one.system, one.scores) == ("received", "bm25 + best", None)
    done = store.evaluate(archive, one.id)
    assert done.scores is not None
    assert done.scores.measures["hit_rate@10"] == done.scores.measures["exact"] == 1.0
    assert done.shown().scores is None
    approved = store.move(one.id, "approved", "fine")
    assert approved.shown().scores == ResultScores(
        questions=2, measures={"total": 0.88}, by_type={}
    )  # ROUGE-2 of one word is 0
    assert approved.scores == done.scores
    assert approved.shown(["1.0.0"]).scores == done.final
    assert [event.state for event in store.get(one.id).history] == ["received", "evaluated", "approved"]
    assert store.get(one.id).history[-1].reason == "fine"
    assert one.id not in one.tag


def test_states_follow_each_other(archive: Archive, store: Submissions) -> None:
    key = store.add(archive, given(RIGHT)).id
    with pytest.raises(BadRequest, match="is received: it cannot become approved"):
        store.move(key, "approved")
    store.evaluate(archive, key)
    with pytest.raises(BadRequest, match="cannot become evaluated"):
        store.evaluate(archive, key)
    store.move(key, "declined", "by hand")
    store.move(key, "approved")
    store.move(key, "withdrawn")
    with pytest.raises(BadRequest, match="is withdrawn"):
        store.move(key, "approved")
    with pytest.raises(NotFound):
        store.get("0")


def test_every_wrong_row_is_named(archive: Archive, store: Submissions) -> None:
    results = {"0": RIGHT["0"], "1": Result(found_ids=(0, 4, 99), model_answer=""), "03": RIGHT["0"], "x": RIGHT["0"]}
    with pytest.raises(BadRows) as refused:
        store.add(archive, given(results))
    assert refused.value.rows == (
        ("results.03", "is no question of this release"),
        ("results.x", "is no question of this release"),
        ("results.2", "is missing: give every question a result"),
        ("results.1.found_ids", "4 is no text of this release"),
    )
    with pytest.raises(NotFound, match="no release"):
        store.add(archive, given(RIGHT).model_copy(update={"version": "9.0.0"}))
    with pytest.raises(BadRequest, match="name your system"):
        store.add(archive, given(RIGHT, " "))
    assert store.all() == []


@pytest.mark.parametrize(
    ("passage", "fault"),
    [
        ({"document": "a.md", "start": 100, "end": 400}, ""),
        ({"document": "a.md", "start": 700, "end": 2**52}, ""),
        ({"document": "in/a.md", "text": f"{'word ' * 60}{chr(10) * 500}"}, ""),
        ({"id": "1"}, ""),
        ({"document": "a.md", "start": 0, "end": 301}, "a passage of 301 characters is too long: 300 at most"),
        ({"document": "a.md", "start": 0, "end": 2**52}, "a passage of 900 characters is too long: 300 at most"),
        ({"text": "word" * 76}, "a passage of 304 characters is too long: 300 at most"),
        ({"document": "b.md", "start": 0, "end": 5}, "'b.md' is no document of this release"),
        ({"id": "7"}, "'7' is no text of this release"),
    ],
)
def test_a_submitted_passage_is_no_whole_document(passage: dict[str, Any], fault: str) -> None:
    rows = [{"public_id": at, "document": "a.md", "start": 100 * at, "end": 100 * at + 100} for at in range(9)]
    check = SubmittedPassages("\n".join(map(json.dumps, rows)).encode(), {*range(4)})
    found = check.fault([FoundPassage(id="1"), FoundPassage.model_validate(passage)])
    assert found.startswith(fault) and bool(found) == bool(fault)


def test_the_same_results_twice(archive: Archive, store: Submissions) -> None:
    key = store.add(archive, given(RIGHT)).id
    with pytest.raises(BadRequest, match="submitted before"):
        store.add(archive, given(dict(reversed(RIGHT.items()))))
    store.move(key, "withdrawn")
    assert store.add(archive, given(RIGHT)).state == "received"


def test_a_damaged_release_fails_the_submission(archive: Archive, store: Submissions) -> None:
    key = store.add(archive, given(RIGHT)).id
    path = archive.folder / "1.0.0" / "private" / "private_qa.jsonl"
    path.chmod(0o600)
    path.write_text("")
    with pytest.raises(BadRequest, match="damaged"):
        store.evaluate(archive, key)
    assert store.get(key).state == "failed"


def test_what_waits_is_evaluated_when_the_service_starts(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, api_keys={})
    published(settings.releases)
    app = create_app(settings, NoGraph())
    key = app.state.submissions.add(app.state.archive, given(RIGHT)).id
    with TestClient(app, raise_server_exceptions=False) as http:
        assert Client("", http=http).follow(key, 20).state == "evaluated"
        assert http.get("/jobs").json()["items"][0]["kind"] == "evaluation"


def test_leaderboard(archive: Archive, store: Submissions) -> None:
    best = approved(archive, store, given(RIGHT, "=best()"))
    approved(archive, store, given(WRONG, "worst"))
    store.evaluate(archive, store.add(archive, given(WRONG, "waits")).id)
    found = board(["1.0.0"], store.all(state="approved"))
    assert [(one.rank, one.system) for one in found.items] == [(1, "=best()"), (2, "worst")]
    assert best not in found.model_dump_json()
    rows = list(csv.DictReader(as_csv(found).splitlines()))
    assert [row["system"] for row in rows] == ["'=best()", "worst"]  # nothing that a spreadsheet runs
    assert float(rows[0]["total"]) == found.items[0].measures["total"]

    again = approved(archive, store, given(WRONG, "", resubmits=best))
    assert store.get(again).system == "=best()"
    assert board(["1.0.0"], store.all(state="approved")) == found  # it is no rise
    store.close("1.0.0")
    over = board(["1.0.0"], store.all(state="approved"), store.closed())
    assert [(one.rank, one.tied, one.system) for one in over.items] == [(1, True, "worst"), (1, True, "=best()")]
    assert (found.open, over.open) == (("1.0.0",), ())
    assert {"total", "match", "hit_rate@10"} <= over.items[0].measures.keys()
    assert as_csv(board(["1.0.0"], [])).startswith("rank,system")
    with pytest.raises(BadRequest, match="closed"):
        store.add(archive, given(RIGHT, "late"))


def test_a_team_has_so_many_attempts_a_day(
    archive: Archive, store: Submissions, monkeypatch: pytest.MonkeyPatch
) -> None:
    def send(answer: str, owner: str = "team-a") -> str:
        results = RIGHT | {"0": Result(found_ids=(), model_answer=answer)}
        return store.add(archive, given(results), owner=owner, a_day=2).id

    store.move(send("one"), "withdrawn")  # counts all the same
    send("two")
    with pytest.raises(TooMany, match="2 times in 24 hours") as refused:
        send("three")
    assert 86_000 < refused.value.wait <= 86_400
    send("four", "team-b")
    monkeypatch.setattr(submissions, "DAY", timedelta())
    send("three")


def test_attempts_over_http(tmp_path: Path) -> None:
    keys = {"reader": "r-key", "admin": "a-key"}
    settings = Settings(home=tmp_path, api_keys=keys, submissions_a_day=1)  # type: ignore[arg-type]
    released(settings.releases)
    with TestClient(create_app(settings, NoGraph()), raise_server_exceptions=False) as http:

        def send(key: str, answer: str) -> Any:
            results = {key: one.model_dump(mode="json") for key, one in RIGHT.items()}
            body = {
                "version": "1.0.0",
                "system": "x",
                "results": results | {"0": {"found_ids": [], "model_answer": answer}},
            }
            return http.post("/submissions", json=body, headers={"X-API-Key": key})

        assert send("r-key", "one").status_code == 202
        refused = send("r-key", "two")
        assert (refused.status_code, int(refused.headers["retry-after"]) > 86_000) == (429, True)
        assert [send("a-key", answer).status_code for answer in ("two", "three")] == [202, 202]
        closing = "/releases/1.0.0/closing"
        assert http.post(closing, headers={"X-API-Key": "r-key"}).status_code == 403
        assert Client("", "a-key", http=http).close("1.0.0").version == "1.0.0"
        assert send("a-key", "four").status_code == 400


def test_leaderboard_over_several_versions(archive: Archive, store: Submissions, tmp_path: Path) -> None:
    published(tmp_path)
    first = approved(archive, store, given(RIGHT, "moves on"))
    approved(archive, store, given(RIGHT, "stays behind"))
    approved(archive, store, given(WRONG, "", resubmits=first).model_copy(update={"version": "1.1.0"}))
    everything = store.all(state="approved")
    right, wrong = (board([version], everything).items[0].measures["total"] for version in ("1.0.0", "1.1.0"))
    (place,) = board(["1.0.0", "1.1.0"], everything).items
    assert (place.system, place.questions) == ("moves on", 4)
    assert place.measures["total"] == pytest.approx((right + wrong) / 2, abs=1e-4)
    (place,) = board(["1.0.0", "1.1.0"], everything, ["1.0.0"]).items
    assert (place.measures.keys(), place.questions) == ({"total"}, 3)


def released(folder: Path) -> Manifest:
    """Publish a release that a baseline can be run on."""
    questions = [{"public_id": key, "question": f"What is {said}?"} for key, (_, said, _) in QUESTIONS.items()]
    texts = [{"public_id": key, "title": "", "text": f"Isvik is the town {key}."} for key in range(4)]
    return published(folder, map(json.dumps, texts), questions=map(json.dumps, questions))


def test_an_approved_baseline_follows_each_release(store: Submissions, tmp_path: Path) -> None:
    archive, name = Archive(tmp_path / "line"), BEST_SENTENCE
    first = enter(archive, store, OURS, name, released(archive.folder))
    assert (first.state, first.baseline, first.owner) == ("evaluated", name, "the service")
    assert follow(archive, store, OURS, released(archive.folder)) == ([], {})  # nobody approved it
    store.move(first.id, "approved")
    third = released(archive.folder)
    (again,), failed = follow(archive, store, OURS, third)
    assert not failed
    assert (again.state, again.version, again.resubmits, again.origin) == ("approved", "1.2.0", first.id, first.id)
    assert follow(archive, store, OURS, third) == ([], {})
    assert [place.system for place in board(["1.2.0"], store.all(state="approved")).items] == [name]
    other = published(archive.folder, corpus="other")
    assert follow(archive, store, OURS, other) == ([], {})  # another corpus's line
    store.move(again.id, "withdrawn")
    assert follow(archive, store, OURS, released(archive.folder)) == ([], {})


def test_a_baseline_that_cannot_be_measured_holds_up_no_other(store: Submissions, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "line")
    first = released(archive.folder)
    reads = store.add(archive, given(RIGHT), baseline="hybrid+extractive")
    store.evaluate(archive, reads.id)
    for one in (reads, enter(archive, store, OURS, BEST_SENTENCE, first)):
        store.move(one.id, "approved")
    done, failed = follow(archive, store, OURS, released(archive.folder))
    assert [one.baseline for one in done] == [BEST_SENTENCE]
    assert failed == {"hybrid+extractive": "gone"}


@pytest.mark.parametrize(
    "name", ["", "bm25", "oracle+extractive", "rerank:oracle+extractive", "bm26+extractive", "+extractive"]
)
def test_a_baseline_that_there_is_not(name: str) -> None:
    with pytest.raises(NotFound):
        check_baseline(name, NO_MODEL)
    for there in baselines(NO_MODEL):
        check_baseline(there, NO_MODEL)


def test_rerank_is_a_baseline_where_a_cross_encoder_is() -> None:
    named = NO_MODEL.model_copy(update={"reranker": "https://kg.example/rerank"})
    assert set(baselines(named)) - set(baselines(NO_MODEL)) == {"rerank+extractive"}
    check_baseline("rerank:bm25+extractive", named)
    with pytest.raises(BadRequest, match="set KGS_RERANKER"):
        check_baseline("rerank:bm25+extractive", NO_MODEL)


def test_baselines_of_a_model_are_there_where_a_model_is() -> None:
    with_model = NO_MODEL.model_copy(
        update={"llm_base_url": "http://127.0.0.1:9/v1", "llm_reader": RoleModel(model="m")}
    )
    added = set(baselines(with_model)) - set(baselines(NO_MODEL))
    assert {"bm25+llm", "hybrid+llm", "graph+llm"} <= added
    assert all(name.endswith("+llm") for name in added)
    check_baseline("multistep:bm25+llm", with_model)
    for lacking in (NO_MODEL, with_model.model_copy(update={"llm_reader": RoleModel()})):
        with pytest.raises(NotFound, match="no baseline 'hybrid"):
            check_baseline("hybrid+llm", lacking)


def test_baselines_over_http(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, api_keys={})
    released(settings.releases)
    with TestClient(create_app(settings, NoGraph()), raise_server_exceptions=False) as http:
        name, *others = http.get("/baselines").json()["items"]
        assert {"bm25+extractive", "hybrid+extractive", "graph+extractive"} <= set(others)
        assert http.post("/baselines", json={"baseline": "none"}).status_code == 404
        where = http.post("/baselines", json={"baseline": name}).headers["location"]
        for _ in range(400):
            if (job := http.get(where).json())["finished"]:
                break
            time.sleep(0.05)
        assert (job["state"], job["report"]) == ("done", {"version": "1.0.0", "questions": 3})
        (one,) = http.get("/submissions").json()["items"]
        admin = Client("", http=http)
        assert admin.decide(one["id"], approved=True, reason="ours").history[-1].reason == "ours"
        line = admin.history(one["id"])
        assert [[event.state for event in entry.history] for entry in line] == [["received", "evaluated", "approved"]]
        board = http.get("/leaderboard", params={"format": "csv"})
        assert board.text.splitlines()[1].startswith(f"1,{name},")


def test_only_who_sent_it_sees_and_resubmits_a_submission(archive: Archive, store: Submissions) -> None:
    one = store.add(archive, given(RIGHT), owner="team-a")
    assert store.get(one.id, "team-a") == one
    assert (store.all(owner="team-a"), store.all(owner="team-b")) == ([one], [])
    for owner in ("team-b", ""):
        with pytest.raises(NotFound, match="of yours"):
            store.get(one.id, owner)
        with pytest.raises(NotFound, match="of yours"):
            store.add(archive, given(WRONG, "", resubmits=one.id), owner=owner)
    assert store.add(archive, given(WRONG, "", resubmits=one.id), owner="team-a").origin == one.id


def test_a_client_takes_results_as_plain_values() -> None:
    plain = {0: {"found_ids": [3], "model_answer": "Isvik"}}
    assert written(plain) == {"0": {"found_ids": [3], "model_answer": "Isvik"}}  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=r"^results\.0\.model_answer: Field required; give \{0: Result\("):
        written({0: {"found_ids": [3]}})  # type: ignore[dict-item]
