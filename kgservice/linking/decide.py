"""Which candidate a name means in its sentence, or none: a logistic score whose weights were fitted offline.

weights.json holds the weights, the threshold and how they were fitted (benchmarks/linking.py --fit). The first score
knows the name alone and keeps five candidates; the second one also knows the sentence, the relation, the type that the
source gave, and the other names beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kgservice.linking.candidates import Candidate, Candidates
from kgservice.linking.wikidata import ALIAS, INITIALS, LABEL, Known, Wikidata
from kgservice.model import Record

TOP, LIKELY = 5, 3  # candidates that are compared in context (DRAGON, section 4.1), and those of them by score
HUMAN = 5  # Q5

_PLACE = re.compile(
    r"\b(?:city|town|village|country|state|nation|county|province|region|municipality|district|capital|island|continent|"
    r"river|lake|mountain|territory|settlement|borough|comune|commune|republic)\b"
)
_GROUP = re.compile(
    r"\b(?:company|business|organi[sz]ation|university|college|school|institution|party|club|team|band|group|label|"
    r"agency|enterprise|corporation|studio|league|academy|army|ministry|publisher|newspaper|bank)\b"
)
_KINDS = {
    "person": "person", "per": "person", "human": "person", "place": "place", "location": "place", "loc": "place",
    "gpe": "place", "organisation": "group", "organization": "group", "org": "group", "company": "group",
}  # fmt: skip


class Weights(Record):
    """Fitted constants: of the first score, of the second one, and from which probability on a name is linked."""

    how: str
    shortlist: dict[str, float]
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


class Scored(NamedTuple):
    """A candidate with the probability that it is meant."""

    candidate: Candidate
    probability: float


@cache
def weights() -> Weights:
    """Return the packaged weights."""
    return Weights.model_validate_json(files("kgservice.linking").joinpath("weights.json").read_text(encoding="utf-8"))


def ranked(sought: Sought, found: Sequence[Candidate], candidates: Candidates, index: Wikidata) -> list[Scored]:
    """Return the five likeliest candidates with their probabilities in context, the likeliest first."""
    fitted, scored = weights().decision, []
    for one in shortlist(sought.name, found):
        told = by_name(sought.name, one) | in_context(sought, one, candidates, index)
        scored.append(Scored(one, round(score(told, fitted), 4)))
    return sorted(scored, key=lambda one: (-one.probability, one.candidate.item.number))


def shortlist(name: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the three candidates that the name alone makes the likeliest, and the two others nearest by vector.

    Of equally near ones the better known: of a name that is no form of the item's ("British") the score knows little.
    """
    fitted = weights().shortlist
    likely = sorted(found, key=lambda one: (-score(by_name(name, one), fitted), one.item.number))
    rest = sorted(
        likely[LIKELY:], key=lambda one: (-one.cosine - math.log1p(one.item.prominence) / 50, one.item.number)
    )
    return likely[:LIKELY] + rest[: TOP - LIKELY]


def score(features: dict[str, float], fitted: dict[str, float]) -> float:
    """Return the probability of features under fitted weights; what has no weight does not count."""
    total = fitted.get("one", 0.0) + sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def by_name(name: str, one: Candidate) -> dict[str, float]:
    """Return what the name alone says of a candidate, each about 0 to 1."""
    exact = one.how is not None
    fame = math.log1p(one.item.prominence) / 10
    lower = float(name.islower())
    if not exact:
        other = {"like": (one.likeness - 70) / 30, "cosine": one.cosine, "fame": fame, "lower": lower}
        return other | {"word": float(" " not in name), "rivals": math.log1p(one.namesakes)}
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


def in_context(sought: Sought, one: Candidate, candidates: Candidates, index: Wikidata) -> dict[str, float]:
    """Return what the name's place says of a candidate."""
    cosine = candidates.vector(sought.sentence) @ candidates.vector(described(one.item)) if sought.sentence else 0.0
    told = {"context": round(float(cosine), 3), "related": min(3, index.related(one.item.number, sought.beside)) / 3}
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
    return told


def described(item: Known) -> str:
    """Return what is embedded for an item."""
    return f"{item.label}: {item.description}" if item.description else item.label


def classes_of(item: Known, index: Wikidata) -> str:
    """Return the labels of an item's classes in a line, its description where none is known."""
    classes = index.items(item.types[:8]).values()
    return " / ".join(known.label.lower() for known in classes if known.label) or item.description.lower()


def kind(item: Known, classes: str) -> str:
    """Return whether an item is a person, a place or a group of people, "" where its classes do not tell."""
    if HUMAN in item.types:
        return "person"
    return "place" if _PLACE.search(classes) else "group" if _GROUP.search(classes) else ""
