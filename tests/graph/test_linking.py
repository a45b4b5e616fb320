"""Linked loads: the graph is the same in any order of loads, facts join by item, and what the reference holds is marked."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Decision, Document, Term, Triplet
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.pipeline import Recipe, load
from kgservice.linking.linker import WikidataLinker
from kgservice.linking.wikidata_index import Wikidata
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.resolution.decisions import merge, split
from tests.conftest import examples
from tests.graph.documents import Silent, document, loaded
from tests.graph.snapshot import snapshot
from tests.wikidata import Trigrams, indexed

pytestmark = pytest.mark.usefixtures("unsearched")

ENDS = ("France", "Paris", "NYC", "Tokyo", "Lutz", "Zubrowka")
RELATIONS = ("capital", "country", "near")
ITEMS = {"Paris": "Q90", "New York City": "Q60"}
ARC = st.tuples(st.sampled_from(ENDS), st.sampled_from(RELATIONS), st.sampled_from(ENDS))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("load"), st.sampled_from("de"), st.lists(ARC, max_size=4)),
        st.tuples(st.just("merge"), st.sampled_from(("Lutz", "Zubrowka")), st.sampled_from((*ITEMS, "Zubrowka"))),
        st.tuples(st.just("split"), st.sampled_from(("Lutz", "Zubrowka")), st.just(None)),
    ),
    min_size=4,
    max_size=8,
)

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
    entities = {node["properties"]["id"]: node["properties"] for node in nodes if "Entity" in node["labels"]}
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
    found = list(subgraphs(graph, corpus, "single", SubgraphOptions(asked="object", novel=True)))
    assert [(row.named, row.relations, row.answers) for row in found] == [(("東京",), ("P17",), ("France",))]


def test_questions_and_a_release_can_be_of_novel_facts_alone(
    graph: Graph, corpus: str, linker: WikidataLinker, tmp_path: Path
) -> None:
    known, new = ("France", "capital", "Paris"), ("Egypt", "capital", "New York City")
    linked(graph, corpus, [document("n", [known, new])], linker)
    generate(graph, corpus, Plan(patterns=("single",), choice=SubgraphOptions(novel=True)))
    asked = list(question_store.questions(graph, corpus, state="active"))
    wanted = {"What is the capital of Egypt?", "Which country is New York City the capital of?"}
    assert asked  # of two that ask alike the first by key stays
    assert {one.question for one in asked} <= wanted
    with pytest.raises(
        BadRequest, match=f"would ask 0 questions: {len(asked)} train"
    ):  # the known fact's is not counted
        create(graph, corpus, Archive(tmp_path / "releases"))
    linked(graph, corpus, [document("g", [("France", "capital", "New York City")])], linker)
    refresh(graph, corpus)
    assert ("Egypt",) not in {one.answers for one in question_store.questions(graph, corpus, state="active")}, "of two"


def test_a_refresh_looks_again_at_an_item_whose_name_others_share_now(
    graph: Graph, corpus: str, linker: WikidataLinker
) -> None:
    plan = Plan(patterns=("single",), second_look=False)
    linked(graph, corpus, [document("items", [("France", "capital", "City of Paris")])], linker)
    generate(graph, corpus, plan)
    assert [one.state for one in question_store.questions(graph, corpus)].count("active") == 1
    shared = [("Paris (a song)", "near", "Lutz"), ("Paris (a ship)", "near", "Zubrowka")]
    loaded(graph, corpus, [document("more", shared)])
    assert question_store.shared_names(graph, corpus) == {"Paris"}
    refresh(graph, corpus)
    states = {one.id: (one.state, one.reason) for one in question_store.questions(graph, corpus)}
    generate(graph, corpus, plan)
    assert states == {one.id: (one.state, one.reason) for one in question_store.questions(graph, corpus)}
    assert "name of several things" in {reason for _, reason in states.values()}


def test_another_index_links_anew(graph: Graph, corpus: str, linker: WikidataLinker, tmp_path: Path) -> None:
    load(graph, DOCUMENTS, corpus, Recipe(extract="none"), None, Silent())
    report = linked(graph, corpus, DOCUMENTS, linker)
    assert report.documents.stored == 3
    linked_ = keyless(graph, corpus)
    load(graph, DOCUMENTS, corpus, Recipe(extract="none"), None, Silent())
    assert not [node for node in snapshot(graph, corpus)[0] if node["properties"].get("id", "").startswith("Q")]
    linked(graph, corpus, DOCUMENTS, linker)
    assert keyless(graph, corpus) == linked_


def told(graph: Graph, corpus: str) -> tuple[dict[str, Any], dict[tuple[str, str, str], Any]]:
    """What the index told: [description, aliases, class] of each entity, `novel` of each fact; by ids."""
    nodes, relationships = snapshot(graph, corpus)
    ids = {node["key"]: node["properties"]["id"] for node in nodes if "Entity" in node["labels"]}
    entities = {
        ids[node["key"]]: [node["properties"].get(name) for name in ("description", "aliases", "type")]
        for node in nodes
        if node["key"] in ids
    }
    facts = [one for one in relationships if one["type"] == "FACT"]
    return entities, {
        (ids[one["start"]], one["properties"]["relation"], ids[one["end"]]): one["properties"].get("novel")
        for one in facts
    }


def test_what_the_index_told_outlives_a_restatement(graph: Graph, corpus: str, linker: WikidataLinker) -> None:
    known = [("France", "capital", "Paris"), ("東京", "country", "France"), ("Zubrowka", "near", "NYC")]
    linked(graph, corpus, [document("d", known)], linker)
    entities, facts = told(graph, corpus)
    assert entities["Q90"] == ["capital of France", ["City of Paris"], "city"]
    assert (facts["Q142", "P36", "Q90"], facts["Q1490", "P17", "Q142"]) == (False, True)
    before = keyless(graph, corpus)
    merge(graph, corpus, "Zubrowka", "Paris")  # the chunk is restated, with the facts beside it
    now_entities, now = told(graph, corpus)
    assert now_entities == {name: one for name, one in entities.items() if name != "local:Zubrowka"}
    assert {one: facts[one] for one in now if one in facts} == {one: now[one] for one in now if one in facts}
    assert now["Q90", "near", "Q60"] is None
    split(graph, corpus, "Zubrowka")
    assert [without(side, "decisions") for side in keyless(graph, corpus)] == [
        without(side, "decisions") for side in before
    ]
    linked(graph, corpus, [document("d", [*known, ("Lutz", "near", "Paris")])], linker)  # restated by its source
    assert told(graph, corpus)[0] == entities | {"local:Lutz": [None, None, None]}
    assert told(graph, corpus)[1] == facts | {("local:Lutz", "near", "Q90"): None}


def without(rows: list[Any], name: str) -> list[Any]:
    return [{**row, "properties": {k: v for k, v in row["properties"].items() if k != name}} for row in rows]


@settings(max_examples=examples(4), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_linked_life_equals_a_fresh_load_under_the_final_decisions(
    graph: Graph, linker: WikidataLinker, steps: list[Any]
) -> None:
    corpus = f"linked-{uuid.uuid4().hex}"
    last: dict[str, list[tuple[str, str, str]]] = {}
    final: dict[str, Decision] = {}
    for verb, one, other in steps:
        if verb == "load":
            last[one] = other
            put(graph, corpus, {one: other}, linker)
            continue
        made = decision(one, other if verb == "merge" else one, "merged" if verb == "merge" else "split")
        try:
            graph.decide(corpus, [made])
        except BadRequest:
            continue
        final[made.name] = made
    lived = (told(graph, corpus), without(keyless(graph, corpus)[1], "decisions"))
    graph.remove_corpus(corpus)
    graph.decide(corpus, list(final.values()))
    put(graph, corpus, last, linker)
    assert lived == (told(graph, corpus), without(keyless(graph, corpus)[1], "decisions"))
    graph.remove_corpus(corpus)


def decision(name: str, into: str, state: str) -> Decision:
    known = {"by": "person", "score": 1.0, "evidence": "", "state": state, "kind": "entity", "label": into}
    return Decision(name=LOCAL + name, into=ITEMS.get(into, LOCAL + into), **known)


def put(graph: Graph, corpus: str, documents: Mapping[str, list[tuple[str, str, str]]], linker: WikidataLinker) -> None:
    """Load documents, a chunk or so an arc; one without arcs is removed."""
    made = [
        Document(
            source=source,
            text="\n\n".join(f"{s} {r} {o}." for s, r, o in arcs),
            triplets=tuple(Triplet(subject=Term(label=s), relation=r, object=Term(label=o)) for s, r, o in arcs),
        )
        for source, arcs in documents.items()
        if arcs
    ]
    recipe = Recipe(link="wikidata", extract="none", chunking="chars:40:0")
    load(graph, made, corpus, recipe, None, Silent(), linker=linker)
    if gone := [keys.document_key(corpus, source) for source, arcs in documents.items() if not arcs]:
        graph.remove(corpus, gone)
