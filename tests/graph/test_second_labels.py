"""An entity's second label is that of its type, else what its facts tell, whatever the order of loads."""

from __future__ import annotations

from typing import Any

import pytest

from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.schema import VALUES, load_schema
from kgservice.graph.labels import label_of
from kgservice.graph.queries import style
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.selection import Plan, generate, refresh
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
        (["town", "company"], {"Company"}),  # of as many the alphabetically first
        (["company", "town"], {"Company"}),
        (["town", "album", "town"], {"City"}),  # one misread passage changes nothing
        (["album", "town", None, "town"], {"City"}),
        ([None, "river"], {"BodyOfWater"}),
        (["river", None], {"BodyOfWater"}),
        (["city", "bystander"], set()),  # the type that is first has no class
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


def test_a_class_goes_with_the_document_that_gave_it(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [typed("d", "Lun", "album"), typed("e", "Lun", None)])
    assert labels(graph, corpus, "Lun") == {"Entity", "PieceOfMusic"}
    loaded(graph, corpus, [typed("d", "Lun", "town")])  # the same text
    assert labels(graph, corpus, "Lun") == {"Entity", "City"}
    graph.remove(corpus, [keys.document_key(corpus, "d")])
    assert labels(graph, corpus, "Lun") == {"Entity"}


def led(source: str, company: str, relation: str, other: str, type_: str | None = None) -> Document:
    fact = Triplet(
        subject=Term(label=company),
        relation=relation,
        object=Term(label=other, type=type_),
        sentence=f"{company}: {other}.",
    )
    return Document(source=source, text=fact.sentence, triplets=(fact,))


def test_facts_tell_the_label_of_a_thing_without_a_type(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [led("a", "Velt", "chief executive officer", "Ada Lorn")], schema_name="default")
    assert (labels(graph, corpus, "Velt"), labels(graph, corpus, "Ada Lorn")) == (
        {"Entity", "Organization"},
        {"Entity", "Person"},
    )
    loaded(graph, corpus, [led("b", "Velt", "headquarters location", "Lun")], schema_name="default")
    assert labels(graph, corpus, "Lun") == {"Entity", "Place"}
    loaded(graph, corpus, [led("c", "Ost", "headquarters location", "Lun", "town")], schema_name="default")
    assert labels(graph, corpus, "Lun") == {"Entity", "City"}  # a type tells more
    loaded(graph, corpus, [led("a", "Velt", "looks at", "Ada Lorn")], schema_name="default")
    assert labels(graph, corpus, "Ada Lorn") == {"Entity"}  # with its fact goes what it told


def test_where_facts_disagree_evenly_there_is_no_label(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, [led("a", "Velt", "chief executive officer", "Lun")], schema_name="default")
    loaded(graph, corpus, [led("b", "Ost", "headquarters location", "Lun")], schema_name="default")
    assert labels(graph, corpus, "Lun") == {"Entity"}
    loaded(graph, corpus, [led("c", "Ost", "place of birth", "Lun")], schema_name="default")
    assert labels(graph, corpus, "Lun") == {"Entity", "Place"}


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


def test_a_class_that_most_facts_contradict_is_none(graph: Graph, corpus: str) -> None:
    born = [led(f"b{n}", f"Ada {n}", "country of citizenship", "Lun", "country" if n > 3 else None) for n in range(5)]
    loaded(graph, corpus, [typed("d", "Lun", "album"), *born[:4]], schema_name="default")
    assert labels(graph, corpus, "Lun") == {"Entity", "Place"}
    assert types(graph, corpus, "Lun") == [None, ["album"]]
    loaded(graph, corpus, born[4:], schema_name="default")
    assert types(graph, corpus, "Lun") == ["country", ["album", "country"]]
    graph.remove(corpus, [keys.document_key(corpus, f"b{n}") for n in range(5)])
    assert types(graph, corpus, "Lun") == ["album", ["album"]]


def test_a_refresh_follows_a_class_that_facts_contradict(graph: Graph, corpus: str) -> None:
    def states() -> dict[str, tuple[str, str]]:
        return {one.question: (one.state, one.reason) for one in question_store.questions(graph, corpus)}

    born = [led(f"b{n}", f"Ada Orr {n}", "country of citizenship", "Lunland") for n in range(3)]
    loaded(graph, corpus, [typed("d", "Lunland", "album"), born[0]], schema_name="default")
    generate(graph, corpus, Plan(patterns=("single",), second_look=False))
    assert "an end of two classes" in {reason for _, reason in states().values()}
    loaded(graph, corpus, born[1:], schema_name="default")
    assert not refresh(graph, corpus).whole
    found = states()
    assert "an end of two classes" not in {reason for _, reason in found.values()}
    generate(graph, corpus, Plan(patterns=("single",), second_look=False))
    assert states() == found


def types(graph: Graph, corpus: str, name: str) -> list[Any]:
    query = "MATCH (e:Entity {corpus: $corpus, label: $name}) RETURN e.type, e.classes"
    return graph.session(lambda session: session.run(query, corpus=corpus, name=name).values()[0])
