"""What was said about a thing, from which day until which, by documents of now and by their former versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, TypeAlias

from pydantic import Field

from kgservice.core import keys
from kgservice.core.errors import NotFound
from kgservice.core.records import Record
from kgservice.graph.applied_decisions import LOCAL, applied_decisions, named_in
from kgservice.graph.kept_documents import unpacked
from kgservice.graph.rows import sources
from kgservice.graph.store import Graph
from kgservice.resolution.decisions import entity_key, names_of, spelt_otherwise

Said: TypeAlias = tuple[str, str, str, str]  # subject, relation, object, period


class Saying(Record):
    """A sentence of a document that states a fact, or a table's row and cell, and when the document said so.

    `said_from` None: always. `said_until` None: it is said now.
    """

    document: str
    sentence: str
    cell: str = Field("", exclude_if=lambda cell: not cell)
    said_from: date | None
    said_until: date | None


class SaidFact(Record):
    """A fact with the sentences that state it or stated it, the newest last.

    It ends with the last document that states it, and never because another fact contradicts it.
    """

    subject: str
    relation: str
    object: str
    period: str = Field("", exclude_if=lambda period: not period)
    said_from: date | None
    said_until: date | None
    sayings: tuple[Saying, ...]


class EntityHistory(Record):
    """What was said about a thing, in the order in which it ended and began; `more`: there is more than this."""

    name: str
    facts: tuple[SaidFact, ...]
    more: bool


def history(graph: Graph, corpus: str, name: str, limit: int = 100) -> EntityHistory:
    """Return what was said about a thing, by its id, key or exact name, by the decisions about names of now.

    `limit` is the most facts of now, and the most former versions of documents, that are looked at. Raises NotFound if
    no document ever named the thing, BadRequest if several have the name.
    """
    graph.check_corpus(corpus)
    key, id_, label, known = _entity(graph, corpus, name, limit)
    ids = {id_, *(written.name for written in names_of(graph, corpus, key, id_))}
    code = keys.corpus_code(corpus)
    named = sorted(keys.entity_key(corpus, one) for one in ids)
    rows = graph.read("read/past_naming", code=code, until=code + "~", entities=named, limit=limit + 1)
    if not rows and known is None:
        meant = spelt_otherwise(graph, corpus, name)
        raise NotFound(f"no entity {name!r} in corpus {corpus!r}, now or before{meant}")
    said: dict[Said, set[Saying]] = defaultdict(set)
    for row in rows[:limit]:
        for fact, saying in _stated_before(graph, corpus, ids, row):
            said[fact].add(saying)
    for fact, saying in _stated_now(graph, (known or [])[:limit]):
        said[fact].add(saying)
    facts = sorted((_fact(fact, sayings) for fact, sayings in said.items()), key=_order)
    return EntityHistory(name=label, facts=tuple(facts), more=len(rows) > limit or len(known or []) > limit)


def _entity(graph: Graph, corpus: str, name: str, limit: int) -> tuple[str, str, str, list[dict[str, Any]] | None]:
    """Return the key, the id, the label and the facts of an entity; None in place of facts if it is not there now."""
    try:
        key = entity_key(graph, corpus, name)
    except NotFound:
        id_ = name if name.startswith(LOCAL) else LOCAL + name
        return keys.entity_key(corpus, id_), id_, id_.removeprefix(LOCAL), None
    row = graph.read("read/entity", key=key, limit=limit + 1)[0]
    return key, row["entity"]["id"], row["entity"]["label"], row["facts"]


def _stated_before(graph: Graph, corpus: str, ids: set[str], row: Any) -> Iterator[tuple[Said, Saying]]:
    document = unpacked(row["reading"])
    decided = applied_decisions(graph.read_each, corpus, 1, named_in([document]))
    when = {"said_from": _day(row["said_from"]), "said_until": _day(row["said_until"])}
    for chunk in document.chunks:
        for statement in chunk.statements:
            if statement.subject.id in ids or statement.object.id in ids:
                stated, _ = decided.stated(statement)
                fact = stated.subject.label, stated.label, stated.object.label, stated.period
                yield fact, Saying(document=row["source"], sentence=stated.sentence, cell=stated.cell, **when)


def _stated_now(graph: Graph, facts: Iterable[dict[str, Any]]) -> Iterator[tuple[Said, Saying]]:
    stated = [(fact, sources(fact)) for fact in facts]
    documents = sorted({one.document for _, found in stated for one in found})
    rows = {row["key"]: row for row in graph.read_each("read/said_documents_of", "keys", documents)}
    for fact, found in stated:
        for one in found:
            if one.document in rows:  # else it was removed meanwhile
                row = rows[one.document]
                when = {"said_from": _day(row["published"] or row["ended"]), "said_until": None}
                saying = Saying(document=row["source"], sentence=one.sentence, cell=one.cell, **when)
                yield (fact["subject"], fact["label"], fact["object"], fact["period"] or ""), saying


def _fact(fact: Said, sayings: set[Saying]) -> SaidFact:
    begun, ended = [one.said_from for one in sayings], [one.said_until for one in sayings]
    return SaidFact(
        subject=fact[0],
        relation=fact[1],
        object=fact[2],
        period=fact[3],
        said_from=None if None in begun else min(day for day in begun if day),
        said_until=None if None in ended else max(day for day in ended if day),
        sayings=tuple(sorted(sayings, key=_order)),
    )


def _order(said: SaidFact | Saying) -> tuple[date, date, str]:
    return said.said_until or date.max, said.said_from or date.min, said.model_dump_json()


def _day(value: Any) -> date | None:
    return value.to_native() if value is not None else None
