"""Measures of rankings: those of trec_eval, and two that the papers add."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log2

Ranked = Sequence[str]


def measures(
    ranked: Ranked, grades: Mapping[str, int], ks: Sequence[int], misleading: Collection[str] = ()
) -> dict[str, float]:
    """Return every measure at every k, by names such as "recall@5".

    `ranked` has each document once, best first. A document with a grade above 0 is gold. Gain grows linearly with the
    grade, as in trec_eval. `all@k` is 1 if the first k hold all gold documents (HippoRAG). `misleading@k` is 1 if they
    hold a misleading one (RAGuard, section 5). Only queries with misleading documents have it, and its mean is
    misleading retrieval recall.
    """
    gold = {document for document, grade in grades.items() if grade > 0}
    row: dict[str, float] = {}
    for k in ks:
        first = ranked[:k]
        hits = sum(document in gold for document in first)
        row |= {
            f"precision@{k}": hits / k,
            f"recall@{k}": hits / len(gold) if gold else 0.0,
            f"ndcg@{k}": _ndcg(first, grades, k),
            f"hit_rate@{k}": float(hits > 0),
            f"mrr@{k}": next((1 / rank for rank, document in enumerate(first, 1) if document in gold), 0.0),
            f"map@{k}": _average_precision(first, gold),
            f"all@{k}": float(bool(gold) and hits == len(gold)),
        }
        if misleading:
            row[f"misleading@{k}"] = float(any(document in misleading for document in first))
    return row


def mean(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each measure over the queries that have it."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _mean([row[name] for row in rows if name in row]) for name in names}


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _ndcg(first: Ranked, grades: Mapping[str, int], k: int) -> float:
    ideal = _gain(sorted((grade for grade in grades.values() if grade > 0), reverse=True)[:k])
    return _gain([grades.get(document, 0) for document in first]) / ideal if ideal else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum(max(grade, 0) / log2(rank + 1) for rank, grade in enumerate(grades, 1))


def _average_precision(first: Ranked, gold: Collection[str]) -> float:
    """Return the mean over the gold documents of the precision at each, 0 for one that is not ranked."""
    total, hits = 0.0, 0
    for rank, document in enumerate(first, 1):
        if document in gold:
            hits += 1
            total += hits / rank
    return total / len(gold) if gold else 0.0
