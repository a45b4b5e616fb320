"""Decisions about names by people: explain a name, merge it into another, split a merge."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Decision, Record
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.names.mentions import form

Kind: TypeAlias = Literal["entity", "relation"]


class WrittenName(Record):
    """A name that documents use for an entity, the number of its chunks, and the decision behind it."""

    name: str
    chunks: int
    decision: Decision | None = None


class Explained(Record):
    """The entity (or relation) of a name with its facts and names. `decision` is the one about the name.

    `chunks` of a relation's names are not counted. Decisions in state `split` keep names apart.
    """

    kind: Kind
    id: str
    label: str
    type: str | None = None
    facts: int
    names: tuple[WrittenName, ...]
    decision: Decision | None = None


def explain(graph: Graph, corpus: str, name: str, kind: Kind = "entity") -> Explained:
    """Return the entity or relation of a name, by id, key or exact name.

    Raises NotFound if there is none, BadRequest if several entities have the name.
    """
    graph.check_corpus(corpus)
    if kind == "relation":
        return _relation(graph, corpus, name)
    key = entity_key(graph, corpus, name)
    entity = graph.read("read/entity", key=key, limit=0)[0]["entity"]
    names = names_of(graph, corpus, key, entity["id"])
    fields = {field: entity.get(field) for field in ("id", "label", "type")}
    own = decision_about(graph, corpus, "entity", _id(name)) if name not in (key, entity["id"]) else None
    own = own or decision_about(graph, corpus, "entity", entity["id"])
    return Explained(kind="entity", facts=entity["degree"], names=names, decision=own, **fields)


def names_of(graph: Graph, corpus: str, key: str, id_: str) -> tuple[WrittenName, ...]:
    """Return the names that documents use for an entity, the most frequent first, then those of decisions alone."""
    about = {decision.name: decision for decision in _into(graph, corpus, "entity", id_)}
    written = graph.read("read/names_written", key=key)
    names = [
        WrittenName(name=row["name"], chunks=row["chunks"], decision=about.pop(row["name"], None)) for row in written
    ]
    return (*names, *(WrittenName(name=decision.name, chunks=0, decision=decision) for decision in about.values()))


def merge(graph: Graph, corpus: str, name: str, into: str, kind: Kind = "entity") -> Decision:
    """Merge a name into another entity or relation, and update the facts. Return the decision.

    Raises NotFound if the corpus has no such name, BadRequest if the merge is not possible.
    """
    graph.check_corpus(corpus)
    if kind == "entity":
        source, target = (_entity(graph, corpus, each) for each in (name, into))
        decision = _decided(source["id"], target["id"], target["label"], kind)
    else:
        _refuse_merged(graph, corpus, kind, name, into)
        if not _facts(graph, corpus, name):
            raise NotFound(f"no fact of corpus {corpus!r} has the relation {name!r}")
        decision = _decided(name, into, into, kind)
    if decision.name == decision.into:
        raise BadRequest(f"{name!r} and {into!r} are one already")
    if kind == "entity" and not decision.name.startswith(LOCAL):
        raise BadRequest(f"{name!r} is an item of Wikidata: merge the name of this corpus into it, not the other way")
    graph.decide(corpus, [decision])
    return decision


def split(graph: Graph, corpus: str, name: str, kind: Kind = "entity") -> Decision:
    """Undo a merge for good. Only a person can merge the name again. Return the decision.

    Raises NotFound if the corpus has no such name, BadRequest if it is not merged.
    """
    graph.check_corpus(corpus)
    id_ = _id(name) if kind == "entity" else name
    decision = decision_about(graph, corpus, kind, id_)
    if decision is None or decision.state != "merged":
        explained = explain(graph, corpus, name, kind)
        names = [
            written.name.removeprefix(LOCAL)
            for written in explained.names
            if written.decision and written.decision.state == "merged"
        ]
        others = f"; names merged into it: {', '.join(map(repr, names))}" if names else ""
        raise BadRequest(f"{name!r} is merged into nothing{others}")
    undone = decision.model_copy(update={"by": "person", "score": 1.0, "evidence": "split by hand", "state": "split"})
    graph.decide(corpus, [undone])
    return undone


def decision_about(graph: Graph, corpus: str, kind: Kind, name: str) -> Decision | None:
    """Return the decision about an entity's id or a relation, or None. A split is a decision too."""
    rows = graph.read("read/decision", keys=[keys.decision_key(corpus, kind, name)])
    return decision_of(rows[0]["decision"]) if rows else None


def decision_of(row: dict[str, Any]) -> Decision:
    """Return the record of a stored decision."""
    return Decision(**{field: row.get(field) for field in Decision.model_fields})


def entity_key(graph: Graph, corpus: str, name: str) -> str:
    """Return the key of the entity with a key, an id or an exact name.

    Raises NotFound if there is none, BadRequest if several have the name.
    """
    for key in (name, keys.entity_key(corpus, name)):
        if key.startswith(keys.corpus_code(corpus)) and graph.read("read/entity", key=key, limit=0):
            return key
    same = graph.read("read/entities_named", form=keys.form_key(corpus, form(name)), label=name)
    candidates = [str(row["key"]) for row in same]
    if len(candidates) > 1:
        raise BadRequest(f"several entities are called {name!r}: give one of their keys, {', '.join(candidates[:20])}")
    if candidates:
        return candidates[0]
    decision = decision_about(graph, corpus, "entity", _id(name))
    if decision is not None and decision.state == "merged":
        return entity_key(graph, corpus, decision.into)
    raise NotFound(f"no entity {name!r} in corpus {corpus!r}{spelt_otherwise(graph, corpus, name)}")


def spelt_otherwise(graph: Graph, corpus: str, name: str) -> str:
    """Return the end of a message about an unknown name: the names that are its words in another spelling."""
    labels = [repr(row["label"]) for row in graph.read("read/labels_of_form", form=keys.form_key(corpus, form(name)))]
    meant = f"; did you mean {' or '.join(labels)}?" if labels else ""
    return meant or ": names are exact, upper and lower case included"


def _entity(graph: Graph, corpus: str, name: str) -> dict[str, Any]:
    """Return the node of a name. Raises BadRequest if it is a number or a date, or is merged already."""
    _refuse_merged(graph, corpus, "entity", _id(name), name)
    node: dict[str, Any] = graph.read("read/entity", key=entity_key(graph, corpus, name), limit=0)[0]["entity"]
    if node["kind"] != "entity":
        raise BadRequest(f"{name!r} is a {node['kind']}: values cannot be merged")
    _refuse_merged(graph, corpus, "entity", node["id"], name)
    return node


def _refuse_merged(graph: Graph, corpus: str, kind: Kind, *names: str) -> None:
    for name in names:
        decision = decision_about(graph, corpus, kind, name)
        if decision is not None and decision.state == "merged":
            raise BadRequest(f"{name.removeprefix(LOCAL)!r} is merged into {decision.label!r} already: split it first")


def _relation(graph: Graph, corpus: str, name: str) -> Explained:
    own = decision_about(graph, corpus, "relation", name)
    end = own
    while end is not None and end.state == "merged":
        name = end.into
        end = decision_about(graph, corpus, "relation", name)
    about, facts = _into(graph, corpus, "relation", name), _facts(graph, corpus, name)
    if not (facts or about or own):
        raise NotFound(f"no fact of corpus {corpus!r} has the relation {name!r}")
    names = tuple(WrittenName(name=decision.name, chunks=0, decision=decision) for decision in about)
    return Explained(kind="relation", id=name, label=name, facts=facts, names=names, decision=own)


def _into(graph: Graph, corpus: str, kind: Kind, name: str) -> list[Decision]:
    """Return the decisions that lead to a name, directly or through other names."""
    decisions: list[Decision] = []
    targets = [keys.decision_key(corpus, kind, name)]
    while rows := graph.read("read/decided_into", targets=targets):
        decisions += [decision_of(row["decision"]) for row in rows]
        targets = [row["decision"]["key"] for row in rows]
    return decisions


def _facts(graph: Graph, corpus: str, relation: str) -> int:
    code = keys.corpus_code(corpus)
    return int(graph.read("read/relation", relation=relation, code=code, until=code + "~")[0]["facts"])


def _decided(name: str, into: str, label: str, kind: Kind) -> Decision:
    evidence = "merged by hand"
    return Decision(kind=kind, name=name, into=into, label=label, by="person", score=1.0, evidence=evidence)


def _id(name: str) -> str:
    return name if name.startswith(LOCAL) else LOCAL + name
