"""Fits what linking decides by, on the half that measures nothing, and writes kgservice/linking/weights.json.

The rule of the shortlist (how many of the five by score, what prominence is worth beside the cosine) is chosen by
recall on mentions whose own half of these fitted no score; then the second score and its threshold are fitted on all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]

import numpy as np
from linking_data import DATA, DATASETS, Case, built, cases, has, mentions, phrases
from scipy.optimize import minimize

from kgservice.linking.candidate_score import (
    TOP,
    LinkingWeights,
    Sought,
    by_name,
    in_context,
    prospects,
    score,
    shortlist,
    weights,
)
from kgservice.linking.candidates import Candidates
from kgservice.linking.relation_properties import Properties
from kgservice.linking.wikidata_index import Wikidata, described
from kgservice.vectors.embedder import Embedder

WEIGHTS = Path(__file__).parents[1] / "kgservice" / "linking" / "weights.json"
SEED = 7
FAME = (0.0, 0.02, 0.05, 0.1, 0.2)  # as a cosine, of a tenfold prominence
SMALL = 1e-5  # how much a weight's square costs
SURE = 0.95  # share of phrases of the fitting half that mean the property they are linked to


def main() -> None:
    """Fit, write the weights, and print them with the recall of each rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, help="keep the index in this folder, or use the one that is there")
    parser.add_argument(
        "--rules", type=int, metavar="N", help="only the recall of each rule, on N mentions; write nothing"
    )
    options = parser.parse_args()
    if not (DATA / "codex").exists():
        print(json.dumps({"skip": f"no CoDEx data at {DATA}; set KGS_TEST_DATA"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = built((options.index or Path(folder)) / "wikidata.sqlite", vectors=True)
        with Wikidata(path) as index:
            candidates = Candidates(index, Embedder())
            properties = Properties(index, candidates)
            if options.rules:
                print(
                    json.dumps(
                        {"recall_by_rule": _printed(_rules(index, _drawn(candidates, options.rules), weights()))}
                    )
                )
                return
            relation = fitted(_relation_rows(properties))
            made = _write(weights().model_copy(update={"relation": relation}))
            made = _write(made.model_copy(update={"relation_threshold": _relation_threshold(properties)}))
            found = list(cases(candidates, properties, fitting=True))
            tried = _rules(index, found, made)
            likely, fame = max(tried, key=lambda rule: (tried[rule], -rule[0], -rule[1]))
            how = f"benchmarks/linking_fit.py: {len(found)} mentions and {len(index.properties)} properties to fit"
            first = {"how": how, "shortlist": _first(found), "likely": likely, "fame": fame}
            made = _write(made.model_copy(update=first))
            decision, threshold = _second(index, candidates, found)
            made = _write(made.model_copy(update={"decision": decision, "threshold": threshold}))
            print(json.dumps({"recall_by_rule": _printed(tried), "weights": made.model_dump()}))


def _drawn(candidates: Candidates, count: int) -> list[Case]:
    """Some mentions of the fitting half with their candidates alone: the shortlist knows no more."""
    drawn = random.Random(SEED).sample(mentions(fitting=True), count)
    candidates.look_up((one.name, True) for one in drawn)
    return [Case(one, Sought(one.name, one.sentence), candidates.of(one.name)) for one in drawn]


def _printed(tried: dict[tuple[int, float], float]) -> dict[str, float]:
    return {f"{count} by score, fame {round(100 * worth)}/100": recall for (count, worth), recall in tried.items()}


def _rules(index: Wikidata, found: Sequence[Case], given: LinkingWeights) -> dict[tuple[int, float], float]:
    """Recall@5 of each rule, the mean of the three sets; each half is looked at with the other half's first score."""
    halves: tuple[list[Case], list[Case]] = ([], [])
    for case in found:
        halves[hashlib.blake2b(case.mention.unit.encode()).digest()[2] % 2].append(case)
    scores = [given.model_copy(update={"shortlist": _first(half)}) for half in halves]
    hits: dict[tuple[int, float], dict[str, list[bool]]] = {
        (likely, fame): {data: [] for data in DATASETS} for likely in range(1, TOP + 1) for fame in FAME
    }
    for half, other in zip(halves, reversed(scores), strict=True):
        for case in half:
            if has(index, case.mention.gold):
                for rule, by_data in hits.items():
                    using = other.model_copy(update={"likely": rule[0], "fame": rule[1]})
                    kept = [one.item.number for one in shortlist(case.mention.name, case.found, using)]
                    by_data[case.mention.data].append(case.mention.gold in kept)
    return {rule: round(float(np.mean([np.mean(own) for own in sets.values()])), 4) for rule, sets in hits.items()}


def _worth(found: Sequence[Case]) -> dict[str, float]:
    """What a mention of each set counts: the three sets the same together."""
    return {data: 1 / count for data, count in Counter(case.mention.data for case in found).items()}


def _first(found: Sequence[Case]) -> dict[str, float]:
    """The weights of the first score: the name alone."""
    worth = _worth(found)
    return fitted(
        (by_name(c.mention.name, one), one.item.number == c.mention.gold, worth[c.mention.data])
        for c in found for one in c.found
    )  # fmt: skip


def _second(index: Wikidata, candidates: Candidates, found: Sequence[Case]) -> tuple[dict[str, float], float]:
    """The weights of the second score and the threshold with which most mentions are right, the mean of the sets."""
    worth = _worth(found)
    short = [(case, prospects(case.sought, case.found, index)) for case in found]
    candidates.learn(case.sought.sentence for case in found)
    candidates.learn(described(one.candidate.item) for _, known in short for one in known)
    rows = [
        (
            case,
            [
                (one.told | in_context(case.sought, one.candidate, candidates), one.candidate.item.number)
                for one in known
            ],
        )
        for case, known in short
    ]
    decision = fitted(
        (told, item == case.mention.gold, worth[case.mention.data]) for case, known in rows for told, item in known
    )
    best = []
    for case, known in rows:
        probability, item = max(((score(told, decision), item) for told, item in known), default=(0.0, 0))
        best.append((probability, item == case.mention.gold, has(index, case.mention.gold), worth[case.mention.data]))
    steps = [step / 100 for step in range(10, 80, 2)]

    def right(least: float) -> float:
        return sum(share * (hit if p >= least else not known) for p, hit, known, share in best)

    return decision, max(steps, key=right)


def _relation_rows(properties: Properties) -> Iterator[tuple[dict[str, float], bool, float]]:
    for said, gold in phrases(fitting=True):
        for features, one in properties.compared(said):
            yield features, one.number == gold, 1.0


def _relation_threshold(properties: Properties) -> float:
    """The lowest probability above which nearly all phrases of the fitting half mean the property."""
    found = [(meant.probability, -meant.property.number == abs(gold)) for said, gold in phrases(fitting=True)
             if (meant := properties.of(said))]  # fmt: skip
    steps = [step / 100 for step in range(10, 90, 2)]
    shares = {least: [right for p, right in found if p >= least] for least in steps}
    return next(least for least, right in shares.items() if right and sum(right) >= SURE * len(right))


def _write(made: LinkingWeights) -> LinkingWeights:
    WEIGHTS.write_text(json.dumps(made.model_dump(), indent=1) + "\n", encoding="utf-8")
    weights.cache_clear()
    return made


def fitted(rows: Iterable[tuple[dict[str, float], bool, float]]) -> dict[str, float]:
    """Return the weights of a logistic regression over (features, right, what the row counts), three decimals."""
    told = list(rows)
    names = ["one", *sorted({name for features, _, _ in told for name in features})]
    table = np.array([[features.get(name, 0.0) if name != "one" else 1.0 for name in names] for features, _, _ in told])
    right = np.array([answer for _, answer, _ in told], dtype=float)
    worth = np.array([share for _, _, share in told]) / sum(share for _, _, share in told)
    bound = np.array([0.0, *[SMALL] * (len(names) - 1)])

    def loss(w: Any) -> tuple[float, Any]:
        z = table @ w
        slope = table.T @ (worth * (1 / (1 + np.exp(-z)) - right))
        return float(worth @ (np.logaddexp(0, z) - right * z) + bound @ w**2), slope + 2 * bound * w

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 2_000}).x
    return {name: round(float(value), 3) for name, value in zip(names, found, strict=True)}


if __name__ == "__main__":
    main()
