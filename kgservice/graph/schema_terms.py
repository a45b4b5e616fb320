"""The schema of a corpus, and what diagnostic patterns ask of it: relations with one object, those that all have."""

from __future__ import annotations

from typing import Any

from kgservice.core import keys
from kgservice.core.schema import DEFAULT, Schema, load_schema, read_schema
from kgservice.graph.labels import label_of
from kgservice.graph.store import Graph

ONE = ("one", "one at a time")


def own_schema(graph: Graph, code: str) -> str:
    """Return the text of the schema of its own that the corpus of a code was loaded by, "" where it has none."""
    return "".join(row["schema"] for row in graph.read("questions/schema", code=code))


def corpus_schema(graph: Graph, code: str) -> Schema | None:
    """Return the schema of the corpus of a code, its own or the default one."""
    own = own_schema(graph, code)
    return read_schema(own)[0] if own else load_schema(DEFAULT)


def schema_terms(graph: Graph, code: str) -> dict[str, list[Any]]:
    """Return what the statements take of the corpus's schema, its own or the default one.

    `relations`: the ids of those of which a subject has one object; `usual`: those that each thing of some classes has,
    as {relation, code: of its groups, types: what such things are called, labels: of their entities}.
    """
    schema = corpus_schema(graph, code)
    return _terms(schema) if schema else {"relations": [], "usual": []}


def several_terms(graph: Graph, code: str) -> dict[str, list[str]]:
    """Return the ids of the relations of which a subject, or an object, usually has several, by the corpus's schema.

    Of a date they are those that many things may have: of one year there are several.
    """
    schema = corpus_schema(graph, code)
    relations = schema.relations.values() if schema else ()
    dated = [one.id for one in relations if one.range == ("date",) and one.subjects == "many"]
    return {
        "several_objects": [one.id for one in relations if one.objects == "several"],
        "several_subjects": [one.id for one in relations if one.subjects == "several"] + dated,
    }


def _terms(schema: Schema) -> dict[str, list[Any]]:
    usual = [
        {
            "relation": one.id,
            "code": keys.relation_code(one.id),
            "types": (types := sorted(word for word in schema.class_of if schema.fit(word, one.usual) > 1)),
            "labels": sorted(label for word in types if (label := label_of(word))),
        }
        for one in schema.relations.values()
        if one.usual and schema.stored(one.id)[0] == one.id
    ]
    return {"relations": [one.id for one in schema.relations.values() if one.objects in ONE], "usual": usual}
