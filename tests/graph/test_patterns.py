"""Every pattern, asked end and option equals the brute-force definition, row for row."""

from __future__ import annotations

import re
import uuid
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core.errors import NotFound, TooMuch
from kgservice.core.records import Document, Fact, Term, Triplet
from kgservice.graph import store
from kgservice.graph.queries import query
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import patterns
from kgservice.questions.patterns import CONDITIONAL, PATTERNS, SubgraphOptions, count, page, subgraphs
from tests.conftest import LARGEST, examples
from tests.graph.documents import document, loaded
from tests.graph.oracle import DEFINED, Arc, Known, Row, rows
from tests.graph.oracle import Graph as Facts

pytestmark = pytest.mark.usefixtures("unsearched")

NAMES, RELATIONS = "ABCDEFG", ("p", "q", "r", "open:s", "open:t")
ENDS, PERIODS = st.sampled_from(NAMES), st.sampled_from(["", "", "2031"])
ARC = st.builds(Arc, ENDS, st.sampled_from(RELATIONS), ENDS, PERIODS)
DOCUMENTS = st.lists(st.lists(ARC, min_size=1, max_size=5), min_size=1, max_size=9)
# Neo4j plans a statement anew, for up to a second, for each set of its switches: any two of a statement's are on and off
# together among these four, where they are drawn one by one with KGS_TEST_SIZE=large
SWITCHES = ("cross_chunk", "cross_document", "each_needed"), ("both_ends", "isolated", "open")
PAIRED = [(True, False, True), (False, False, False), (False, True, True), (True, True, False)]
SWITCHED = st.sampled_from(
    [{name: on for names in SWITCHES for name, on in zip(names, row, strict=True)} for row in PAIRED]
)
if LARGEST:
    SWITCHED = st.fixed_dictionaries({name: st.booleans() for names in SWITCHES for name in names})
CHOICES = st.builds(
    lambda switched, **numbers: SubgraphOptions(**switched, **numbers),
    SWITCHED,
    max_pivot_degree=st.sampled_from([2, 4, 20]),
    max_set=st.sampled_from([2, 3, 10]),
    max_partners=st.sampled_from([1, 2, 10]),
)


class NoJournal:
    def problem(self, *_: object, **__: object) -> None: ...


def load(graph: Graph, corpus: str, documents: list[list[Arc]], known: Known | None = None) -> Facts:
    """Load one document a list of arcs and return what the graph should then hold; document i is named f"{i:020d}"."""
    known = known or Known()
    made = [
        Document(
            source=f"d{index}",
            text="\n".join(f"{arc.subject} {arc.relation} {arc.object}." for arc in arcs),
            triplets=tuple(triplet(arc, known) for arc in arcs),
            published=known.published.get(f"{index:020d}"),
        )
        for index, arcs in enumerate(documents)
    ]
    write_all(graph, made, corpus, Recipe(), LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]
    facts: Facts = {}
    for index, arcs in enumerate(documents):
        for arc in arcs:
            facts.setdefault(arc, set()).add(f"{index:020d}-chunk")
    return facts


def triplet(arc: Arc, known: Known) -> Triplet:
    ends = {"subject": term(arc.subject, known), "object": term(arc.object, known)}
    cell = "row 1, column 1" if arc.relation in known.tabled else ""
    return Triplet(relation=arc.relation, period=arc.period, cell=cell, confidence=confidence(arc), **ends)


def confidence(arc: Arc) -> float:
    """Return a confidence that hardly another fact has; 1 of some."""
    return min(1, crc32(" ".join(arc).encode()) % 120 / 100)


def term(label: str, known: Known) -> Term:
    return Term(label=label, type=known.types.get(label))


def listed(graph: Graph, corpus: str, pattern: str, choice: SubgraphOptions) -> tuple[list[str], set[Row]]:
    found = list(subgraphs(graph, corpus, pattern, choice))
    as_rows = {
        (
            row.asked,
            row.relations,
            row.named,
            row.answers,
            frozenset(tuple(arc(fact) for fact in reading.facts) for reading in row.readings),
        )
        for row in found
    }
    assert len(as_rows) == len(found)
    return [row.id for row in found], as_rows


def arc(fact: Fact) -> Arc:
    found = Arc(fact.subject, fact.property, fact.object, fact.period)
    assert {one.confidence for one in fact.statements} == {confidence(found)}
    return found


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=DOCUMENTS, choice=CHOICES)
def test_rows_equal_the_definition(graph: Graph, documents: list[list[Arc]], choice: SubgraphOptions) -> None:
    corpus = f"oracle-{uuid.uuid4().hex}"
    facts = load(graph, corpus, documents)
    compare(graph, corpus, facts, choice, Known())
    graph.remove_corpus(corpus)


USUAL = ("P57", "P161", "P40", "P577", "p")  # a film has one director and a director several films; cast, child, date


@settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.lists(
        st.lists(st.builds(Arc, ENDS, st.sampled_from(USUAL), ENDS, PERIODS), min_size=1, max_size=5),
        min_size=1, max_size=9,
    ),
    cross=st.booleans(),
)  # fmt: skip
def test_a_condition_that_several_usually_meet_is_needed(
    graph: Graph, documents: list[list[Arc]], *, cross: bool
) -> None:
    corpus = f"usual-{uuid.uuid4().hex}"
    facts = load(graph, corpus, documents)
    several = {"subjects": frozenset(("P57", "P161", "P40", "P577")), "objects": frozenset(("P161", "P40"))}
    choice = SubgraphOptions(usually_several=True, cross_chunk=cross)
    compare(graph, corpus, facts, choice, Known(several=several), *CONDITIONAL, "star3")
    graph.remove_corpus(corpus)


def compare(graph: Graph, corpus: str, facts: Facts, choice: SubgraphOptions, known: Known, *some: str) -> None:
    """Check each pattern (all when none is given) and each end it asks for, then all, against the definition."""
    for pattern in some or DEFINED:
        ends = list(PATTERNS[pattern])
        for asked in [*ends, None] if len(ends) > 1 else ends:
            asking = choice.model_copy(update={"asked": asked})
            ids, found = listed(graph, corpus, pattern, asking)
            assert found == rows(facts, pattern, asking, known), (pattern, asking)
            assert ids == sorted(set(ids))
            assert count(graph, corpus, pattern, asking) == len(ids)


@pytest.mark.parametrize("pattern", ["chain", "star", "inverted_star"])
def test_what_is_pasted_into_browser_draws_the_rows(graph: Graph, demo: str, pattern: str) -> None:
    pasted = query(f"explore/{pattern}")
    assert not re.search(r"\$\w", pasted)
    text = pasted.replace("'demo'", f"'{demo}'")
    paths = graph.session(lambda session: [record["path"] for record in session.run(text.replace("LIMIT 25", ""))])
    drawn = graph.session(lambda session: [record["path"] for record in session.run(text)])
    assert 0 < len(drawn) == min(25, len(paths))
    rows = subgraphs(graph, demo, pattern, SubgraphOptions(asked="last" if pattern == "chain" else None))
    listed = {(row.entities, frozenset(fact.key for fact in row.readings[0].facts)) for row in rows}
    ends = [((path.nodes[0]["key"], path.nodes[-1]["key"]), path.relationships) for path in paths]
    assert {(named, frozenset(fact["key"] for fact in facts)) for named, facts in ends} == listed
    assert len(listed) == len(paths)


@pytest.mark.parametrize("pattern", ["single", "chain", "star", "conditional_chain", "set_of_objects"])
def test_a_page_of_any_size_is_the_beginning_of_all_and_costs_what_it_holds(
    graph: Graph, demo: str, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    every = list(subgraphs(graph, demo, pattern, SubgraphOptions()))
    read, asked = Graph.read, []

    def recorded(self: Graph, name: str, /, **parameters: Any) -> Any:
        asked.append((name, parameters.get("limit")))
        return read(self, name, **parameters)

    monkeypatch.setattr(Graph, "read", recorded)
    for limit in (1, 2, 5, 20):
        for start in range(0, len(every), max(7, len(every) // 25)):
            asked.clear()
            after = every[start - 1].id if start else ""
            found = page(graph, demo, pattern, SubgraphOptions(), limit=limit, after=after, seed=None)
            assert list(found) == every[start : start + limit]
            assert asked[0][1] == 2 * limit
            assert all(name.startswith("patterns/") for name, _ in asked) or start == len(every)


def test_a_large_corpus_is_counted_in_parts_to_the_same_number(
    graph: Graph, demo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patterns, "LARGE", 10)
    read, asked = Graph.read, []

    def recorded(self: Graph, name: str, /, **parameters: Any) -> Any:
        asked.append(name)
        return read(self, name, **parameters)

    monkeypatch.setattr(Graph, "read", recorded)
    for pattern in ("single", "set_of_objects", "chain", "star"):
        every = sum(1 for _ in subgraphs(graph, demo, pattern, SubgraphOptions()))
        asked.clear()
        assert count(graph, demo, pattern, SubgraphOptions()) == every > 0
        assert sum(name.startswith("patterns/") for name in asked) >= 32


def test_a_corpus_that_is_not_there_has_no_rows_and_no_count(graph: Graph) -> None:
    with pytest.raises(NotFound, match="no corpus 'nowhere'"):
        subgraphs(graph, "nowhere", "chain", SubgraphOptions())
    with pytest.raises(NotFound, match="no corpus 'nowhere'"):
        count(graph, "nowhere", "chain", SubgraphOptions())


def test_too_much_says_which_option_to_narrow(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement that collects without end in place of the pattern's: the database's own limits stop it."""
    loaded(graph, corpus, [document("d", [("A", "p", "B")])])
    long = "reduce(text = 'x', n IN range(1, 20) | text + text)"
    endless = f"WITH {long} AS long UNWIND range(1, 1000000) AS a RETURN collect(long + a)"
    monkeypatch.setattr(
        store, "query_for", lambda name, parameters, series: endless if name.startswith("patterns/") else query(name)
    )
    with pytest.raises(TooMuch, match="name a relation, or give a smaller max_pivot_degree"):
        count(graph, corpus, "chain", SubgraphOptions())
