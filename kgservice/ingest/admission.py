"""What of a load is let in, and how much of it one transaction holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from itertools import groupby

from kgservice.core import keys
from kgservice.core.records import Document, Problem
from kgservice.ingest.composition import composed
from kgservice.ingest.load_report import LoadCounts

BATCH_DOCUMENTS, BATCH_WEIGHT = 500, 2_000_000  # a transaction: documents, and characters of text and triplets


def admitted(found: Iterable[Document | Problem], since: date | None, tally: LoadCounts) -> Iterator[Document]:
    """Let through each document once, by source and date, in composed letters; count everything else."""
    seen: set[str] = set()
    for item in found:
        if isinstance(item, Problem):
            tally.problem(item)
        elif (name := keys.digest(14, item.source)) in seen:
            detail = "another document of this load has the same name; give them ids, or load their common folder"
            tally.problem(Problem(source=item.source, state="rejected", reason="duplicate id", detail=detail))
        elif isinstance(dated := recent(item, since), Problem):
            tally.problem(dated)
        else:
            seen.add(name)
            yield composed(dated)


def recent(item: Document | Problem, since: date | None) -> Document | Problem:
    """Return the item, or a Problem in place of a document that was published before `since` or has no date."""
    if isinstance(item, Problem) or not since or (item.published and item.published >= since):
        return item
    reason = "older than --since" if item.published else "no date"
    return Problem(source=item.source, state="rejected", reason=reason, detail=str(item.published))


def batches(documents: Iterator[Document]) -> Iterator[list[Document]]:
    """Yield documents so many, or so much, at a time."""

    def numbered() -> Iterator[tuple[int, Document]]:
        batch = count = weight = 0
        for document in documents:
            own = len(document.text) + 200 * len(document.triplets or ())
            if count and (count >= BATCH_DOCUMENTS or weight + own > BATCH_WEIGHT):
                batch, count, weight = batch + 1, 0, 0
            count, weight = count + 1, weight + own
            yield batch, document

    for _, group in groupby(numbered(), key=lambda item: item[0]):
        yield [document for _, document in group]
