"""The choice of a candidate for a name in its sentence, or none, by a logistic score with fitted weights.

weights.json holds the weights, the threshold and how they were fitted (benchmarks/linking_fit.py). The first score uses
the name alone and keeps five candidates. The second score adds the sentence, the relation, the source's type and the
other names beside it. A sentence is embedded last, and only if it can still decide: its cosine has bounds, so most
names are settled before.
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
MOST = 1.0  # highest cosine of a sentence with an item; the lowest is 0
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
    """Fitted weights of both scores, and the probability from which a name is linked.

    The first score keeps `likely` of the five candidates, vectors the others. There, `fame` is the cosine that a
    tenfold prominence is worth.
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
    """A name in its context.

    `type` is that of the source. `property` is the likely property of its fact's relation (0: none), `subject` whether
    the name is its subject. `beside` are the items that the names beside it may mean.
    """

    name: str
    sentence: str
    type: str | None = None
    property: int = 0
    subject: bool = True
    beside: tuple[int, ...] = ()


class Prospect(NamedTuple):
    """A candidate with its features before its sentence is read.

    `low` and `high` bound its probability for any sentence. They are equal if the sentence is read or there is none.
    """

    candidate: ItemCandidate
    told: dict[str, float]
    low: float
    high: float


class ScoredCandidate(NamedTuple):
    """A candidate with its probability."""

    candidate: ItemCandidate
    probability: float


@cache
def weights() -> LinkingWeights:
    """Return the packaged weights."""
    return LinkingWeights.model_validate_json(
        files("kgservice.linking").joinpath("weights.json").read_text(encoding="utf-8")
    )


def prospects(sought: Sought, found: Sequence[ItemCandidate], index: Wikidata) -> list[Prospect]:
    """Return the five candidates to compare in context, with their features without the sentence."""
    fitted, result = weights().decision, []
    for item in shortlist(sought.name, found):
        features = by_name(sought.name, item) | by_place(sought, item, index)
        ends = sorted(score(features | {"context": most}, fitted) for most in (0.0, MOST))
        result.append(Prospect(item, features, ends[0], ends[1] if sought.sentence else score(features, fitted)))
    return result


def contending(known: Sequence[Prospect], doubt: tuple[float, float]) -> list[Prospect]:
    """Return the prospects that can still win with a relevant probability after the sentence is read.

    `doubt` are two probabilities. None is returned if no sentence makes one reach the first. One alone, settled, is
    returned if it exceeds the second and all others whatever the sentence is. All are returned if a model decides
    between the two.
    """
    least, sure = doubt
    ordered = sorted(known, key=lambda prospect: (-prospect.low, prospect.candidate.item.number))
    if not known or max(prospect.high for prospect in known) < least:
        return []
    best = ordered[0]
    if best.low >= sure and all(prospect.high < best.low for prospect in ordered[1:]):
        return [best._replace(high=best.low)]
    return ordered if least < sure else [prospect for prospect in ordered if prospect.high >= max(least, best.low)]


def read(sought: Sought, known: Sequence[Prospect]) -> list[str]:
    """Return the texts that `ranked` embeds."""
    items = [prospect.candidate.item for prospect in known if prospect.low < prospect.high]
    return [sought.sentence, *map(described, items)] if items else []


def ranked(sought: Sought, known: Sequence[Prospect], candidates: Candidates) -> list[ScoredCandidate]:
    """Return the prospects with their probabilities in context, the most probable first."""
    fitted, scored = weights().decision, []
    for prospect in known:
        probability = prospect.low
        if prospect.low < prospect.high:
            probability = score(prospect.told | in_context(sought, prospect.candidate, candidates), fitted)
        scored.append(ScoredCandidate(prospect.candidate, probability))
    return sorted(scored, key=lambda prospect: (-prospect.probability, prospect.candidate.item.number))


def shortlist(name: str, found: Sequence[ItemCandidate], given: LinkingWeights | None = None) -> list[ItemCandidate]:
    """Return five candidates: the most probable by the name alone, then the nearest by vector.

    Among equally near ones the more prominent come first, as the score knows little of a name that is no form of the
    item's ("British").
    """
    fitted = given or weights()
    likely = sorted(
        found, key=lambda candidate: (-score(by_name(name, candidate), fitted.shortlist), candidate.item.number)
    )
    rest = sorted(
        likely[fitted.likely :],
        key=lambda candidate: (
            -candidate.cosine - fitted.fame * math.log10(1 + candidate.item.prominence),
            candidate.item.number,
        ),
    )
    return likely[: fitted.likely] + rest[: TOP - fitted.likely]


def score(features: dict[str, float], fitted: dict[str, float]) -> float:
    """Return the probability of features under fitted weights. Features without a weight are ignored."""
    total = fitted.get("one", 0.0) + sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def by_name(name: str, one: ItemCandidate) -> dict[str, float]:
    """Return the features of a candidate from the name alone, each about 0 to 1."""
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
    """Return the feature of the sentence: its cosine with the candidate, at least 0."""
    if not sought.sentence:
        return {"context": 0.0}
    cosine = float(candidates.vector(sought.sentence) @ candidates.vector(described(one.item)))
    return {"context": round(min(MOST, max(0.0, cosine)), 3)}


def by_place(sought: Sought, one: ItemCandidate, index: Wikidata) -> dict[str, float]:
    """Return the features from the names beside it, its role in the relation, and its type."""
    features = {"related": min(3, index.related(one.item.number, sought.beside)) / 3}
    if sought.property:
        served = index.served(one.item.number, sought.property, subject=sought.subject)
        features |= {"role": math.log1p(served) / 5, "no_role": float(not served)}
    if sought.type:
        wanted, classes = sought.type.lower(), classes_of(one.item, index)
        is_one = kind(one.item, classes)
        if wanted in classes or _KINDS.get(wanted) == is_one:
            features["kind"] = 1.0
        elif wanted in _KINDS and is_one:
            features["other_kind"] = 1.0
        elif wanted in _KINDS and one.item.types:
            features["thing"] = 1.0
    if one.how is not None and (place := _after(sought)):
        features |= _placed(one.item, place, index)
    return features


def _placed(item: IndexedItem, place: str, index: Wikidata) -> dict[str, float]:
    """Return whether an item lies in the country or state after its comma, {} if unknown."""
    classes = classes_of(item, index)
    if place.lower() in f"{item.description} / {classes}".lower():
        return {"placed": 1.0}
    named = index.items(land.item for land in index.named(folded(place))[:3]).values()
    lands = [land.number for land in named if _LAND.search(classes_of(land, index))]
    if not lands or not item.description or _LAND.search(classes) or index.related(item.number, lands):
        return {}
    return {"misplaced": 1.0}


def _after(sought: Sought) -> str:
    """Return the name after a name and its comma, "Ontario" of "London, Ontario", or ""."""
    at = sought.sentence.find(sought.name)
    match = _PLACED.match(sought.sentence, at + len(sought.name)) if at >= 0 else None
    return match[1].strip() if match else ""


def classes_of(item: IndexedItem, index: Wikidata) -> str:
    """Return the labels of an item's classes as one line, or its description if it has none."""
    classes = index.items(item.types[:8]).values()
    return (
        " / ".join(item_class.label.lower() for item_class in classes if item_class.label) or item.description.lower()
    )


def kind(item: IndexedItem, classes: str) -> str:
    """Return "person", "place" or "group" by an item's classes, "" if they do not tell."""
    if HUMAN in item.types:
        return "person"
    return "place" if _PLACE.search(classes) else "group" if _GROUP.search(classes) else ""
