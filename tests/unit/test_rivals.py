"""The first rivals of a claim are those of a whole reading, and what is behind them is not read."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from kgservice.questions.rivals import RivalAnswer, first_rivals, same

RIVAL = st.builds(RivalAnswer, st.sampled_from("abcd"), st.sampled_from("xyz"), st.sampled_from("123"))


@given(st.lists(RIVAL), st.integers(1, 4))
def test_they_are_the_first_of_all(found: list[RivalAnswer], most: int) -> None:
    found.sort(key=lambda one: one.sentence)
    assert first_rivals(found, most) == tuple(sorted(set(found))[:most])


def test_sentences_behind_them_are_not_read() -> None:
    def reading() -> Iterator[RivalAnswer]:
        for name in "zyx":
            yield RivalAnswer("a", name, "1")
        yield RivalAnswer("b", "x", "1")
        raise AssertionError("read on")

    assert [one.name for one in first_rivals(reading(), 2)] == ["x", "y"]


def test_initials_are_of_the_other_name() -> None:
    assert same("UOL", ["University of Lunsk"])
    assert not same("Lunsk Records", ["A.O.R."])
