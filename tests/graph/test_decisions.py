"""Decisions about names: the graph is a fresh load under the final decisions, whatever came before."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Decision, Document, StatedDocument, Term, Triplet
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.rows import Rows
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.resolution.decisions import decision_about, explain, merge, split
from tests.conftest import examples
from tests.graph.documents import Silent
from tests.graph.snapshot import snapshot

pytestmark = pytest.mark.usefixtures("unsearched")

NAMES = ("Alma", "Boro", "Cora", "Dita")
RELATIONS = ("makes", "produces")
Arc = tuple[str, str, str]
ARC = st.tuples(st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(NAMES))
CHANGING = ("version", "decisions")


def decision(name: str, into: str, state: str = "merged", kind: str = "entity") -> Decision:
    prefix = LOCAL if kind == "entity" else ""
    known = {"by": "person", "score": 1.0, "evidence": "", "state": state, "kind": kind}
    return Decision(name=prefix + name, into=prefix + into, label=into, **known)


TYPES = {"e": "firm", "f": "city"}  # the classes that documents give their subjects


def put(graph: Graph, corpus: str, documents: dict[str, list[Arc]]) -> None:
    """Load a document a list of arcs, two to a paragraph; one without arcs is removed."""
    made = [
        Document(
            source=source,
            title=arcs[0][0],
            text="\n\n".join(" ".join(f"{s} {r} {o}." for s, r, o in arcs[at : at + 2]) for at in range(0, 9, 2)),
            triplets=tuple(
                Triplet(
                    subject=Term(label=s, type=TYPES.get(source)),
                    relation=r,
                    object=Term(label=o),
                    confidence=0.5 if source == "e" else 1.0,
                )
                for s, r, o in arcs
            ),
        )
        for source, arcs in documents.items()
        if arcs
    ]
    write_all(graph, made, corpus, Recipe(chunking="chars:60:0"), LoadCounts(Silent()), lambda *_: None)
    if gone := [keys.document_key(corpus, source) for source, arcs in documents.items() if not arcs]:
        graph.remove(corpus, gone)


def state(graph: Graph, corpus: str) -> tuple[list[Any], list[Any]]:
    nodes, relationships = snapshot(graph, corpus, without=CHANGING)
    return [node for node in nodes if node["labels"] != ["Corpus"]], relationships


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("load"), st.sampled_from("def"), st.lists(ARC, max_size=6)),
        st.tuples(st.just("merge"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
        st.tuples(st.just("relation"), st.permutations(RELATIONS).map(tuple), st.just(None)),
        st.tuples(st.just("split"), st.sampled_from([*NAMES, *RELATIONS]), st.just(None)),
    ),
    min_size=3,
    max_size=9,
)


@settings(max_examples=examples(5), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_any_life_equals_a_fresh_load_under_the_final_decisions(graph: Graph, steps: list[Any]) -> None:
    corpus = f"decided-{uuid.uuid4().hex}"
    last: dict[str, list[Arc]] = {}
    final: dict[str, Decision] = {}
    for verb, one, other in steps:
        if verb == "load":
            put(graph, corpus, {one: other})
            last[one] = other
            continue
        if verb == "merge":
            made = decision(one, other)
        elif verb == "relation":
            made = decision(*one, kind="relation")
        else:
            made = decision(one, one, "split", "relation" if one in RELATIONS else "entity")
        try:
            graph.decide(corpus, [made])
        except BadRequest:
            continue
        final[made.name] = made
    lived = state(graph, corpus)
    graph.remove_corpus(corpus)
    graph.decide(corpus, list(final.values()))
    put(graph, corpus, last)
    assert lived == state(graph, corpus)
    graph.remove_corpus(corpus)


def facts(graph: Graph, corpus: str) -> set[tuple[str, str, str, int, int]]:
    nodes, relationships = snapshot(graph, corpus)
    labels = {node["key"]: node["properties"].get("label") for node in nodes}
    return {
        (labels[r["start"]], r["properties"]["relation"], labels[r["end"]], r["properties"]["objects"],
         r["properties"]["subjects"])
        for r in relationships if r["type"] == "FACT"
    }  # fmt: skip


def test_a_merge_moves_facts_and_counters_and_a_split_takes_all_of_it_back(graph: Graph, corpus: str) -> None:
    put(graph, corpus, {"d": [("USA", "makes", "Cars")], "e": [("United States", "makes", "Films")]})
    before = state(graph, corpus)
    merge(graph, corpus, "USA", "United States")
    assert facts(graph, corpus) == {
        ("United States", "makes", "Cars", 2, 1), ("United States", "makes", "Films", 2, 1),
    }  # fmt: skip
    found = explain(graph, corpus, "USA")
    assert (found.label, found.facts) == ("United States", 2)
    assert {(one.name, one.chunks, one.decision is None) for one in found.names} == {
        ("local:USA", 1, False), ("local:United States", 1, True),
    }  # fmt: skip
    assert split(graph, corpus, "USA").state == "split"
    assert state(graph, corpus) == before
    assert explain(graph, corpus, "USA").decision == split_decision(graph, corpus, "USA")


def split_decision(graph: Graph, corpus: str, name: str) -> Decision | None:
    return decision_about(graph, corpus, "entity", LOCAL + name)


def test_a_class_that_a_merged_name_was_given_comes_back_with_it(graph: Graph, corpus: str) -> None:
    triplet = Triplet(subject=Term(label="IBM", type="company"), relation="makes", object=Term(label="Chips"))
    later = triplet.model_copy(update={"subject": Term(label="IBM", type="business"), "relation": "sells"})
    documents = [Document(source=str(at), text="IBM", triplets=(one,)) for at, one in enumerate((triplet, later))]
    put(graph, corpus, {"d": [("Big Blue", "makes", "Chips")]})
    write_all(graph, documents[:1], corpus, Recipe(), LoadCounts(Silent()), lambda *_: None)
    merge(graph, corpus, "IBM", "Big Blue")
    assert explain(graph, corpus, "Big Blue").type is None
    write_all(graph, documents[1:], corpus, Recipe(), LoadCounts(Silent()), lambda *_: None)
    split(graph, corpus, "IBM")
    assert explain(graph, corpus, "IBM").type == "business"


def test_what_cannot_be_merged_is_refused_with_what_to_do(graph: Graph, corpus: str) -> None:
    put(graph, corpus, {"d": [("Alma", "makes", "1,200"), ("Boro", "makes", "Cora")]})
    merge(graph, corpus, "Alma", "Boro")
    for name, into, said in (
        ("Boro", "1,200", "is a number"),
        ("Alma", "Cora", "'Alma' is merged into 'Boro' already: split it first"),
        ("Boro", "Alma", "'Alma' is merged into 'Boro' already"),
        ("Boro", "Boro", "are one already"),
    ):
        with pytest.raises(BadRequest, match=said):
            merge(graph, corpus, name, into)
    with pytest.raises(NotFound, match="no entity 'Nobody'"):
        merge(graph, corpus, "Nobody", "Boro")
    with pytest.raises(NotFound, match=r"no entity 'the cora' in corpus .*; did you mean 'Cora'\?"):
        explain(graph, corpus, "the cora", "entity")
    with pytest.raises(BadRequest, match="names merged into it: 'Alma'"):
        split(graph, corpus, "Boro")
    with pytest.raises(NotFound):
        split(graph, corpus, "Nobody")
    with pytest.raises(NotFound, match="has the relation 'sells'"):
        merge(graph, corpus, "sells", "makes", "relation")
    with pytest.raises(BadRequest, match="stands for"):
        graph.decide(corpus, [decision("Boro", "Alma")])


def standing(graph: Graph, corpus: str) -> set[str]:
    return {one.id for one in question_store.questions(graph, corpus) if one.state != "retired"}


def test_questions_follow_a_merge_and_a_split(graph: Graph, corpus: str) -> None:
    put(graph, corpus, {"d": [("USA", "makes", "Cars")], "e": [("United States", "makes", "Films")]})
    generate(graph, corpus, Plan(patterns=("single",)))
    before = standing(graph, corpus)
    merge(graph, corpus, "USA", "United States")
    done = refresh(graph, corpus)
    assert not done.whole
    assert done.retired
    eligible = {one.id for one in subgraphs(graph, corpus, "single", SubgraphOptions())}
    assert standing(graph, corpus) == eligible
    assert eligible != before
    split(graph, corpus, "USA")
    refresh(graph, corpus)
    assert standing(graph, corpus) == before


def test_rows_made_before_a_decision_are_made_anew(graph: Graph, corpus: str) -> None:
    put(graph, corpus, {"d": [("USA", "makes", "Cars")], "e": [("United States", "makes", "Films")]})
    said = Triplet(subject=Term(label="USA"), relation="sells", object=Term(label="Ships"))
    late: list[Rows] = []
    make, write = graph.prepare_rows, graph.write

    class Slow:
        versions = graph.versions

        def prepare_rows(self, name: str, batch: list[StatedDocument]) -> Rows:
            late.append(make(name, batch))
            merge(graph, corpus, "USA", "United States") if len(late) == 1 else None
            return late[-1]

        def write(self, rows: Rows) -> None:
            write(rows)

    document = Document(source="late", text="USA sells Ships.", triplets=(said,))
    write_all(Slow(), [document], corpus, Recipe(), LoadCounts(Silent()), lambda *_: None)
    assert ("United States", "sells", "Ships", 1, 1) in facts(graph, corpus)


def test_what_a_person_decides_while_names_are_resolved_stays(graph: Graph, corpus: str) -> None:
    put(graph, corpus, {"d": [("Alma", "makes", "Boro"), ("Cora", "makes", "Dita")]})
    merge(graph, corpus, "Alma", "Cora")
    split(graph, corpus, "Alma")
    merge(graph, corpus, "Boro", "Dita")
    before = snapshot(graph, corpus)
    read = [  # a resolution has read the names before, and would merge one and part the other
        decision("Alma", "Cora").model_copy(update={"by": "exact"}),
        decision("Boro", "Dita", state="withdrawn").model_copy(update={"by": "vector"}),
    ]
    assert graph.decide(corpus, read) == ([], 0)
    assert snapshot(graph, corpus) == before
    assert graph.decide(corpus, [*read, decision("Dita", "Alma").model_copy(update={"by": "exact"})]).chunks > 0
    assert [decision_about(graph, corpus, "entity", LOCAL + name).by for name in ("Alma", "Boro", "Dita")] == [
        "person", "person", "exact"
    ]  # fmt: skip


def test_what_leads_back_to_a_name_that_a_person_merged_is_dropped_and_the_rest_is_made(
    graph: Graph, corpus: str
) -> None:
    put(graph, corpus, {"d": [("Alma", "makes", "Boro"), ("Cora", "makes", "Dita"), ("Egon", "makes", "Fine")]})
    merge(graph, corpus, "Boro", "Alma")
    merge(graph, corpus, "Dita", "Egon")
    ring, other, third, behind = (
        decision(*pair).model_copy(update={"by": "exact"})
        for pair in (("Alma", "Boro"), ("Cora", "Fine"), ("Egon", "Dita"), ("Fine", "Egon"))
    )
    assert graph.decide(corpus, [other, ring, third, behind]).decisions == [other, behind]
    stored = [decision_about(graph, corpus, "entity", LOCAL + name) for name in ("Alma", "Boro", "Cora", "Egon")]
    assert [one and one.label for one in stored] == [None, "Alma", "Fine", None]
    with pytest.raises(BadRequest, match="'local:Boro' stands for 'local:Alma' already"):
        graph.decide(corpus, [decision("Alma", "Boro"), other])
