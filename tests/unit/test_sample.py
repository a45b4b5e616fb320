"""What an evaluation asks of all that it could: a sample that the seed draws, and the count of the rest."""

from __future__ import annotations

from kgservice.core.records import Record
from kgservice.evaluation.shared.sample import EvaluationSet, drawn


class One(Record):
    """Something to ask."""

    id: str


EVERY = [One(id=str(number)) for number in range(20)]


def test_a_sample_keeps_its_order_and_counts_what_is_left_out() -> None:
    kept, left_out = drawn(EVERY, {"no answer": 2}, 5, seed=1)
    assert len(kept) == 5
    assert [*kept] == [one for one in EVERY if one in kept]
    assert left_out == {"no answer": 2, "not drawn": 15}
    assert drawn(EVERY, {}, 5, seed=1)[0] == kept
    assert drawn(EVERY, {}, 5, seed=2)[0] != kept
    assert drawn(EVERY, {"not drawn": 3}, None, seed=1) == (tuple(EVERY), {"not drawn": 3})
    assert drawn(EVERY, {"not drawn": 3}, 19, seed=1)[1] == {"not drawn": 4}


def test_other_questions_are_another_run() -> None:
    some: EvaluationSet[One] = EvaluationSet(units=tuple(EVERY[:3]), skipped={})
    assert some.digest() == EvaluationSet[One](units=tuple(EVERY[:3]), skipped={"no answer": 1}).digest()
    assert some.digest() != EvaluationSet[One](units=tuple(EVERY[:2]), skipped={}).digest()
