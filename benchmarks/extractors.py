"""All extractors in one table: precision, recall, yield and words a second, each in a process of its own.

The texts are a seeded sample of Re-DocRED dev, whose entities and relations are annotated nearly completely. Recall is
that of recall.py: pairs of entities in an evidence sentence that a kept triplet of it joins. Precision is of triplets
with two ends of gold facts: the share that a gold relation joins. Relations are not compared, so extractors with other
relations fit in the table. Tables of filings are measured by their tags (xbrl.py).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
os.environ["OMP_NUM_THREADS"] = "1"

DATA = Path(os.environ.get("KGS_TEST_DATA", ROOT.parent / "shared" / "data"))
COLUMNS = ("precision", "recall", "kept_per_100_words", "words_per_second", "peak_mb", "texts")
TABLES = "tables"


def main() -> None:
    """Print a table of the extractors, then the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", default=["rules", TABLES], help="as for `load --extract`, or tables")
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--filings", type=int, default=4, help="of which tables are read")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_tables(options) if options.one == TABLES else _method(options)))
        return
    if not DATA.exists():
        print(json.dumps({"skip": f"no data at {DATA}; set KGS_TEST_DATA"}))
        return
    results = {method: _alone(method, sys.argv[1:], options.methods) for method in options.methods}
    print(f"| extractor | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for method, row in results.items():
        print(f"| {method} | {row['why'] if 'why' in row else ' | '.join(str(row[column]) for column in COLUMNS)} |")
    print(json.dumps(results))


def _alone(method: str, arguments: list[str], methods: list[str]) -> dict[str, Any]:
    """Return the results of a method in a process of its own, or why it failed."""
    given = [one for one in arguments if one not in methods]
    done = subprocess.run(
        [sys.executable, __file__, *given, "--one", method], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"why": done.stderr.strip().splitlines()[-1][:200]}
    row: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def _method(options: argparse.Namespace) -> dict[str, Any]:
    """Return the results of one extractor on the sample, in one worker process if it has workers."""
    torch = sys.modules.get("torch")
    import recall  # which puts torch out of reach, as in the workers of the rules

    if torch is None:
        del sys.modules["torch"]
    from kgservice.core.pools import ProcessPool
    from kgservice.extraction.extractor import Passages, Read
    from kgservice.extraction.workers import RuleExtractor
    from kgservice.ingest.pipeline import Recipe, extractor_of

    cases = random.Random(options.seed).sample(list(recall._documents()), options.texts)
    given = [Passages(title, (text,)) for text, title, _ in cases]
    words = sum(len(text.split()) for text, _, _ in cases)
    method = extractor_of(Recipe(extract=options.one), None)
    if isinstance(method, RuleExtractor):
        method = RuleExtractor(options.one, ProcessPool(1))  # which ends with this process
    with method as extractor:
        list(extractor.read(given[:1]))
        started = time.perf_counter()
        reads = list(extractor.read(given))
        seconds = time.perf_counter() - started
    wanted = joined = kept = known = right = 0
    for (_, _, gold), read in zip(cases, reads, strict=True):
        triplets = [one for text in read.triplets for one in text] if isinstance(read, Read) else []
        kept, wanted = kept + len(triplets), wanted + len(gold)
        joined += sum(any(recall._joins(one, fact) for one in triplets) for fact in gold)
        between = [fact._replace(sentences=frozenset()) for fact in gold]
        ends = {(mentions, partly) for fact in gold for mentions, partly in zip(fact.ends, fact.partly, strict=True)}
        for one in triplets:
            labels = [recall._words(term.label) for term in (one.subject, one.object)]
            if all(any(recall._same(label, *end) for end in ends) for label in labels):
                known += 1
                right += any(recall._joins(one, fact) for fact in between)
    return {
        "precision": round(right / max(known, 1), 3),
        "recall": round(joined / max(wanted, 1), 3),
        "kept_per_100_words": round(100 * kept / words, 2),
        "words_per_second": round(words / seconds),
        "peak_mb": _peak(),
        "texts": len(cases),
        "judged_by_gold": known,
    }


def _tables(options: argparse.Namespace) -> dict[str, Any]:
    """Return the results on tables of filings, compared with their tags."""
    import xbrl

    from kgservice.extraction.tables.table_facts import table_triplets
    from kgservice.text.chunking import chunks

    paths = random.Random(options.seed).sample(sorted((DATA / "sec-10k").glob("*.html.gz")), options.filings)
    counts = sum((xbrl._compared(path, 0) for path in paths), start=xbrl.Counter())
    kept = words = 0
    seconds = 0.0
    for path in paths:
        with xbrl.opened(path) as stream:
            document = xbrl._read(stream.read().decode(), path.name)
        found = [chunk for chunk in chunks(document) if chunk.contains_table]
        words += sum(len(chunk.text.split()) for chunk in found)
        started = time.perf_counter()
        kept += sum(len(table_triplets(chunk, document)[0]) for chunk in found)
        seconds += time.perf_counter() - started
    shares = xbrl._shares(counts)
    return {
        "precision": shares["precision"],
        "recall": shares["recall"],
        "kept_per_100_words": round(100 * kept / words, 2),
        "words_per_second": round(words / seconds),
        "peak_mb": _peak(),
        "texts": len(paths),
    }


def _peak() -> int:
    """Return the peak megabytes of this process or of its largest worker, the larger of the two."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1024)


if __name__ == "__main__":
    main()
