"""Draws docs/scale.svg from the row `scale` of results.yaml: each pattern's time against the number of facts, and below
it what a load, a refresh after a hundredth more facts and a search take."""

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
GROWN = {
    "load": "tables made, imported and indexed",
    "documents": "1 % more, in documents",
    "refresh": "questions refreshed after it",
    "bm25_p95_ms": "BM25",
}
MARKS = "os^vD<>pP*X"


def main() -> None:
    """Draw a panel each for the counts, the first rows, what grows and BM25; dashed: the goal at a million facts."""
    rows = yaml.safe_load((ROOT / "benchmarks" / "results.yaml").read_text(encoding="utf-8"))
    measured = next(row["measured"] for row in rows if row["name"] == "scale")
    graphs, growth = measured["graphs"], measured["made_tables"]["growth"]
    figure, ((*axes,), (grown, searched)) = plt.subplots(2, 2, figsize=(9, 7), sharex=True, layout="constrained")
    for axis, (field, title, goal) in zip(axes, PANELS, strict=True):
        _draw(axis, graphs, field)
        axis.axhline(goal, color="gray", linestyle="--", linewidth=1)
        axis.set(xscale="log", yscale="log", title=title, ylabel="seconds")
    for (name, title), mark in zip(GROWN.items(), MARKS, strict=False):
        axis = searched if name == "bm25_p95_ms" else grown
        axis.plot(*zip(*growth[name].items(), strict=True), marker=mark, markersize=4, linewidth=1, label=title)
        axis.set(xscale="log", xlabel="facts")
    grown.set(yscale="log", ylim=(1, 20_000), title="processor time", ylabel="seconds")
    searched.set(ylim=(0, 100), title="BM25, 95th percentile", ylabel="ms")
    grown.legend(loc="upper left", frameon=False)
    for axis in (*axes, grown, searched):
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
