"""Three-fact patterns, comparisons and filters equal the brute-force definition, row for row."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any

import neo4j
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.graph.store import Graph
from kgservice.questions.patterns import SubgraphOptions, count, page, subgraphs
from kgservice.text.values import read_value
from tests.conftest import LARGEST, examples
from tests.graph.oracle import DEFINED, Arc, Known
from tests.graph.test_patterns import CHOICES, DOCUMENTS, SWITCHED, compare, load

pytestmark = pytest.mark.usefixtures("unsearched")

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
DAYS = [None, date(2030, 1, 5), date(2030, 2, 5), date(2031, 1, 1)]
TYPES = {"A": "person", "B": "city", "C": "city", "D": "firm"}
VALUES = ["7", "9", "-3", "12 km", "15 km", "12 kg", "1990", "2001", "2001-05", "1999-03", "2001-05-01", "A", "B"]

ALWAYS = st.just("")  # a period, which Hypothesis would make of any letters
ARC = st.builds(Arc, st.sampled_from("ABCDEFG"), st.sampled_from("pqrs"), st.sampled_from("ABCDEFG"), ALWAYS)
DENSE = st.lists(st.lists(ARC, min_size=6, max_size=14), min_size=2, max_size=4)
# what random facts seldom hold: A is the one to meet three conditions, each two of them are met by another (TWICE: D
# meets the three too); chains of three by two ways, where C is a hub to the same end or (ASTRAY) to another
MEET = [Arc(b, r, end) for b, met in (("A", "pqr"), ("D", "pq"), ("E", "qr"), ("F", "pr"))
        for r, end in zip("pqr", "BCG", strict=True) if r in met]  # fmt: skip
TWO_WAYS = [Arc(*arc) for arc in ("ApB", "ApC", "BqD", "CqE", "DrF", "ErF", "CsA", "CsB", "CsG")]
ASTRAY = [*TWO_WAYS, Arc("E", "r", "G")]
TWICE = [*MEET, Arc("D", "r", "G")]
CORES = [MEET, TWICE, TWO_WAYS, ASTRAY]
CORES += [[Arc(arc.object, arc.relation, arc.subject) for arc in core] for core in CORES]
CORE = st.sampled_from(CORES).flatmap(
    lambda core: st.builds(
        lambda out, noise: [*([arc] for arc in core if arc not in out), noise],
        st.sets(st.sampled_from(core), max_size=1),
        st.lists(ARC, min_size=1, max_size=2),
    )
)
MEASURES = ("p", "q", "open:s", "open:t")
MEASURED = st.lists(
    st.lists(
        st.builds(Arc, st.sampled_from("ABCDEFGH7"), st.sampled_from(MEASURES), st.sampled_from(VALUES), ALWAYS),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=6,
)
LOOSE = st.builds(
    lambda switched, degree: SubgraphOptions(**switched, max_pivot_degree=degree),
    SWITCHED,
    st.sampled_from([4, 5, 8, 20]),
)
CONDITIONS: dict[str, st.SearchStrategy[Any]] = {
    "cross_chunk": st.just(True),
    "each_needed": st.just(False),
    "relation": st.sampled_from(["p", "q", "absent"]),
    "type": st.sampled_from(["person", "city", "absent"]),
    "published_since": st.sampled_from([date(2030, 1, 5), date(2030, 1, 6)]),
    "published_until": st.sampled_from([date(2030, 2, 5), date(2031, 1, 1)]),
    "novel": st.just(True),
}
# as SWITCHED: each condition is given in some of these and left out in others
TOGETHER = [
    ("cross_chunk", "relation", "published_since"),
    ("each_needed", "type", "novel"),
    ("cross_chunk", "relation", "type", "published_since", "published_until", "novel"),
    ("each_needed", "published_until", "novel"),
]
GIVEN = st.sets(st.sampled_from(sorted(CONDITIONS))) if LARGEST else st.sampled_from(TOGETHER)
FILTERS = GIVEN.flatmap(
    lambda names: st.builds(
        SubgraphOptions,
        **{"cross_chunk": st.just(False)} | {name: CONDITIONS[name] for name in sorted(names)},
    )
)


def known(corpus: str, days: list[date | None] = DAYS[:1], novel: frozenset[Arc] = frozenset()) -> Known:
    return Known(
        types=TYPES,
        values={label: read_value(label) for label in VALUES},
        published={f"{index:020d}": day for index, day in enumerate(days)},
        novel=novel,
        key=lambda label: keys.entity_key(corpus, f"local:{label}"),
    )


def mark_novel(graph: Graph, corpus: str, arcs: frozenset[Arc]) -> None:
    ends = [{"s": f"local:{a.subject}", "r": (a.relation, a.period), "o": f"local:{a.object}"} for a in arcs]
    groups = [
        {"sr": keys.entity_key(corpus, e["s"]) + keys.relation_code(*e["r"]), "object": keys.entity_key(corpus, e["o"])}
        for e in ends
    ]

    def work(tx: neo4j.ManagedTransaction) -> None:
        text = "UNWIND $groups AS g MATCH ()-[f:FACT {sr: g.sr}]->({key: g.object}) SET f.novel = true"
        tx.run(text, groups=groups).consume()

    graph.change(work)


@settings(max_examples=examples(12), deadline=None, suppress_health_check=QUIET)
@given(documents=st.one_of(DENSE, CORE, CORE), choice=LOOSE)
def test_three_facts_equal_the_definition(graph: Graph, documents: list[list[Arc]], choice: SubgraphOptions) -> None:
    corpus = f"three-{uuid.uuid4().hex}"
    facts = load(graph, corpus, documents)
    compare(graph, corpus, facts, choice, Known(), "chain3", "star3", "inverted_star3")
    graph.remove_corpus(corpus)


@pytest.mark.parametrize("core", CORES)
def test_made_shapes_equal_the_definition(graph: Graph, corpus: str, core: list[Arc]) -> None:
    facts = load(graph, corpus, [[arc] for arc in core])
    for choice in (SubgraphOptions(), SubgraphOptions(max_pivot_degree=4), SubgraphOptions(each_needed=False)):
        compare(graph, corpus, facts, choice, Known(), "chain3", "star3", "inverted_star3")


@settings(max_examples=examples(12), deadline=None, suppress_health_check=QUIET)
@given(documents=MEASURED, choice=CHOICES)
def test_comparisons_equal_the_definition(graph: Graph, documents: list[list[Arc]], choice: SubgraphOptions) -> None:
    corpus = f"measured-{uuid.uuid4().hex}"
    facts = load(graph, corpus, documents)
    compare(graph, corpus, facts, choice, known(corpus), "comparison")
    graph.remove_corpus(corpus)


@settings(max_examples=examples(10), deadline=None, suppress_health_check=QUIET)
@given(
    documents=st.one_of(DOCUMENTS, MEASURED),
    days=st.lists(st.sampled_from(DAYS), min_size=9, max_size=9),
    choice=FILTERS,
    data=st.data(),
)
def test_filters_equal_the_definition(
    graph: Graph, documents: list[list[Arc]], days: list[date | None], choice: SubgraphOptions, data: st.DataObject
) -> None:
    corpus = f"filters-{uuid.uuid4().hex}"
    arcs = sorted({arc for document in documents for arc in document})
    patterns = data.draw(st.sets(st.sampled_from(sorted(DEFINED)), min_size=4, max_size=4))
    old = data.draw(st.sets(st.sampled_from(arcs), max_size=2))
    about = known(corpus, days, frozenset(arcs) - old)
    facts = load(graph, corpus, documents, about)
    mark_novel(graph, corpus, about.novel)
    compare(graph, corpus, facts, choice, about, *sorted(patterns))
    graph.remove_corpus(corpus)


def test_a_relation_of_many_subjects_is_compared_with_neighbours_only(graph: Graph, corpus: str) -> None:
    load(graph, corpus, [[Arc(f"s{index}", "p", str(index)) for index in range(150)]])
    choice = SubgraphOptions(asked="larger")
    assert count(graph, corpus, "comparison", choice) == 150 * 10 - 55
    rows = list(subgraphs(graph, corpus, "comparison", choice))
    assert all(row.answers[0] == max(row.named, key=lambda name: int(name[1:])) for row in rows)
    paged, after = [], ""
    while found := list(page(graph, corpus, "comparison", choice, limit=700, after=after, seed=None)):
        paged += found
        after = found[-1].id
    assert paged == rows
    assert count(graph, corpus, "comparison", SubgraphOptions(max_partners=1_000)) == 150 * 149


def test_a_window_that_ends_before_it_starts_is_refused(graph: Graph, corpus: str) -> None:
    load(graph, corpus, [[Arc("A", "p", "B")]])
    choice = SubgraphOptions(published_since=date(2031, 1, 1), published_until=date(2030, 1, 1))
    with pytest.raises(BadRequest, match="turn the two round"):
        count(graph, corpus, "chain", choice)
