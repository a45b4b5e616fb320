"""Every route with every role: no private answer, mapping, secret or other key's submission is in any body."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from pydantic import SecretStr

from kgservice.api.app import create_app
from kgservice.api.entry.access import Role
from kgservice.api.entry.problems import every_route
from kgservice.api.policy import declaration
from kgservice.api.routes import ask as ask_route
from kgservice.core import keys as keys_of
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.leaderboard.team_client import Client
from kgservice.metrics.result_scores import Result
from kgservice.questions import question_store
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import ANSWERS, MAPPING, Archive, Manifest
from kgservice.releases.release import create

SHARED = {"reader": "shared-reader-key", "curator": "shared-curator-key", "admin": "shared-admin-key"}
OWN: dict[str, Role] = {"team-a": "reader", "team-b": "reader", "cleo": "curator", "boss": "admin"}
AS_OF = date(2035, 1, 1)  # all that the demo corpus says
SECRETS = [*SHARED.values(), "sk-private-model-key", "private-database-password"]
# what a body has to hold for a route to do more than refuse it
BODIES: dict[str, dict[str, Any]] = {
    "/retrieve": {"query": "Isvik", "retriever": "bm25"},
    "/ask": {"question": "Where is Isvik?"},
    "/cypher": {"query": "MATCH (q:Question) RETURN q"},
    "/documents": {"documents": [{"id": "x", "text": "x"}]},
    "/submissions": {"version": "latest", "system": "x", "results": {"0": {"found_ids": [0], "model_answer": "x"}}},
    "/baselines": {"baseline": "x"},
    "/submissions/{key}/decision": {"approved": True},
}


class Service(NamedTuple):
    """A service with a release, on which team-a has a submission that nobody approved."""

    http: TestClient
    app: FastAPI
    corpus: str
    release: Manifest
    keys: dict[str, str]
    sent: str
    private: list[str]


@pytest.fixture(scope="module")
def service(graph: Graph, demo: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    home = tmp_path_factory.mktemp("home")
    settings = Settings(
        home=home,
        api_keys=SHARED,
        rate_limit=0,
        llm_api_key=SecretStr(SECRETS[-2]),
        neo4j_password=SecretStr(SECRETS[-1]),
    )  # type: ignore[arg-type]
    archive = Archive(settings.releases)
    release = create(graph, demo, archive, 20)
    view = make_view(graph, demo, AS_OF).corpus
    generate(graph, view, Plan(patterns=("chain",), second_look=False))
    app = create_app(settings, graph)
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as http:
        keys = {name: app.state.keys.create(name, role)[1] for name, role in OWN.items()}
        team = Client("", keys["team-a"], http=http)
        results = {
            row["public_id"]: Result(found_ids=(), model_answer="hidden guess") for row in rows(archive, release)
        }
        sent = team.submit(team.fetch(), results, "hidden system")
        assert team.follow(sent.id).state == "evaluated"
        yield Service(http, app, demo, release, keys, sent.id, private(archive, release) + SECRETS + [*keys.values()])
    graph.remove_corpus(view)


def rows(archive: Archive, release: Manifest) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.file(release, ANSWERS, private=True).splitlines()]


def private(archive: Archive, release: Manifest) -> list[str]:
    answers = rows(archive, release)
    mapping = archive.file(release, MAPPING, private=True).decode().splitlines()
    return [
        *(row["id"] for row in answers),
        *(json.dumps(row, ensure_ascii=False) for row in answers),
        "\n".join(mapping[:5]),  # one row of the sandbox's may be equal by chance
    ]


def walked(service: Service, key: str, *, changing: bool) -> Iterator[tuple[str, str, int]]:
    """Ask every route for everything that its parameters could name: (method and path, body, status).

    `changing`: by every method; else only by those that change nothing.
    """
    names = [one.name for one in service.release.files]
    names += [
        "../1.0.0/private/private_qa.jsonl",
        "%2e%2e/1.0.0/private/private_qa.jsonl",
        "private%2Fprivate_qa.jsonl",
    ]
    names += ["sandbox/..%2fprivate/private_qa.jsonl", "private", "kasharra-survey-2031", "Isvik"]
    filled = {
        "version": [service.release.version, "latest", "..%2f1.0.0"],
        "key": [service.sent, "x", *(job.id for job in service.app.state.jobs.all())],
        "pattern": ["single", "chain", "set_of_objects"],
        "name": names,
    }
    documented = service.app.openapi()["paths"]
    hidden = {"/docs": {"get": {}}, "/openapi.json": {"get": {}}, "/": {"get": {}}, "/audit.jsonl": {"get": {}}}
    for path, item in (documented | hidden).items():
        holes = [hole for hole in filled if f"{{{hole}}}" in path]
        for values in product(*(filled[hole] for hole in holes)):
            at = path.format(**dict(zip(holes, values, strict=True)))
            for method in sorted(item):
                if changing or method == "get" or path in ("/retrieve", "/ask"):
                    answer = asked(service, method, path, at, item[method], key)
                    assert answer.status_code < 500, (method, at, answer.text)
                    yield f"{method} {at}", answer.text, answer.status_code


def asked(service: Service, method: str, path: str, at: str, operation: dict[str, Any], key: str) -> Any:
    known = {"corpus": service.corpus, "limit": 1_000, "since": service.release.version, "last": 1}
    named = {parameter["name"] for parameter in operation.get("parameters", ())}
    body = BODIES.get(path, {}) | ({"corpus": service.corpus} if path in ("/retrieve", "/ask", "/documents") else {})
    return service.http.request(
        method,
        at,
        params={name: value for name, value in known.items() if name in named},
        json=body if method == "post" else None,
        headers={"X-API-Key": key} if key else {},
    )


def test_no_reader_sees_anything_private(service: Service) -> None:
    for key in (service.keys["team-b"], SHARED["reader"], "", "wrong"):
        seen = list(walked(service, key, changing=True))
        assert len(seen) > 90
        assert not [(where, text) for where, body, _ in seen for text in service.private if text in body]
        mine = "hidden guess", "hidden system", "team-a", '"hit_rate@10":'
        assert not [(where, text) for where, body, _ in seen for text in mine if text in body]
        allowed = {where for where, _, status in seen if status < 400}
        if key in ("", "wrong"):
            assert allowed <= {"get /health", "get /docs", "get /openapi.json", "get /"}
        else:
            assert {"get /leaderboard", "post /retrieve", "post /ask", "get /metrics", "get /jobs"} <= allowed
            assert not [where for where in allowed if where.startswith("delete")]
            shut = "/questions", "/subgraphs", "/cypher", "/entities"
            assert {where for where in allowed if where.split()[1].startswith(shut)} == set()
    one = service.app.state.submissions.get(service.sent)
    assert (one.state, one.owner) == ("evaluated", "team-a")


def test_the_walk_would_find_them(service: Service) -> None:
    for name in ("cleo", "boss"):
        seen = list(walked(service, service.keys[name], changing=False))
        told = {where for where, body, _ in seen for text in service.private if text in body}
        assert {"get /questions", "get /subgraphs/chain"} <= told
        assert not [
            where for where in told if where.split()[1].startswith(("/releases", "/submissions", "/leaderboard"))
        ]
        assert any("hidden system" in body for _, body, _ in seen) == (name == "boss")


def test_a_view_is_shut_with_its_corpus(service: Service, graph: Graph) -> None:
    view = f"{service.corpus}@{AS_OF}"
    key, question = keys_of.entity_key(view, "local:Isvik"), next(question_store.questions(graph, view)).id
    asked: list[tuple[str, dict[str, Any]]] = [
        (path, which)
        for path in ("/subgraphs/chain", "/questions", "/entities", "/entities/Isvik")
        for which in ({"corpus": service.corpus, "as_of": AS_OF}, {"corpus": view})
    ]
    asked += [(f"/entities/{key}", {}), (f"/entities/{key}", {"corpus": "other"})]
    for route in every_route(service.app):
        if isinstance(route, APIRoute) and declaration(route) in ("graph", "questions") and "GET" in route.methods:
            named = {"pattern": "chain", "name": key, "key": question}
            asked.append(
                (route.path_format.format(**{part: named[part] for part in route.param_convertors}), {"corpus": view})
            )
    for path, which in asked:
        status = {
            name: service.http.get(path, params=which, headers={"X-API-Key": service.keys[name]}).status_code
            for name in ("team-a", "cleo")
        }
        assert status["team-a"] == 403, (path, which)
        assert status["cleo"] != 403, (path, which)
    order = {"json": {"corpus": service.corpus, "as_of": str(AS_OF)}, "headers": {"X-API-Key": service.keys["team-a"]}}
    assert service.http.post("/views", **order).status_code == 403
    shown = service.http.get("/corpora", headers={"X-API-Key": service.keys["cleo"]}).json()["items"]
    assert view not in [one["corpus"] for one in shown]


def test_a_reader_is_told_no_count_of_questions_by_a_job(service: Service) -> None:
    jobs = service.app.state.jobs
    job = jobs.all()[0].id
    assert jobs.get(job).corpus == service.corpus
    jobs._advance(job, "documents", 3)
    for name, told in (("team-a", {"documents": 3}), ("cleo", jobs.get(job).progress)):
        headers = {"X-API-Key": service.keys[name]}
        assert service.http.get(f"/jobs/{job}", headers=headers).json()["progress"] == told
        (listed,) = (one for one in service.http.get("/jobs", headers=headers).json()["items"] if one["id"] == job)
        assert listed["progress"] == told
    assert jobs.get(job).progress["questions"] > 0


def test_a_key_sees_what_was_sent_with_it(service: Service) -> None:
    mine, other, boss = (Client("", service.keys[name], http=service.http) for name in ("team-a", "team-b", "boss"))
    assert [one.id for one in mine.submissions()] == [service.sent]
    assert mine.submissions()[0].scores is None
    assert boss.submissions()[0].scores is not None
    assert other.submissions() == ()
    for ask in (other.submission, other.withdraw, other.history):
        with pytest.raises(NotFound, match="the same key"):
            ask(service.sent)
    results = {key: Result(found_ids=(), model_answer="taken over") for key in range(len(service.private))}
    with pytest.raises(BadRequest):
        other.submit(other.fetch(), results, "", resubmits=service.sent)
    with pytest.raises(BadRequest, match="one of your own"):
        Client("", SHARED["reader"], http=service.http).submissions()


def test_another_key_cannot_resubmit(service: Service) -> None:
    other = Client("", service.keys["team-b"], http=service.http)
    release = other.fetch()
    results = {one.public_id: Result(found_ids=(), model_answer="x") for one in release.questions}
    with pytest.raises(NotFound, match="of yours"):
        other.submit(release, results, "", resubmits=service.sent)


def test_what_is_on_disk_is_for_the_owner_alone(service: Service) -> None:
    home: Path = service.app.state.settings.home
    files = [home / name for name in ("keys.sqlite", "jobs.sqlite", "submissions.sqlite", "audit.jsonl")]
    assert [oct(file.stat().st_mode & 0o777) for file in files] == ["0o600"] * 4
    for secret in (*service.keys.values(), *SECRETS):
        assert not [file for file in files if secret.encode() in file.read_bytes()]


def test_a_reader_is_answered_without_a_release_s_graph(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    known, own = list[bool](), ask_route.ask

    def noted(*given: Any, with_graph: bool, **named: Any) -> Any:
        known.append(with_graph)
        return own(*given, with_graph=with_graph, **named)

    monkeypatch.setattr(ask_route, "ask", noted)
    for name in ("team-a", "cleo"):
        body = BODIES["/ask"] | {"corpus": service.corpus}
        headers = {"X-API-Key": service.keys[name]}
        assert service.http.post("/ask", json=body, headers=headers).status_code == 200
    assert known == [False, True]
