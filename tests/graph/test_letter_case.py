"""Names that differ in letter case alone are one thing in texts, in whatever order these are loaded."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from kgservice.core.records import Document, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from kgservice.resolution.decisions import merge, split
from kgservice.resolution.letter_case import merge_letter_case
from tests.graph.documents import loaded
from tests.graph.snapshot import snapshot
from tests.graph.test_schema import stated

pytestmark = pytest.mark.usefixtures("unsearched")

TEXTS = (
    stated("a", ("Dastan Gridworks", "acquired", "LUMEN QUAY"), ("Gareth Ollivane", "was born in", "PORT AMBREL")),
    stated("b", ("Dastan Gridworks", "acquired", "Lumen Quay"), ("Dastan Gridworks", "acquired", "Brackmoor Holdings")),
    stated("c", ("Ada Brune", "was born in", "Port Ambrel"), ("Ada Brune", "works for", "WHO")),
)


def load(graph: Graph, corpus: str, documents: Sequence[Document], link: str = "case") -> None:
    for one in documents:
        loaded(graph, corpus, [one], extract="none", link=link)


def sets(graph: Graph, corpus: str) -> set[tuple[str, ...]]:
    return {row.answers for row in subgraphs(graph, corpus, "set_of_objects", SubgraphOptions(cross_chunk=False))}


def test_a_set_has_each_thing_once(graph: Graph, corpus: str) -> None:
    load(graph, corpus, TEXTS)
    assert sets(graph, corpus) == {("Brackmoor Holdings", "Lumen Quay")}
    both = subgraphs(graph, corpus, "set_of_subjects", SubgraphOptions(cross_chunk=False))
    assert {row.answers for row in both} == {("Ada Brune", "Gareth Ollivane")}


def test_the_order_of_loads_does_not_matter(graph: Graph, corpus: str) -> None:
    seen = []
    for at, order in enumerate(permutations(TEXTS)):
        load(graph, f"{corpus}-{at}", order)
        seen.append(sets(graph, f"{corpus}-{at}"))
        graph.remove_corpus(f"{corpus}-{at}")
    assert seen == [{("Brackmoor Holdings", "Lumen Quay")}] * 6


def test_an_apostrophe_or_a_hyphen_makes_no_other_name(graph: Graph, corpus: str) -> None:
    names = ("O’Brien Foods", "O'Brien Foods"), ("Anne‑Marie Mills", "Anne-Marie Mills")
    texts = [
        stated(f"{at}-{side}", ("Lumen Quay", "acquired", name))
        for at, pair in enumerate(names)
        for side, name in enumerate(pair)
    ]
    load(graph, corpus, texts)
    assert sets(graph, corpus) == {("Anne-Marie Mills", "O'Brien Foods")}


def test_names_as_written_stay_two_where_that_is_wanted(graph: Graph, corpus: str) -> None:
    load(graph, corpus, TEXTS, link="none")
    assert sets(graph, corpus) == {("Brackmoor Holdings", "LUMEN QUAY", "Lumen Quay")}


def test_a_name_that_a_person_parted_stays_apart(graph: Graph, corpus: str) -> None:
    load(graph, corpus, TEXTS)
    split(graph, corpus, "LUMEN QUAY", "entity")
    load(graph, corpus, [stated("d", ("Lumen Quay", "was founded by", "Ada Brune")), *TEXTS])
    assert ("Brackmoor Holdings", "LUMEN QUAY", "Lumen Quay") in sets(graph, corpus)


def test_a_name_that_a_person_gave_another_spelling_keeps_it(graph: Graph, corpus: str) -> None:
    load(graph, corpus, TEXTS, link="none")
    merge(graph, corpus, "Lumen Quay", "LUMEN QUAY")
    assert merge_letter_case(graph, corpus, ["local:LUMEN QUAY", "local:PORT AMBREL"]) == 1
    assert sets(graph, corpus) == {("Brackmoor Holdings", "LUMEN QUAY")}


def test_ready_made_names_and_names_of_other_classes_stay_two(graph: Graph, corpus: str) -> None:
    def told(subject: str, obj: str, kind: str | None = None) -> Triplet:
        return Triplet(subject=Term(label=subject), relation="owns", object=Term(label=obj, kind="entity", type=kind))

    triplets = (told("Ada", "Blue Lantern", "ship"), told("Ada", "BLUE LANTERN", "film"), told("Ada", "Orr Ltd"))
    given = Document(source="given", text="Ada owns all of these.", triplets=(*triplets, told("Ada", "ORR LTD")))
    loaded(graph, corpus, [given])
    before = snapshot(graph, corpus)
    assert sets(graph, corpus) == {("BLUE LANTERN", "Blue Lantern", "ORR LTD", "Orr Ltd")}
    assert merge_letter_case(graph, corpus, ["local:Blue Lantern"]) == 0
    assert snapshot(graph, corpus) == before
    assert merge_letter_case(graph, corpus, ["local:ORR LTD"]) == 1
