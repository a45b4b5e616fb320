"""Linking to Wikidata: mentions of KnowledgeNet, Mintaka and FewRel against an index made of CoDEx.

Label rows that come from the test sets are left out of the index (docs/linking.md). Half of each set, by the hash of
its document, question or name, fits the weights (`--fit`); the figures are those of the other half.

"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

import numpy as np
from linking_data import DATA, DATASETS, Mention, built, mentions, rows_of
from scipy.optimize import minimize

from kgservice.embedding import Embedder
from kgservice.linking.candidates import Candidate, Candidates
from kgservice.linking.decide import Scored, Sought, by_name, described, in_context, ranked, score, shortlist, weights
from kgservice.linking.dump import number
from kgservice.linking.properties import Properties
from kgservice.linking.wikidata import Wikidata, folded, likeness

WEIGHTS = Path(__file__).parents[1] / "kgservice" / "linking" / "weights.json"
FUZZY = 95.0  # of 100: the best threshold for fuzzy-only, chosen on these very mentions


class Case(NamedTuple):
    """A mention with its candidates and what is sought."""

    mention: Mention
    sought: Sought
    found: list[Candidate]


def main() -> None:
    """Print recall of candidates, accuracy beside exact match and fuzzy-only, precision of NIL."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="fit the weights on the other half and write them")
    parser.add_argument("--index", type=Path, help="keep the index in this folder, or use the one that is there")
    parser.add_argument("--no-vectors", action="store_true", help="candidates by spelling alone")
    parser.add_argument("--sample", type=int, metavar="N", help="print N random links to be judged by eye")
    options = parser.parse_args()
    if not (DATA / "codex").exists():
        print(json.dumps({"skip": f"no CoDEx data at {DATA}; set KGS_TEST_DATA"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = built((options.index or Path(folder)) / "wikidata.sqlite", vectors=not options.no_vectors)
        with Wikidata(path) as index:
            candidates = Candidates(index, Embedder())
            properties = Properties(index, candidates)
            if options.fit:
                fit(index, candidates, properties)
                return
            cases = list(_cases(index, candidates, properties, fitting=False))
            candidates.learn(described(one.item) for case in cases for one in shortlist(case.mention.name, case.found))
            told = [(case, ranked(case.sought, case.found, candidates, index)) for case in cases]
            if options.sample:
                _sample(told, options.sample)
                return
            report = {data: _measured(index, [one for one in told if one[0].mention.data == data]) for data in DATASETS}
            report["all"] = _measured(index, told)
            report["relations"] = _relations(index, properties)
            print(json.dumps(report))


def _cases(index: Wikidata, candidates: Candidates, properties: Properties, *, fitting: bool) -> Iterator[Case]:
    told = mentions(fitting=fitting)
    candidates.learn([one.name for one in told])
    candidates.learn([one.sentence for one in told])
    beside = defaultdict(set)
    for one in told:
        beside[one.sentence].add(one.name)
    for one in told:
        others = tuple(
            item for name in sorted(beside[one.sentence]) if name != one.name for item in candidates.exact(name)
        )
        meant = properties.of(one.relation) if one.relation else None
        likely = -meant.property.number if meant and meant.probability >= 0.3 else 0
        sought = Sought(one.name, one.sentence, one.type, likely, one.subject, others)
        yield Case(one, sought, candidates.of(one.name))


def _measured(index: Wikidata, told: Sequence[tuple[Case, list[Scored]]]) -> dict[str, float]:
    """Recall of the five candidates, shares of right answers; NIL is right where the item is not in the index."""
    known = {
        one.gold: bool((item := index.items([one.gold])) and item[one.gold].label)
        for one in (case.mention for case, _ in told)
    }
    inside = [(case, scored) for case, scored in told if known[case.mention.gold]]
    answers = {way: [way_of(case, scored) for case, scored in told] for way, way_of in WAYS.items()}
    gold = [case.mention.gold if known[case.mention.gold] else None for case, _ in told]
    linked = [(a, g) for a, g in zip(answers["score"], gold, strict=True) if a is not None]
    nil = [g for a, g in zip(answers["score"], gold, strict=True) if a is None]
    right = {way: sum(a == g for a, g in zip(found, gold, strict=True)) for way, found in answers.items()}
    right_inside = {
        way: sum(a == g for a, g in zip(found, gold, strict=True) if g is not None) for way, found in answers.items()
    }
    hits = sum(case.mention.gold in [one.candidate.item.number for one in scored] for case, scored in inside)
    return {
        "mentions": len(told),
        "coverage": round(len(inside) / len(told), 3),
        "candidates_a_mention": round(sum(len(case.found) for case, _ in told) / len(told), 1),
        "recall@5": round(hits / len(inside), 3),
        **{f"accuracy_{way}": round(count / len(told), 3) for way, count in right.items()},
        **{f"in_index_{way}": round(count / len(inside), 3) for way, count in right_inside.items()},
        "link_precision": round(sum(a == g for a, g in linked) / max(1, len(linked)), 3),
        "nil_precision": round(sum(g is None for g in nil) / max(1, len(nil)), 3),
    }


def _by_score(case: Case, scored: list[Scored]) -> int | None:
    return scored[0].candidate.item.number if scored and scored[0].probability >= weights().threshold else None


def _by_label(case: Case, _: list[Scored]) -> int | None:
    """Exact match: the label as it is written, upper and lower case apart; the best known of several."""
    same = [one.item for one in case.found if one.item.label.casefold() == case.mention.name.casefold()]
    return max(same, key=lambda one: (one.prominence, -one.number)).number if same else None


def _by_form(case: Case, _: list[Scored]) -> int | None:
    """Exact normal form of label or alias, the best known of several: exact match at its best."""
    same = [one.item for one in case.found if one.how is not None]
    return max(same, key=lambda one: (one.prominence, -one.number)).number if same else None


def _by_spelling(case: Case, _: list[Scored]) -> int | None:
    """Fuzzy only: the most alike of all names above a threshold."""
    near = [
        (max(one.likeness, likeness(folded(case.mention.name), folded(one.item.label))), one.item) for one in case.found
    ]
    best = max(near, key=lambda one: (one[0], one[1].prominence, -one[1].number), default=None)
    return best[1].number if best and best[0] >= FUZZY else None


WAYS = {"score": _by_score, "exact": _by_label, "form": _by_form, "fuzzy": _by_spelling}


def _patterns(*, fitting: bool) -> Iterator[tuple[str, int]]:
    """ParaRel's ways to say a relation, from subject to object, by halves of the relations."""
    for row in rows_of("pararel/patterns.jsonl.gz"):
        known = number(row["relation"]) or 0
        said = re.fullmatch(r"\[X\] (.+?),? (?:the )?\[Y\] ?\.?", row["pattern"])
        if said and (known % 2 == 0) == fitting:
            yield said[1], known


def _relations(index: Wikidata, properties: Properties) -> dict[str, float]:
    known = {one.number for one in index.properties}
    said = [(text, gold, properties.of(text)) for text, gold in _patterns(fitting=False)]
    inside = [one for one in said if one[1] in known]
    least = weights().relation_threshold
    linked = [(gold, meant.property.number) for _, gold, meant in said if meant and meant.probability >= least]
    right = sum(a == b for a, b in linked)
    same = sum(folded(meant.property.label) == folded(text) for text, _, meant in inside if meant)
    return {
        "phrases": len(said),
        "coverage": round(len(inside) / len(said), 3),
        "precision": round(right / max(1, len(linked)), 3),
        "recall": round(right / len(inside), 3),
        "recall_exact": round(same / len(inside), 3),
    }


def fit(index: Wikidata, candidates: Candidates, properties: Properties) -> None:
    """Fit the score of relations and the two of names by logistic regression with a small ridge, and write them."""
    told = {"how": "", "shortlist": {}, "decision": {}, "threshold": 0.5, "relation": {}, "relation_threshold": 0.5}
    told["relation"] = fitted(_relation_rows(index, candidates, properties))
    _write(told)
    told["relation_threshold"] = _relation_threshold(properties)
    _write(told)
    cases = list(_cases(index, candidates, properties, fitting=True))
    told["how"] = (
        f"benchmarks/linking.py --fit: {len(cases)} mentions of the fitting half, {len(index.properties)} properties"
    )
    told["shortlist"] = fitted(
        (by_name(c.mention.name, one), one.item.number == c.mention.gold) for c in cases for one in c.found
    )
    _write(told)
    short = []
    for c in cases:
        top = shortlist(c.mention.name, c.found)
        candidates.learn([described(one.item) for one in top])
        short.append(
            (c, [by_name(c.mention.name, one) | in_context(c.sought, one, candidates, index) for one in top], top)
        )
    told["decision"] = second = fitted(
        (features, one.item.number == c.mention.gold)
        for c, rows, top in short
        for features, one in zip(rows, top, strict=True)
    )
    best = []
    for c, rows, top in short:
        scored = max(
            ((score(row, second), one.item.number) for row, one in zip(rows, top, strict=True)), default=(0.0, 0)
        )
        best.append((scored[0], scored[1] == c.mention.gold, _inside(index, c.mention.gold)))
    steps = [step / 100 for step in range(20, 80, 2)]
    told["threshold"] = max(
        steps, key=lambda least: sum(right if p >= least else not known for p, right, known in best)
    )
    _write(told)
    print(json.dumps(told))


def _relation_rows(
    index: Wikidata, candidates: Candidates, properties: Properties
) -> Iterator[tuple[dict[str, float], bool]]:
    for said, gold in _patterns(fitting=True):
        for features, one in properties.compared(said):
            yield features, one.number == gold


def _relation_threshold(properties: Properties) -> float:
    """The lowest probability above which 95 of 100 phrases of the fitting half mean the property."""
    found = [(meant.probability, -meant.property.number == abs(gold)) for said, gold in _patterns(fitting=True)
             if (meant := properties.of(said))]  # fmt: skip
    steps = [step / 100 for step in range(10, 90, 2)]
    shares = {least: [right for p, right in found if p >= least] for least in steps}
    return next(least for least, right in shares.items() if right and sum(right) >= 0.95 * len(right))


def _inside(index: Wikidata, gold: int) -> bool:
    item = index.items([gold])
    return bool(item and item[gold].label)


def _write(told: dict[str, Any]) -> None:
    WEIGHTS.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    weights.cache_clear()


def fitted(rows: Iterable[tuple[dict[str, float], bool]]) -> dict[str, float]:
    """Return the weights of a logistic regression, three decimals."""
    told = list(rows)
    names = ["one", *sorted({name for features, _ in told for name in features})]
    table = np.array([[features.get(name, 0.0) if name != "one" else 1.0 for name in names] for features, _ in told])
    right = np.array([answer for _, answer in told], dtype=float)

    def loss(w: Any) -> tuple[float, Any]:
        z = table @ w
        p = 1 / (1 + np.exp(-z))
        return float((np.logaddexp(0, z) - right * z).mean() + 1e-4 * (w @ w)), table.T @ (p - right) / len(
            right
        ) + 2e-4 * w

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 1_000}).x
    return {name: round(float(value), 3) for name, value in zip(names, found, strict=True)}


def _sample(told: Sequence[tuple[Case, list[Scored]]], count: int) -> None:
    linked = [(case, scored[0]) for case, scored in told if _by_score(case, scored) is not None]
    for case, best in random.Random(2026).sample(linked, count):
        item, one = best.candidate.item, case.mention
        row = {
            "data": one.data,
            "unit": one.unit,
            "name": one.name,
            "sentence": one.sentence[:200],
            "qid": f"Q{item.number}",
        }
        row |= {"label": item.label, "description": item.description, "probability": best.probability}
        print(json.dumps(row | {"gold": f"Q{one.gold}"}, ensure_ascii=False))


if __name__ == "__main__":
    main()
