"""Item response with two parameters: on answers drawn by the model itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import kendalltau

from kgservice.core.errors import BadRequest
from kgservice.gate.baseline import Baseline, BaselineHead
from kgservice.gate.cases import chosen
from kgservice.gate.discrimination import fit, most_telling, places
from kgservice.gate.verdict import CaseVerdict
from tests.unit.gated import cases

QUESTIONS, SYSTEMS, CHOSEN = 400, 16, 40


def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which systems are right at which questions, how able each is and how hard each question."""
    luck = np.random.default_rng(0)
    sharp, hard = np.exp(luck.normal(0, 0.6, QUESTIONS)), luck.normal(0, 1.3, QUESTIONS)
    able = np.linspace(-0.8, 0.8, SYSTEMS)[luck.permutation(SYSTEMS)]
    return luck.random((SYSTEMS, QUESTIONS)) < expit(sharp * (able[:, None] - hard)), able, hard


def test_abilities_and_hardness_are_found_again_and_chosen_questions_rank_other_systems() -> None:
    right, able, hard = drawn()
    half = SYSTEMS // 2
    fitted = fit(right[:half])
    assert np.corrcoef(fitted.abilities, able[:half])[0, 1] > 0.95
    assert np.corrcoef(fitted.hardness, hard)[0, 1] > 0.7
    others, luck = right[half:], np.random.default_rng(1)
    whole = others.mean(1)

    def tau(picked: object) -> float:
        return float(kendalltau(others[:, picked].mean(1), whole).statistic)

    best = most_telling(fitted, CHOSEN)
    assert len(set(best)) == CHOSEN
    by_chance = [tau(luck.choice(QUESTIONS, CHOSEN, replace=False)) for _ in range(100)]
    assert tau(best) > np.quantile(by_chance, 0.75)
    assert most_telling(fitted, CHOSEN) == most_telling(fit(right[:half]), CHOSEN)


def test_questions_that_tell_systems_apart_come_first() -> None:
    """Of systems that differ at ten questions alone, these ten are asked; of one of before, what it was."""
    found = cases(30).cases
    tell = {one.id for one in found[10:20]}
    runs = [
        Baseline(head=BaselineHead(corpus="towns", seed=0), verdicts=tuple(
            CaseVerdict(
                id=one.id, question=one.question, digest=one.digest, facts=one.facts, about=one.about, found=None,
                right=one.id not in tell or at < able,
            ) for at, one in enumerate(found, -10)
        )) for able in (0, 3, 5, 8, 10)
    ]  # fmt: skip
    placed = places(runs)
    assert {one.id for one in chosen(found, 10, 0, None, placed)} == tell
    assert len(chosen(found, 30, 0, None, placed)) == 30
    first = chosen(found, 10, 0, {found[0].question: found[0].about}, placed)
    assert found[0] in first
    with pytest.raises(BadRequest, match="3 systems"):
        places(runs[:2])
