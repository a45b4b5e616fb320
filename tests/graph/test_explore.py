"""The queries for Neo4j Browser: each returns a picture of the demo, nodes with what joins them."""

from __future__ import annotations

from typing import Any

import pytest
from neo4j.graph import Node, Path, Relationship

from kgservice.core.errors import NotFound
from kgservice.graph.queries import explored, queries
from kgservice.graph.store import Graph

HOSTILE = "O'Neil \\' x"
TABLES = {"explore/counts", "explore/conflicts"}
PICTURES = sorted(name for name in queries() if name.startswith("explore/") and name not in TABLES)


def test_there_are_ten_pictures() -> None:
    assert len(PICTURES) >= 10


@pytest.mark.parametrize("name", PICTURES)
def test_a_query_for_browser_returns_a_picture(graph: Graph, demo: str, name: str) -> None:
    text = queries()[name].replace("'demo'", f"'{demo}'")
    rows = graph.session(lambda session: list(session.run(text)))
    found: list[Any] = [value for row in rows for value in row.values()]
    nodes = {
        node.element_id
        for one in found
        for node in (one.nodes if isinstance(one, Path) else [one] if isinstance(one, Node) else [])
    }
    joined = [one for one in found if isinstance(one, (Relationship, Path))]
    assert len(nodes) >= 2, name
    assert joined, name


def test_a_picture_is_asked_of_a_corpus_and_a_thing(graph: Graph, demo: str) -> None:
    assert f"'{demo}'" in explored("hubs", demo)
    (row,) = graph.session(
        lambda session: list(
            session.run(
                f"RETURN {explored('neighbourhood', 'x', HOSTILE).split('e.label = ')[1].split(' MATCH')[0]} AS said"
            )
        )
    )
    assert row["said"] == HOSTILE
    with pytest.raises(NotFound, match="choose one of"):
        explored("nothing", demo)


@pytest.mark.parametrize("name", ["chain_first", "chain_last", "star", "inverted_star"])
def test_a_statement_of_two_facts_is_short(name: str) -> None:
    assert len(queries()[f"patterns/{name}"].splitlines()) <= 30
