"""Whether 50 questions, chosen by item response, rank eight retrievers as a thousand others do.

    .venv/bin/python benchmarks/discrimination.py [--draws 200]

MuSiQue's passages with triples by gpt-3.5, and their questions. A retriever is right that has every fact of a question
in its first k passages. The 50 are chosen by bm25 and dense at odd k, and judge others at even k: hybrid, graph and
both re-rankings. `tau` is Kendall's of their means over the 50 with their means over all others; `tau_by_chance`, of 50
drawn questions, is the mean of many draws, and `as_good` is how many of these do as well.

Item response with two parameters: a system of ability t is right at a question with the chance s(a (t - b)); b is how
hard the question is, a how sharply it divides. A question tells most, a * a * p * (1 - p), about systems near its b
(Lord, 1980, Applications of Item Response Theory).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import kendalltau

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import Remembering, Silent, own_graph
from retrieval_sets import DATA

from kgservice.exchange.exchange_rows import Tables, tables
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.question_store import questions
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval import retrieve
from kgservice.retrieval.reranker import SentenceScorer
from kgservice.vectors.embedder import Embedder

FILE, CORPUS, LIMIT, CHOSEN = "hipporag/musique_train100_openie_gpt35.jsonl.gz", "telling", 120, 50
OUT = tuple(pattern for pattern in PATTERNS if pattern != "pluri_hop")  # these documents have no metadata
CHOOSING = [(name, k) for name in ("bm25", "dense") for k in (1, 3, 7, 15)]
JUDGED = [(name, k) for name in ("hybrid", "graph", "rerank:bm25", "rerank:dense") for k in (2, 6)]


Floats: TypeAlias = npt.NDArray[np.float64]
SPREADS = (1.0, 0.5, 1.5)  # standard deviations of the priors of ability, log a and b


def main() -> None:
    """Load, ask, retrieve, choose and compare; print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    draws = parser.parse_args().draws
    if not (DATA / FILE).is_file():
        print(json.dumps({"skip": f"no {DATA / FILE}: KGS_TEST_DATA names the folder of public data"}))
        return
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as name, own_graph() as graph:
        plain, embedder = Path(name) / "passages.jsonl", Remembering()
        plain.write_bytes(gzip.decompress((DATA / FILE).read_bytes()))
        load(graph, read("triplets", [plain]), CORPUS, Recipe(), embedder, Silent())
        generate(graph, CORPUS, Plan(patterns=OUT, limit=LIMIT, second_look=False))
        found = tables(graph, CORPUS, list(questions(graph, CORPUS, state="active")))
        print(json.dumps(compared(verdicts(graph, embedder, found), draws)))


def verdicts(graph: Graph, embedder: Embedder, found: Tables) -> dict[tuple[str, int], list[bool]]:
    """Return which questions each retriever is right at."""
    held = defaultdict[str, dict[str, set[str]]](lambda: defaultdict(set))
    for row in found.evidence:
        held[row["question"]][row["fact"]].add(row["text"])
    score, right = SentenceScorer(embedder), dict[tuple[str, int], list[bool]]()
    for name in dict.fromkeys(name for name, _ in CHOOSING + JUDGED):
        sizes = [k for other, k in CHOOSING + JUDGED if other == name]
        for one in found.questions:
            hits = retrieve(graph, CORPUS, name, one["question"], max(sizes), embedder, scorer=score)
            for k in sizes:
                first = {hit.chunk for hit in hits[:k]}
                right.setdefault((name, k), []).append(all(texts & first for texts in held[one["id"]].values()))
    return right


def compared(right: dict[tuple[str, int], list[bool]], draws: int) -> dict[str, Any]:
    """Choose by some systems and rank the others."""
    choosing, judged = (np.array([right[one] for one in systems]) for systems in (CHOOSING, JUDGED))
    luck, number = np.random.default_rng(0), judged.shape[1]

    def tau(picked: Any) -> float:
        others = np.setdiff1d(np.arange(number), picked)
        return float(kendalltau(judged[:, picked].mean(1), judged[:, others].mean(1)).statistic)

    fitted = fit(choosing)
    chosen = tau(most_telling(fitted, CHOSEN))
    drawn = np.array([tau(luck.choice(number, CHOSEN, replace=False)) for _ in range(draws)])
    return {
        "questions": number, "chosen": CHOSEN, "tau": round(chosen, 4), "tau_by_chance": round(float(drawn.mean()), 4),
        "as_good": round(float((drawn >= chosen).mean()), 4),
        "tau_of_200": round(tau(most_telling(fitted, 200)), 4),
        "means": {f"{name}@{k}": round(float(row.mean()), 4) for (name, k), row in zip(JUDGED, judged, strict=True)},
    }  # fmt: skip


class ItemResponse(NamedTuple):
    """Abilities of the systems; sharpness a and hardness b of the questions."""

    abilities: Floats
    sharpness: Floats
    hardness: Floats

    @property
    def information(self) -> Floats:
        """What each question tells about each system, (systems, questions)."""
        chance = expit(self.sharpness * (self.abilities[:, None] - self.hardness))
        told: Floats = self.sharpness**2 * chance * (1 - chance)
        return told


def fit(right: npt.NDArray[np.bool_]) -> ItemResponse:
    """Fit abilities and both parameters to verdicts, (systems, questions), at their most likely values."""
    sizes = [len(right), *[right.shape[1]] * 2]
    ends, spreads = np.cumsum(sizes)[:2], np.repeat(SPREADS, sizes)
    signs = np.where(right, 1.0, -1.0)

    def loss(given: Floats) -> tuple[float, Floats]:
        ability, log_sharp, hard = np.split(given, ends)
        sharp, apart = np.exp(log_sharp), ability[:, None] - hard
        logits = signs * sharp * apart
        missed = signs * expit(-logits)
        slopes = [-(missed * sharp).sum(1), -(missed * apart * sharp).sum(0), (missed * sharp).sum(0)]
        value = ((given / spreads) ** 2).sum() / 2 - log_expit(logits).sum()
        return float(value), np.concatenate(slopes) + given / spreads**2

    start = np.zeros(sum(sizes))
    start[: len(right)] = right.mean(1) - right.mean()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 2_000})
    ability, log_sharp, hard = np.split(found.x, ends)
    return ItemResponse(ability, np.exp(log_sharp), hard)


def most_telling(fitted: ItemResponse, number: int) -> list[int]:
    """Return so many questions that tell most about all of the systems, the most telling first.

    Each is the one that adds most to the sum over systems of log(1 + what is told), so that none is left out.
    """
    told, known = fitted.information, np.zeros(len(fitted.abilities))
    free = np.ones(told.shape[1], bool)
    chosen: list[int] = []
    for _ in range(min(number, told.shape[1])):
        gain = np.log1p(known[:, None] + told).sum(0)
        best = int(np.where(free, gain, -np.inf).argmax())
        free[best] = False
        known += told[:, best]
        chosen.append(best)
    return chosen


if __name__ == "__main__":
    main()
