"""Entity resolution and relation normalisation: hand-labelled pairs, PARAREL, and what they do to the OpenIE graph."""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from own_graph import Remembering, own_graph
from retrieval_quality import K, _load, _ranked, _weights, measures
from retrieval_sets import DATA, musique_llm

from kgservice.core.records import Decision
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.questions.patterns import SubgraphOptions, count
from kgservice.resolution import relations, same_name
from kgservice.retrieval.graph import GraphRetriever
from kgservice.vectors.embedder import Embedder

PAIRS = ROOT / "tests" / "data" / "entity_pairs.jsonl"
PATTERNS = ("chain", "star", "inverted_star", "conditional_chain", "conditional_star", "conditional_inverted_star")
CORPUS, SEED, DRAWN = "musique-llm", 7, 2051
STEPS = [round(0.5 + at / 20, 2) for at in range(10)]  # thresholds tried for one cosine
SURE = 0.97  # precision that a threshold has to reach on the first half


class Pair(NamedTuple):
    """Two phrases of PARAREL, and whether they say one relation."""

    one: str
    other: str
    same: bool


class Stages:
    """Figures stage by stage; with a folder those of an earlier run are not measured again."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / "stages.json" if folder else None
        self.found: dict[str, Any] = json.loads(self._file.read_text()) if self._file and self._file.exists() else {}

    def add(self, name: str, measure: Callable[[], Any]) -> None:
        """Measure a stage, unless it is known, and say how long it took."""
        if name in self.found:
            return
        started = time.perf_counter()
        self.found[name] = measure()
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
        if self._file:
            self._file.write_text(json.dumps(self.found, ensure_ascii=False))


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--relations", action="store_true", help="only the relations of PARAREL: no database")
    parser.add_argument(
        "--keep", type=Path, help="an empty folder for the graph and figures: a run that was cut goes on"
    )
    options = parser.parse_args()
    if not (DATA / "pararel").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    embedder, stages = Remembering(), Stages(options.keep)
    stages.add("relations", lambda: measured_relations(embedder))
    if not options.relations:
        with own_graph(options.keep) as graph:
            measured_graph(graph, embedder, stages)
    print(json.dumps(stages.found, ensure_ascii=False))


def measured_graph(graph: Graph, embedder: Remembering, stages: Stages) -> None:
    """Load the OpenIE graph, resolve its names, then its relations; measure before and after."""
    data = musique_llm()

    def state() -> dict[str, Any]:
        retriever = GraphRetriever(graph=graph, corpus=CORPUS, embedder=embedder, k=K, weights=_weights())
        return {
            "totals": graph.totals(CORPUS).model_dump(),
            "cross_document": {
                name: count(graph, CORPUS, name, SubgraphOptions(cross_document=True)) for name in PATTERNS
            },
            "retrieval": measures(_ranked(retriever, data), data),
        }

    stages.add("loaded", lambda: _load(graph, CORPUS, data, embedder, "rules"))
    stages.add("before", state)
    stages.add("names", lambda: names_resolved(graph, embedder))
    stages.add("after_names", state)
    stages.add("relations_merged", lambda: relations.resolve(graph, CORPUS, embedder).model_dump())
    stages.add("after_relations", state)


def names_resolved(graph: Graph, embedder: Embedder) -> dict[str, Any]:
    """Resolve the names; the labelled pairs, and 30 merges drawn at random to be judged by eye."""
    names = same_name.resolve(graph, CORPUS, embedder)
    drawn = random.Random(DRAWN).sample(names.decisions, 30)
    shown = [one.model_dump(include={"name", "label", "by", "score", "evidence"}) for one in drawn]
    return names.model_dump() | {"pairs": measured_pairs(names.decisions), "drawn": shown}


def measured_pairs(decisions: Sequence[Decision]) -> dict[str, dict[str, float]]:
    """Precision and recall of these merges on the hand-labelled pairs, a half each."""
    into = {one.name.removeprefix(LOCAL): one.label for one in decisions}
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = {}
    for half in ("choose", "test"):
        judged = [
            (into.get(row["a"], row["a"]) == into.get(row["b"], row["b"]), row["same"])
            for row in rows if row["half"] == half
        ]  # fmt: skip
        found[half] = scores(*zip(*judged, strict=True))
    return found


def measured_relations(embedder: Embedder) -> dict[str, Any]:
    """Pairwise F1 on the relations that chose nothing, beside equal strings and beside one threshold on the cosine."""
    phrases = pararel()
    ids = sorted({name.removesuffix("-1") for name in phrases})
    random.Random(SEED).shuffle(ids)
    halves = {"choose": set(ids[: len(ids) // 2]), "test": set(ids[len(ids) // 2 :])}
    pairs = {half: paired({name: said for name, said in phrases.items() if name.removesuffix("-1") in own})
             for half, own in halves.items()}  # fmt: skip
    texts = sorted({text for said in phrases.values() for text in said})
    vectors = dict(zip(texts, np.array(embedder.embed(texts)), strict=True))

    def cosine(half: str, least: float) -> dict[str, float]:
        chosen = [float(vectors[pair.one] @ vectors[pair.other]) >= least for pair in pairs[half]]
        return scores(chosen, [pair.same for pair in pairs[half]])

    tried = {least: cosine("choose", least) for least in STEPS}
    best = max(STEPS, key=lambda least: tried[least]["f1"])
    sure = min((least for least in STEPS if tried[least]["precision"] >= SURE), default=STEPS[-1])
    test = pairs["test"]
    return {
        "pairs": {half: [len(own), sum(pair.same for pair in own)] for half, own in pairs.items()},
        "kgservice": clustered(test, embedder),
        "kgservice_words_alone": clustered(test, embedder, 2.0),
        "equal_strings": scores([pair.one.lower() == pair.other.lower() for pair in test], [p.same for p in test]),
        "cosine_best_f1": cosine("test", best) | {"threshold": best},
        "cosine_as_sure": cosine("test", sure) | {"threshold": sure},
        "choosing_half": clustered(pairs["choose"], embedder),
    }


def clustered(pairs: Sequence[Pair], embedder: Embedder, alike: float = relations.ALIKE) -> dict[str, float]:
    """What the normalisation makes of these phrases."""
    phrases = {text for pair in pairs for text in (pair.one, pair.other)}
    into = {one.name: one.into for one in relations.normalised(phrases, embedder, alike)}
    chosen = [into.get(pair.one, pair.one) == into.get(pair.other, pair.other) for pair in pairs]
    return scores(chosen, [pair.same for pair in pairs])


def pararel() -> dict[str, set[str]]:
    """The phrases between the two ends, by relation; "P36-1" are those that lead from object to subject."""
    found: dict[str, set[str]] = defaultdict(set)
    with gzip.open(DATA / "pararel" / "patterns.jsonl.gz", "rt", encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            text = row["pattern"].strip().rstrip(".").strip()
            if forward := re.fullmatch(r"\[X\],?\s+(.+?)\s+\[Y\]", text):
                found[row["relation"]].add(forward[1])
            elif backward := re.fullmatch(r"\[Y\],?\s+(.+?)\s+\[X\]", text):
                found[row["relation"] + "-1"].add(backward[1])
    return found


def paired(phrases: Mapping[str, set[str]]) -> list[Pair]:
    """Every two phrases; the same where some relation (in one direction) has both."""
    of: dict[str, set[str]] = defaultdict(set)
    for name, said in phrases.items():
        for text in said:
            of[text].add(name)
    return [Pair(one, other, bool(of[one] & of[other])) for one, other in combinations(sorted(of), 2)]


def scores(chosen: Sequence[bool], same: Sequence[bool]) -> dict[str, float]:
    """Precision, recall and F1 of pairs taken for one; precision is 1 where none was."""
    right = sum(a and b for a, b in zip(chosen, same, strict=True))
    taken, true = sum(chosen), sum(same)
    known = {"taken": taken, "same": true, "right": right}
    precision, recall = right / taken if taken else 1.0, right / true if true else 1.0
    return known | {
        "precision": round(precision, 3), "recall": round(recall, 3), "f1": round(2 * right / (taken + true or 1), 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()
