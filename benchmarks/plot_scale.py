"""Draws docs/scale.svg: time of each pattern against the number of facts, from the row `scale` of results.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import yaml

matplotlib.use("svg")
matplotlib.rcParams |= {"svg.hashsalt": "kgservice", "svg.fonttype": "none", "font.size": 9}

from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
PANELS = (("count_seconds", "all eligible, counted", 5.0), ("first_1000_seconds", "first 1,000 rows", 0.3))
MARKS = "os^vD<>pP*X"


def main() -> None:
    """Draw one panel for the counts and one for the first rows; the dashed line is the goal at a million facts."""
    rows = yaml.safe_load((ROOT / "benchmarks" / "results.yaml").read_text(encoding="utf-8"))
    graphs = next(row["measured"]["graphs"] for row in rows if row["name"] == "scale")
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharex=True, layout="constrained")
    for axis, (field, title, goal) in zip(axes, PANELS, strict=True):
        _draw(axis, graphs, field)
        axis.axhline(goal, color="gray", linestyle="--", linewidth=1)
        axis.set(xscale="log", yscale="log", title=title, xlabel="facts", ylabel="seconds")
        axis.grid(alpha=0.3)
    axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False)
    figure.savefig(ROOT / "docs" / "scale.svg", metadata={"Date": None})


def _draw(axis: Any, graphs: dict[int, dict[str, dict[str, float]]], field: str) -> None:
    patterns = dict.fromkeys(pattern for measured in graphs.values() for pattern in measured)
    for pattern, mark in zip(patterns, MARKS, strict=False):
        points = sorted((facts, measured[pattern][field]) for facts, measured in graphs.items() if pattern in measured)
        axis.plot(*zip(*points, strict=True), marker=mark, markersize=4, linewidth=1, label=pattern)


if __name__ == "__main__":
    main()
