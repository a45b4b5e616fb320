"""A reader who crawls everything answers no more of a release's private questions than its public files alone allow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.metrics.result_scores import Result, expected, score
from kgservice.releases.archive import ANSWERS, Archive
from kgservice.releases.release import create
from tests.graph.attacker import Crawler, Guesser, Triple

KEYS = {"reader": "reader-key", "curator": "curator-key"}
SEARCHES = 4  # questions that each retriever is asked


class Portal(NamedTuple):
    """A service with a release of the demo corpus."""

    http: TestClient
    corpus: str
    questions: dict[int, str]
    answers: bytes
    public: set[Triple]
    train: str


@pytest.fixture(scope="module")
def portal(graph: Graph, demo: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    settings = Settings(home=tmp_path_factory.mktemp("home"), api_keys=KEYS, rate_limit=0)  # type: ignore[arg-type]
    archive = Archive(settings.releases)
    release = create(graph, demo, archive, 30)
    rows = map(json.loads, archive.file(release, "public_questions.jsonl").splitlines())
    train = archive.file(release, "train.jsonl").decode()
    given = map(json.loads, train.splitlines())
    public = {(one["subject"], one["relation"], one["object"]) for row in given for one in row["facts"]}
    with TestClient(create_app(settings, graph), raise_server_exceptions=False) as http:
        questions = {row["public_id"]: row["question"] for row in rows}
        yield Portal(http, demo, questions, archive.file(release, ANSWERS, private=True), public, train)


def crawled(portal: Portal, key: str) -> Crawler:
    found = Crawler(portal.http, key, portal.corpus)
    found.crawl()
    return found


def right(portal: Portal, triples: set[Triple]) -> int:
    """How many questions somebody who knows these triples answers."""
    guess = Guesser(triples)
    said = {key: Result(found_ids=(), model_answer=guess(text)) for key, text in portal.questions.items()}
    return round(score(expected(portal.answers), said).measures["exact"] * len(said))


def gold(graph: Graph, corpus: str) -> set[str]:
    """The keys of the facts and the entities of the graph."""
    statement = "MATCH (s:Entity {corpus: $corpus})-[f:FACT]->() RETURN s.key AS entity, f.key AS fact"
    rows = graph.session(lambda session: session.run(statement, corpus=corpus).data(), reading=True)
    return {key for row in rows for key in row.values()}


def test_a_reader_finds_no_more_than_is_public(portal: Portal, graph: Graph) -> None:
    reader = crawled(portal, KEYS["reader"])
    reader.search(list(portal.questions.values())[:SEARCHES])
    control, attack = right(portal, portal.public), right(portal, reader.triples)
    assert attack <= control
    assert reader.triples >= portal.public  # the control's facts are among what it found
    assert len(reader.bodies) > 60
    public = "".join(body for where, body in reader.bodies.items() if where.startswith("/releases"))
    others = "".join(body for where, body in reader.bodies.items() if not where.startswith("/releases"))
    keys = gold(graph, portal.corpus)
    assert len(keys) > 200
    assert not [key for key in keys if key in others]
    assert not [key for key in keys if key in public and key not in portal.train]


def test_the_same_attacker_with_a_curators_key_finds_the_answers(portal: Portal) -> None:
    curator = crawled(portal, KEYS["curator"])
    control, attack = right(portal, portal.public), right(portal, curator.triples)
    assert attack > 0.4 * len(portal.questions) > 4 * control
