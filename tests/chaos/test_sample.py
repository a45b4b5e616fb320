"""A short sample of `make chaos`: releases and refreshes that are killed and done again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import Address


def test_some_kills(address: Address, corpus: str, tmp_path: Path) -> None:
    settings = {"KGS_NEO4J_URI": address.uri, "KGS_NEO4J_USER": address.user, "KGS_NEO4J_PASSWORD": address.password}
    chosen = [
        "--only",
        "release",
        "--only",
        "refresh",
        "--share",
        "0.06",
        "--size",
        "0.5",
        "--corpus",
        corpus,
        "--here",
    ]
    # a process of its own: work is forked from it, which this one with its threads should not be
    command = [sys.executable, "-m", "tests.chaos", *chosen, "--out", tmp_path / "kills.jsonl"]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, timeout=240, check=False)
    assert "in all" in done.stdout, done.stderr
    outcomes = [json.loads(line) for line in (tmp_path / "kills.jsonl").read_text().splitlines()]
    assert {one["scenario"] for one in outcomes} == {"release", "refresh"}
    assert all(one["graph"] and one["questions"] for one in outcomes), done.stdout
    assert any(kill["mid_write"] for one in outcomes for kill in one["kills"])
