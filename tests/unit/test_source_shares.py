"""What changes can move of the share comes to what counting all questions again comes to."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.questions import source_shares
from kgservice.questions.filters import share
from kgservice.questions.filters.share import OVER, Fill, Passed, PatternTotals, fills, is_over
from kgservice.questions.question_store import Stored
from kgservice.questions.source_shares import MovedShares
from tests.conftest import examples

PATTERN = "chain"


class Old:
    """A stored question as a run finds it."""

    pattern, passes = PATTERN, True

    def __init__(self, one: Passed) -> None:
        self.id, self.state = one.id, one.state
        self.share = " ".join((PATTERN, one.id, one.turn, ",".join(one.facts), ",".join(sorted(one.sources))))


class Store:
    """The questions that pass, by id, and their sources, in place of the graph."""

    def __init__(self) -> None:
        self.passed = dict[str, Passed]()
        self.filled = dict[str, Fill]()
        self.walked = 0

    def sources(self, _: object, __: str, wanted: Mapping[str, Any]) -> dict[str, dict[str, Fill]]:
        return {name: {one: self.filled[one] for one in found if one in self.filled} for name, found in wanted.items()}

    def full_sources(self, _: object, __: str, least: Mapping[str, Any]) -> dict[str, dict[str, Fill]]:
        found = {one: fill for one, fill in self.filled.items() if PATTERN in least}
        return {
            name: {one: fill for one, fill in found.items() if fill.passed > kinds[one[0]]}
            for name, kinds in least.items()
        }

    def ranked(self, _: object, __: str, ___: str, source: str, start: str, number: int, *, back: bool) -> list[Passed]:
        found = sorted((one for one in self.passed.values() if source in one.sources), key=lambda one: one.rank)
        if back:
            page = [one for one in found if not start or one.rank < start][::-1][:number]
        else:
            page = [one for one in found if one.rank >= start][:number]
        self.walked += len(page)
        return page


def question(draw: random.Random, key: int) -> Passed:
    relation = draw.choice(("r0", "r0", "r1", "r2", f"r{key}"))
    ends = {f"e{draw.randrange(draw.choice((2, 30)))}" for _ in range(draw.randrange(3))}
    return Passed(f"{draw.randrange(10**6):06}", f"{key:04}", frozenset({relation, *ends}), ("f",), "", near=True)


def moved(store: Store, totals: PatternTotals, draw: random.Random, keys: list[int], part: float) -> PatternTotals:
    """Change some questions, settle and store the outcome; return the totals."""
    old = [one for one in store.passed.values() if draw.random() < 0.1]
    come = dict[str, Passed]()
    for one in old:
        if draw.random() < 0.6:
            again = question(draw, int(one.id)) if draw.random() < 0.2 else one
            come[one.id] = again._replace(state=one.state, near=True)
    for _ in range(draw.randrange(12)):
        keys.append(len(keys))
        come[f"{keys[-1]:04}"] = question(draw, keys[-1])
    shares = MovedShares(cast(Any, None), "c", part, {PATTERN: totals}, cast(list[Stored], [Old(one) for one in old]))
    if store.passed and draw.random() < 0.5:
        leaving = draw.choice(list(store.passed.values()))
        if leaving.id not in {one.id for one in old}:
            shares.leave(PATTERN, leaving)
            del store.passed[leaving.id]
    settled = shares.settle({PATTERN: come})[PATTERN]
    for one in old:
        del store.passed[one.id]
    for state, found in zip(("active", OVER), settled, strict=True):
        store.passed |= {one.id: one._replace(state=state, near=False) for one in found}
    store.filled |= shares.filled.get(PATTERN, {})
    store.filled = {source: fill for source, fill in store.filled.items() if fill.passed}
    return shares.totals[PATTERN]


@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), few=st.sampled_from((1, 3, 20)), part=st.sampled_from((0.05, 0.1, 0.3, 1.0)))
def test_moving_the_share_equals_counting_all(
    monkeypatch: pytest.MonkeyPatch, seed: int, few: int, part: float
) -> None:
    store, draw, keys = Store(), random.Random(seed), list[int]()
    monkeypatch.setattr(source_shares, "question_store", store)
    monkeypatch.setattr(share, "FEW", few)
    totals = PatternTotals()
    for _ in range(12):
        totals = moved(store, totals, draw, keys, part)
        every = list(store.passed.values())
        expected, filled = fills(every, part)
        assert totals == expected
        assert {one.id for one in every if one.state == OVER} == {one.id for one in every if is_over(one, filled)}
        assert {source: fill.passed for source, fill in store.filled.items()} == {
            source: fill.passed for source, fill in filled.items()
        }
        for source, fill in store.filled.items():
            of_it = [one.rank for one in every if source in one.sources]
            assert bool(fill.full_from) == bool(filled[source].full_from)
            assert [one < fill.full_from for one in of_it] == [one < filled[source].full_from for one in of_it]
