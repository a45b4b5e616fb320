"""What a release asks, gives away and leaves out."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgservice.core.records import Fact, Question
from kgservice.questions.wording.relation_questions import one_way
from kgservice.releases.split import BOTH_SIDES, OVER, REPEATED, TOLD, drawn, for_training, parts
from tests.unit.releases import question

FACTS = [f"f{number}" for number in range(400)]


def given_away(fact: str) -> bool:
    (only,) = question("a", fact).facts
    return for_training(only)


TRAIN = [fact for fact in FACTS if given_away(fact)]
TEST = [fact for fact in FACTS if not given_away(fact)]


def test_three_tenths_of_the_facts_are_for_training() -> None:
    many = sum(given_away(f"fact {number}") for number in range(20_000))
    assert 0.29 < many / 20_000 < 0.31


@given(st.lists(st.lists(st.sampled_from(FACTS), min_size=1, max_size=3, unique=True), max_size=40), st.integers(1, 9))
def test_no_fact_is_on_both_sides_and_everything_is_counted(drawings: list[list[str]], per_pattern: int) -> None:
    questions = [question(f"{number:03}", *facts) for number, facts in enumerate(drawings)]
    found = parts(questions, per_pattern, 0, ())
    asked, given_away = ({fact.key for one in part for fact in one.facts} for part in (found.test, found.train))
    assert asked.isdisjoint(given_away)
    assert len(found.test) <= per_pattern
    ids = [one.id for one in (*found.test, *found.train)] + list(found.left_out)
    assert sorted(ids) == [one.id for one in questions]


def test_a_fact_in_two_periods_is_on_one_side() -> None:
    (fact,) = question("a", TEST[0]).facts
    assert not for_training(fact) and not for_training(fact.model_copy(update={"key": "another", "period": "2031"}))


@pytest.mark.parametrize(
    ("relation", "back"),
    [
        ("spouse", "spouse"), ("sibling", "sibling"), ("merger", "merger"), ("partner", "partner"),
        ("shares border with", "shares border with"), ("parent organization", "subsidiary"), ("capital", "capital of"),
        ("replaces", "replaced by"), ("father", "child"), ("mother", "child"), ("manufacturer", "product"),
    ],
)  # fmt: skip
def test_a_fact_is_on_one_side_in_whatever_direction_it_is_stated(relation: str, back: str) -> None:
    def stated(key: str, subject: str, said: str, obj: str) -> Question:
        fact = Fact(key=key, subject=subject, relation=said, object=obj, statements=())
        return question(key, key).model_copy(update={"facts": (fact,)})

    pairs = [(f"Ada {number}", f"Bea {number}") for number in range(40)]
    there = [stated(f"{at}a", one, relation, two) for at, (one, two) in enumerate(pairs)]
    back_again = [stated(f"{at}b", two, back, one) for at, (one, two) in enumerate(pairs)]
    found = parts([*there, *back_again], 99, 0, ())
    asked, given_away = ({one.id[:-1] for one in part} for part in (found.test, found.train))
    assert asked and given_away and asked.isdisjoint(given_away)
    told = {(two, back, one) for one, two in pairs}
    assert not parts(there, 99, 0, (), told).test
    assert not parts(there, 99, 0, (), (), told).train


def test_a_relation_of_two_directions_is_none_of_two_ends() -> None:
    """Who is whose father matters: "Ada, father, Bea" and "Bea, father, Ada" are two facts."""
    fact = Fact(key="a", subject="Ada", relation="father", object="Bea", statements=())
    sides = {for_training(fact.model_copy(update={"subject": f"Ada {at}"})) for at in range(40)}
    assert sides == {True, False}
    assert one_way("Ada", "father", "Bea") != one_way("Bea", "father", "Ada")


def test_reasons() -> None:
    questions = [
        question("a", TEST[0]),
        question("b", TEST[1], TRAIN[0]),
        question("c", TRAIN[1]),
        question("d", TEST[2]).model_copy(update={"question": "who is a?", "answers": ("Answer a",)}),
        question("e", TEST[3]),
    ]
    found = parts(questions, 1, 0, ["e"])
    assert [one.id for one in found.test] == ["e"]
    assert [one.id for one in found.train] == ["c"]
    assert found.left_out == {"a": OVER, "b": BOTH_SIDES, "d": REPEATED}


def test_facts_of_opened_answers_are_not_asked_about() -> None:
    questions = [question("a", TEST[0], TEST[1]), question("b", TEST[2]), question("c", TRAIN[0])]
    given_away = {("a", "r", TEST[1]), ("a", "r", TRAIN[0])}
    found = parts(questions, 9, 0, (), given_away)
    assert ([one.id for one in found.test], [one.id for one in found.train]) == (["b"], ["c"])
    assert found.left_out == {"a": TOLD}


def test_a_new_question_moves_no_older_one() -> None:
    questions = [question(f"{number:03}", fact) for number, fact in enumerate(TEST[:60])]
    first = parts(questions[:50], 20, 7, ())
    older = {one.id for one in first.test}
    assert len(older) == 20
    assert {one.id for one in parts(questions, 20, 7, older).test} == older
    shrunk = parts([one for one in questions if one.id != min(older)], 20, 7, older)
    assert len({one.id for one in shrunk.test} & older) == 19
    assert len(shrunk.test) == 20


def test_kinds_of_questions_take_turns() -> None:
    often = [question(f"o{number:02}", fact, relation="common") for number, fact in enumerate(TEST[:40])]
    seldom = [question(f"s{number:02}", fact, relation="rare") for number, fact in enumerate(TEST[40:43])]
    other = [question("x", TEST[50], pattern="single")]
    chosen = drawn([*often, *seldom, *other], 10, 3)
    assert Counter(one.id[0] for one in chosen) == {"o": 7, "s": 3, "x": 1}
    assert chosen == drawn([*other, *seldom, *often], 10, 3)
    assert chosen != drawn([*often, *seldom, *other], 10, 4)
