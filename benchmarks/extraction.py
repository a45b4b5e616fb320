"""Extraction on Wikipedia introductions (2WikiMultihopQA's corpus): words a second on one core, memory, yield.

Seconds are those of the processor: the parser alone, with names, with rules, and with the readers, in one run.
"""

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
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

sys.path[:0] = [str(Path(__file__).parent.parent)]
os.environ["OMP_NUM_THREADS"] = "1"
sys.modules["torch"] = None  # type: ignore[assignment]  # as in the worker processes of a load

from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgservice.extraction.readers.relation_reader import RelationReader

DATA = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
CORPUS = DATA / "hipporag" / "2wikimultihopqa_corpus.jsonl.gz"


def main() -> None:
    """Parse and read a seeded sample of passages like a worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pipeline", default="")
    options = parser.parse_args()
    if not CORPUS.exists():
        print(json.dumps({"skip": f"no corpus at {CORPUS}; set KGS_TEST_DATA"}))
        return
    with gzip.open(CORPUS, "rt", encoding="utf-8") as stream:
        passages = random.Random(options.seed).sample([json.loads(line) for line in stream], options.passages)
    read, words = Parser(options.pipeline), sum(len(one["text"].split()) for one in passages)
    for pairs in (None, packaged()):
        extract(read.parse("The first text loads what is late in Rome.")[0], "", pairs=pairs)
    started = time.process_time()
    parsed = list(read.parse_all([(one["text"], one["title"]) for one in passages]))
    parsing = time.process_time() - started
    trees = _trees(read, [one["text"] for one in passages])
    ruling, _, _ = _extracted(passages, parsed, None)
    reading, kept, dropped = _extracted(passages, parsed, packaged())
    result = {
        "passages": len(passages),
        "words": words,
        "words_per_second": {
            "parser": round(words / trees),
            "parser_and_names": round(words / parsing),
            "rules": round(words / (parsing + ruling)),
            "all": round(words / (parsing + reading)),
        },
        "kept": kept,
        "kept_per_100_words": round(100 * kept / words, 2),
        "dropped": dict(dropped.most_common()),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(result))


def _extracted(
    passages: Sequence[dict[str, str]], parsed: Sequence[list[Doc]], pairs: RelationReader | None
) -> tuple[float, int, Counter[str]]:
    """Return the seconds, the kept triplets, and what was dropped by reason; without `pairs` rules read alone."""
    kept, dropped, started = 0, Counter[str](), time.process_time()
    for one, docs in zip(passages, parsed, strict=True):
        for doc in docs:
            extraction = extract(doc, one["title"], pairs=pairs)
            kept += len(extraction.triplets)
            dropped.update(extraction.dropped)
    return time.process_time() - started, kept, dropped


def _trees(read: Parser, texts: list[str]) -> float:
    """Return the seconds for words, tags, lemmas and trees alone, without the name recogniser."""
    nlp = read.nlp
    started = time.process_time()
    with nlp.select_pipes(disable=["ner"]):
        for _ in nlp.pipe(texts, batch_size=64):
            pass
    return time.process_time() - started


if __name__ == "__main__":
    main()
