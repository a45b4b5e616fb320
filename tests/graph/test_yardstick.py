"""The measure of the demo's reading, on facts of which it is plain which are known, read and right."""

from __future__ import annotations

from kgservice.core.records import Document, Term, Triplet
from kgservice.demo.yardstick import READ_AS, Yardstick, measure
from kgservice.graph.store import Graph
from kgservice.ingest.sources import read
from tests.graph.documents import DEMO, loaded


def stating(subject: str, relation: str, end: str) -> Document:
    triplet = Triplet(subject=Term(label=subject), relation=relation, object=Term(label=end))
    return Document(source=f"{subject} {relation}", text=f"{subject} {relation} {end}.", triplets=(triplet,))


def test_what_is_not_read_or_read_wrongly_is_counted(graph: Graph, corpus: str) -> None:
    known = [
        stating("The Acme", "headquartered in", "Lun"),
        stating("Lun", "population", "2 million people"),
        stating("Ada", "born in", "Ely"),
        stating("Ada", "studied at", "Ely"),
    ]
    loaded(
        graph,
        corpus,
        [stating("Acme", "P159", "Lun"), stating("Lun", "P2046", "2 million"), stating("Bob", "P19", "Ely")],
    )
    assert measure(graph, corpus, known) == Yardstick(known=4, read=1, compared=2, right=1)
    loaded(graph, corpus, [stating("Ada", "P69", "Ely"), stating("Lun", "open:has rent", "2 million")])
    assert measure(graph, corpus, known) == Yardstick(known=4, read=2, compared=4, right=2)


def test_every_relation_of_the_demo_can_be_read() -> None:
    documents = [item for item in read("triplets", sorted(DEMO.glob("*.jsonl"))) if isinstance(item, Document)]
    assert {one.relation for item in documents for one in item.triplets or ()} == set(READ_AS)
    for item in documents:
        for one in item.triplets or ():
            assert one.sentence in item.text
            assert one.subject.label in one.sentence
            assert one.object.label in one.sentence
