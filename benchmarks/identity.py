"""Who is who in a document: names that annotators of Re-DocRED put into one entity, and what we make of them.

The names are the annotators'; what kinds they are, the packaged recogniser says. A pair that we join and they do not is
counted as wrong, also where they overlooked it: `--show` prints these and a sample of the joins, to be read by eye.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]  # kgservice from this checkout

from retrieval_sets import DATA

from kgservice.extraction.syntax.parser import Parser
from kgservice.metrics.significance import proportion_interval
from kgservice.names.identity import identify

VALUES = ("TIME", "NUM")
SEED = 2068
_BEFORE, _AFTER = re.compile(r" ([,.;:!?)\]’])"), re.compile(r"([(\[]) ")
_ENDING, _QUOTED = re.compile(r" ('s|n't|'re|'m|'ve|'d)\b"), re.compile(r'" ([^"]*?) "')


class Pair(NamedTuple):
    """Two names of a document's entities: whether the annotators and whether we take them for one."""

    title: str
    one: str
    other: str
    same: bool
    joined: bool


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("even", "odd"), default="odd", help="rules were made on the even one")
    parser.add_argument("--show", type=int, default=0, help="print as many joins, and all that the annotators lack")
    options = parser.parse_args()
    file = DATA / "re-docred" / "dev_revised.jsonl.gz"
    if not file.is_file():
        print(json.dumps({"skip": f"no public data at {DATA}: KGS_TEST_DATA names its folder"}))
        return
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        documents = [json.loads(line) for line in stream][options.half == "odd" :: 2]
    found = list(pairs(documents))
    if options.show:
        joined = [pair for pair in found if pair.joined]
        for pair in random.Random(SEED).sample(joined, min(options.show, len(joined))):
            print("joined", *pair, sep=" | ")
        for pair in (pair for pair in joined if not pair.same):
            print("theirs are two", *pair[:3], sep=" | ")
    print(json.dumps(scores(found)))


def scores(found: list[Pair]) -> dict[str, object]:
    """Precision and recall with their 95 % intervals (Wilson)."""
    same, joined = sum(pair.same for pair in found), sum(pair.joined for pair in found)
    right = sum(pair.same and pair.joined for pair in found)
    return {
        "same": same, "joined": joined, "right": right,
        "precision": round(right / joined, 3), "precision_interval": proportion_interval(right, joined),
        "recall": round(right / same, 3), "recall_interval": proportion_interval(right, same),
    }  # fmt: skip


def pairs(documents: list[dict[str, object]]) -> Iterator[Pair]:
    """Yield every two names of each document's entities; values are none."""
    texts = [written(" ".join(" ".join(words) for words in one["sents"])) for one in documents]  # type: ignore[attr-defined]
    parsed = Parser().parse_all([(text, str(one["title"])) for text, one in zip(texts, documents, strict=True)])
    for one, text, docs in zip(documents, texts, parsed, strict=True):
        kinds = {" ".join(name.text.split()): name.label_ for doc in docs for name in doc.ents}
        of: dict[str, set[int]] = {}
        for at, mentions in enumerate(one["vertexSet"]):  # type: ignore[arg-type, var-annotated]
            for mention in mentions:
                if mention["type"] not in VALUES:
                    of.setdefault(written(mention["name"]), set()).add(at)
        meant = identify(str(one["title"]), [text], of, kinds)
        for first, second in combinations(sorted(of), 2):
            joined = meant.get(first, first) == meant.get(second, second)
            yield Pair(str(one["title"]), first, second, bool(of[first] & of[second]), joined)


def written(words: str) -> str:
    """Return a text as people write it, of one that is cut into words."""
    text = _ENDING.sub(r"\1", _AFTER.sub(r"\1", _BEFORE.sub(r"\1", words)))
    return _QUOTED.sub(r'"\1"', text.replace(" - ", "-"))


if __name__ == "__main__":
    main()
