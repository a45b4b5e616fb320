"""Which candidate a name means in its sentence, or none: a logistic score whose weights were fitted offline.

weights.json holds the weights, the threshold and how they were fitted (benchmarks/linking_fit.py). The first score
knows the name alone and keeps five candidates; the second one also knows the sentence, the relation, the type that the
source gave, and the other names beside it. A sentence is embedded last, and only where it can still decide: the cosine
that it adds is bounded, so most names are settled before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kgservice.core.records import Record
from kgservice.linking.candidates import Candidates, ItemCandidate
from kgservice.linking.name_variants import variants
from kgservice.linking.wikidata_index import ALIAS, INITIALS, LABEL, IndexedItem, Wikidata, described, folded

TOP = 5  # candidates that are compared in context (DRAGON, section 4.1)
MOST = 1.0  # a sentence's cosine with an item, from 0
HUMAN = 5  # Q5

_PLACE = re.compile(
    r"\b(?:city|town|village|country|state|nation|county|province|region|municipality|district|capital|island|continent|"
    r"river|lake|mountain|territory|settlement|borough|comune|commune|republic)\b"
)
_LAND = re.compile(r"\b(?:state|country|province|nation|republic|territory)\b")
_PLACED = re.compile(r"\s*,\s*((?:[A-Z][^\W\d_]*\.? ?)+)")
_GROUP = re.compile(
    r"\b(?:company|business|organi[sz]ation|university|college|school|institution|party|club|team|band|group|label|"
    r"agency|enterprise|corporation|studio|league|academy|army|ministry|publisher|newspaper|bank)\b"
)
_KINDS = {
    "person": "person", "per": "person", "human": "person", "place": "place", "location": "place", "loc": "place",
    "gpe": "place", "organisation": "group", "organization": "group", "org": "group", "company": "group",
}  # fmt: skip


class LinkingWeights(Record):
    """Fitted constants: of the first score, of the second one, and from which probability on a name is linked.

    `likely` of the five candidates are kept by the first score, the others by vector; `fame` is what a tenfold
    prominence is worth there, as a cosine.
    """

    how: str
    shortlist: dict[str, float]
    likely: int
    fame: float
    decision: dict[str, float]
    threshold: float
    relation: dict[str, float]
    relation_threshold: float


class Sought(NamedTuple):
    """A name in its place: the sentence, the type that the source gave, the property that its fact's relation may be
    (0 for none) with whether the name is its subject, and the items that the names beside it may mean."""

    name: str
    sentence: str
    type: str | None = None
    property: int = 0
    subject: bool = True
    beside: tuple[int, ...] = ()


class Prospect(NamedTuple):
    """A candidate before its sentence is read: all else that is known of it, and the probabilities between which it is
    whatever the sentence says; both are one where nothing is left to read."""

    candidate: ItemCandidate
    told: dict[str, float]
    low: float
    high: float


class ScoredCandidate(NamedTuple):
    """A candidate with the probability that it is meant."""

    candidate: ItemCandidate
    probability: float


@cache
def weights() -> LinkingWeights:
    """Return the packaged weights."""
    return LinkingWeights.model_validate_json(
        files("kgservice.linking").joinpath("weights.json").read_text(encoding="utf-8")
    )


def prospects(sought: Sought, found: Sequence[ItemCandidate], index: Wikidata) -> list[Prospect]:
    """Return the five candidates that are compared in context, with what is known of them without their sentence."""
    fitted, known = weights().decision, []
    for one in shortlist(sought.name, found):
        told = by_name(sought.name, one) | by_place(sought, one, index)
        ends = sorted(score(told | {"context": most}, fitted) for most in (0.0, MOST))
        known.append(Prospect(one, told, ends[0], ends[1] if sought.sentence else score(told, fitted)))
    return known


def contending(known: Sequence[Prospect], doubt: tuple[float, float]) -> list[Prospect]:
    """Return the prospects that may still be the likeliest, with a probability that counts, once the sentence is read.

    None where no sentence makes one likelier than the first end of `doubt`; one alone, settled, where it is likelier
    than the second end and than all others whatever the sentence says; all where a model chooses between the two ends.
    """
    least, sure = doubt
    ordered = sorted(known, key=lambda one: (-one.low, one.candidate.item.number))
    if not known or max(one.high for one in known) < least:
        return []
    best = ordered[0]
    if best.low >= sure and all(one.high < best.low for one in ordered[1:]):
        return [best._replace(high=best.low)]
    return ordered if least < sure else [one for one in ordered if one.high >= max(least, best.low)]


def read(sought: Sought, known: Sequence[Prospect]) -> list[str]:
    """Return the texts whose vectors `ranked` wants."""
    items = [one.candidate.item for one in known if one.low < one.high]
    return [sought.sentence, *map(described, items)] if items else []


def ranked(sought: Sought, known: Sequence[Prospect], candidates: Candidates) -> list[ScoredCandidate]:
    """Return prospects with their probabilities in context, the likeliest first."""
    fitted, scored = weights().decision, []
    for one in known:
        probability = one.low
        if one.low < one.high:
            probability = score(one.told | in_context(sought, one.candidate, candidates), fitted)
        scored.append(ScoredCandidate(one.candidate, probability))
    return sorted(scored, key=lambda one: (-one.probability, one.candidate.item.number))


def shortlist(name: str, found: Sequence[ItemCandidate], given: LinkingWeights | None = None) -> list[ItemCandidate]:
    """Return the candidates that the name alone makes the likeliest, and the others nearest by vector, five in all.

    Of equally near ones the better known: of a name that is no form of the item's ("British") the score knows little.
    """
    fitted = given or weights()
    likely = sorted(found, key=lambda one: (-score(by_name(name, one), fitted.shortlist), one.item.number))
    rest = sorted(
        likely[fitted.likely :],
        key=lambda one: (-one.cosine - fitted.fame * math.log10(1 + one.item.prominence), one.item.number),
    )
    return likely[: fitted.likely] + rest[: TOP - fitted.likely]


def score(features: dict[str, float], fitted: dict[str, float]) -> float:
    """Return the probability of features under fitted weights; what has no weight does not count."""
    total = fitted.get("one", 0.0) + sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def by_name(name: str, one: ItemCandidate) -> dict[str, float]:
    """Return what the name alone says of a candidate, each about 0 to 1."""
    exact = one.how is not None
    fame = math.log1p(one.item.prominence) / 10
    lower = float(name.islower())
    if not exact:
        other = {"like": (one.likeness - 70) / 30, "cosine": one.cosine, "fame": fame, "lower": lower}
        other |= variants(name, one.item)
        of_person = {"part_of_person": 1.0} if " " not in name and HUMAN in one.item.types else {}
        return other | of_person | {"word": float(" " not in name), "rivals": math.log1p(one.namesakes)}
    how = {LABEL: "label", ALIAS: "alias", INITIALS: "initials"}[one.how]  # type: ignore[index]
    return {
        how: 1.0,
        "exact_cosine": one.cosine,
        "exact_fame": fame,
        "behind": one.behind / 5,
        "namesakes": math.log1p(one.namesakes),
        "exact_lower": lower,
        "words": float(" " in name),
        "short": float(len(name) <= 3),
    }


def in_context(sought: Sought, one: ItemCandidate, candidates: Candidates) -> dict[str, float]:
    """Return what the sentence says of a candidate; a cosine below 0 says no more than 0."""
    if not sought.sentence:
        return {"context": 0.0}
    cosine = float(candidates.vector(sought.sentence) @ candidates.vector(described(one.item)))
    return {"context": round(min(MOST, max(0.0, cosine)), 3)}


def by_place(sought: Sought, one: ItemCandidate, index: Wikidata) -> dict[str, float]:
    """Return what the name's company, its part in the relation and its type say of a candidate."""
    told = {"related": min(3, index.related(one.item.number, sought.beside)) / 3}
    if sought.property:
        served = index.served(one.item.number, sought.property, subject=sought.subject)
        told |= {"role": math.log1p(served) / 5, "no_role": float(not served)}
    if sought.type:
        wanted, classes = sought.type.lower(), classes_of(one.item, index)
        is_one = kind(one.item, classes)
        if wanted in classes or _KINDS.get(wanted) == is_one:
            told["kind"] = 1.0
        elif wanted in _KINDS and is_one:
            told["other_kind"] = 1.0
        elif wanted in _KINDS and one.item.types:
            told["thing"] = 1.0
    if one.how is not None and (place := _after(sought)):
        told |= _placed(one.item, place, index)
    return told


def _placed(item: IndexedItem, place: str, index: Wikidata) -> dict[str, float]:
    """Return whether an item lies in the country or state that the text names behind it, as far as that is known."""
    classes = classes_of(item, index)
    if place.lower() in f"{item.description} / {classes}".lower():
        return {"placed": 1.0}
    known = index.items(one.item for one in index.named(folded(place))[:3]).values()
    lands = [one.number for one in known if _LAND.search(classes_of(one, index))]
    if not lands or not item.description or _LAND.search(classes) or index.related(item.number, lands):
        return {}
    return {"misplaced": 1.0}


def _after(sought: Sought) -> str:
    """The name behind a name and its comma, "Ontario" of "London, Ontario"; "" where there is none."""
    at = sought.sentence.find(sought.name)
    found = _PLACED.match(sought.sentence, at + len(sought.name)) if at >= 0 else None
    return found[1].strip() if found else ""


def classes_of(item: IndexedItem, index: Wikidata) -> str:
    """Return the labels of an item's classes in a line, its description where none is known."""
    classes = index.items(item.types[:8]).values()
    return " / ".join(known.label.lower() for known in classes if known.label) or item.description.lower()


def kind(item: IndexedItem, classes: str) -> str:
    """Return whether an item is a person, a place or a group of people, "" where its classes do not tell."""
    if HUMAN in item.types:
        return "person"
    return "place" if _PLACE.search(classes) else "group" if _GROUP.search(classes) else ""
