"""Our own retrievers and reader as baselines, on releases of the demo corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgservice.core.errors import BadRequest
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from kgservice.leaderboard.baselines import Ours, enter, follow
from kgservice.leaderboard.submissions import Submissions
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.retrieval.reranker import SentenceScorer
from tests.e2e.page_service import Hashed
from tests.graph.documents import DEMO, loaded


def test_our_own_system_is_measured_on_each_release(graph: Graph, corpus: str, tmp_path: Path) -> None:
    archive, store = Archive(tmp_path / "releases"), Submissions(tmp_path / "sent.sqlite")
    ours, counted = Ours(graph, Hashed(), SentenceScorer(Hashed())), list[int]()
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
