"""Fits how retrieval over the graph weighs its evidence; writes kgservice/retrieval/ranking.json.

`collect` asks the questions of public training sets (benchmarks/retrieval_sets.py has them) and keeps each
candidate's signals; `fit` finds the weights, none below 0, under which gold passages come before others (softmax
of each gold passage among all others), every set counting alike. For each family of sets it also fits the weights
without it (benchmarks/retrieval_without.json): those judge the family, so no figure and its weights share data.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from own_graph import graph_of
from retrieval_quality import loaded

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.retrieval.evidence import GATES, SIGNALS
from kgservice.retrieval.graph import GraphRetriever
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.encoder import PACKAGED

FAMILIES = {  # sets of one origin are judged by weights that saw none of them
    "musique": ("musique", "single"),
    "hotpotqa": ("hotpotqa", "hotpotdev"),
    "2wiki": ("2wikidev",),
    "news": ("news",),
}
LIMIT = 110  # questions a set
DECAY = 0.003  # how dear large weights are, in units of a signal's spread
SHIPPED = ROOT / "kgservice" / "retrieval" / "ranking.json"
WITHOUT = ROOT / "benchmarks" / "retrieval_without.json"

Matrix: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Asked(NamedTuple):
    """A question's candidates: signal × gate, (n, 24), and which of them are gold, 1 or 0."""

    rows: Matrix
    gold: Matrix


def main() -> None:
    """Collect or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("collect", "fit"))
    parser.add_argument("folder", type=Path, help="where the signals are kept, a file a set")
    parser.add_argument("--set", action="append", choices=[name for sets in FAMILIES.values() for name in sets])
    options = parser.parse_args()
    names = options.set or [name for sets in FAMILIES.values() for name in sets]
    if options.what == "collect":
        with graph_of() as graph:
            for name in names:
                collect(graph, name, options.folder)
    else:
        fit_all(options.folder)


def collect(graph: Graph, name: str, folder: Path) -> None:
    """Keep the signals, gates and gold of a set's questions: one .npz of a set, arrays by question and part."""
    data, corpus = loaded(graph, name, embedder := Embedder())
    retriever = GraphRetriever(graph=graph, corpus=corpus, embedder=embedder, k=20)
    kept: dict[str, Any] = {}
    for at, question in enumerate(data.questions[:LIMIT]):
        gold = {keys.document_key(corpus, source) for source in question.gold}
        found = retriever.first_stage(question.text)
        evidence = retriever.evidence(found, *retriever.pool(found))
        kept[f"{at}.signals"] = evidence.signals
        kept[f"{at}.gates"] = np.array(evidence.trust.gates)
        kept[f"{at}.gold"] = np.array([chunk[: keys.KEY] in gold for chunk in evidence.chunks], dtype=float)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(folder / f"{name}.npz", **kept)


def read(folder: Path, name: str) -> list[Asked]:
    """Return the questions of a set that can teach: some gold and some other candidate."""
    kept = np.load(folder / f"{name}.npz")
    count = sum(1 for key in kept.files if key.endswith(".gold"))
    asked = [
        Asked((kept[f"{at}.signals"][:, :, None] * kept[f"{at}.gates"]).reshape(-1, len(SIGNALS) * len(GATES)),
              kept[f"{at}.gold"])
        for at in range(count)
    ]  # fmt: skip
    return [one for one in asked if 0 < one.gold.sum() < len(one.gold)]


def fit_all(folder: Path) -> None:
    """Write the weights of all sets, and those without each family."""
    sets = {name: read(folder, name) for names in FAMILIES.values() for name in names}
    without = {
        family: described(fitted([one for name, one in sets.items() if name not in left_out]),
                          [name for name in sets if name not in left_out])
        for family, left_out in FAMILIES.items()
    }  # fmt: skip
    SHIPPED.write_text(json.dumps(described(fitted(list(sets.values())), list(sets)), indent=1) + "\n")
    WITHOUT.write_text(json.dumps(without, indent=1) + "\n")


def described(weights: Matrix, names: list[str]) -> dict[str, Any]:
    """Return weights as kgservice.retrieval.evidence.Ranking reads them."""
    table = np.round(weights.reshape(len(SIGNALS), len(GATES)), 4)
    how = f"benchmarks/retrieval_fit.py fit, encoder {PACKAGED}, {LIMIT} questions at most of each: {', '.join(names)}"
    return {"how": how, "weights": dict(zip(SIGNALS, table.tolist(), strict=True))}


def fitted(sets: list[list[Asked]]) -> Matrix:
    """Return the weights of signal × gate that put gold first in these sets, each set counting alike."""
    each = [(one, 1 / len(asked)) for asked in sets for one in asked]
    rows, gold = np.concatenate([one.rows for one, _ in each]), np.concatenate([one.gold for one, _ in each])
    counts = np.array([len(one.gold) for one, _ in each])
    share = np.concatenate([np.full(len(one.gold), weight / one.gold.sum()) for one, weight in each]) * gold
    start = np.cumsum(counts) - counts
    spread = rows.std(axis=0) + 1e-9

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        scores = rows @ (weights / spread)
        scores -= np.repeat(np.maximum.reduceat(scores, start), counts)
        powers = np.exp(scores)
        others = powers * (1 - gold)
        below = np.repeat(np.add.reduceat(others, start), counts) + powers  # a gold passage beside all that is not
        value = -(share * (scores - np.log(below))).sum() + DECAY * weights @ weights
        pulled = np.repeat(np.add.reduceat(share / below, start), counts) * others
        slope = pulled - share * (1 - powers / below)
        return float(value), (rows.T @ slope) / spread + 2 * DECAY * weights

    bounds = [(0, None)] * rows.shape[1]
    found = minimize(loss, np.full(rows.shape[1], 0.3), jac=True, bounds=bounds, method="L-BFGS-B")
    weights: Matrix = found.x / spread
    return weights


if __name__ == "__main__":
    main()
