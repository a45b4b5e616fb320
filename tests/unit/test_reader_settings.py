"""The extractive reader's weights are those that the benchmark chose."""

from __future__ import annotations

from pathlib import Path

import yaml

from kgservice.answering.extractive import ReaderWeights

SETTINGS = Path(__file__).parents[2] / "benchmarks" / "reader_settings.yaml"


def test_the_chosen_weights_are_the_defaults() -> None:
    given = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
    assert given["weights"] == ReaderWeights()._asdict()
