"""A load on Ray's workers of this machine beside the same load by processes: 2,000 Wikipedia introductions and vectors.

The managed Neo4j of KGS_HOME. Prints a line of JSON: the medians of the seconds of each way, of the processor seconds
of this process (which cuts, states and writes for all workers), and the overhead of Ray with its start of 3 to 5 s and
without it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from random import Random

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

from kgservice import Corpus
from kgservice.core.ray_pool import RayPool

FOLDER = Path(os.environ.get("KGS_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
DATA = FOLDER / "hipporag" / "2wikimultihopqa_corpus.jsonl.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.jsonl"
        write(file, given.data, given.documents)
        found = defaultdict(list)
        for number in range(2 * given.rounds):
            ray = ("", "local")[number % 2]
            starting = time.monotonic()
            pool = RayPool() if ray else None
            begun, processor = time.monotonic(), time.process_time()
            facts = loaded(file, ray)
            going = time.monotonic() - begun
            found[ray].append((time.monotonic() - starting, going, time.process_time() - processor, facts))
            if pool:
                pool.close()
    assert len({facts for runs in found.values() for *_, facts in runs}) == 1
    medians = {way: [statistics.median(column) for column in zip(*runs, strict=True)] for way, runs in found.items()}
    processes, ray_runs = medians[""], medians["local"]
    figures = {
        "processes_seconds": processes[0],
        "ray_seconds": ray_runs[0],
        "ray_going": ray_runs[1],
        "ray_this_process": ray_runs[2],
        "overhead": ray_runs[1] / processes[0],
        "overhead_with_start": ray_runs[0] / processes[0],
    }
    print(json.dumps({name: round(value, 3) for name, value in figures.items()} | {"facts": facts}))


def write(file: Path, data: Path, count: int) -> None:
    with gzip.open(data, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    Random(7).shuffle(rows)
    with file.open("w", encoding="utf-8") as out:
        for row in rows[:count]:
            out.write(json.dumps({"id": f"w{row['idx']}", "title": row["title"], "text": row["text"]}) + "\n")


def loaded(file: Path, ray: str) -> int:
    with Corpus.open("ray-load") as corpus:
        corpus.graph.remove_corpus("ray-load")
        return corpus.load(file, ray=ray).facts


if __name__ == "__main__":
    main()
