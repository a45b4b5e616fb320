"""Every route declares what it gives, and what declares nothing refuses everybody but admins."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from fastapi import FastAPI, HTTPException
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.requests import Request
from starlette.routing import BaseRoute

from kgservice.api.app import create_app
from kgservice.api.entry.access import ANYONE, Caller
from kgservice.api.entry.problems import every_route
from kgservice.api.policy import OUTSIDE, THINGS, Sight, declaration
from kgservice.core import keys
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.releases.archive import Archive
from tests.unit.releases import published
from tests.unit.test_api import NoGraph

KEYS = {"reader": "r-key", "curator": "c-key", "admin": "a-key"}


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(Settings(home=tmp_path, api_keys=KEYS), NoGraph())  # type: ignore[arg-type]


def undeclared(routes: list[BaseRoute]) -> list[str]:
    """The routes that do not say what they give."""
    paths = [str(getattr(one, "path", one)) for one in routes if declaration(one) is None]
    return [path for path in paths if path not in OUTSIDE]


def test_every_route_declares_what_it_gives(app: FastAPI) -> None:
    assert undeclared(every_route(app)) == []
    declared = {
        (one.path_format, method) for one in every_route(app) if isinstance(one, APIRoute) for method in one.methods
    }
    documented = {(path, method.upper()) for path, item in app.openapi()["paths"].items() for method in item}
    assert documented <= declared
    assert len(documented) > 25
    app.add_api_route("/new", lambda: "the gold graph")
    assert undeclared(every_route(app)) == ["/new"]


def test_what_needs_no_key_says_why(app: FastAPI) -> None:
    public = {
        one.path
        for one in every_route(app)
        if isinstance(one, APIRoute) and THINGS[declaration(one) or "graph"].role is None
    }
    assert public == {"/", "/health"}
    assert all(len(rule.why) > 15 for rule in THINGS.values())
    assert all(len(why) > 15 for why in OUTSIDE.values())


def test_a_route_that_declares_nothing_is_refused(app: FastAPI) -> None:
    app.add_api_route("/new", lambda: "the gold graph")
    app.router.routes.insert(0, app.router.routes.pop())
    http = TestClient(app, raise_server_exceptions=False)
    status = {name: http.get("/new", headers={"X-API-Key": key}).status_code for name, key in KEYS.items()}
    assert status == {"reader": 403, "curator": 403, "admin": 200}
    assert http.get("/new").status_code in (401, 403)


def test_a_release_shuts_the_gold_graph_to_readers_alone(tmp_path: Path) -> None:
    reader, curator = (Caller(role=role, owner=role) for role in ("reader", "curator"))  # type: ignore[arg-type]
    archive = Archive(tmp_path)
    graph = cast("Graph", SimpleNamespace(views=lambda: {"demo@2031-05-01": "demo", "other@2031-05-01": "other"}))
    assert Sight(archive, reader, graph).sees("graph", "demo")
    published(tmp_path, corpus="demo")
    for caller in (curator, ANYONE):
        for corpus in ("demo", "demo@2031-05-01"):
            assert Sight(archive, caller, graph).sees("questions", corpus)
    for caller in (reader, None):
        sight = Sight(archive, caller, graph)
        for corpus in ("demo", "demo@2031-05-01", "demo@1999-01-01", "demo@2031-05-01@2032-01-01"):
            assert not sight.sees("graph", corpus)
            assert not sight.sees("questions", corpus)
    sight = Sight(archive, reader, graph)
    assert sight.sees("texts", "demo")
    for corpus in ("other", "other@2031-05-01", "demo@x"):
        assert sight.sees("graph", corpus)
    assert not Sight(archive, None, graph).sees("texts", "other")
    sight.refuse("graph", ["other"], [keys.entity_key("other@2031-05-01", "local:A")])
    for corpus in ("demo", "demo@2031-05-01"):
        with pytest.raises(HTTPException, match="has a release"):
            sight.refuse("graph", ["other"], [keys.entity_key(corpus, "local:A")])


@pytest.mark.parametrize("more", ["", "0" * (keys.QUESTION - keys.KEY)], ids=["entity", "question"])
@pytest.mark.parametrize(("path", "refused"), [("mine", False), ("default", True), ("Q90", True)])
def test_a_key_in_the_path_says_which_corpus_is_meant(path: str, refused: bool, more: str, tmp_path: Path) -> None:
    published(tmp_path, corpus="default")
    sight = Sight(Archive(tmp_path), Caller(role="reader", owner="r"), cast("Graph", SimpleNamespace(views=dict)))
    name = path if path == "Q90" else keys.entity_key(path, "local:A") + more
    request = Request({"type": "http", "query_string": b"", "path_params": {"name": name}})
    with pytest.raises(HTTPException, match="'default' has a release") if refused else nullcontext():
        sight.check("graph", request)


def test_a_405_names_every_method_of_the_path(app: FastAPI) -> None:
    http = TestClient(app)
    for path, methods in {
        "/documents": "GET, POST",
        "/documents/a/b": "DELETE, GET",
        "/questions/counts": "GET",
        "/questions/refresh": "POST",
        "/submissions/x": "DELETE, GET",
        "/health": "GET",
    }.items():
        answer = http.patch(path, headers={"X-API-Key": "a-key"})
        assert (answer.status_code, answer.headers["allow"]) == (405, methods), path
