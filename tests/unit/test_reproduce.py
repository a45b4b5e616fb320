"""The bounds of benchmarks/results.yaml: a collapse of any bounded figure is a FAIL."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks import reproduce

ROWS: list[dict[str, Any]] = yaml.safe_load((reproduce.ROOT / "benchmarks" / "results.yaml").read_text("utf-8"))
TIMES = ("minutes", "seconds", "hours")


def nested(values: dict[str, float]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path, value in values.items():
        *groups, name = path.split(".")
        at = found
        for group in groups:
            at = at.setdefault(group, {})
        at[name] = value
    return found


def outcome(row: dict[str, Any], found: dict[str, Any]) -> str:
    """The state of a row whose command prints these figures."""
    state, _ = reproduce._outcome(
        row | {"command": f'\'{sys.executable}\' -c \'print(r"""{json.dumps(found)}""")\'', "needs": {}}
    )
    return state


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_each_bound_can_fail(row: dict[str, Any]) -> None:
    for path, bound in row["expected"].items():
        assert not bound.keys() - {"min", "max"} and bound, path
        least = bound.get("min", 1)
        assert least != 0, f"{path}: nothing counted is below 0"
        for side, gone in (("min", min(0.0, least - 1)), ("max", 10 * abs(bound.get("max", 0)) + 1)):
            good, _ = reproduce._check(nested({path: gone}), path, bound)
            assert side not in bound or not good, f"{path}: {gone} is within {bound}"


def test_a_collapse_fails_the_row() -> None:
    row = next(row for row in ROWS if row["name"] == "raguard")
    measured = {path: bound.get("min", bound.get("max")) for path, bound in row["expected"].items()}
    assert outcome(row, nested(measured)) == "OK"
    for path in measured:
        gone = 1.0 if path == "absent" else 0.0
        assert outcome(row, nested(measured | {path: gone})) == "FAIL", path
    assert outcome(row, {}) == "FAIL", "nothing measured"


@pytest.mark.parametrize("name", ["data", "my data", "Ada's data"])
def test_a_row_finds_the_data_that_the_setting_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / name
    monkeypatch.setenv("KGS_TEST_DATA", str(folder))
    shown = "import json, sys; print(json.dumps({'skip': sys.argv[1]}))"
    row = {
        "command": f'{sys.executable} -c "{shown}" ${{KGS_TEST_DATA}}/set',
        "needs": {"${KGS_TEST_DATA}/set": "the set"},
    }
    assert reproduce._outcome(row) == ("SKIP", ["the set"])
    (folder / "set").mkdir(parents=True)
    assert reproduce._outcome(row) == ("SKIP", [str(folder / "set")])


def test_no_row_of_scores_is_bounded_by_time_alone() -> None:
    papers = ("robustness", "frames", "raguard", "plurihop", "distractors")
    for row in (row for row in ROWS if row["name"] in papers):
        assert any(path not in TIMES for path in row["expected"]), row["name"]
