"""From triplets to statements between entities. `none` keeps every name exactly as given; what `case` and
`resolve` decide about names after that (kgservice.resolution) is applied as they are written."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from kgservice.core.errors import BadRequest
from kgservice.core.records import Entity, Kind, LinkedTriplet, Term, Triplet
from kgservice.core.schema import OPEN
from kgservice.text.values import ENTITY, read_value

MODES = ("none", "case", "resolve", "wikidata", "wikidata:llm")


def check_mode(mode: str) -> None:
    """Refuse a linking mode that does not exist (BadRequest)."""
    if mode not in MODES:
        raise BadRequest(f"no linking mode {mode!r}: choose one of {', '.join(MODES)}")


def link(triplets: Iterable[Triplet]) -> tuple[LinkedTriplet, ...]:
    """Return the statements of typed triplets, one entity a name; a relation is known by its own words.

    Ready-made triplets mark a relation as open by `open:` before its words.
    """
    return tuple(
        _LINKED.but(
            subject=entity(triplet.subject),
            relation=triplet.relation,
            label=(label := triplet.relation.removeprefix(OPEN) or triplet.relation),
            said=label,
            object=entity(triplet.object),
            sentence=triplet.sentence,
            cell=triplet.cell,
            period=triplet.period,
            doubted=triplet.doubted,
            confidence=triplet.confidence,
        )
        for triplet in triplets
    )


def entity(term: Term) -> Entity:
    """Return the entity of a term: its name; a value that the source types unlike its own words is another one."""
    kind, value, unit = term.kind or "entity", term.value, term.unit
    made = _named if value is None else _made
    return made(term.label, kind, value, unit, term.type)


def _made(label: str, kind: Kind, value: float | str | None, unit: str | None, type_: str | None) -> Entity:
    own = (kind, value, unit) == ENTITY or (kind, value, unit) == read_value(label)
    suffix = "" if own else f"|{kind}|{value}|{unit}"
    return _NONE.but(id=f"local:{label}{suffix}", label=label, kind=kind, value=value, unit=unit, type=type_)


_named = lru_cache(maxsize=65_536)(_made)  # a name comes several times in its passage; values may be 0 and -0
_NONE = Entity(id="", label="", kind="entity")
_LINKED = LinkedTriplet(subject=_NONE, relation="", label="", object=_NONE, sentence="")
