"""The graph of a corpus as far as a picture can show it: the best connected things, what is beside them, their ties."""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from typing import Any

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.core.schema import VALUES, Schema
from kgservice.graph.store import Graph

BESIDE = 20  # neighbours of one hub
TIES = 3  # drawn for each thing, on average: more is a thicket


class Thing(Record):
    """An entity of a picture; `degree` counts all its facts.

    `group` is the widest class of its type, else the one that most of its relations want there; None: nobody can tell.
    """

    key: str
    label: str
    type: str | None
    degree: int
    group: str | None = None


class Tie(Record):
    """The facts from one thing to another: how many, and three of their relations."""

    subject: str
    object: str
    relations: tuple[str, ...]
    facts: int


class Picture(Record):
    """Things with the ties between them, the best connected first; `total` counts the corpus's things with facts.

    Numbers and dates are no things; one that has no tie to another is left out, where others have some.
    """

    things: tuple[Thing, ...]
    ties: tuple[Tie, ...]
    total: int


def picture(graph: Graph, corpus: str, limit: int, schema: Schema | None) -> Picture:
    """Return the picture of a corpus with at most so many things (NotFound for a corpus that holds nothing)."""
    graph.check_corpus(corpus)
    code = keys.corpus_code(corpus)
    total = graph.read("read/things", code=code, until=code + "~")[0]["things"]
    things = {row["key"]: Thing(**row) for row in graph.read("read/hubs", code=code, until=code + "~", limit=limit)}
    if total > limit:
        things = _around(graph, list(things.values()), limit)
    rows = graph.read("read/between", keys=sorted(things), limit=TIES * limit)
    ties = tuple(Tie(**row) for row in rows)
    tied = {end for tie in ties for end in (tie.subject, tie.object)} or things.keys()
    shown = sorted((one for one in things.values() if one.key in tied), key=lambda one: (-one.degree, one.key))
    groups = _groups(graph, shown, schema) if schema else {}
    grouped = tuple(one.model_copy(update={"group": groups.get(one.key)}) for one in shown)
    return Picture(things=grouped, ties=ties, total=total)


def _groups(graph: Graph, things: list[Thing], schema: Schema) -> dict[str, str]:
    """The group of each thing, by its type where the schema knows it, else by the relations at whose ends it stands."""
    typed = ((one.key, schema.entity_class(one.type)) for one in things)
    found = {key: schema.widest(known) for key, known in typed if known}
    relations = schema.relations
    for row in graph.read("read/relations_at", keys=sorted(one.key for one in things if one.key not in found)):
        wanted = [relations[id_].domain for id_ in row["from"] if id_ in relations]
        wanted += [relations[id_].range for id_ in row["to"] if id_ in relations]
        votes = Counter(one for classes in wanted for one in {schema.widest(name) for name in classes} - VALUES)
        if votes:
            found[row["key"]] = min(votes, key=lambda group: (-votes[group], group))
    return found


def _around(graph: Graph, hubs: list[Thing], limit: int) -> dict[str, Thing]:
    """A fifth of the things are the best connected; the others are beside them, in turn, so that no dot is alone."""
    found = {one.key: one for one in hubs[: max(1, limit // 5)]}
    beside: dict[str, list[dict[str, Any]]] = {key: [] for key in found}
    for row in graph.read("read/beside", keys=sorted(found), beside=BESIDE):
        beside[row["hub"]].append({name: row[name] for name in ("key", "label", "type", "degree")})
    for turn in zip_longest(*beside.values()):
        for known in filter(None, turn):
            if len(found) < limit:
                found.setdefault(known["key"], Thing(**known))
    return found
