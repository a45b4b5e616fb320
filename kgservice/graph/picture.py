"""The graph of a corpus as a picture: the best connected entities, their neighbours, and the ties between them."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.core.schema import Schema
from kgservice.graph.labels import class_by_relations
from kgservice.graph.store import Graph

BESIDE = 20  # neighbours of one hub
TIES = 3  # most ties a thing, on average: more are hard to see


class Thing(Record):
    """An entity of a picture. `degree` counts all its facts.

    `group` is the widest class of its type, else the one that most of its relations require, or None.
    """

    key: str
    label: str
    type: str | None
    degree: int
    group: str | None = None


class Tie(Record):
    """The facts from one thing to another: their number, and three of their relations."""

    subject: str
    object: str
    relations: tuple[str, ...]
    facts: int


class Picture(Record):
    """Things with the ties between them, the best connected first. `total` counts the corpus's entities with facts.

    Numbers and dates are excluded. Things without a tie are dropped if others have one.
    """

    things: tuple[Thing, ...]
    ties: tuple[Tie, ...]
    total: int


def picture(graph: Graph, corpus: str, limit: int, schema: Schema | None) -> Picture:
    """Return the picture of a corpus with at most `limit` things. Raises NotFound if the corpus holds nothing."""
    graph.check_corpus(corpus)
    code = keys.corpus_code(corpus)
    total = graph.read("read/things", code=code, until=code + "~")[0]["things"]
    things = {row["key"]: Thing(**row) for row in graph.read("read/hubs", code=code, until=code + "~", limit=limit)}
    if total > limit:
        things = _around(graph, list(things.values()), limit)
    rows = graph.read("read/between", keys=sorted(things), limit=TIES * limit)
    ties = tuple(Tie(**row) for row in rows)
    tied = {end for tie in ties for end in (tie.subject, tie.object)} or things.keys()
    shown = sorted(
        (thing for thing in things.values() if thing.key in tied), key=lambda thing: (-thing.degree, thing.key)
    )
    groups = _groups(graph, shown, schema) if schema else {}
    grouped = tuple(thing.model_copy(update={"group": groups.get(thing.key)}) for thing in shown)
    return Picture(things=grouped, ties=ties, total=total)


def _groups(graph: Graph, things: list[Thing], schema: Schema) -> dict[str, str]:
    """Return the group of each thing, by its type if the schema has it, else by the relations of its facts."""
    typed = ((one.key, schema.entity_class(one.type)) for one in things)
    groups = {key: schema.widest(own) for key, own in typed if own}
    for row in graph.read("read/relations_at", keys=sorted(one.key for one in things if one.key not in groups)):
        if told := class_by_relations(schema, row["from"], row["to"]):
            groups[row["key"]] = told
    return groups


def _around(graph: Graph, hubs: list[Thing], limit: int) -> dict[str, Thing]:
    """Return a fifth of the limit as hubs, and their neighbours in turn, so that no thing is alone."""
    things = {one.key: one for one in hubs[: max(1, limit // 5)]}
    beside: dict[str, list[dict[str, Any]]] = {key: [] for key in things}
    for row in graph.read("read/beside", keys=sorted(things), beside=BESIDE):
        beside[row["hub"]].append({name: row[name] for name in ("key", "label", "type", "degree")})
    for turn in zip_longest(*beside.values()):
        for neighbour in filter(None, turn):
            if len(things) < limit:
                things.setdefault(neighbour["key"], Thing(**neighbour))
    return things
