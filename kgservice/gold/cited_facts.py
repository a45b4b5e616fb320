"""Facts as they are cited: the sentences that state them, where these stand, and which facts contradict them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.core.schema import Schema
from kgservice.gold.gold_places import Piece
from kgservice.gold.question_gold import place_of
from kgservice.graph.rows import sources
from kgservice.graph.store import Graph
from kgservice.questions import question_store

Row: TypeAlias = dict[str, Any]
CITED, RIVALS = 3, 5  # statements of a fact that are shown, and facts that contradict it
LOOKED_AT = 1_000  # facts of a relation, by which it is told whether one object is usual
FEWEST, USUAL = 4, 0.7  # subjects, and the share of them that has one object: then a second one contradicts


class Citation(Record):
    """A sentence that states a fact: characters `start` to `end` of the document that its loader called `document`.

    Of a table the sentence is the row, `cell` says where in it. Where a text states a fact in no one sentence, `start`
    and `end` are those of the whole passage.
    """

    document: str
    start: int
    end: int
    sentence: str
    cell: str = Field("", exclude_if=lambda cell: not cell)
    page: int | None = Field(None, exclude_if=lambda page: page is None)
    published: str | None = Field(None, exclude_if=lambda published: published is None)


class CitedRival(Record):
    """A fact that cannot be true at the same time as another one: the relation has one value for nearly everything.

    Where documents of different days say the two, the later one may just be news.
    """

    subject: str
    object: str
    stated: tuple[Citation, ...]


class CitedFact(Record):
    """A fact with the sentences that state it, and what contradicts it."""

    key: str
    subject: str
    relation: str
    object: str
    period: str = Field("", exclude_if=lambda period: not period)
    stated: tuple[Citation, ...]
    more: int = Field(0, description="further statements, not shown", exclude_if=lambda more: not more)
    contradicted_by: tuple[CitedRival, ...] = Field((), exclude_if=lambda rivals: not rivals)


def cited_facts(graph: Graph, corpus: str, fact_keys: Iterable[str]) -> dict[str, CitedFact]:
    """Return the facts of a corpus with these keys, by key; keys that are not there are left out."""
    rows = _rows(graph, corpus, fact_keys)
    groups = _rival_groups(graph, corpus, rows.values())
    rivals = _rows(graph, corpus, {key for members in groups.values() for key in members}.difference(rows)) | rows
    places = _places(graph, [*rows.values(), *rivals.values()])
    return {key: _cited(row, groups, rivals, places) for key, row in rows.items()}


def places_of_chunks(graph: Graph, chunks: Collection[str]) -> dict[str, Row]:
    """Return where chunks stand, by key: source, title, published, page, start, text."""
    return {row["chunk"]: row.data() for row in graph.read("read/pieces", keys=sorted(chunks))}


def citation(place: Row, sentence: str, cell: str = "") -> Citation:
    """Return where a sentence of a chunk stands in its document."""
    at = place_of(place["source"], Piece(place["chunk"], place["start"], place["text"]), sentence)
    said = sentence or at.sentence
    known = {"page": place["page"], "published": place["published"], "cell": cell}
    return Citation(document=at.document, start=at.start, end=at.end, sentence=said, **known)


def _rows(graph: Graph, corpus: str, fact_keys: Iterable[str]) -> dict[str, Row]:
    own = [key for key in dict.fromkeys(fact_keys) if key.startswith(keys.corpus_code(corpus))]
    found = {row["key"]: row.data() for row in graph.read("read/facts_cited", keys=own)} if own else {}
    return {key: found[key] for key in own if key in found}


def _rival_groups(graph: Graph, corpus: str, rows: Collection[Row]) -> dict[str, list[str]]:
    """Return the facts of each group that has several ends where one is usual, or the schema says there is one."""
    schema = question_store.corpus_schema(graph, corpus)
    several = {row["relation"] for row in rows if row["objects"] > 1}
    usual = _usual(graph, corpus, several - _known(schema)) | _one(schema, "objects")
    objects = sorted({row["sr"] for row in rows if row["objects"] > 1 and row["relation"] in usual})
    one = _one(schema, "subjects")
    subjects = sorted({row["ro"] for row in rows if row["subjects"] > 1 and row["relation"] in one})
    groups: dict[str, list[str]] = defaultdict(list)
    if objects or subjects:
        for row in graph.read("read/facts_of_groups", objects=objects, subjects=subjects, limit=RIVALS + 1):
            groups[row["group"]].append(row["key"])
    return groups


def _usual(graph: Graph, corpus: str, relations: Collection[str]) -> set[str]:
    if not relations:
        return set()
    code = keys.corpus_code(corpus)
    counted = graph.read(
        "read/objects_usual", relations=sorted(relations), code=code, until=code + "~", limit=LOOKED_AT
    )
    return {row["relation"] for row in counted if row["groups"] >= FEWEST and row["one"] >= USUAL * row["groups"]}


def _known(schema: Schema | None) -> set[str]:
    return set(schema.relations) if schema else set()


def _one(schema: Schema | None, side: str) -> set[str]:
    """Return the relations that have one end on a side, for ever or at a time."""
    found = schema.relations.values() if schema else ()
    return {one.id for one in found if getattr(one, side) in ("one", "one at a time")}


def _places(graph: Graph, rows: Sequence[Row]) -> dict[str, Row]:
    return places_of_chunks(graph, {one.chunk for row in rows for one in islice(sources(row), CITED)})


def _cited(row: Row, groups: dict[str, list[str]], rivals: dict[str, Row], places: dict[str, Row]) -> CitedFact:
    against = dict.fromkeys(key for group in (row["sr"], row["ro"]) for key in groups.get(group, ()))
    others = [rivals[key] for key in against if key != row["key"] and key in rivals][:RIVALS]
    stated = sources(row)
    return CitedFact(
        key=row["key"],
        subject=row["subject"],
        relation=row["label"],
        object=row["object"],
        period=row["period"] or "",
        stated=_citations(row, places),
        more=max(0, len(stated) - CITED),
        contradicted_by=tuple(
            CitedRival(subject=one["subject"], object=one["object"], stated=_citations(one, places)) for one in others
        ),
    )


def _citations(row: Row, places: dict[str, Row]) -> tuple[Citation, ...]:
    shown = (one for one in islice(sources(row), CITED) if one.chunk in places)
    return tuple(citation(places[one.chunk], one.sentence, one.cell) for one in shown)
