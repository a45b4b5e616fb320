"""News: JSONL of dated articles, or MultiHop-RAG's corpus.json. Of several versions of a URL the newest is kept.

`kgservice.ingest.near_duplicates` finds near-duplicates of other articles, also of earlier loads.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import ClassVar

from kgservice.core.records import Document, Problem, Scalar
from loaders.shared.fields import Json, Refused, folded, identity, is_scalar, moment, published, string
from loaders.shared.files import File, Line, matches, read_text, rejected
from loaders.shared.loader import RecordLoader, digest


class NewsLoader(RecordLoader):
    """A loader of {url, title, text, published_at, source, author, category}. `facts` (texts) replace a missing text.

    It reads JSONL, or one JSON array in a file `.json`. MultiHop-RAG calls a text "body". source, author and category
    become metadata, with `published_at` to the second.
    """

    suffixes: ClassVar[tuple[str, ...]] = (*RecordLoader.suffixes, ".json")

    def read(self) -> Iterator[Document | Problem]:
        """Read the files twice, for the newest version of each article and then for the articles, and yield these."""
        yield from newest_versions(self.records(), self.records())

    def documents(self, file: File) -> Iterator[Document | Problem]:
        """Yield the articles of one file."""
        if not matches(file.path.name, (".json",)):
            yield from super().documents(file)
            return
        text = read_text(file)
        if isinstance(text, Problem):
            yield text
            return
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Refused("malformed file", f"not JSON: {str(error)[:160]}").problem(file.name)
            return
        rows = rows if isinstance(rows, list) else [rows]
        yield from self.objects((Line(number, json.dumps(row)) for number, row in enumerate(rows, 1)), file.name)

    def document(self, record: Json, file: str, line: int) -> Document:
        """Return one article. Raises Refused if it has neither text nor facts."""
        text = string(record, "text", "body")
        if not text.strip():
            text = _facts(record)
        if not text.strip():
            raise Refused("no text", 'neither "text" nor "facts" holds anything')
        when = published(record)
        metadata = _metadata(record)
        if when:
            metadata["published_at"] = when.isoformat()
        return Document(
            source=identity(record, ("url", "id", "_id"), file, line),
            text=text,
            title=folded(string(record, "title")),
            doc_type="news",
            url=string(record, "url").strip() or None,
            published=when.date() if when else None,
            domain="news",
            metadata=metadata,
        )


def newest_versions(
    articles: Iterable[Document | Problem], found: Iterable[Document | Problem]
) -> Iterator[Document | Problem]:
    """Read all articles, then yield what was found, each older version of an article as rejected."""
    newest: dict[int, float] = {}
    for item in articles:
        if isinstance(item, Document):
            key = digest(item.source)
            newest[key] = max(newest.get(key, -math.inf), _time(item))
    for item in found:
        if isinstance(item, Document) and (key := digest(item.source)) in newest:
            if _time(item) != newest[key]:
                yield rejected(item.source, "older version", "a newer version of this article was kept")
                continue
            newest[key] = math.nan  # NaN equals nothing: the first of equally new versions wins
        yield item


def _time(document: Document) -> float:
    when = moment(str(document.metadata.get("published_at", "")))
    return when.timestamp() if when else -math.inf


def _facts(record: Json) -> str:
    facts = record.get("facts")
    if facts is None:
        return ""
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        raise Refused("malformed line", '"facts" must be a list of texts')
    return "\n\n".join(fact.strip() for fact in facts if fact.strip())


def _metadata(record: Json) -> dict[str, Scalar]:
    kept: dict[str, Scalar] = {}
    for key in ("source", "author", "category"):
        value = record.get(key)
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = ", ".join(value)
        if value is None or value == "":
            continue
        if not is_scalar(value) or not isinstance(value, str | int | float):
            raise Refused("bad metadata", f'"{key}" must be a text, not {type(value).__name__}')
        kept[key] = value
    return kept
