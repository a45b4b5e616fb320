"""Our own retrievers and reader as baselines, on releases of the demo corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.core.errors import BadRequest
from kgservice.core.settings import RoleModel, Settings
from kgservice.evaluation.dragon.run import of_release
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.leaderboard.baselines import Ours, enter, follow
from kgservice.leaderboard.submissions import Submissions
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from tests.e2e.page_service import Hashed
from tests.graph.documents import DEMO, loaded
from tests.llm_server import KEY, LLMServer, filled


class Knowing:
    """A model that knows the answers; where it knows an empty one, its reply has the wrong form."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}

    def __call__(self, request: Mapping[str, Any]) -> Any:
        asked = request["messages"][1]["content"]
        found = next((answer for question, answer in self.answers.items() if question in asked), None)
        if found is None or found == "":
            return filled(request) if found is None else {"result": [1, 2]}
        return {"reasoning": "it knows", "answer": found}


def test_our_own_system_is_measured_on_each_release(graph: Graph, corpus: str, tmp_path: Path) -> None:
    archive, store = Archive(tmp_path / "releases"), Submissions(tmp_path / "sent.sqlite")
    ours, counted = Ours(graph, Hashed(), None, Settings(llm_base_url=None)), list[int]()
    loaded(graph, corpus, read("triplets", [DEMO / "news.jsonl"]))
    generate(graph, corpus, Plan(patterns=("single",)))
    release = create(graph, corpus, archive, 6)
    one = enter(archive, store, ours, "bm25+extractive", release, advance=counted.append)
    assert one.scores is not None
    assert one.scores.questions == sum(counted) == sum(release.counts.test.values())
    assert one.scores.measures["hit_rate@10"] > 0.7
    assert one.scores.measures["match"] > 0.1
    store.move(one.id, "approved")
    loaded(graph, corpus, read("triplets", [DEMO / "update.jsonl"]))
    with pytest.raises(BadRequest, match=r"moved on from release 1\.0\.0"):
        enter(archive, store, ours, "bm25+extractive", release)
    refresh(graph, corpus)
    second = create(graph, corpus, archive, 6)
    (again,), failed = follow(archive, store, ours, second)
    assert (again.state, again.version, again.resubmits, failed) == ("approved", "1.1.0", one.id, {})

    knows = Knowing()
    with LLMServer(knows) as server:
        values = Settings(
            home=tmp_path, llm_base_url=server.url, llm_api_key=SecretStr(KEY), llm_reader=RoleModel(model="test-model"),
            llm_max_tokens=500,
        )  # fmt: skip
        prompted, units = ours._replace(settings=values), of_release(archive, second.version).units
        knows.answers = {unit.question: unit.expected.answers[0] for unit in units}
        poor = prompted._replace(settings=values.model_copy(update={"llm_budget": "6000tokens"}))
        with pytest.raises(BadRequest, match=r"no answer to \d+ of \d+ questions: budget reached"):
            enter(archive, store, poor, "bm25+llm", second)
        half = server.paid.total()
        entered = enter(archive, store, prompted, "bm25+llm", second)
        assert 0 < half < server.paid.total() <= len(units) + 1, "a question was paid for twice"
        assert (entered.system, entered.baseline) == ("bm25+llm (test-model)", "bm25+llm")
        assert [event.reason for event in entered.history] == ["", ""]
        assert entered.scores is not None
        assert again.scores is not None
        assert entered.scores.measures["match"] == 1.0
        assert entered.scores.measures["hit_rate@10"] == again.scores.measures["hit_rate@10"]

        knows.answers[units[0].question] = ""
        rest = prompted._replace(settings=values.model_copy(update={"llm_reader": RoleModel(model="other-model")}))
        less = enter(archive, store, rest, "bm25+llm", second)
        assert less.history[0].reason == f"no answer to 1 of {len(units)} questions: wrong form (1)"
        with pytest.raises(
            BadRequest, match=r"approved was 'bm25\+llm \(test-model\)', and now it would be .*other-model"
        ):
            enter(archive, store, rest, "bm25+llm", second, entered.id)
