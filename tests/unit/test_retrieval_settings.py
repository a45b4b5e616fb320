"""The settings that the retrieval benchmark passes are the retriever's own."""

from __future__ import annotations

from pathlib import Path

import yaml

from kgservice.retrieval.graph import WalkWeights
from kgservice.retrieval.walk import neighbourhood

SETTINGS = Path(__file__).parents[2] / "benchmarks" / "retrieval_settings.yaml"


def test_the_benchmarks_settings_are_the_defaults() -> None:
    given = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
    assert given["weights"] == WalkWeights().model_dump()
    assert given["bounds"] == {name: getattr(neighbourhood, name) for name in given["bounds"]}
