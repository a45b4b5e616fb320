"""The picture of a corpus: its best connected things with the facts between them, and who may see it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kgservice.api.app import create_app
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.schema import DEFAULT, load_schema
from kgservice.core.settings import Settings
from kgservice.graph.picture import BESIDE, Thing, _around, picture
from kgservice.graph.store import Graph
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from tests.graph.documents import Arc, document, loaded

OWN = {"reader": "reader-key", "curator": "curator-key"}
READER, CURATOR = {"X-API-Key": "reader-key"}, {"X-API-Key": "curator-key"}


@pytest.fixture(scope="module")
def client(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path_factory.mktemp("home"), api_keys=OWN), graph)  # type: ignore[arg-type]
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


def stated(source: str, *arcs: Arc, **ends: Term) -> Document:
    """A document whose names in `ends` are those terms."""
    facts = tuple(
        Triplet(
            subject=ends.get(s) or Term(label=s),
            relation=r,
            object=ends.get(o) or Term(label=o),
            sentence=f"{s} {r} {o}.",
        )
        for s, r, o in arcs
    )
    return Document(source=source, text=" ".join(one.sentence for one in facts), triplets=facts)


def test_things_their_links_and_what_they_are(graph: Graph, corpus: str) -> None:
    arcs = [
        ("Ada", "place of birth", "Lun"),
        ("Ada", "father", "Bo"),
        ("Lun", "twin of", "Ost"),
        ("Lun", "population", "1204"),
        ("Ada", "knows", "Lun"),
        ("Solo", "population", "1204"),
    ]
    known = {"1204": Term(label="1204", kind="number", value=1204.0), "Ost": Term(label="Ost", type="town")}
    loaded(graph, corpus, [stated("a", *arcs, **known)], schema_name=DEFAULT)
    found = picture(graph, corpus, 100, load_schema(DEFAULT))
    assert {one.label: (one.degree, one.group) for one in found.things} == {
        "Ada": (3, "person"),  # by what the schema wants at the ends of its facts
        "Lun": (4, "place"),
        "Ost": (1, "place"),  # by its type
        "Bo": (1, "person"),
    }
    assert labels(found)[:2] == ["Lun", "Ada"]
    assert found.total == 5  # Solo too, which has a number only; the number is no thing
    names = {one.key: one.label for one in found.things}
    ties = {(names[one.subject], names[one.object]): one.facts for one in found.ties}
    assert ties == {("Ada", "Lun"): 2, ("Ada", "Bo"): 1, ("Lun", "Ost"): 1}
    assert {one.group for one in picture(graph, corpus, 100, None).things} == {None}


def labels(found: Any) -> list[str]:
    return [one.label for one in found.things]


def test_of_many_things_the_hubs_with_what_is_beside_them(graph: Graph, corpus: str) -> None:
    spokes = [(f"Hub {hub}", "supplies", f"Customer {hub}.{n}") for hub in range(3) for n in range(30)]
    pairs = [(f"Left {n}", "meets", f"Right {n}") for n in range(40)]
    loaded(graph, corpus, [document("a", spokes, pairs)])
    found = picture(graph, corpus, 20, None)
    assert found.total == 3 + 90 + 80
    assert len(found.things) == 20
    assert {name for name in labels(found) if name.startswith("Hub")} == {"Hub 0", "Hub 1", "Hub 2"}
    tied = {end for one in found.ties for end in (one.subject, one.object)}
    assert tied == {one.key for one in found.things}
    hub = next(one for one in found.things if one.label == "Hub 0")
    assert len(_around(graph, [hub], 1_000)) == 1 + BESIDE
    assert picture(graph, corpus, 20, None) == found


def test_a_corpus_of_numbers_shows_its_things(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [stated("a", ("Acme", "sales", "5"), **{"5": Term(label="5", kind="number", value=5.0)})])
    found = picture(graph, corpus, 20, None)
    assert (labels(found), found.ties, found.total) == (["Acme"], (), 1)


def test_the_picture_is_shut_to_readers_with_the_graph(graph: Graph, client: TestClient, corpus: str) -> None:
    arcs = [("Ada Lind", "mayor of", "Novosel"), ("Novosel", "capital of", "Varnia"), ("Orlo", "capital of", "Kest")]
    loaded(graph, corpus, [document("a", [arcs[0]], arcs[1:])])
    generate(graph, corpus, Plan())
    routes = ("/graph", "/questions/best", "/loads")
    status = {path: client.get(path, params={"corpus": corpus}, headers=READER).status_code for path in routes}
    assert status == dict.fromkeys(routes, 200)
    create(graph, corpus, Archive(client.app.state.settings.releases))  # type: ignore[attr-defined]
    for path in routes:
        refused = client.get(path, params={"corpus": corpus}, headers=READER)
        assert (refused.status_code, "private" in refused.json()["detail"]) == (403, True), path
        assert client.get(path, params={"corpus": corpus}, headers=CURATOR).status_code == 200
        assert client.get(path, params={"corpus": [corpus, "other"]}, headers=READER).status_code in (403, 404)
        assert client.get(path, params={"corpus": corpus}).status_code == 401
    assert client.get("/graph", params={"corpus": "nowhere"}, headers=CURATOR).status_code == 404
    assert client.get("/graph", params={"corpus": corpus, "limit": 2_001}, headers=CURATOR).status_code == 422


def test_a_thing_of_the_picture_is_read_by_its_fields(graph: Graph, client: TestClient, corpus: str) -> None:
    loaded(graph, corpus, [document("a", [("Ada", "knows", "Bo")])])
    things = client.get("/graph", params={"corpus": corpus}, headers=CURATOR).json()["things"]
    assert set(things[0]) == set(Thing.model_fields)


def test_the_best_questions_are_of_several_shapes(graph: Graph, client: TestClient, corpus: str) -> None:
    arcs = [("Ada Lind", "mayor of", "Novosel"), ("Novosel", "capital of", "Varnia"), ("Orlo", "capital of", "Kest")]
    loaded(graph, corpus, [document(f"d{n}", [arc]) for n, arc in enumerate(arcs)])
    generate(graph, corpus, Plan(second_look=False))
    items = client.get("/questions/best", params={"corpus": corpus, "limit": 3}, headers=CURATOR).json()["items"]
    assert items
    assert items[0]["pattern"] != "single"
    facts = [fact["key"] for one in items for fact in one["facts"]]
    assert len(facts) == len(set(facts))
    assert all(one["state"] == "active" for one in items)
