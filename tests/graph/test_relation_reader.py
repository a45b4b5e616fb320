"""What the relation reader finds lands in the graph once, with its sentence, beside what the rules find."""

from __future__ import annotations

from typing import Any

from kgservice.core.records import Document
from kgservice.graph.store import Graph
from tests.graph.documents import loaded
from tests.graph.snapshot import snapshot

BORN = "Marie Curie was born in Warsaw."
BASED = "Siemens, headquartered in Munich, makes trains."


def facts(graph: Graph, corpus: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in snapshot(graph, corpus)[1]:
        if row["type"] == "FACT":
            found.setdefault(row["properties"]["relation"], []).append(row["properties"])
    return found


def test_facts_of_the_reader_land_once_with_their_sentences(graph: Graph, corpus: str) -> None:
    report = loaded(graph, corpus, [Document(source="d", text=f"{BORN} {BASED}")], extract="rules+reader")
    found = facts(graph, corpus)
    (born,), (based,) = found["P19"], found["P159"]
    assert (born["sentences"], based["sentences"]) == ([BORN], [BASED])
    assert born["objects"] == born["subjects"] == 1
    assert report.triplets.given == report.triplets.kept + sum(report.triplets.rejected.values())
    again = loaded(graph, corpus, [Document(source="d", text=f"{BORN} {BASED}")], extract="rules+reader")
    assert again.documents.unchanged == 1
    loaded(graph, corpus, [Document(source="d", text=BASED)], extract="rules+reader")
    assert "P19" not in facts(graph, corpus)
