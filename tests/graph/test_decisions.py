"""Decisions about names: the graph is a fresh load under the final decisions, whatever came before."""

from __future__ import annotations

import uuid
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice import keys
from kgservice.errors import BadRequest
from kgservice.graph.decided import LOCAL
from kgservice.graph.store import Graph
from kgservice.model import Decision, Document, Term, Triplet
from kgservice.pipeline import Recipe, write_all
from kgservice.tally import Tally
from tests.graph.documents import Silent
from tests.graph.snapshot import snapshot

NAMES = ("Alma", "Boro", "Cora", "Dita")
RELATIONS = ("makes", "produces")
Arc = tuple[str, str, str]
ARC = st.tuples(st.sampled_from(NAMES), st.sampled_from(RELATIONS), st.sampled_from(NAMES))
CHANGING = ("version", "decisions")


def decision(name: str, into: str, state: str = "merged", kind: str = "entity") -> Decision:
    prefix = LOCAL if kind == "entity" else ""
    known = {"by": "person", "score": 1.0, "evidence": "", "state": state, "kind": kind}
    return Decision(name=prefix + name, into=prefix + into, label=into, **known)


def put(graph: Graph, corpus: str, documents: dict[str, list[Arc]]) -> None:
    """Load a document a list of arcs, two to a paragraph; one without arcs is removed."""
    made = [
        Document(
            source=source,
            title=arcs[0][0],
            text="\n\n".join(" ".join(f"{s} {r} {o}." for s, r, o in arcs[at : at + 2]) for at in range(0, 9, 2)),
            triplets=tuple(Triplet(subject=Term(label=s), relation=r, object=Term(label=o)) for s, r, o in arcs),
        )
        for source, arcs in documents.items()
        if arcs
    ]
    write_all(graph, made, corpus, Recipe(chunking="chars:60:0"), Tally(Silent()), lambda *_: None)
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


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
