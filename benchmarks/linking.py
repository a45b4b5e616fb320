"""Linking to Wikidata: mentions of KnowledgeNet, Mintaka and FewRel on an index made of CoDEx, all figures at once.

Label rows that come from the test sets are left out of the index (docs/linking.md). The weights and the rule of the
shortlist were chosen on the other half of each set (linking_fit.py).
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent.parent)]

from linking_data import DATA, DATASETS, Case, built, cases, has, phrases

from kgservice.linking.candidate_score import Prospect, ScoredCandidate, contending, prospects, ranked, read, weights
from kgservice.linking.candidates import Candidates
from kgservice.linking.relation_properties import Properties
from kgservice.linking.wikidata_index import Wikidata, folded, likeness
from kgservice.metrics.significance import interval
from kgservice.vectors.embedder import Embedder

DRAWN = 2061  # seed of the links that are judged by eye
FUZZY = 95.0  # of 100: the best threshold for fuzzy-only, chosen on these very mentions


class Told(NamedTuple):
    """A mention with the five candidates that are compared, and those whose sentence was read."""

    case: Case
    known: list[Prospect]
    scored: list[ScoredCandidate]


def main() -> None:
    """Print recall of candidates, accuracy beside exact match and fuzzy-only, precision of NIL, relations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, help="keep the index in this folder, or use the one that is there")
    parser.add_argument("--no-vectors", action="store_true", help="candidates by spelling alone")
    parser.add_argument("--sample", type=int, metavar="N", default=0, help="also N random links to be judged by eye")
    options = parser.parse_args()
    if not (DATA / "codex").exists():
        print(json.dumps({"skip": f"no CoDEx data at {DATA}; set KGS_TEST_DATA"}))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = built((options.index or Path(folder)) / "wikidata.sqlite", vectors=not options.no_vectors)
        with Wikidata(path) as index:
            candidates = Candidates(index, Embedder())
            properties = Properties(index, candidates)
            told = _told(index, candidates, list(cases(candidates, properties, fitting=False)))
            sets = {name: [one for one in told if one.case.mention.data == name] for name in DATASETS} | {"all": told}
            report: dict[str, object] = {name: _measured(index, own) for name, own in sets.items()}
            report |= {"relations": _relations(index, properties), "sample": list(_sample(told, options.sample))}
            print(json.dumps(report))


def _told(index: Wikidata, candidates: Candidates, found: Sequence[Case]) -> list[Told]:
    """What the link stage makes of the cases: sentences are read where that can still decide."""
    least = weights().threshold
    known = [prospects(case.sought, case.found, index) for case in found]
    kept = [contending(one, (least, least)) for one in known]
    candidates.learn(text for case, some in zip(found, kept, strict=True) for text in read(case.sought, some))
    return [
        Told(case, all_, ranked(case.sought, some, candidates))
        for case, all_, some in zip(found, known, kept, strict=True)
    ]


def _measured(index: Wikidata, told: Sequence[Told]) -> dict[str, float | list[float]]:
    """Recall of the five candidates, shares of right answers; NIL is right where the item is not in the index."""
    gold = [one.case.mention.gold if has(index, one.case.mention.gold) else None for one in told]
    inside = [one for one, item in zip(told, gold, strict=True) if item is not None]
    answers = {way: list(map(way_of, told)) for way, way_of in WAYS.items()}
    linked = [(a, g) for a, g in zip(answers["score"], gold, strict=True) if a is not None]
    nil = [g for a, g in zip(answers["score"], gold, strict=True) if a is None]
    hit = {way: [float(a == g) for a, g in zip(found, gold, strict=True)] for way, found in answers.items()}
    right_inside = {
        way: sum(a == g for a, g in zip(found, gold, strict=True) if g is not None) for way, found in answers.items()
    }
    hits = sum(one.case.mention.gold in [known.candidate.item.number for known in one.known] for one in inside)
    return {
        "mentions": len(told),
        "coverage": round(len(inside) / len(told), 3),
        "candidates_a_mention": round(sum(len(one.case.found) for one in told) / len(told), 1),
        "recall@5": round(hits / len(inside), 3),
        **{f"accuracy_{way}": round(sum(found) / len(told), 3) for way, found in hit.items()},
        **{f"over_{way}": _over(hit["score"], found) for way, found in hit.items() if way != "score"},
        **{f"in_index_{way}": round(count / len(inside), 3) for way, count in right_inside.items()},
        "link_precision": round(sum(a == g for a, g in linked) / max(1, len(linked)), 3),
        "nil_precision": round(sum(g is None for g in nil) / max(1, len(nil)), 3),
    }


def _over(ours: Sequence[float], other: Sequence[float]) -> list[float]:
    """The 95 % interval of how much more often we are right than another way, mention by mention."""
    return [round(bound, 3) for bound in interval([a - b for a, b in zip(ours, other, strict=True)])]


def _by_score(one: Told) -> int | None:
    likely = one.scored and one.scored[0].probability >= weights().threshold
    return one.scored[0].candidate.item.number if likely else None


def _by_label(one: Told) -> int | None:
    """Exact match: the label as it is written, upper and lower case apart; the best known of several."""
    name = one.case.mention.name.casefold()
    same = [found.item for found in one.case.found if found.item.label.casefold() == name]
    return max(same, key=lambda item: (item.prominence, -item.number)).number if same else None


def _by_form(one: Told) -> int | None:
    """Exact normal form of label or alias, the best known of several: exact match at its best."""
    same = [found.item for found in one.case.found if found.how is not None]
    return max(same, key=lambda item: (item.prominence, -item.number)).number if same else None


def _by_spelling(one: Told) -> int | None:
    """Fuzzy only: the most alike of all names above a threshold."""
    wanted = folded(one.case.mention.name)
    near = [(max(known.likeness, likeness(wanted, folded(known.item.label))), known.item) for known in one.case.found]
    best = max(near, key=lambda pair: (pair[0], pair[1].prominence, -pair[1].number), default=None)
    return best[1].number if best and best[0] >= FUZZY else None


WAYS = {"score": _by_score, "exact": _by_label, "form": _by_form, "fuzzy": _by_spelling}


def _relations(index: Wikidata, properties: Properties) -> dict[str, float]:
    known = {one.number for one in index.properties}
    said = [(text, gold, properties.of(text)) for text, gold in phrases(fitting=False)]
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


def _sample(told: Sequence[Told], count: int) -> Iterator[dict[str, object]]:
    linked = [one for one in told if _by_score(one) is not None]
    for one in random.Random(DRAWN).sample(linked, count):
        (best, *_), mention = one.scored, one.case.mention
        item = best.candidate.item
        row = {"data": mention.data, "unit": mention.unit, "name": mention.name, "sentence": mention.sentence[:200]}
        row |= {"qid": f"Q{item.number}", "label": item.label, "description": item.description}
        yield row | {"probability": round(best.probability, 4), "gold": f"Q{mention.gold}"}


if __name__ == "__main__":
    main()
