"""An entity's second label is that of its type, whatever the order of loads."""

from __future__ import annotations

import pytest

from kgservice.core.records import Document, Term, Triplet
from kgservice.core.schema import VALUES, load_schema
from kgservice.graph.labels import label_of
from kgservice.graph.queries import style
from kgservice.graph.store import Graph
from tests.graph.documents import loaded


def typed(source: str, name: str, type_: str | None) -> Document:
    fact = Triplet(
        subject=Term(label=name, type=type_), relation="near", object=Term(label="Ost"), sentence=f"{name} is near Ost."
    )
    return Document(source=source, text=fact.sentence, triplets=(fact,))


def labels(graph: Graph, corpus: str, name: str) -> set[str]:
    query = "MATCH (e:Entity {corpus: $corpus, label: $name}) RETURN labels(e) AS labels"
    (row,) = graph.session(lambda session: list(session.run(query, corpus=corpus, name=name)))
    return set(row["labels"])


@pytest.mark.parametrize(
    ("types", "kept"),
    [
        (["town"], {"City"}),
        ([None], set()),
        (["grandson"], set()),  # no class of the schema
        (["record label"], {"Company"}),
        (["town", "company"], {"Company"}),  # the alphabetically first type stays
        (["company", "town"], {"Company"}),
        ([None, "river"], {"BodyOfWater"}),
        (["river", None], {"BodyOfWater"}),
        (["city", "bystander"], set()),  # the type that stays has no class
        (["actor", "actor"], {"Person"}),
    ],
)
def test_the_second_label_follows_from_the_type(
    graph: Graph, corpus: str, types: list[str | None], kept: set[str]
) -> None:
    for n, type_ in enumerate(types):
        loaded(graph, corpus, [typed(f"d{n}", "Lun", type_)])
    assert labels(graph, corpus, "Lun") == {"Entity"} | kept
    assert labels(graph, corpus, "Ost") == {"Entity"}


def test_every_class_has_a_label_that_needs_no_quotes() -> None:
    schema = load_schema()
    assert schema
    made = {label_of(name) for name in schema.classes if name not in VALUES}
    assert all(one and one.isalpha() and one[0].isupper() for one in made)
    assert len(made) == len(schema.classes.keys() - VALUES)
    assert label_of("number") is None
    coloured = {selector.removeprefix("node.") for selector in style() if selector.startswith("node.")}
    assert coloured - {"Entity", "Chunk", "Document", "Question"} <= made
    assert {"Person", "Company", "City", "Film"} <= coloured
