"""Which names are candidates for one thing, what forbids it, and that no name is too strange to be taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgservice.names.spelling import blocks, forbidden, in_capitals, is_vague, name, partners, rank, way

ONE = [
    ("The Beatles", "Beatles", "exact"),
    ("Kim Jong-un", "Kim Jong Un", "exact"),
    ("Leader of Opposition", "leader of the opposition", "exact"),
    ("Québec", "Quebec", "lexical"),
    ("South East Asia", "Southeast Asia", "lexical"),
    ("Murtala Muhammed Airport", "Murtala Mohammed Airport", "lexical"),
    ("Vienna", "Vienna, Austria", "longer"),
    ("Acme", "Acme, Inc.", "form"),
    ("True Grit", "True Grit (2010 film)", "form"),
    ("BC", "B.C.", "exact"),
    ("PORT AMBREL", "Port Ambrel", "exact"),
    ("NIKE", "Nike", "exact"),
    ("Louisville", "Louisville, Kentucky, United States", "longer"),
    ("Louisville, Kentucky", "Louisville, Kentucky, United States", "longer"),
    ("John Taylor", "John H. Taylor", "longer"),
    ("U.N.", "United Nations", "acronym"),
    ("NSS", "The Northern Song Society", "acronym"),
]
TWO = [
    ("Vitamin A", "Vitamin", "other numbers"),
    ("Live in Japan", "Live in Japan, Vol. 1", "other numbers"),
    ("Mike Conley", "Mike Conley Jr.", "other numbers"),
    ("John A. Smith", "John B. Smith", "other initials"),
    ("IT", "It", "capitals alone"),
    ("True Grit (2010 film)", "True Grit (1969 film)", "other brackets"),
    ("Buffalo", "buffalo", "a name and a common word"),
    ("the mountains", "mountains", "a certain one and a common word"),
]
APART = [("ASR1603", "ASR1605"), ("Mario Rossi", "Maria Rossi"), ("Andrew Johnson", "Andrew Johnston"),
         ("congregation", "congregations"), ("1990 Games", "1994 Games"), ("Henry III", "Henry VIII")]  # fmt: skip


def meet(one: str, other: str) -> bool:
    return any(partners(block) in blocks(name(other)) for block in blocks(name(one)))


@pytest.mark.parametrize(("one", "other", "expected"), ONE)
def test_names_of_one_thing_meet_and_are_not_forbidden(one: str, other: str, expected: str) -> None:
    assert meet(one, other)
    assert meet(other, one)
    assert not forbidden(name(one), name(other))
    for pair in ((one, other), (other, one)):
        found = way(*map(name, pair))
        assert found is not None
        assert found[0] == expected


@pytest.mark.parametrize(("one", "other", "reason"), TWO)
def test_what_forbids_a_merge(one: str, other: str, reason: str) -> None:
    assert forbidden(name(one), name(other)) == forbidden(name(other), name(one)) == reason


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_only_look_alike_are_no_candidates(one: str, other: str) -> None:
    assert not meet(one, other) or forbidden(name(one), name(other)) or way(name(one), name(other)) is None


@pytest.mark.parametrize(
    ("one", "other", "vague"),
    [("The Court", "Court", True), ("first congress", "First Congress", True), ("The Clock Tower", "Clock Tower", True),
     ("The German", "German", True), ("liberal party", "Liberal Party", True), ("post office", "Post office", False),
     ("the United States", "United States", False), ("Kraus", "The Kraus", False),
     ("country music", "Country Music", False), ("The Red River", "Red River", False), ("Court", "Court", False)],
)  # fmt: skip
def test_what_several_things_are_called(one: str, other: str, vague: bool) -> None:
    assert is_vague(name(one), name(other)) is is_vague(name(other), name(one)) is vague


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60))
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    left, right = name(one), name(other)
    assert forbidden(left, right) == forbidden(right, left)
    assert (way(left, right) is None) == (way(right, left) is None)
    assert is_vague(left, right) in (True, False)
    assert (rank(left) < rank(right)) == (rank(right) > rank(left))


def test_a_name_without_letters_or_too_long_is_nobodys_candidate() -> None:
    assert blocks(name("😀 🎉")) == blocks(name("a" * 10_000)) == frozenset()


def test_a_name_in_mixed_case_stays() -> None:
    for label in ("ORR CORPORATION", "McORR CORPORATION", "NASA"):
        assert in_capitals(label)
    assert not any(map(in_capitals, ("McOrr Corporation", "Nasa", "IBM Germany", "AT&T Inc.")))
    assert min(("McORR CORPORATION", "McOrr Corporation"), key=lambda one: rank(name(one))) == "McOrr Corporation"
