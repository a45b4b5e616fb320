"""What a corpus as of a day costs: 20,000 seeded facts, of which a tenth of the documents have a newer version.

Seconds of writing the first versions, of writing the newer ones (which keeps what the first ones said), of the view on
a day before them, of the view after one more document, and of a view that is up to date; bytes of a former version.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]  # kgservice from this checkout

from own_graph import own_graph
from workload import workload

from kgservice.core.records import StatedDocument
from kgservice.graph.store import Graph
from kgservice.graph.views import all_versions, make_view

T = TypeVar("T")
FACTS, ENTITIES, CHUNKS, ROUNDS = 20_000, 8_000, 1_700, 3
FIRST, SECOND, BETWEEN = date(2030, 1, 1), date(2031, 1, 1), date(2030, 6, 1)
EVERY, BATCH = 10, 20  # of so many documents one is replaced; documents a transaction


def main() -> None:
    """Print one JSON object; of three rounds the last, when the server knows the statements."""
    made = [_dated(one, FIRST) for one in workload(FACTS, ENTITIES, CHUNKS).documents]
    others = [_dated(one, SECOND, "z") for one in workload(FACTS, ENTITIES, CHUNKS, seed=1).documents[::EVERY]]
    with tempfile.TemporaryDirectory(prefix="kgservice-benchmark-") as folder, own_graph(Path(folder)) as graph:
        for number in range(ROUNDS):
            found = _measured(graph, f"as-of-{number}", made, others)
    print(json.dumps(found))


def _measured(graph: Graph, corpus: str, made: list[StatedDocument], others: list[StatedDocument]) -> dict[str, object]:
    written = _seconds(lambda: _write(graph, corpus, made[1:]))[0]
    facts = graph.totals(corpus).facts
    newer = _seconds(lambda: _write(graph, corpus, others))[0]
    view, there = _seconds(lambda: make_view(graph, corpus, BETWEEN))
    assert graph.totals(there.corpus).facts == facts
    _write(graph, corpus, made[:1])
    again = _seconds(lambda: make_view(graph, corpus, BETWEEN))[0]
    known = _seconds(lambda: make_view(graph, corpus, BETWEEN))[0]
    past = [one.key for one in all_versions(graph, corpus) if one.said_until]
    sizes = [len(row["reading"]) for row in graph.read("read/past_readings", keys=past)]
    graph.remove_corpus(corpus)
    return {
        "facts": facts, "documents": len(made), "written_seconds": written, "replaced": len(others) - 1,
        "replaced_seconds": newer, "view_seconds": view, "view_facts_a_second": round(facts / view),
        "one_more_document_seconds": again, "up_to_date_seconds": known, "past_versions": len(past),
        "bytes_a_past_version": round(sum(sizes) / len(sizes)),
    }  # fmt: skip


def _dated(stated: StatedDocument, day: date, version: str = "") -> StatedDocument:
    document = stated.document.model_copy(update={"published": day})
    return stated.model_copy(update={"document": document, "content_hash": stated.content_hash + version})


def _write(graph: Graph, corpus: str, documents: list[StatedDocument]) -> None:
    for start in range(0, len(documents), BATCH):
        graph.write(graph.prepare_rows(corpus, documents[start : start + BATCH]))


def _seconds(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    done = work()
    return round(time.perf_counter() - start, 2), done


if __name__ == "__main__":
    main()
