"""Extraction on Wikipedia introductions (2WikiMultihopQA's corpus): words a second on one core, memory, yield."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent)]
os.environ["OMP_NUM_THREADS"] = "1"
sys.modules["torch"] = None  # type: ignore[assignment]  # as in the worker processes of a load

from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
CORPUS = DATA / "hipporag" / "2wikimultihopqa_corpus.jsonl.gz"


def main() -> None:
    """Parse and read a seeded sample of passages like a worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="")
    parser.add_argument("--extract", choices=("rules", "rules+reader"), default="rules+reader")
    options = parser.parse_args()
    if not CORPUS.exists():
        print(json.dumps({"skip": f"no corpus at {CORPUS}; set KGS_TEST_DATA"}))
        return
    with gzip.open(CORPUS, "rt", encoding="utf-8") as stream:
        passages = random.Random(options.seed).sample([json.loads(line) for line in stream], options.passages)
    read, words = Parser(options.pipeline), sum(len(one["text"].split()) for one in passages)
    pairs = packaged() if "reader" in options.extract else None
    extract(read.parse("The first text loads what is late in Rome.")[0], "", pairs=pairs)
    started = time.perf_counter()
    parsed = list(read.parse_all([(one["text"], one["title"]) for one in passages]))
    between = time.perf_counter()
    trees = _trees(read, [one["text"] for one in passages])
    resumed = time.perf_counter()
    kept, dropped = 0, Counter[str]()
    for one, docs in zip(passages, parsed, strict=True):
        for doc in docs:
            extraction = extract(doc, one["title"], pairs=pairs)
            kept += len(extraction.triplets)
            dropped.update(extraction.dropped)
    ended = time.perf_counter()
    result = {
        "passages": len(passages),
        "words": words,
        "words_per_second": {
            "parser": round(words / trees),
            "parser_and_names": round(words / (between - started)),
            "all": round(words / (ended - resumed + between - started)),
        },
        "kept": kept,
        "kept_per_100_words": round(100 * kept / words, 2),
        "dropped": dict(dropped.most_common()),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(result))


def _trees(read: Parser, texts: list[str]) -> float:
    """Return the seconds for words, tags, lemmas and trees alone, without the name recogniser."""
    nlp = read.nlp
    started = time.perf_counter()
    with nlp.select_pipes(disable=["ner"]):
        for _ in nlp.pipe(texts, batch_size=64):
            pass
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
