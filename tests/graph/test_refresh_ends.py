"""A new fact that ends an old question's uniqueness is found by a refresh, for every pattern."""

from __future__ import annotations

import pytest

from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions
from kgservice.questions.selection import Plan, generate, refresh
from tests.graph.test_refresh import Arc, active, put, spread

pytestmark = pytest.mark.usefixtures("unsearched")

# pattern: what makes a subgraph, and a fact that gives its question another answer (or answers)
ENDED: dict[str, tuple[list[Arc], Arc]] = {
    "single": ([("Alma", "borders", "Boro")], ("Alma", "borders", "Cora")),
    "set_of_objects": ([("Alma", "borders", "Boro"), ("Alma", "borders", "Cora")], ("Alma", "borders", "Dita")),
    "set_of_subjects": ([("Boro", "borders", "Alma"), ("Cora", "borders", "Alma")], ("Dita", "borders", "Alma")),
    "chain": ([("Alma", "borders", "Boro"), ("Boro", "supplies", "Cora")], ("Boro", "supplies", "Dita")),
    "star": ([("Boro", "borders", "Alma"), ("Boro", "supplies", "Cora")], ("Boro", "supplies", "Dita")),
    "inverted_star": ([("Alma", "borders", "Boro"), ("Cora", "supplies", "Boro")], ("Dita", "supplies", "Boro")),
    "conditional_chain": (
        [("Alma", "borders", "Boro"), ("Boro", "supplies", "Cora"), ("Alma", "borders", "Dita"),
         ("Enzo", "supplies", "Cora")],
        ("Dita", "supplies", "Cora"),
    ),
    "conditional_star": (
        [("Boro", "borders", "Alma"), ("Boro", "supplies", "Cora"), ("Dita", "borders", "Alma"),
         ("Enzo", "supplies", "Cora")],
        ("Dita", "supplies", "Cora"),
    ),
    "conditional_inverted_star": (
        [("Alma", "borders", "Boro"), ("Cora", "supplies", "Boro"), ("Alma", "borders", "Dita"),
         ("Cora", "supplies", "Enzo")],
        ("Cora", "supplies", "Dita"),
    ),
    "chain3": (
        [("Alma", "borders", "Boro"), ("Boro", "supplies", "Cora"), ("Cora", "founded", "Dita")],
        ("Cora", "founded", "Enzo"),
    ),
    "star3": (
        [("Boro", "borders", "Alma"), ("Boro", "founded", "Cora"), ("Boro", "supplies", "Dita"),
         ("Enzo", "borders", "Alma"), ("Enzo", "founded", "Cora")],
        ("Enzo", "supplies", "Dita"),
    ),
    "inverted_star3": (
        [("Alma", "borders", "Boro"), ("Cora", "founded", "Boro"), ("Dita", "supplies", "Boro"),
         ("Alma", "borders", "Enzo"), ("Cora", "founded", "Enzo")],
        ("Dita", "supplies", "Enzo"),
    ),
    "comparison": ([("Alma", "founded", "1990"), ("Boro", "founded", "2000")], ("Alma", "founded", "1995")),
}  # fmt: skip


@pytest.mark.parametrize("pattern", sorted(ENDED))
def test_a_new_fact_that_ends_uniqueness_is_found(graph: Graph, corpus: str, pattern: str) -> None:
    arcs, another = ENDED[pattern]
    spread(graph, corpus, [*arcs, ("Fado", "borders", "Gora")])
    choice = SubgraphOptions(each_needed=not pattern.endswith("star3"), asked="object" if pattern == "single" else None)
    made = generate(graph, corpus, Plan(patterns=(pattern,), choice=choice))
    assert made.added > 0
    untouched = {
        q.id
        for q in question_store.questions(graph, corpus, state="active")
        if {"Fado", "Gora"} & {f.subject for f in q.facts}
    }
    put(graph, corpus, {"later": [another]})
    done = refresh(graph, corpus)
    assert done.retired["answer no longer unique"] > 0
    assert not done.whole
    assert untouched <= active(graph, corpus)
    put(graph, corpus, {"later": []})
    back = refresh(graph, corpus)
    assert active(graph, corpus) == set(made.added_ids)
    assert set(back.added_ids) >= set(done.retired_ids)
