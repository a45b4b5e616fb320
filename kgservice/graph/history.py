"""What documents said before: the versions that have ended, and which version of a document was said on a day.

A version is said from the day it was published until the next one of its source was, or until it was removed. A
document without a date is said from the day on which its last version ended, always if it had none. The text of a
version is kept with what was read from it. A fact ends with the last version that states it, and never because another
fact contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from kgservice.core import keys
from kgservice.core.records import Chunk, StatedDocument
from kgservice.graph.applied_decisions import Run, named_in
from kgservice.graph.kept_documents import KeptDocument, kept, packed, text_of

BATCH = 100  # documents whose versions are kept at a time


class Ended(NamedTuple):
    """A stored version that ends: when it was published, until when it was said, and what replaces it if anything."""

    published: date | None
    until: date
    by: StatedDocument | None = None


class SaidVersion(NamedTuple):
    """A version of a document: its key (of a past one with its number), and the first and the last day but one.

    `said_from` None: always. `said_until` None: it is said now.
    """

    key: str
    source: str
    content_hash: str
    said_from: date | None
    said_until: date | None

    @property
    def document(self) -> str:
        """Return the key of the document."""
        return self.key[: keys.KEY]

    def holds_on(self, day: date) -> bool:
        """Return True if this version was said on a day."""
        return (self.said_from is None or self.said_from <= day) and (self.said_until is None or day < self.said_until)


def past_rows(run: Run, corpus: str, ended: Mapping[str, Ended]) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of write/past_documents for versions that end, by key of their documents.

    A version has no row if it was said on no day, or if a reading of the same text replaces it.
    """
    names = sorted(ended)
    for some in (names[start : start + BATCH] for start in range(0, len(names), BATCH)):
        before = {row["document"]: row for row in run("read/past_of", "documents", some)}
        begun = {key: ended[key].published for key in some}
        begun |= {key: _day(row["until"]) for key, row in before.items() if begun[key] is None}
        lasting = [key for key in some if (start_day := begun[key]) is None or start_day < ended[key].until]
        numbers = {key: before[key]["number"] + 1 if key in before else 1 for key in lasting}
        found = kept(run, corpus, lasting, lambda key, chunks: not _read_again(chunks, ended[key])) if lasting else {}
        yield [
            _row(corpus, key, document, begun[key], ended[key].until, numbers[key]) for key, document in found.items()
        ]


def _read_again(chunks: Iterable[Chunk], ended: Ended) -> bool:
    """Return True if an undated document is replaced by the same text: it is read in another way, or has a date now."""
    if ended.published is not None or ended.by is None:
        return False
    return text_of(chunks) == text_of(one.chunk for one in ended.by.chunks)


def _row(
    corpus: str, key: str, document: KeptDocument, said_from: date | None, until: date, number: int
) -> dict[str, Any]:
    named = {keys.entity_key(corpus, name) for kind, name in named_in([document]) if kind == "entity"}
    return {
        "key": keys.past_key(key, number),
        "properties": {
            "corpus": corpus,
            "source": document.document.source,
            "title": document.document.title,
            "published": document.document.published,
            "said_from": said_from,
            "said_until": until,
            "number": number,
            "content_hash": document.content_hash,
            "entities": sorted(named),
            "reading": packed(document),
        },
    }


def versions(live: Iterable[Mapping[str, Any]], past: Iterable[Mapping[str, Any]]) -> list[SaidVersion]:
    """Return all versions of a corpus's documents, of each document in the order in which they were stored.

    From rows of read/said_documents and read/past_documents.
    """
    found = [
        SaidVersion(row["key"], row["source"], row["content_hash"], _day(row["said_from"]), _day(row["said_until"]))
        for row in past
    ]
    ends: dict[str, date] = {}
    for version in found:
        ends[version.document] = max(version.said_until or date.min, ends.get(version.document, date.min))
    for row in live:
        said_from = _day(row["published"]) or ends.get(row["key"])
        found.append(SaidVersion(row["key"], row["source"], row["content_hash"], said_from, None))
    return found


def versions_on(found: Iterable[SaidVersion], day: date) -> dict[str, SaidVersion]:
    """Return the version of each document that was said on a day, by source.

    Of several (a document was removed, and loaded again with the old date) the one that was stored last.
    """
    return {version.source: version for version in found if version.holds_on(day)}


def _day(value: Any) -> date | None:
    return value.to_native() if value is not None else None
