"""What speaks for a passage, and how far each kind of evidence is trusted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from kgservice.retrieval.evidence import GATES, SIGNALS, PassageSignals, Ranking, Trust, packaged, signals, trust
from kgservice.retrieval.walk.query_names import QueryName

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)


def test_a_passage_has_six_signals() -> None:
    rows = signals(column(0.5, 0.05, 0), column(0.8, 0.2, 0.2), column(0, 8, 4), column(0, 0.9, 0.1), column(0, 1, 0))
    assert rows.shape == (3, len(SIGNALS))
    walk, cosine, words, gain, bridge, page = rows.T
    assert walk.tolist() == [0, pytest.approx(np.log(0.1)), -9]
    assert cosine.sum() == pytest.approx(0)
    assert words.tolist() == [0, 1, 0.5]
    assert gain[0] == gain[2] == bridge[2] == 0  # no bridge, and one that is further than the query
    assert gain[1] > bridge[1] > 0
    assert page.tolist() == [0, 1, 0]


def test_words_count_by_what_the_twentieth_passage_lacks() -> None:
    none = column(*[0.0] * 25)
    flat, peaked = column(*[9.5] * 5, *[9] * 20), column(10, *[2] * 24)
    words = [signals(none, none, scores, none, none)[:, SIGNALS.index("words")] for scores in (flat, peaked)]
    assert words[0].tolist() == [pytest.approx(0.5 / 9.5)] * 5 + [0] * 20
    assert words[1].tolist() == [pytest.approx(0.8)] + [0] * 24


def test_nothing_found_has_no_signal() -> None:
    none = column()
    assert signals(none, none, none, none, none).shape == (0, len(SIGNALS))
    assert signals(column(0), column(0), column(0), column(0), column(0)).tolist() == [[0] * len(SIGNALS)]


def test_names_are_trusted_by_their_pages_and_their_share_of_the_query() -> None:
    film, place = QueryName("f", "Harbour Lights", 2), QueryName("p", "Varnia", 2)
    assert trust("Who directed Harbour Lights?", [film], {"f"}) == Trust(1.0, 1.0)
    assert trust("Who directed Harbour Lights in Varnia?", [film, place], {"f"}).paged == pytest.approx(0.5)
    long = trust("Which studio did critics say made the loudest film of the decade in Varnia?", [place], set())
    assert long.paged == 0
    assert 0 < long.named < 0.5
    assert trust("Who?", [], set()) == Trust(0.0, 0.0)


def test_more_of_a_signal_never_lowers_a_score() -> None:
    rows = np.random.default_rng(0).normal(size=(20, len(SIGNALS)))
    for shares in (Trust(0, 0), Trust(1, 0), Trust(0, 1), Trust(0.3, 0.7)):
        before = PassageSignals(tuple("abcdefghijklmnopqrst"), rows, shares).scores(packaged())
        for at in range(len(SIGNALS)):
            more = rows.copy()
            more[:, at] += 1
            after = PassageSignals(tuple("abcdefghijklmnopqrst"), more, shares).scores(packaged())
            assert all(after[key] >= before[key] for key in before)


def test_weights_say_what_they_were_fitted_on() -> None:
    without = json.loads((BENCHMARKS / "retrieval_without.json").read_text(encoding="utf-8"))
    for name, one in [("", packaged()), *((name, Ranking(**row)) for name, row in without.items())]:
        assert set(one.weights) == set(SIGNALS)
        assert all(len(row) == len(GATES) and min(row) >= 0 for row in one.weights.values())
        assert not name or name not in one.how.partition("each: ")[2]
