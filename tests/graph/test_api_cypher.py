"""POST /cypher on a real Neo4j: what it answers, and everything that it refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from neo4j.exceptions import ClientError

from kgservice.api.app import create_app
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from tests.graph.documents import document, loaded


@pytest.fixture(scope="module")
def client(graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path_factory.mktemp("home"), api_keys={}), graph)
    with TestClient(app, raise_server_exceptions=False, client=("127.0.0.1", 50000)) as opened:
        yield opened


def test_cypher_reads(client: TestClient, graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [document("a", [("Novosel", "capital of", "Varnia")], [("Sel", "flows through", "Novosel")])])
    query = """MATCH p = (s:Entity {corpus: $corpus})-[f:FACT]->(o) WHERE o.label = 'Varnia'
               RETURN s, f, p, o.label AS o, date('2031-03-14') AS day, duration('P1D') AS long, 0.0/0.0 AS nan,
                      point({x: 1, y: 2}) AS at, [1, {a: null}] AS list"""
    answer = client.post("/cypher", json={"query": query, "parameters": {"corpus": corpus}})
    table = answer.json()
    assert table["columns"] == ["s", "f", "p", "o", "day", "long", "nan", "at", "list"]
    (row,) = table["rows"]
    assert row["s"]["properties"]["label"] == "Novosel"
    assert row["f"]["type"] == "FACT"
    assert row["f"]["start"] == row["s"]["id"]
    assert row["p"]["nodes"][0] == row["s"]
    assert (row["o"], row["day"], row["long"], row["nan"]) == ("Varnia", "2031-03-14", "P1D", "nan")
    assert (row["at"], row["list"]) == ([1.0, 2.0], [1, {"a": None}])
    many = client.post("/cypher", json={"query": "UNWIND range(1, 100000000) AS n RETURN n", "limit": 3}).json()
    assert (many["rows"], many["more"]) == ([{"n": 1}, {"n": 2}, {"n": 3}], True)
    search = "CALL db.index.fulltext.queryNodes($index, 'novosel') YIELD node RETURN count(node) AS n"
    named = {"index": graph.text_index(corpus) or "chunk_text"}
    assert client.post("/cypher", json={"query": search, "parameters": named}).json()["rows"][0]["n"] >= 2


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (n:ApiTest) RETURN n",
        "MATCH (n:ApiTest) DETACH DELETE n",
        "PROFILE CREATE (n:ApiTest)",
        "EXPLAIN CREATE (n:ApiTest) RETURN n",
        "// MATCH\nCREATE (n:ApiTest)",
        "FOREACH (x IN [1] | CREATE (:ApiTest))",
        "CALL db.createLabel('ApiTest')",
        "CREATE INDEX api_test FOR (n:ApiTest) ON (n.a)",
        "CREATE USER x SET PASSWORD 'long-enough'",
        "SHOW USERS",
        "CALL dbms.listConfig()",
        "CALL dbms.killConnection('x')",
        "TERMINATE TRANSACTION 'neo4j-transaction-1'",
        "SHOW TRANSACTIONS",
        "SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery",
        "SHOW SETTINGS",
        "CALL db.stats.retrieve('QUERIES')",
        "CALL db.stats.collect('QUERIES') YIELD section RETURN section",
        "CALL db.prepareForReplanning(10)",
        "CALL db.resampleIndex('chunk_text')",
        "CALL db.awaitIndexes(1)",
        "CALL { CALL db.prepareForReplanning(10) RETURN 1 AS n } RETURN n",
        "CALL db.create.setNodeVectorProperty(null, 'a', [1.0])",
        "CALL tx.setMetaData({a: 1})",
        "CALL /* db.labels */ dbms.listConfig()",
        "USE system SHOW USERS",
        "CYPHER runtime=slotted CREATE (:ApiTest)",
        "CALL { CREATE (:ApiTest) } RETURN 1",
        "MATCH (n) CALL (n) { CALL (n) { SET n:ApiTest } } RETURN 1",
        "MATCH (n:Chunk) CALL { WITH n DELETE n } RETURN 1",
        "CALL { CREATE (n:ApiTest) RETURN n UNION MATCH (n:ApiTest) RETURN n } RETURN n",
        "RETURN COLLECT { CREATE (n:ApiTest) RETURN n }",
        "RETURN EXISTS { MERGE (n:ApiTest) }",
        "UNWIND [1] AS x CALL (x) { RETURN 1 AS n UNION LOAD CSV FROM 'file:///etc/passwd' AS n RETURN n } RETURN n",
        "LOAD CSV FROM 'http://127.0.0.1:1/' AS x CALL (x) { CREATE (:ApiTest) } IN TRANSACTIONS",
        "MATCH (n:ApiTest) RETURN n NEXT CREATE (:ApiTest)",
        "RETURN 1 UNION ALL CREATE (:ApiTest) RETURN 1",
        "ALTER CURRENT USER SET PASSWORD FROM 'a' TO 'b'",
        "DROP INDEX chunk_text",
        "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
        "MATCH (n) CALL (n) { LOAD CSV FROM 'http://127.0.0.1:1/' AS line RETURN line } RETURN line",
        "CALL { MATCH (n:ApiTest) RETURN n } IN TRANSACTIONS RETURN n",
        "RETURN 1; RETURN 2",
        "MATCH (n RETURN n",
        "RETURN $unknown",
        "RETURN 1/0",
        " ",
    ],
)
def test_cypher_refuses_everything_else(client: TestClient, graph: Graph, query: str) -> None:
    answer = client.post("/cypher", json={"query": query})
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found = client.post("/cypher", json={"query": "MATCH (n:ApiTest) RETURN count(n) AS n"}).json()
    assert found["rows"] == [{"n": 0}]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("RETURN 1 AS a, 2 AS a", "same name are not supported (line 1, column 8)"),
        ("MATCH (n)\n WHERE n.x = 1\nRETURN m", "Variable `m` not defined (line 3, column 8)"),
        ("RETURN 1; RETURN 2", "Expected exactly one statement per query but got: 2"),
        (" \n ", "the statement is empty"),
        ("// how many\nPROFILE MATCH (n) RETURN count(n)", "PROFILE is not allowed here: leave it out"),
        ("CYPHER runtime=slotted PROFILE RETURN 1", "PROFILE is not allowed here: leave it out"),
    ],
)
def test_a_refusal_names_the_place_in_the_statement_as_it_was_sent(client: TestClient, query: str, told: str) -> None:
    said = client.post("/cypher", json={"query": query}).json()["detail"]
    assert said.endswith(told), said
    assert "EXPLAIN" not in said


def test_the_transaction_itself_cannot_write(graph: Graph) -> None:
    """Were the plan misread, the server would still refuse."""
    with pytest.raises(ClientError, match=r"(?i)read access mode|not allowed"):
        graph.session(lambda session: session.run("CREATE (:ApiTest)").consume(), reading=True)


def test_what_takes_too_much_is_ended(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from kgservice.api.routes import cypher

    query = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN count(*)"  # hours, were it let
    client.post("/cypher", json={"query": query.replace("1000000", "10")})  # a server that just started plans slowly
    monkeypatch.setattr(cypher, "SECONDS", 0.5)
    monkeypatch.setattr(cypher, "GRACE", 600.0)  # so that it is the database that ends the first two
    answer = client.post("/cypher", json={"query": query})
    assert (answer.status_code, "narrow it" in answer.json()["detail"]) == (400, True)
    bomb = {"query": "UNWIND range(1, 2000000000) AS a RETURN collect(a)"}  # ends by its memory, or by its time
    monkeypatch.setattr(cypher, "SECONDS", 60.0)
    answer = client.post("/cypher", json=bomb)
    assert (answer.status_code, "narrow it" in answer.json()["detail"]) == (400, True)
    assert "OutOfMemory" in answer.json()["detail"]
    assert client.post("/cypher", json={"query": "RETURN 1 AS n"}).json()["rows"] == [{"n": 1}]
    monkeypatch.setattr(cypher, "SECONDS", 0.2)
    monkeypatch.setattr(cypher, "GRACE", 0.3)
    loop = {"query": "RETURN reduce(sum = 0, n IN range(1, 100000000) | sum + n)"}  # one row: no limit looks into it
    answer = client.post("/cypher", json=loop)
    assert (answer.status_code, "does not end" in answer.json()["detail"]) == (400, True)
    monkeypatch.setattr(cypher, "_FREE", threading.BoundedSemaphore(1))
    with cypher._FREE:
        busy = client.post("/cypher", json={"query": "RETURN 1"})
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "30")
    huge = {"query": "RETURN $n", "parameters": {"n": 10**30}}
    assert client.post("/cypher", json=huge).status_code == 400


def test_readers_are_refused_and_curators_read_alone(graph: Graph, corpus: str, tmp_path: Path) -> None:
    loaded(graph, corpus, [document("d", [("Ada", "owns", "Bolt")])])
    keys = {role: f"{role}-key" for role in ("reader", "curator", "admin")}
    app = create_app(Settings(home=tmp_path, api_keys=keys, neo4j_uri="bolt://elsewhere"), graph)
    with TestClient(app, client=("127.0.0.1", 50000)) as http:
        for role, reading, writing in (("reader", 403, 403), ("curator", 200, 400), ("admin", 200, 400)):
            known = {"headers": {"X-API-Key": keys[role]}}
            ask = {
                "query": "MATCH (d:Document {corpus: $name}) RETURN d.source AS source",
                "parameters": {"name": corpus},
            }
            assert http.post("/cypher", json=ask, **known).status_code == reading
            assert http.post("/cypher", json={"query": "CREATE (:Trash)"}, **known).status_code == writing
            link = http.get("/browser", params={"corpus": corpus}, **known)
            assert link.status_code == reading
            if reading == 200:
                assert link.json()["url"] is None  # it is not the managed server
                assert f"'{corpus}'" in link.json()["pictures"]["hubs"]
        assert http.post("/cypher", json={"query": "RETURN 1"}).status_code == 401
        assert http.get("/browser", params={"corpus": corpus}).status_code == 401
