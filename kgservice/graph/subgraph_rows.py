"""What the statements of cypher/patterns return, as subgraphs: paths of lists, and groups of maps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import neo4j

from kgservice.core import keys
from kgservice.core.records import Fact, Reading, Source, Subgraph
from kgservice.core.schema import packaged_schema
from kgservice.graph.rows import sources
from kgservice.text.inflection import is_participle, is_past, present

_STATED = frozenset(("chunks", "sentences", "cells", "confidence"))  # columns that become a fact's statements

_PAST = frozenset("became had served was were".split())


class _PathEntity(NamedTuple):
    """An entity, as the statements return it."""

    key: str
    label: str
    type: str | None
    kind: str


class _PathFact(NamedTuple):
    """A fact, as the statements return it."""

    key: str
    sr: str
    ro: str
    relation: str
    label: str
    period: str | None
    chunks: list[str]
    sentences: list[str]
    cells: list[str] | None
    confidence: list[float] | None
    said: list[str] | None
    objects: int
    subjects: int


# Neo4j checks the types of each property that a statement names, four times: half a second of a plan for 36 of them
NAMES = {"fact": list(_PathFact._fields), "entity": list(_PathEntity._fields)}
"""The properties that the statements are asked for, in `$walk`."""


class PathRow(NamedTuple):
    """A path before it is a record: its entities from the named end to the answer, and a (fact, both ends) a step."""

    id: str
    pattern: str
    asked: str
    entities: list[_PathEntity]
    steps: list[tuple[_PathFact, _PathEntity, _PathEntity]]


def group_subgraphs(pattern: str, record: neo4j.Record) -> list[Subgraph]:
    """Return the subgraphs of a group's record, in order of id."""
    return sorted((_subgraph(pattern, record["anchor"], row) for row in record["rows"]), key=lambda row: row.id)


def _id(pattern: str, anchor: str, row: dict[str, Any], first: Reading) -> str:
    named, answers = (
        [item["key"] or item["label"] for item in row["named"]],
        sorted(item["key"] or item["label"] for item in row["answers"]),
    )
    periods = (fact.period for fact in first.facts)
    relations = zip(row["relations"], periods, strict=False)  # one relation is that of all facts
    return keys.question_key(anchor, pattern, row["asked"], relations, named, answers)


def _subgraph(pattern: str, anchor: str, row: dict[str, Any]) -> Subgraph:
    named, answers, readings = row["named"], row["answers"], [_reading(item) for item in row["readings"]]
    return Subgraph(
        id=_id(pattern, anchor, row, readings[0]),
        pattern=pattern,
        asked=row["asked"],
        relations=row["relations"],
        named=[item["label"] for item in named],
        answers=[item["label"] for item in answers],
        readings=tuple(sorted(readings, key=_text)),
        dates=row.get("dates", ()),
        entities=(
            *(item["key"] for item in named if item["key"]),
            *sorted(item["key"] for item in answers if item["key"]),
        ),
    )


def path_row(pattern: str, asked: str, entities: list[list[Any]], facts: list[list[Any]]) -> PathRow:
    """Return a path with the id of its subgraph."""
    ends, between = [_PathEntity(*one) for one in entities], [_PathFact(*one) for one in facts]
    start, end = ends[0].key, ends[-1].key
    anchor = between[0].sr if between[0].sr.startswith(start) else between[0].ro
    steps = list(zip(between, ends, ends[1:], strict=False))
    if asked == "first":
        steps.reverse()
    qualified = ((fact.relation, fact.period or "") for fact, _, _ in steps)
    key = keys.question_key(anchor, pattern, asked, qualified, [start], [end])
    return PathRow(key, pattern, asked, ends, steps)


def path_subgraphs(rows: Iterable[PathRow]) -> Iterator[Subgraph]:
    """Yield the subgraphs of paths, each made when it is asked for; a fact of several paths is made once."""
    made: dict[str, Fact] = {}
    for key, pattern, asked, (start, *pivots, end), steps in rows:
        for fact, near, far in steps:
            if fact.key not in made:
                made[fact.key] = _stated(fact, near, far)
        facts = tuple(made[fact.key] for fact, _, _ in steps)
        if asked == "first":
            pivots.reverse()
        yield Subgraph(
            id=key,
            pattern=pattern,
            asked=asked,
            relations=[fact.property for fact in facts],
            named=[start.label],
            answers=[end.label],
            readings=(Reading(pivots=[pivot.label for pivot in pivots], facts=facts),),
            entities=(start.key, end.key),
            either_end=pattern == "single" and steps[0][0].objects == steps[0][0].subjects == 1,
        )


def _stated(fact: _PathFact, near: _PathEntity, far: _PathEntity) -> Fact:
    subject, other = (near, far) if fact.sr.startswith(near.key) else (far, near)
    return Fact(
        key=fact.key,
        subject=subject.label,
        relation=fact.label,
        property=fact.relation,
        object=other.label,
        period=fact.period or "",
        statements=_by_text(sources(fact._asdict())),
        subject_type=subject.type,
        object_type=other.type,
        object_kind=other.kind,
        is_past=all(_is_past(said, fact.relation) for said in fact.said or ("",)),
    )


@lru_cache(maxsize=65536)
def _is_past(said: str, relation: str) -> bool:
    """Return whether words say of the past what the schema says of now: "was mayor of", "chaired", "was based in".

    "Joined" and "was elected mayor of" tell what has been so since: the schema does not say them in the present tense.
    """
    known = packaged_schema().relations.get(relation)
    now = {tuple(phrase.split()[1:3]) for phrase in known.phrases} if known else set()
    verb, *others = said.split() or [""]
    if verb in ("was", "were") and others and is_participle(others[0]):
        return ("is", others[0]) in now
    if others and ("is", verb) in now:  # "operated by" of "is owned and operated by" has no tense
        return False
    return verb in _PAST or (is_past(verb) and present(verb) in {words[0] for words in now})


def _reading(item: dict[str, Any]) -> Reading:
    facts = (_fact(fact) if isinstance(fact, dict) else _listed(*fact) for fact in item["facts"])
    return Reading(pivots=item["pivots"], facts=tuple(facts))


def _text(reading: Reading) -> list[tuple[str, ...]]:
    """Return a reading's place among others, the same in a corpus of any name: keys only tell namesakes apart."""
    return [(fact.subject, fact.relation, fact.object, fact.period, fact.key) for fact in reading.facts]


def _listed(fact: list[Any], subject: list[Any], other: list[Any]) -> Fact:
    return _stated(_PathFact(*fact), _PathEntity(*subject), _PathEntity(*other))


def _fact(fact: dict[str, Any]) -> Fact:
    """Return a fact of pluri_hop, whose sources are some of the stored ones."""
    known = {name: value for name, value in fact.items() if name not in _STATED}
    known["period"] = known["period"] or ""
    return Fact(**known, statements=_by_text(sources(fact)))


def _by_text(statements: Iterable[Source]) -> tuple[Source, ...]:
    """Return statements in an order that depends on no key, and so not on the corpus's name."""
    return tuple(sorted(statements, key=lambda source: (source.sentence, source.cell, source.chunk)))
