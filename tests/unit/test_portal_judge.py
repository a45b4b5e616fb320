"""The portal's judge: marks once a submission, within a budget, and never totals of two beside totals of three."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from kgservice.api.app import create_app
from kgservice.core.errors import BadRequest, SettingsError
from kgservice.core.settings import RoleModel, Settings
from kgservice.leaderboard.baselines import BEST_SENTENCE, enter, follow
from kgservice.leaderboard.board import as_csv, board
from kgservice.leaderboard.portal_judge import PortalJudge, portal_judge
from kgservice.leaderboard.submissions import Submissions
from kgservice.metrics.result_scores import Result
from kgservice.releases.archive import Archive
from tests.llm_server import KEY, LLMServer, filled
from tests.unit.test_api import NoGraph
from tests.unit.test_submissions import OURS, RIGHT, WRONG, given, released

pytestmark = pytest.mark.usefixtures("fine_steps")
CRITERIA = ("conciseness", "consistency", "extraction", "completeness", "accuracy", "preservation")


SAID = re.compile(r'name="(?:answer of the system|reference answer)">\n(.*?)\n</data ', re.DOTALL)


def marked(request: Mapping[str, Any]) -> Any:
    """Give 2 by each criterion to an answer that is the reference answer, else 0."""
    said = SAID.findall(request["messages"][1]["content"])
    if len(said) != 2:
        return filled(request)
    return {"remark": "r", **dict.fromkeys(CRITERIA, 2 if said[0] == said[1] else 0)}


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    released(tmp_path / "releases")
    return Archive(tmp_path / "releases")


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer(marked) as opened:
        yield opened


@pytest.fixture
def values(tmp_path: Path, server: LLMServer) -> Settings:
    return Settings(
        home=tmp_path, portal_judge=True, llm_base_url=server.url, llm_api_key=SecretStr(KEY), api_keys={},
        llm_judge=RoleModel(model="test-model"),
    )  # fmt: skip


@pytest.fixture
def at(tmp_path: Path, values: Settings) -> Callable[..., Submissions]:
    def opened(**changed: object) -> Submissions:
        return Submissions(tmp_path / "submissions.sqlite", portal_judge(values.model_copy(update=changed)))

    return opened


def test_the_total_is_the_mean_of_three(archive: Archive, at: Callable[..., Submissions], server: LLMServer) -> None:
    store = at()
    for system, results in (("right", RIGHT), ("wrong", WRONG)):
        one = store.evaluate(archive, store.add(archive, given(results, system), owner=system).id)
        assert one.scores is not None
        assert (one.scores.total_of, one.scores.measures["judge"]) == (3, float(system == "right"))
        parts = [one.scores.measures[name] for name in ("retrieval", "generation", "judge")]
        assert one.scores.measures["total"] == pytest.approx(sum(parts) / 3, abs=2e-4)
        shown = store.move(one.id, "approved").shown().scores
        assert shown is not None
        assert shown.total_of == 3, "the ladder's score is of the same three"
        assert shown.measures.keys() == {"total"}
    found = board(["1.0.0"], store.all(state="approved"))
    assert [place.system for place in found.items] == ["right", "wrong"]
    assert (found.total_of, list(found.judges)) == ({"1.0.0": 3}, ["1.0.0"])
    assert found.judges["1.0.0"].startswith("test-model, prompt ")
    assert [row["total_of"] for row in csv.DictReader(as_csv(found).splitlines())] == ["3", "3"]
    paid = server.paid.total()
    again = store.evaluate(archive, store.add(archive, given(RIGHT, "the same answers")).id)
    assert again.scores == store.all()[0].scores
    assert server.paid.total() == paid, "a reply that was paid for is asked for again"
    store.close("1.0.0")
    closed = board(["1.0.0"], store.all(state="approved"), store.closed())
    assert closed.items[0].measures["judge"] == 1.0


def test_a_board_is_judged_or_not(archive: Archive, at: Callable[..., Submissions], server: LLMServer) -> None:
    store, without = at(), at(portal_judge=False)
    first = without.evaluate(archive, without.add(archive, given(RIGHT, "unjudged"), owner="a").id)
    second = store.evaluate(archive, store.add(archive, given(WRONG, "later")).id)
    assert [one.scores.total_of for one in (first, second) if one.scores] == [2, 2]
    assert not server.asked, "private answers were sent for a release that is not judged"

    released(archive.folder)
    newer = given(RIGHT, "judged").model_copy(update={"version": "1.1.0"})
    store.evaluate(archive, store.add(archive, newer).id)
    other = store.add(archive, newer.model_copy(update={"system": "other"})).id
    for lacking in (without, at(llm_judge=RoleModel(model="another"))):
        with pytest.raises(BadRequest, match=r"release 1\.1\.0 is judged by test-model"):
            lacking.evaluate(archive, other)
    assert store.get(other).state == "received"
    assert [event.reason.partition(" is ")[0] for event in store.get(other).history] == ["", "waits: release 1.1.0"]
    done = store.evaluate(archive, other)
    assert done.scores is not None
    assert (done.state, done.scores.total_of) == ("evaluated", 3)
    for one in (first, done):
        store.move(one.id, "approved")
    moved_on = store.add(archive, newer.model_copy(update={"resubmits": first.id}), owner="a").id
    store.evaluate(archive, moved_on)
    store.move(moved_on, "approved")
    over = board(["1.0.0", "1.1.0"], store.all(state="approved"))
    assert (over.total_of, list(over.judges)) == ({"1.0.0": 2, "1.1.0": 3}, ["1.1.0"])
    assert ",1.0.0 1.1.0,2 3," in as_csv(over)


def test_what_the_judge_fails_at_counts_as_nothing(
    archive: Archive, at: Callable[..., Submissions], server: LLMServer
) -> None:
    def confused(request: Mapping[str, Any]) -> Any:
        return {"accuracy": 7} if "Ada Lind" in request["messages"][1]["content"] else marked(request)

    server.answer, store = confused, at()
    one = store.evaluate(archive, store.add(archive, given(RIGHT)).id)
    assert one.scores is not None
    assert one.scores.measures["judge"] == pytest.approx(2 / 3, abs=1e-4)
    why = "no marks of the judge for 1 of 3 answers, counted as 0: wrong form (1)"
    assert one.history[-1].reason == why
    first = enter(archive, store, OURS, BEST_SENTENCE, archive.get("1.0.0"))
    store.move(first.id, "approved")
    assert follow(archive, store, OURS, released(archive.folder)) == ([], {BEST_SENTENCE: why})

    server.answer, paid = marked, server.paid.total()
    store.move(one.id, "received", "evaluated again")
    better = store.evaluate(archive, one.id)
    assert better.scores is not None
    assert better.scores.measures["judge"] == 1.0
    assert server.paid.total() == paid + 1, "only the answer that failed is judged again"


def test_a_budget_and_an_endpoint_that_refuses(
    archive: Archive, at: Callable[..., Submissions], values: Settings
) -> None:
    store = at(portal_judge_budget="10tokens")
    key = store.add(archive, given(RIGHT)).id
    with pytest.raises(SettingsError):
        store.evaluate(archive, key)
    for store in (at(portal_judge_budget="10tokens"), at(llm_api_key=SecretStr("wrong"))):
        with pytest.raises(SettingsError):
            store.evaluate(archive, key)
    assert [event.reason for event in store.get(key).history] == ["", "waits: the judge gives no marks"]
    done = at(portal_judge_budget="6000tokens", llm_max_tokens=2000).evaluate(archive, key)
    assert done.scores is not None
    assert done.scores.measures["judge"] == 1.0, "what is left of the budget after one answer is used for the next"
    alien = {0: Result(found_ids=(2**53 - 2, 2), model_answer="Isvik")}
    found = PortalJudge(values).judge(archive, "1.0.0", alien)
    assert (found.scores, found.told()) == ({0: 1.0, 1: 0.0, 2: 0.0}, ""), "a passage that no text has is left out"


def test_it_is_off_until_it_is_asked_for(tmp_path: Path, values: Settings) -> None:
    assert not Settings(home=tmp_path).portal_judge
    for wrong in ({"llm_base_url": None}, {"llm_judge": RoleModel()}, {"portal_judge_budget": "much"}):
        with pytest.raises(SettingsError, match=r"^KGS_PORTAL_JUDGE is set, but "):
            create_app(values.model_copy(update=wrong), NoGraph())


def test_an_admin_has_it_evaluated_again(values: Settings, archive: Archive) -> None:
    with TestClient(create_app(values, NoGraph()), raise_server_exceptions=False) as http:
        results = {key: one.model_dump(mode="json") for key, one in RIGHT.items()}
        body = {"version": "1.0.0", "system": "x", "results": results}
        key = http.post("/submissions", json=body).json()["id"]

        def evaluated() -> Any:
            for _ in range(400):
                if (one := http.get(f"/submissions/{key}").json())["state"] == "evaluated":
                    return one
            raise AssertionError(one)

        assert evaluated()["scores"]["total_of"] == 3
        assert http.post(f"/submissions/{key}/evaluation").status_code == 202
        assert [event["state"] for event in evaluated()["history"]] == ["received", "evaluated"] * 2
        http.post(f"/submissions/{key}/decision", json={"approved": True})
        assert http.post(f"/submissions/{key}/evaluation").status_code == 400
        assert http.get("/leaderboard").json()["total_of"] == {"1.0.0": 3}
