"""What a leaderboard lets out, and the simulated attacks on it in short."""

from __future__ import annotations

from statistics import fmean

import pytest

from benchmarks.ladder import ATTACKS, simulate
from kgservice.leaderboard.ladder import ANSWERS, RISES, in_public_half, rises, rounded, step


def test_half_of_the_questions_are_public_by_their_keys() -> None:
    many = sum(in_public_half(f"question {number}") for number in range(20_000))
    assert 0.49 < many / 20_000 < 0.51


def test_one_answer_cannot_be_seen() -> None:
    for questions in (20, 150, 320, 5_000):
        shown = {rounded(right / questions, questions) for right in range(questions + 1)}
        assert len(shown) <= questions / ANSWERS + 2
        assert max(shown) == 1.0
        base = [1.0] * (questions // 2) + [0.0] * (questions - questions // 2)
        assert not rises([*base[:-1], 1.0], base, 0, 1)
    assert step(5_000) == 0.02


@pytest.mark.parametrize("questions", [4, 5, 7, 9, 13, 50, 82, 108, 150, 199, 201, 5_000])
def test_a_perfect_score_is_shown_as_one(questions: int) -> None:
    assert rounded(1.0, questions) == 1.0
    assert rounded(0.0, questions) == 0.0
    assert step(questions) * questions >= ANSWERS


def test_a_half_of_fewer_questions_than_a_step_has_tells_nothing_of_one_answer() -> None:
    assert {rounded(right / questions, questions) for questions in (1, 2) for right in range(questions + 1)} == {0.0}


def test_a_clear_gain_rises_until_the_release_has_shown_enough() -> None:
    base, better = [0.0] * 300, [1.0] * 60 + [0.0] * 240
    assert rises(base, None, 0, 0)
    assert rises(better, base, 0, 1)
    assert not rises(base, better, 0, 1)
    assert not rises(better, base, 0, RISES)
    assert not rises([], None, 0, 0)
    # 60 answers changed, 9 net for the better: chance, the more comparisons there were
    mixed = [1.0] * 46 + [0.0] * 14 + [1.0] * 14 + [0.0] * 226
    held = [0.0] * 46 + [1.0] * 14 + [1.0] * 14 + [0.0] * 226
    assert rises(mixed, held, 0, 1)
    assert not rises(mixed, held, 1_000, 1)


@pytest.mark.parametrize("attack", sorted(ATTACKS))
def test_diagnostic_patterns_gain_nothing_on_the_private_half_and_a_point_at_most_on_the_public_one(
    attack: str,
) -> None:
    gains = [simulate("ladder", attack, seed, probes=400) for seed in range(5)]
    assert fmean(one.private for one in gains) < 1
    assert fmean(one.public for one in gains) < 1


def test_with_raw_scores_they_gain_without_bound() -> None:
    few, many = (simulate("raw", "flips", 1, probes=probes) for probes in (100, 600))
    assert many.private > 10
    assert many.private > 2 * few.private > 0
