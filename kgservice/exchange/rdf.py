"""The graph of a corpus as RDF: TriG with the sentences behind every fact (PROV-O, NIF), and SHACL shapes.

Each fact is a named graph that holds its triple; the default graph says which sentences it was derived from, where
these stand, and what the things are. Needs the extra kgservice[rdf].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from kgservice.core import keys
from kgservice.core.errors import BadRequest, SettingsError
from kgservice.core.schema import Schema
from kgservice.gold.cited_facts import citation, places_of_chunks
from kgservice.graph.rows import sources
from kgservice.graph.store import Graph
from kgservice.questions.export.layouts import WrittenFile
from kgservice.questions.question_store import corpus_schema

Row: TypeAlias = dict[str, Any]
PAGE = 500
OURS = "urn:kgservice:"
PREFIXES = {
    "kgs": f"{OURS}term/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "nif": "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#",
    "dcterms": "http://purl.org/dc/terms/",
    "sh": "http://www.w3.org/ns/shacl#",
    "wd": "http://www.wikidata.org/entity/",
}
ITEM = "Q"  # what the id of an item of Wikidata begins with
DATES = {4: "gYear", 7: "gYearMonth", 10: "date"}  # XSD's type by the length of an ISO date


class Rdf:
    """Makes terms and quads by pyoxigraph (SettingsError where it is not installed)."""

    def __init__(self) -> None:
        try:
            import pyoxigraph
        except ImportError as error:
            raise SettingsError("RDF needs pyoxigraph: pip install pyoxigraph") from error
        self._library = pyoxigraph

    def name(self, name: str) -> Any:
        """Return a node: "prov:Entity" by its prefix, else a whole IRI."""
        prefix, _, rest = name.partition(":")
        return self._library.NamedNode(PREFIXES[prefix] + rest if prefix in PREFIXES else name)

    def ours(self, kind: str, key: str) -> Any:
        """Return the node of one of our keys: `urn:kgservice:fact:…`."""
        return self._library.NamedNode(f"{OURS}{kind}:{quote(key, safe='-')}")

    def literal(self, value: str | float, type_: str = "") -> Any:
        """Return a literal, by default of the type of the value."""
        if type_:
            return self._library.Literal(str(value), datatype=self.name(type_))
        return self._library.Literal(value)

    def quads(self, subject: Any, said: Iterable[tuple[str, Any]], graph: Any = None) -> Iterator[Any]:
        """Yield a quad for each predicate and object; those without an object are left out."""
        for predicate, value in said:
            if value is not None:
                node = self.literal(value) if isinstance(value, str | int | float) else value
                yield self._library.Quad(subject, self.name(predicate), node, graph)

    def write(self, found: Iterable[Any], file: Path, *, trig: bool) -> WrittenFile:
        """Write quads, or triples as Turtle, as they come."""
        count = 0

        def counted() -> Iterator[Any]:
            nonlocal count
            for quad in found:
                count += 1
                yield quad if trig else quad.triple

        form = self._library.RdfFormat.TRIG if trig else self._library.RdfFormat.TURTLE
        with file.open("wb") as out:
            self._library.serialize(counted(), out, form, prefixes=PREFIXES)
        return WrittenFile(file.name, count)


def write_rdf(graph: Graph, corpus: str, folder: Path) -> list[WrittenFile]:
    """Write graph.trig and shapes.ttl and return them with their numbers of triples (BadRequest, SettingsError)."""
    graph.check_corpus(corpus)
    rdf, schema = Rdf(), corpus_schema(graph, corpus)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [
            rdf.write(_graph(rdf, graph, corpus, schema), folder / "graph.trig", trig=True),
            rdf.write(shapes(rdf, schema), folder / "shapes.ttl", trig=False),
        ]
    except OSError as error:
        raise BadRequest(f"cannot write {folder}: {error.strerror}") from error


def _graph(rdf: Rdf, graph: Graph, corpus: str, schema: Schema | None) -> Iterator[Any]:
    for row in _pages(graph, "read/documents", corpus, lambda row: str(row["document"]["key"])):
        yield from _document(rdf, row["document"])
    for row in _pages(graph, "release/texts", corpus, lambda row: str(row["chunk"])):
        yield from _chunk(rdf, row)
    for row in _pages(graph, "release/entities", corpus, lambda row: str(row["key"])):
        yield from _entity(rdf, row["key"], row["entity"], schema)
    labels: dict[str, str] = {}
    for some in _batches(graph, "release/facts", corpus, lambda row: str(row["key"])):
        places = places_of_chunks(graph, {chunk for row in some for chunk in row["chunks"]})
        for row in some:
            labels.setdefault(row["relation"], row["label"])
            yield from _fact(rdf, row, places)
    for relation, label in sorted(labels.items()):
        yield from rdf.quads(rdf.ours("relation", relation), [("rdfs:label", label), ("kgs:key", relation)])


def _document(rdf: Rdf, known: Row) -> Iterator[Any]:
    published = known.get("published")
    yield from rdf.quads(
        rdf.ours("document", known["key"]),
        [
            ("rdf:type", rdf.name("kgs:Document")),
            ("rdf:type", rdf.name("prov:Entity")),
            ("kgs:key", known["key"]),
            ("dcterms:source", known["source"]),
            ("dcterms:title", known.get("title") or None),
            ("dcterms:issued", rdf.literal(published, "xsd:date") if published else None),
        ],
    )


def _chunk(rdf: Rdf, row: Row) -> Iterator[Any]:
    document = rdf.ours("document", row["document"])
    yield from rdf.quads(
        rdf.ours("chunk", row["chunk"]),
        [
            ("rdf:type", rdf.name("kgs:Chunk")),
            ("rdf:type", rdf.name("prov:Entity")),
            ("kgs:key", row["chunk"]),
            ("prov:wasDerivedFrom", document),
            ("nif:referenceContext", document),
            ("nif:beginIndex", row["start"]),
            ("nif:endIndex", row["start"] + len(row["text"])),
            ("nif:isString", row["text"]),
        ],
    )


def _entity(rdf: Rdf, key: str, known: Row, schema: Schema | None) -> Iterator[Any]:
    node, class_ = rdf.ours("entity", key), schema.entity_class(known.get("type")) if schema else None
    item = known["id"] if known["id"].startswith(ITEM) and known["id"][1:].isdigit() else None
    yield from rdf.quads(
        node,
        [
            ("rdf:type", rdf.name("kgs:Thing" if known["kind"] == "entity" else "kgs:Value")),
            ("rdf:type", rdf.ours("class", class_) if class_ else None),
            ("kgs:key", key),
            ("kgs:id", known["id"]),
            ("rdfs:label", known["label"]),
            ("rdfs:comment", known.get("description")),
            ("owl:sameAs", rdf.name(f"wd:{item}") if item else None),
            ("rdf:value", _value(rdf, known)),
            ("kgs:unit", known.get("unit")),
            *(("kgs:alias", alias) for alias in known.get("aliases") or ()),
        ],
    )


def _value(rdf: Rdf, known: Row) -> Any:
    value = known.get("value")
    if known["kind"] == "date" and isinstance(value, str):
        return rdf.literal(value, f"xsd:{DATES.get(len(value), 'string')}")
    return rdf.literal(float(value), "xsd:double") if isinstance(value, int | float) else None


def _fact(rdf: Rdf, row: Row, places: dict[str, Row]) -> Iterator[Any]:
    node, subject, obj = (
        rdf.ours("fact", row["key"]),
        rdf.ours("entity", row["subject"]),
        rdf.ours("entity", row["object"]),
    )
    relation = rdf.ours("relation", row["relation"])
    yield from rdf.quads(subject, [(relation.value, obj)], graph=node)
    stated = [(rdf.ours("sentence", f"{row['key']}-{n}"), one) for n, one in enumerate(sources(row))]
    yield from rdf.quads(
        node,
        [
            ("rdf:type", rdf.name("kgs:Fact")),
            ("rdf:type", rdf.name("prov:Entity")),
            ("kgs:key", row["key"]),
            ("kgs:subject", subject),
            ("kgs:relation", relation),
            ("kgs:object", obj),
            ("kgs:period", row["period"] or None),
            *(("prov:wasDerivedFrom", sentence) for sentence, _ in stated),
        ],
    )
    for sentence, one in stated:
        if one.chunk not in places:
            continue  # withdrawn since the facts were read
        place = citation(places[one.chunk], one.sentence, one.cell)
        yield from rdf.quads(
            sentence,
            [
                ("rdf:type", rdf.name("kgs:Sentence")),
                ("rdf:type", rdf.name("prov:Entity")),
                ("prov:wasQuotedFrom", rdf.ours("document", one.document)),
                ("prov:wasDerivedFrom", rdf.ours("chunk", one.chunk)),
                ("nif:beginIndex", place.start),
                ("nif:endIndex", place.end),
                ("nif:anchorOf", place.sentence),
                ("kgs:cell", place.cell or None),
            ],
        )


def _pages(graph: Graph, statement: str, corpus: str, key: Callable[[Row], str]) -> Iterator[Row]:
    for rows in _batches(graph, statement, corpus, key):
        yield from rows


def _batches(graph: Graph, statement: str, corpus: str, key: Callable[[Row], str]) -> Iterator[list[Row]]:
    after = code = keys.corpus_code(corpus)
    while rows := [row.data() for row in graph.read(statement, after=after, until=code + "~", limit=PAGE)]:
        yield rows
        after = key(rows[-1])


# every fact has its triple's ends and a sentence, every sentence its place; what a property needs, by class
NEEDED = {
    "kgs:Fact": ["kgs:key", "kgs:subject", "kgs:relation", "kgs:object"],
    "kgs:Sentence": ["nif:beginIndex", "nif:endIndex", "nif:anchorOf", "prov:wasQuotedFrom", "prov:wasDerivedFrom"],
    "kgs:Chunk": ["kgs:key", "nif:beginIndex", "nif:endIndex", "nif:isString", "nif:referenceContext"],
    "kgs:Document": ["kgs:key", "dcterms:source"],
    "kgs:Thing": ["kgs:key", "kgs:id", "rdfs:label"],
    "kgs:Value": ["kgs:key", "kgs:id", "rdfs:label"],
}


def shapes(rdf: Rdf, schema: Schema | None) -> Iterator[Any]:
    """Yield SHACL shapes: what every node must have, and as warnings how many ends a relation of the schema has."""
    for class_, paths in NEEDED.items():
        node = rdf.ours("shape", class_)
        yield from rdf.quads(node, [("rdf:type", rdf.name("sh:NodeShape")), ("sh:targetClass", rdf.name(class_))])
        for path in paths:
            yield from _property(rdf, node, rdf.name(path), {"sh:minCount": 1, "sh:maxCount": 1})
    yield from _property(rdf, rdf.ours("shape", "kgs:Fact"), rdf.name("prov:wasDerivedFrom"), {"sh:minCount": 1})
    for relation in schema.relations.values() if schema else ():
        path = rdf.ours("relation", relation.id)
        node = rdf.ours("shape", relation.id)
        yield from rdf.quads(
            node,
            [
                ("rdf:type", rdf.name("sh:NodeShape")),
                ("sh:targetSubjectsOf", path),
                ("rdfs:label", relation.label),
                ("rdfs:comment", relation.description),
                *(("kgs:domain", rdf.ours("class", one)) for one in relation.domain),
                *(("kgs:range", rdf.ours("class", one)) for one in relation.range),
            ],
        )
        if relation.objects == "one":
            yield from _property(rdf, node, path, {"sh:maxCount": 1}, severity="sh:Warning")


def _property(rdf: Rdf, shape: Any, path: Any, limits: dict[str, int], severity: str = "sh:Violation") -> Iterator[Any]:
    node = rdf.name(f"{shape.value}/{quote(path.value, safe='')}")
    yield from rdf.quads(shape, [("sh:property", node)])
    known = [(name, rdf.literal(limit, "xsd:integer")) for name, limit in limits.items()]
    yield from rdf.quads(node, [("sh:path", path), ("sh:severity", rdf.name(severity)), *known])
