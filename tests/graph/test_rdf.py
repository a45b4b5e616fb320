"""The graph as RDF, opened by pyoxigraph and checked by pyshacl."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.exchange.rdf import PREFIXES, write_rdf
from kgservice.graph.store import Graph
from tests.graph.agents import documents_of
from tests.graph.documents import loaded

ASK = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in PREFIXES.items())


def opened(folder: Path) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(path=folder / "graph.trig", format=pyoxigraph.RdfFormat.TRIG)
    return store


def rows(store: pyoxigraph.Store, query: str) -> list[tuple[str, ...]]:
    found: Any = store.query(ASK + query)
    return sorted(tuple(one.value for one in row) for row in found)


def test_the_round_trip_keeps_every_key_and_place(graph: Graph, demo: str, tmp_path: Path) -> None:
    written = write_rdf(graph, demo, tmp_path)
    store = opened(tmp_path)
    assert [(one.name, one.lines > 500) for one in written] == [("graph.trig", True), ("shapes.ttl", True)]
    assert len(store) == written[0].lines
    code = keys.corpus_code(demo)
    bounds = {"after": code, "until": code + "~", "limit": 100_000}
    for class_, statement in (("Fact", "release/facts"), ("Chunk", "release/texts")):
        column = "key" if class_ == "Fact" else "chunk"
        assert rows(store, f"SELECT ?k {{ ?n a kgs:{class_} ; kgs:key ?k }}") == sorted(
            (row[column],) for row in graph.read(statement, **bounds)
        )
    entities = graph.read("release/entities", **bounds)
    named = "SELECT ?k ?l { ?n kgs:key ?k ; rdfs:label ?l . FILTER NOT EXISTS { ?n a kgs:Fact } ?n kgs:id [] }"
    assert rows(store, "SELECT ?k ?l { ?n kgs:key ?k ; kgs:id ?i ; rdfs:label ?l }") == sorted(
        (row["key"], row["entity"]["label"]) for row in entities
    ), named
    facts = {row["key"]: row for row in graph.read("release/facts", **bounds)}
    triples = rows(
        store,
        "SELECT ?f ?s ?r ?o { GRAPH ?g { ?a ?p ?b } ?g kgs:key ?f . ?a kgs:key ?s . ?p kgs:key ?r . ?b kgs:key ?o }",
    )
    assert triples == sorted((key, row["subject"], row["relation"], row["object"]) for key, row in facts.items())
    texts = documents_of(graph, demo)
    stated = rows(
        store,
        "SELECT ?f ?d ?b ?e ?t { ?n kgs:key ?f ; prov:wasDerivedFrom ?s . ?s a kgs:Sentence ; prov:wasQuotedFrom/dcterms:source"
        " ?d ; nif:beginIndex ?b ; nif:endIndex ?e ; nif:anchorOf ?t }",
    )
    assert len(stated) >= len(facts)
    assert {key for key, *_ in stated} == set(facts)
    assert [row for row in stated if texts[row[1]][int(row[2]) : int(row[3])] != row[4]] == []


def test_the_shapes_hold_and_warn_of_contradictions(graph: Graph, corpus: str, tmp_path: Path) -> None:
    pyshacl = pytest.importorskip("pyshacl")
    born = [("Ada", "Isvik"), ("Bo", "Isvik"), ("Bo", "Orlo")]
    documents = [
        Document(source=f"{n}", text=f"{who} was born in {where}.", triplets=(_triplet(who, where),))
        for n, (who, where) in enumerate(born)
    ]
    loaded(graph, corpus, documents, schema_name="default")
    write_rdf(graph, corpus, tmp_path)
    conforms, report = _validated(pyshacl, tmp_path)
    assert conforms, report
    assert report.count("Severity: sh:Warning") == 1
    assert "MaxCountConstraintComponent" in report
    store = opened(tmp_path)
    store.update(ASK + "DELETE WHERE { ?s nif:anchorOf 'Ada was born in Isvik.' }")
    with (tmp_path / "graph.trig").open("wb") as out:
        store.dump(out, pyoxigraph.RdfFormat.TRIG)
    conforms, report = _validated(pyshacl, tmp_path)
    assert (conforms, report.count("Severity: sh:Violation")) == (False, 1)


def _triplet(who: str, where: str) -> Triplet:
    return Triplet(
        subject=Term(label=who, type="person"), relation="place of birth", object=Term(label=where, type="city"),
        sentence=f"{who} was born in {where}.",
    )  # fmt: skip


def _validated(pyshacl: Any, folder: Path) -> tuple[bool, str]:
    import rdflib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = rdflib.Dataset(default_union=True)
        dataset.parse(folder / "graph.trig", format="trig")
        whole = rdflib.Graph()
        for triple in dataset.triples((None, None, None)):
            whole.add(triple)
        conforms, _, report = pyshacl.validate(whole, shacl_graph=str(folder / "shapes.ttl"), allow_warnings=True)
    return bool(conforms), str(report)
