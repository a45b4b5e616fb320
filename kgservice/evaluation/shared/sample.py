"""What an evaluation asks: all that can be asked, or a sample of it, and how much is left out."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from kgservice.core import keys
from kgservice.core.records import Record


class HasId(Protocol):
    """What is asked has an id."""

    @property
    def id(self) -> str: ...


Unit = TypeVar("Unit", bound=Record)
Drawn = TypeVar("Drawn", bound=HasId)


class EvaluationSet(Record, Generic[Unit]):
    """What is asked, in its order, and how much cannot be, by reason."""

    units: tuple[Unit, ...]
    skipped: dict[str, int]

    def digest(self) -> str:
        """Return the hash of what is asked."""
        return keys.digest(20, [self.told(unit) for unit in self.units])

    def told(self, unit: Unit) -> Any:
        """Return what of a unit is asked: a run with other such values is another run."""
        return unit.model_dump()


def drawn(
    found: Sequence[Drawn], skipped: Mapping[str, int], limit: int | None, seed: int
) -> tuple[tuple[Drawn, ...], dict[str, int]]:
    """Return a seeded sample of `limit`, in its order, and what is left out with it; all where there are no more."""
    if limit is None or limit >= len(found):
        return tuple(found), dict(sorted(skipped.items()))
    kept = {one.id for one in random.Random(seed).sample(found, limit)}
    left_out = {**skipped, "not drawn": skipped.get("not drawn", 0) + len(found) - limit}
    return tuple(one for one in found if one.id in kept), dict(sorted(left_out.items()))
