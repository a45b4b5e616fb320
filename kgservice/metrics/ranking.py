"""How good a ranking is: the measures of trec_eval, and the two that the papers add."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import log2

Ranked = Sequence[str]


def measures(
    ranked: Ranked, grades: Mapping[str, int], ks: Sequence[int], misleading: Collection[str] = ()
) -> dict[str, float]:
    """Return every measure at every k, by names such as "recall@5"; `ranked` names each document once, best first.

    A document with a grade above 0 is gold; gain grows linearly with the grade, as in trec_eval. `all@k` is 1 where
    the first k hold all gold documents (HippoRAG), `misleading@k` where they hold a misleading one (RAGuard, section 5:
    misleading retrieval recall is its mean over the queries that something can mislead; only they have it).
    """
    gold = {document for document, grade in grades.items() if grade > 0}
    found: dict[str, float] = {}
    for k in ks:
        first = ranked[:k]
        hits = sum(document in gold for document in first)
        found |= {
            f"precision@{k}": hits / k,
            f"recall@{k}": hits / len(gold) if gold else 0.0,
            f"ndcg@{k}": _ndcg(first, grades, k),
            f"hit_rate@{k}": float(hits > 0),
            f"mrr@{k}": next((1 / rank for rank, document in enumerate(first, 1) if document in gold), 0.0),
            f"map@{k}": _average_precision(first, gold),
            f"all@{k}": float(bool(gold) and hits == len(gold)),
        }
        if misleading:
            found[f"misleading@{k}"] = float(any(document in misleading for document in first))
    return found


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
    """Sum the precision at each gold document found; what is not found adds nothing."""
    total, hits = 0.0, 0
    for rank, document in enumerate(first, 1):
        if document in gold:
            hits += 1
            total += hits / rank
    return total / len(gold) if gold else 0.0
