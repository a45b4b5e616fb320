"""The extractive reader on public multi-hop questions: how often it is right, and refuses where the answer is deleted.

`--choose` looks for the weights of benchmarks/reader_settings.yaml, on the sets named there alone.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from kgservice.answering.extractive import ExtractiveGenerator, ReaderWeights
from kgservice.answering.generator import QuestionWithPassages
from kgservice.text.matching import match
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder

DATA = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
SETTINGS = ROOT / "benchmarks" / "reader_settings.yaml"
GRID = {
    "shared": (1.0,), "near": (0.1, 0.25, 0.4, 0.5), "hop": (0.05, 0.1), "unfit": (0.3, 0.4, 0.5),
    "apart": (0.3, 0.4, 0.5, 0.6),
}  # fmt: skip
THRESHOLDS = np.arange(0.0, 5.0, 0.025)


class Case(NamedTuple):
    """A question with its answer and three sets of passages: its own, these without the answer, and with others."""

    question: str
    answer: str
    contexts: dict[str, tuple[str, ...]]


class Read(NamedTuple):
    """The candidates of one question and set of passages, as numbers, and which are right."""

    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def rows(file: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / file, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def case(question: str, answer: str, own: Sequence[tuple[str, str]], every: Sequence[tuple[str, str]]) -> Case:
    deleted = [(title, without(text, answer)) for title, text in own if not match(title, answer)]
    sets = {"ground truth": own, "answer deleted": deleted, "with others": every}
    texts = {name: tuple(f"{title}\n{text}" for title, text in each) for name, each in sets.items()}
    return Case(question, answer, texts)


def without(text: str, answer: str) -> str:
    return " ".join(text[start:end] for start, end in sentences(text) if not match(text[start:end], answer))


def hotpot(file: str) -> Iterator[Case]:
    for row in rows(file):
        gold = {title for title, _ in row["supporting_facts"]}
        every = [(title, " ".join(one.strip() for one in said)) for title, said in row["context"] or ()]
        own = [one for one in every if one[0] in gold]
        if own and row["answer"] not in ("yes", "no") and "comparison" not in row["type"]:  # some have no paragraphs
            yield case(row["question"], row["answer"], own, every)


def musique() -> Iterator[Case]:
    for row in rows("hipporag/musique_train100_queries.jsonl.gz"):
        every = [(one["title"], one["paragraph_text"]) for one in row["paragraphs"]]
        own = [pair for pair, one in zip(every, row["paragraphs"], strict=True) if one["is_supporting"]]
        yield case(row["question"], row["answer"], own, every)


SETS = {
    "hotpotqa-dev": lambda: hotpot("multihop-qa/hotpotqa_dev200.jsonl.gz"),
    "musique-train": musique,
    "hotpotqa-train": lambda: hotpot("hipporag/hotpotqa_train100_queries.jsonl.gz"),
    "2wiki-dev": lambda: hotpot("multihop-qa/2wikimultihopqa_dev200.jsonl.gz"),
}


def read(reader: ExtractiveGenerator, one: Case, kind: str) -> Read:
    found, _ = reader.candidates(QuestionWithPassages(unit="", question=one.question, contexts=one.contexts[kind]))
    return Read(
        np.array([each.features for each in found]).reshape(-1, len(GRID)),
        np.array([bool(match(each.label, one.answer)) for each in found]),
    )


def ends(each: Sequence[Read], weights: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The score of every best answer (-1: there is none), and whether it is right."""
    scores, right = np.full(len(each), -1.0), np.zeros(len(each), bool)
    for at, one in enumerate(each):
        if len(one.right):
            values = one.features @ np.array(weights)
            best = int(values.argmax())
            scores[at], right[at] = values[best], one.right[best]
    return scores, right


def measured(every: dict[str, list[Read]], weights: Sequence[float], threshold: float) -> dict[str, float]:
    """Right from its own passages, refused without the answer, right or refused among others; the mean of these."""
    found: dict[str, float] = {}
    for kind, each in every.items():
        scores, right = ends(each, weights)
        told = scores >= threshold
        if kind == "answer deleted":
            found["refused"] = float((~told).mean())
        elif kind == "ground truth":
            found["right"] = float((told & right).mean())
        else:
            found["right or refused"] = float((~told | right).mean())
    return {**found, "mean": float(np.mean(list(found.values())))}


def chosen(sets: Sequence[dict[str, list[Read]]]) -> dict[str, float]:
    """The weights by which most answers from their own passages are right, the mean over the sets; then the threshold
    with the best balance (harmonic mean) of right answers kept and of refusals where the answer is deleted, over all.

    Right answers alone would choose to refuse nothing, RARE's scores to refuse everything.
    """
    tried = {}
    for values in product(*GRID.values()):
        tried[values] = np.mean([ends(one["ground truth"], values)[1].mean() for one in sets])
    best = max(tried, key=lambda values: tried[values])
    ended = {kind: ends([read for one in sets for read in one[kind]], best) for kind in sets[0]}
    threshold = max(THRESHOLDS, key=lambda cut: balance(ended, cut))
    return {**dict(zip(GRID, best, strict=True)), "threshold": round(float(threshold), 3)}


def balance(ended: dict[str, tuple[NDArray[np.float64], NDArray[np.bool_]]], threshold: float) -> float:
    (own, right), (deleted, _) = ended["ground truth"], ended["answer deleted"]
    kept, refused = (own[right] >= threshold).mean(), (deleted < threshold).mean()
    return float(2 * kept * refused / (kept + refused)) if kept + refused else 0.0


def main() -> None:
    """Read each set, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="look for the best weights on the sets to choose by")
    parser.add_argument("--first", type=int, help="only so many questions of each set")
    options = parser.parse_args()
    if not (DATA / "multihop-qa").is_dir():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    reader, found = ExtractiveGenerator(Embedder()), dict[str, Any]()
    settings = yaml.safe_load(SETTINGS.read_text(encoding="utf-8"))
    names = settings["chosen_on"] if options.choose else list(SETS)
    reads = {}
    for name in names:
        cases = list(SETS[name]())[: options.first]
        kinds = ("ground truth", "answer deleted", *(() if options.choose else ("with others",)))
        reads[name] = {kind: [read(reader, one, kind) for one in cases] for kind in kinds}
        found[name] = {"questions": len(cases)}
    if options.choose:
        found["chosen"] = weights = chosen(list(reads.values()))
    else:
        weights = ReaderWeights()._asdict()
    values = [weights[name] for name in GRID]
    for name in names:
        shares = measured(reads[name], values, weights["threshold"])
        found[name] |= {key: round(value, 3) for key, value in shares.items()}
        reach = np.mean([bool(one.right.any()) for one in reads[name]["ground truth"]])
        found[name]["right answer among the candidates"] = round(float(reach), 3)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
