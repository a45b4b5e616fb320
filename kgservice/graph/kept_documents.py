"""Stored documents as they were written: read back from the graph, and as bytes, which keep a former version."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from kgservice.core import keys
from kgservice.core.records import Chunk, Document, Entity, LinkedTriplet, Mention, StatedChunk, StatedDocument
from kgservice.graph.applied_decisions import LOCAL, Run, before, replaced, stored_names

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

    The classes of names are those that the corpus gives them now. `wanted` is asked with the key and the chunks of a
    document, before what it states is read.
    """
    rows = run("read/kept_documents", "keys", list(documents))
    if wanted is not None:
        rows = [row for row in rows if wanted(row["document"]["key"], [_cut(one) for one in row["chunks"]])]
    chunks = [chunk["key"] for row in rows for chunk in row["chunks"]]
    stated = {row["chunk"]: row for row in run("write/chunk_statements", "chunks", chunks)}
    types = _types(run, corpus, stated.values())
    return {row["document"]["key"]: _document(row, stated, types) for row in rows}


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


def _types(run: Run, corpus: str, chunks: Iterable[StoredRow]) -> dict[str, str]:
    """Return the classes of the names of chunks by id, also of those that a decision has replaced."""
    ids: set[str] = set()
    hidden: set[str] = set()
    for chunk in chunks:
        for row in chunk["statements"]:
            ids.update((row["subject"]["id"], row["object"]["id"]))
            if marks := replaced(row["written"]):
                words = json.loads(row["written"])
                hidden.update(LOCAL + words[at] for mark, at in (("s", 0), ("o", 2)) if mark in marks)
    rows = run("read/entity_types", "keys", [keys.entity_key(corpus, id_) for id_ in sorted(ids)])
    decided = run("read/decision", "keys", [keys.decision_key(corpus, "entity", id_) for id_ in sorted(hidden)])
    named = {row["decision"]["name"]: row["decision"].get("type") for row in decided}
    return {row["id"]: row["type"] for row in rows} | {id_: type_ for id_, type_ in named.items() if type_}


def _document(row: StoredRow, stated: Mapping[str, StoredRow], types: Mapping[str, str]) -> KeptDocument:
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
    chunks = tuple(_chunk(chunk, stated[chunk["key"]], types) for chunk in row["chunks"])
    return KeptDocument(document=document, content_hash=stored["content_hash"], recipe="", chunks=chunks)


def _chunk(stored: StoredRow, row: StoredRow, types: Mapping[str, str]) -> KeptChunk:
    names = stored_names(row)
    return KeptChunk(
        chunk=_cut(stored),
        extracted=stored["extracted"],
        statements=tuple(_typed(before(one, types), types) for one in row["statements"]),
        mentions=tuple(Mention(entity=name.entity, start=name.start, end=name.end) for name in names),
        content=stored["content_hash"],
        surfaces=tuple(name.surface for name in names),
    )


def _cut(stored: StoredRow) -> Chunk:
    return Chunk(**{name: stored.get(name) for name in Chunk.model_fields})


def _typed(triplet: LinkedTriplet, types: Mapping[str, str]) -> LinkedTriplet:
    return triplet.model_copy(update=dict(_ends(triplet, types)))


def _ends(triplet: LinkedTriplet, types: Mapping[str, str]) -> Iterator[tuple[str, Entity]]:
    for side, end in (("subject", triplet.subject), ("object", triplet.object)):
        if end.id in types:
            yield side, end.model_copy(update={"type": types[end.id]})
