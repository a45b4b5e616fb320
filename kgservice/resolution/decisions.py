"""What is decided about names, for people: explain what a name stands for, merge one into another, take one apart."""

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
    """A name that is written where an entity is meant, in how many chunks, and why it is taken for the entity."""

    name: str
    chunks: int
    decision: Decision | None = None


class Explained(Record):
    """What a name stands for: the entity (or relation) with its facts and names; `decision` is that about the name.

    `chunks` of a relation's names are not counted. `split` are decisions that keep names of these apart.
    """

    kind: Kind
    id: str
    label: str
    type: str | None = None
    facts: int
    names: tuple[WrittenName, ...]
    decision: Decision | None = None


def explain(graph: Graph, corpus: str, name: str, kind: Kind = "entity") -> Explained:
    """Return what a name stands for, by id, key or exact name (NotFound)."""
    graph.check_corpus(corpus)
    if kind == "relation":
        return _relation(graph, corpus, name)
    key = entity_key(graph, corpus, name)
    entity = graph.read("read/entity", key=key, limit=0)[0]["entity"]
    names = names_of(graph, corpus, key, entity["id"])
    known = {field: entity.get(field) for field in ("id", "label", "type")}
    own = decision_about(graph, corpus, "entity", _id(name)) if name not in (key, entity["id"]) else None
    own = own or decision_about(graph, corpus, "entity", entity["id"])
    return Explained(kind="entity", facts=entity["degree"], names=names, decision=own, **known)


def names_of(graph: Graph, corpus: str, key: str, id_: str) -> tuple[WrittenName, ...]:
    """Return the names that are written for an entity, the most frequent first, and those decided but not written."""
    about = {one.name: one for one in _into(graph, corpus, "entity", id_)}
    written = graph.read("read/names_written", key=key)
    names = [
        WrittenName(name=row["name"], chunks=row["chunks"], decision=about.pop(row["name"], None)) for row in written
    ]
    return (*names, *(WrittenName(name=one.name, chunks=0, decision=one) for one in about.values()))


def merge(graph: Graph, corpus: str, name: str, into: str, kind: Kind = "entity") -> Decision:
    """Decide that a name stands for another entity (or relation); the facts follow at once.

    Raises NotFound for a name that the corpus does not have and BadRequest for a merge that cannot be.
    """
    graph.check_corpus(corpus)
    if kind == "entity":
        source, target = (_entity(graph, corpus, one) for one in (name, into))
        made = _decided(source["id"], target["id"], target["label"], kind)
    else:
        _refuse_merged(graph, corpus, kind, name, into)
        if not _facts(graph, corpus, name):
            raise NotFound(f"no fact of corpus {corpus!r} has the relation {name!r}")
        made = _decided(name, into, into, kind)
    if made.name == made.into:
        raise BadRequest(f"{name!r} and {into!r} are one already")
    if kind == "entity" and not made.name.startswith(LOCAL):
        raise BadRequest(f"{name!r} is an item of Wikidata: merge the name of this corpus into it, not the other way")
    graph.decide(corpus, [made])
    return made


def split(graph: Graph, corpus: str, name: str, kind: Kind = "entity") -> Decision:
    """Let a name stand for itself again, for good: only a person merges it once more (NotFound, BadRequest)."""
    graph.check_corpus(corpus)
    id_ = _id(name) if kind == "entity" else name
    known = decision_about(graph, corpus, kind, id_)
    if known is None or known.state != "merged":
        stands = explain(graph, corpus, name, kind)
        names = [
            one.name.removeprefix(LOCAL) for one in stands.names if one.decision and one.decision.state == "merged"
        ]
        others = f"; names merged into it: {', '.join(map(repr, names))}" if names else ""
        raise BadRequest(f"{name!r} is merged into nothing{others}")
    made = known.model_copy(update={"by": "person", "score": 1.0, "evidence": "split by hand", "state": "split"})
    graph.decide(corpus, [made])
    return made


def decision_about(graph: Graph, corpus: str, kind: Kind, name: str) -> Decision | None:
    """Return what is decided about an entity's id or a relation, a split too."""
    rows = graph.read("read/decision", keys=[keys.decision_key(corpus, kind, name)])
    return decision_of(rows[0]["decision"]) if rows else None


def decision_of(row: dict[str, Any]) -> Decision:
    """Return the record of a stored decision."""
    return Decision(**{field: row.get(field) for field in Decision.model_fields})


def entity_key(graph: Graph, corpus: str, name: str) -> str:
    """Return the key of the entity that a key, an id or an exact name stands for (NotFound, BadRequest)."""
    for key in (name, keys.entity_key(corpus, name)):
        if key.startswith(keys.corpus_code(corpus)) and graph.read("read/entity", key=key, limit=0):
            return key
    same = graph.read("read/entities_named", form=keys.form_key(corpus, form(name)), label=name)
    found = [str(row["key"]) for row in same]
    if len(found) > 1:
        raise BadRequest(f"several entities are called {name!r}: give one of their keys, {', '.join(found[:20])}")
    if found:
        return found[0]
    known = decision_about(graph, corpus, "entity", _id(name))
    if known is not None and known.state == "merged":
        return entity_key(graph, corpus, known.into)
    raise NotFound(f"no entity {name!r} in corpus {corpus!r}: names are exact, upper and lower case included")


def _entity(graph: Graph, corpus: str, name: str) -> dict[str, Any]:
    """The node that a name is, refused where it is a number or a date or stands for another."""
    _refuse_merged(graph, corpus, "entity", _id(name), name)
    found: dict[str, Any] = graph.read("read/entity", key=entity_key(graph, corpus, name), limit=0)[0]["entity"]
    if found["kind"] != "entity":
        raise BadRequest(f"{name!r} is a {found['kind']}: it stands for its value and is merged with nothing")
    _refuse_merged(graph, corpus, "entity", found["id"], name)
    return found


def _refuse_merged(graph: Graph, corpus: str, kind: Kind, *names: str) -> None:
    for name in names:
        known = decision_about(graph, corpus, kind, name)
        if known is not None and known.state == "merged":
            raise BadRequest(f"{name.removeprefix(LOCAL)!r} is merged into {known.label!r} already: split it first")


def _relation(graph: Graph, corpus: str, name: str) -> Explained:
    own = decision_about(graph, corpus, "relation", name)
    end = own
    while end is not None and end.state == "merged":
        name = end.into
        end = decision_about(graph, corpus, "relation", name)
    about, facts = _into(graph, corpus, "relation", name), _facts(graph, corpus, name)
    if not (facts or about or own):
        raise NotFound(f"no fact of corpus {corpus!r} has the relation {name!r}")
    names = tuple(WrittenName(name=one.name, chunks=0, decision=one) for one in about)
    return Explained(kind="relation", id=name, label=name, facts=facts, names=names, decision=own)


def _into(graph: Graph, corpus: str, kind: Kind, name: str) -> list[Decision]:
    """The decisions that lead to a name, over names between too."""
    found: list[Decision] = []
    targets = [keys.decision_key(corpus, kind, name)]
    while rows := graph.read("read/decided_into", targets=targets):
        found += [decision_of(row["decision"]) for row in rows]
        targets = [row["decision"]["key"] for row in rows]
    return found


def _facts(graph: Graph, corpus: str, relation: str) -> int:
    code = keys.corpus_code(corpus)
    return int(graph.read("read/relation", relation=relation, code=code, until=code + "~")[0]["facts"])


def _decided(name: str, into: str, label: str, kind: Kind) -> Decision:
    evidence = "merged by hand"
    return Decision(kind=kind, name=name, into=into, label=label, by="person", score=1.0, evidence=evidence)


def _id(name: str) -> str:
    return name if name.startswith(LOCAL) else LOCAL + name
