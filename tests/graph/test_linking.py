"""Linked loads: the graph is the same in any order of loads, facts join by item, and what the reference holds is marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgservice import keys
from kgservice.graph.store import Graph
from kgservice.linking.linker import WikidataLinker
from kgservice.linking.wikidata import Wikidata
from kgservice.model import Document
from kgservice.pipeline import Recipe, load
from kgservice.questions.enumerate import Choice, subgraphs
from kgservice.tally import LoadReport
from tests.graph.documents import Silent, document
from tests.graph.snapshot import snapshot
from tests.wikidata import Trigrams, indexed

DOCUMENTS = [
    document(
        "d", [("France", "capital", "Paris"), ("John F. Kennedy", "visited", "Paris")], [("NYC", "near", "Zubrowka")]
    ),
    document("e", [("France", "capital", "City of Paris")]),
    document("f", [("New York City", "near", "Lutz"), ("東京", "country", "France"), ("Lutz", "counts", "12")]),
]


@pytest.fixture(scope="module")
def linker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WikidataLinker]:
    with Wikidata(indexed(tmp_path_factory.mktemp("index"))) as index, WikidataLinker(index, Trigrams()) as made:  # type: ignore[arg-type]
        yield made


def linked(graph: Graph, corpus: str, documents: list[Document], linker: WikidataLinker) -> LoadReport:
    return load(graph, documents, corpus, Recipe(link="wikidata", extract="none"), None, Silent(), linker=linker)


def keyless(graph: Graph, corpus: str) -> tuple[list[object], list[object]]:
    nodes, relationships = snapshot(graph, corpus, without=("version",))
    return nodes, relationships


def test_documents_join_by_item_in_any_order(graph: Graph, corpus: str, linker: WikidataLinker) -> None:
    report = linked(graph, corpus, DOCUMENTS, linker)
    assert report.links is not None
    assert report.links.given == report.links.linked + sum(report.links.unlinked.values())
    before = keyless(graph, corpus)
    graph.remove_corpus(corpus)
    for one in reversed(DOCUMENTS):
        linked(graph, corpus, [one], linker)
    assert keyless(graph, corpus) == before
    assert linked(graph, corpus, DOCUMENTS, linker).documents.unchanged == 3
    assert keyless(graph, corpus) == before


def test_entities_and_facts_as_they_are_stored(graph: Graph, corpus: str, linker: WikidataLinker) -> None:
    linked(graph, corpus, DOCUMENTS, linker)
    nodes, relationships = snapshot(graph, corpus)
    entities = {node["properties"]["id"]: node["properties"] for node in nodes if node["labels"] == ["Entity"]}
    paris = entities["Q90"]
    assert (paris["label"], paris["type"], paris["description"], paris["aliases"]) == (
        "Paris", "city", "capital of France", ["City of Paris"],
    )  # fmt: skip
    assert "aliases" not in entities["local:Lutz"]
    facts = {
        (r["properties"]["relation"], r["start"], r["end"]): r["properties"]
        for r in relationships
        if r["type"] == "FACT"
    }
    ends = [keys.entity_key(corpus, name) for name in ("Q142", "Q90", "Q1490", "Q9696")]
    capital = facts["P36", ends[0], ends[1]]
    assert len(capital["chunks"]) == 2, "two documents write one fact in two ways"
    assert (capital["label"], capital["novel"]) == ("capital", False)
    assert facts["P17", ends[2], ends[0]]["novel"] is True
    named = {r["properties"]["surface"] for r in relationships if r["type"] == "MENTIONS" and r["end"] == ends[1]}
    assert named == {"Paris", "City of Paris"}, "as the text has it"
    assert "novel" not in facts["visited", ends[3], ends[1]], "nobody can tell without a property"


def test_patterns_can_ask_for_novel_facts(graph: Graph, corpus: str, linker: WikidataLinker) -> None:
    linked(graph, corpus, DOCUMENTS, linker)
    found = list(subgraphs(graph, corpus, "single", Choice(asked="object", novel=True)))
    assert [(row.named, row.relations, row.answers) for row in found] == [(("東京",), ("P17",), ("France",))]


def test_another_index_links_anew(graph: Graph, corpus: str, linker: WikidataLinker, tmp_path: Path) -> None:
    load(graph, DOCUMENTS, corpus, Recipe(extract="none"), None, Silent())
    report = linked(graph, corpus, DOCUMENTS, linker)
    assert report.documents.stored == 3
    linked_ = keyless(graph, corpus)
    load(graph, DOCUMENTS, corpus, Recipe(extract="none"), None, Silent())
    assert not [node for node in snapshot(graph, corpus)[0] if node["properties"].get("id", "").startswith("Q")]
    linked(graph, corpus, DOCUMENTS, linker)
    assert keyless(graph, corpus) == linked_
