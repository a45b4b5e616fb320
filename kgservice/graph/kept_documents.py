"""Stored documents as they were written: read back from the graph, and as bytes, which keep a former version."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from kgservice.core.records import Chunk, Document, Mention, StatedChunk, StatedDocument
from kgservice.graph.applied_decisions import Run, before, stored_names

METADATA = "metadata_"
StoredRow: TypeAlias = Mapping[str, Any]


class KeptChunk(StatedChunk):
    """A chunk as it was stored: `content` is its content hash, `surfaces` are the words of its mentions."""

    content: str
    surfaces: tuple[str, ...]


class KeptDocument(StatedDocument):
    """A document as it was stored, before decisions about names. Its text is that of its chunks alone."""

    chunks: tuple[KeptChunk, ...]


def kept(
    run: Run, corpus: str, documents: Sequence[str], wanted: Callable[[str, list[Chunk]], bool] | None = None
) -> dict[str, KeptDocument]:
    """Return stored documents by key. `run` reads: name of the statement, its parameter, values.

    `wanted` is asked with the key and the chunks of a document, before what it states is read.
    """
    rows = run("read/kept_documents", "keys", list(documents))
    if wanted is not None:
        rows = [row for row in rows if wanted(row["document"]["key"], [_cut(one) for one in row["chunks"]])]
    chunks = [chunk["key"] for row in rows for chunk in row["chunks"]]
    stated = {row["chunk"]: row for row in run("write/chunk_statements", "chunks", chunks)}
    return {row["document"]["key"]: _document(row, stated) for row in rows}


def packed(document: KeptDocument) -> bytes:
    """Return a document as bytes."""
    return zlib.compress(document.model_dump_json(exclude_defaults=True).encode("utf-8", "surrogatepass"))


def unpacked(reading: bytes) -> KeptDocument:
    """Return the document of bytes that `packed` made."""
    return KeptDocument.model_validate_json(zlib.decompress(reading))


def text_of(chunks: Iterable[Chunk]) -> str:
    """Return the text of chunks, however it was cut: without the overlaps, and with single spaces."""
    text, end = "", 0
    for chunk in sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)):
        text += (" " if chunk.start > end else "") + chunk.text[max(0, end - chunk.start) :]
        end = max(end, chunk.end)
    return " ".join(text.split())


def _document(row: StoredRow, stated: Mapping[str, StoredRow]) -> KeptDocument:
    stored = row["document"]
    published = stored.get("published")
    document = Document(
        source=stored["source"],
        text="",
        title=stored["title"],
        doc_type=stored["doc_type"],
        url=stored.get("url"),
        published=published and published.to_native(),
        domain=stored.get("domain"),
        metadata={name.removeprefix(METADATA): stored[name] for name in stored if name.startswith(METADATA)},
    )
    chunks = tuple(_chunk(chunk, stated[chunk["key"]]) for chunk in row["chunks"])
    return KeptDocument(document=document, content_hash=stored["content_hash"], recipe="", chunks=chunks)


def _chunk(stored: StoredRow, row: StoredRow) -> KeptChunk:
    names = stored_names(row)
    types = {name.entity.id: name.entity.type for name in names}
    return KeptChunk(
        chunk=_cut(stored),
        extracted=stored["extracted"],
        statements=tuple(before(one, types) for one in row["statements"]),
        mentions=tuple(Mention(entity=name.entity, start=name.start, end=name.end) for name in names),
        content=stored["content_hash"],
        surfaces=tuple(name.surface for name in names),
    )


def _cut(stored: StoredRow) -> Chunk:
    return Chunk(**{name: stored.get(name) for name in Chunk.model_fields})
