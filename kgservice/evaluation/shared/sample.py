"""The questions of an evaluation: all that are usable, or a sample, with counts of the rest."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from kgservice.core import keys
from kgservice.core.records import Record


class HasId(Protocol):
    """An item with an id."""

    @property
    def id(self) -> str: ...


Unit = TypeVar("Unit", bound=Record)
Drawn = TypeVar("Drawn", bound=HasId)


class EvaluationSet(Record, Generic[Unit]):
    """The questions in order, and the number of skipped ones by reason."""

    units: tuple[Unit, ...]
    skipped: dict[str, int]

    def digest(self) -> str:
        """Return the hash of the questions."""
        return keys.digest(20, [self.told(unit) for unit in self.units])

    def told(self, unit: Unit) -> Any:
        """Return the fields of a unit that the evaluation uses. Other values of them make another run."""
        return unit.model_dump()


def drawn(
    items: Sequence[Drawn], skipped: Mapping[str, int], limit: int | None, seed: int
) -> tuple[tuple[Drawn, ...], dict[str, int]]:
    """Return a seeded sample of `limit` in the original order, and the counts of the rest. All if there are no more."""
    if limit is None or limit >= len(items):
        return tuple(items), dict(sorted(skipped.items()))
    kept = {item.id for item in random.Random(seed).sample(items, limit)}
    left_out = {**skipped, "not drawn": skipped.get("not drawn", 0) + len(items) - limit}
    return tuple(item for item in items if item.id in kept), dict(sorted(left_out.items()))
