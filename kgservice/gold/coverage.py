"""Whether passages hold a question's evidence: overlap with its sentences decides, however the passages are cut."""

from __future__ import annotations

from collections.abc import Sequence

from kgservice.core.records import Record
from kgservice.gold.found_passage import FoundPassage
from kgservice.gold.gold_places import Documents, Gold, Place

HALF = 0.5  # of a sentence's characters must be in passages, taken together, for the sentence to be found


class Found(Record):
    """At which rank (from 1) each fact of a question is found, None where it is not; which place says so."""

    ranks: tuple[int | None, ...]
    ids: tuple[str, ...]

    def at(self, k: int) -> tuple[int, ...]:
        """Return the ranks up to k."""
        return tuple(rank for rank in self.ranks if rank is not None and rank <= k)

    @property
    def all(self) -> bool:
        """Return whether every fact is found."""
        return None not in self.ranks


def found(gold: Gold, passages: Sequence[FoundPassage], documents: Documents) -> Found:
    """Return where in the ranking each fact is found: at the passage by which half of one of its sentences is there.

    Passages count together, so a sentence that is cut in two is found by both of its parts.
    """
    ranks, ids = list[int | None](), list[str]()
    first = places_found([place for fact in gold.facts for place in fact], passages, documents)
    for fact in gold.facts:
        reached = [(first[place], place.id) for place in fact if place in first]
        rank, name = min(reached) if reached else (None, "")
        ranks.append(rank)
        ids.append(name)
    return Found(ranks=tuple(ranks), ids=tuple(ids))


def places_found(places: Sequence[Place], passages: Sequence[FoundPassage], documents: Documents) -> dict[Place, int]:
    """Return the places of which half is found, each with the rank at which it is."""
    seen = {place: set[int]() for place in places}
    reached = dict[Place, int]()
    sources = sorted({place.document for place in places})
    for rank, passage in enumerate(passages, 1):
        spans = {source: documents.spans(passage, source) for source in sources}
        for place, signs in seen.items():
            for start, end in spans[place.document]:
                signs |= set(range(max(start, place.start), min(end, place.end)))
            if place not in reached and len(signs) >= HALF * (place.end - place.start):
                reached[place] = rank
    return reached


def measures(one: Found, ks: Sequence[int]) -> dict[str, float]:
    """Return recall (share of the facts), hit_rate, mrr and all at every k, over ranks of passages."""
    rows = dict[str, float]()
    for k in ks:
        ranks = one.at(k)
        rows |= {
            f"recall@{k}": len(ranks) / len(one.ranks),
            f"hit_rate@{k}": float(bool(ranks)),
            f"mrr@{k}": 1 / min(ranks) if ranks else 0.0,
            f"all@{k}": float(len(ranks) == len(one.ranks)),
        }
    return rows
