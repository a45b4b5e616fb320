"""From a stated document to rows of the write statements, and from a fact's row to sources; no database here."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from kgservice import keys
from kgservice.extraction.given import mention
from kgservice.linking.mentions import form
from kgservice.model import Entity, Source, StatedChunk, StatedDocument

Row: TypeAlias = dict[str, Any]
Stated: TypeAlias = tuple[str, str, str]  # chunk, sentence, cell


@dataclass(frozen=True)
class State:
    """What is stored of a document: its version, its content hash and the keys of its chunks."""

    version: int
    content_hash: str
    chunks: frozenset[str]


@dataclass
class Rows:
    """Rows for one transaction, by statement; facts are merged over all chunks of the batch.

    They hold for the `states` of the batch's documents at the time; `changed` and `vanished` are the keys of documents
    that are stored in another version and of chunks that go.
    """

    corpus: str
    batch: Sequence[StatedDocument]
    states: Mapping[str, State]
    changed: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    following: list[Row] = field(default_factory=list)
    entities: dict[str, Row] = field(default_factory=dict)
    mentions: list[Row] = field(default_factory=list)
    facts: dict[str, Row] = field(default_factory=dict)
    statements: dict[str, set[Stated]] = field(default_factory=lambda: defaultdict(set))


def rows_of(corpus: str, batch: Sequence[StatedDocument], states: Mapping[str, State]) -> Rows:
    """Return the rows of the batch's new and changed documents; `states` by document key, of those that are stored."""
    rows = Rows(corpus, batch, states)
    for stated in batch:
        key = keys.document_key(corpus, stated.document.source)
        state = states.get(key)
        if state is None:
            _add_document(rows, stated, 1, frozenset())
        elif state.content_hash != stated.content_hash:
            _add_document(rows, stated, state.version + 1, state.chunks)
            rows.vanished += sorted(state.chunks.difference(chunk_keys(corpus, stated)))
            rows.changed.append(key)
    _finish(rows)
    return rows


def chunk_keys(corpus: str, stated: StatedDocument) -> list[str]:
    """Return the key of each chunk in order; equal chunks of a document are told apart by their occurrence."""
    return [key for key, _ in _hashed(corpus, stated)]


def _add_document(rows: Rows, stated: StatedDocument, version: int, stored: frozenset[str]) -> None:
    """Add a document's rows; chunks in `stored` are in the graph already and only get their place anew."""
    document, corpus = stated.document, rows.corpus
    key = keys.document_key(corpus, document.source)
    rows.documents.append({"key": key, "properties": _document(corpus, key, stated, version)})
    own: list[str] = []
    for (chunk_key, content), item in zip(_hashed(corpus, stated), stated.chunks, strict=True):
        own.append(chunk_key)
        properties = _chunk(corpus, chunk_key, content, stated, item)
        if chunk_key not in stored:
            properties["fact_keys"] = sorted(set(_statements(rows, corpus, chunk_key, item)))
            rows.mentions += _mentions(rows, corpus, chunk_key, item)
        rows.chunks.append({"key": chunk_key, "document": key, "properties": properties})
    rows.following += [{"key": here, "next": after} for here, after in pairwise(own)]


def _finish(rows: Rows) -> None:
    """Put the merged statements on the facts and bring every list into the order in which locks are taken."""
    for key, row in rows.facts.items():
        row["properties"] |= columns(rows.statements[key])
    rows.facts = dict(sorted(rows.facts.items()))
    rows.entities = dict(sorted(rows.entities.items()))
    rows.documents.sort(key=lambda row: str(row["key"]))
    rows.chunks.sort(key=lambda row: str(row["key"]))
    rows.mentions.sort(key=lambda row: (str(row["chunk"]), str(row["entity"])))


def columns(stated: Iterable[Stated]) -> Row:
    """Return a fact's statements as it keeps them, item by item in their one order; no cells where no table is."""
    chunks, sentences, cells = map(list, zip(*sorted(stated), strict=True))
    return {"chunks": chunks, "sentences": sentences, "cells": cells if any(cells) else None}


def sources(fact: Mapping[str, Any]) -> tuple[Source, ...]:
    """Return the statements of a fact's row."""
    cells = fact["cells"] or [""] * len(fact["chunks"])
    return tuple(
        Source(chunk=chunk, document=chunk[: keys.KEY], sentence=sentence, cell=cell)
        for chunk, sentence, cell in zip(fact["chunks"], fact["sentences"], cells, strict=True)
    )


def grouped(rows: list[Row], by: str, name: str) -> list[Row]:
    """Gather neighbouring rows with one value of `by` in a row each, so that the database looks that value up once."""
    return [
        {by: value, name: [{key: item for key, item in row.items() if key != by} for row in group]}
        for value, group in groupby(rows, key=lambda row: row[by])
    ]


def _hashed(corpus: str, stated: StatedDocument) -> Iterator[tuple[str, str]]:
    """The key and the content hash of each chunk."""
    document = keys.document_key(corpus, stated.document.source)
    seen: Counter[str] = Counter()
    for item in stated.chunks:
        content = _content_hash(stated, item)
        yield keys.chunk_key(document, content, seen[content]), content
        seen[content] += 1


def _content_hash(stated: StatedDocument, item: StatedChunk) -> str:
    """Hash what a chunk says and what was made of it; the title counts, as it is part of what is embedded."""
    facts = [(s.subject.id, s.relation, s.object.id, s.sentence, s.cell) for s in item.statements]
    title, chunk = stated.document.title, item.chunk
    return keys.digest(20, title, chunk.section, chunk.text, chunk.kind, facts, item.extracted, stated.recipe)


def _document(corpus: str, key: str, stated: StatedDocument, version: int) -> Row:
    document = stated.document
    known = {
        "key": key,
        "corpus": corpus,
        "source": document.source,
        "doc_type": document.doc_type,
        "title": document.title,
        "domain": document.domain,
        "url": document.url,
        "published": document.published,
        "content_hash": stated.content_hash,
        "version": version,
        "state": "stored",
    }
    return {f"metadata_{name}": value for name, value in sorted(document.metadata.items())} | known


def _chunk(corpus: str, key: str, content: str, stated: StatedDocument, item: StatedChunk) -> Row:
    return {
        "key": key,
        "corpus": corpus,
        "corpus_code": keys.corpus_code(corpus),
        "title": stated.document.title,
        "content_hash": content,
        "extracted": item.extracted,
        **item.chunk.model_dump(),
    }


def _statements(rows: Rows, corpus: str, chunk_key: str, item: StatedChunk) -> list[str]:
    facts = []
    for statement in item.statements:
        subject, obj = _entity(rows, corpus, statement.subject), _entity(rows, corpus, statement.object)
        key = keys.fact_key(corpus, subject, statement.relation, obj)
        code = keys.relation_code(statement.relation)
        if key not in rows.facts:
            properties = {
                "key": key,
                "relation": statement.relation,
                "label": statement.label,
                "sr": subject + code,
                "ro": obj + code,
                "objects": 1,
                "subjects": 1,
                "novel": statement.novel,
            }
            rows.facts[key] = {"key": key, "subject": subject, "object": obj, "properties": properties}
        rows.statements[key].add((chunk_key, statement.sentence, statement.cell))
        facts.append(key)
    return facts


def _mentions(rows: Rows, corpus: str, chunk_key: str, item: StatedChunk) -> list[Row]:
    """One mention an entity: where a fact names it, else where the text does first, else the title's."""
    found: dict[str, Row] = {}
    for statement in item.statements:
        written = statement.written or (statement.subject.label, "", statement.object.label)
        for entity, name in ((statement.subject, written[0]), (statement.object, written[2])):
            key = keys.entity_key(corpus, entity.id)
            if key not in found:
                found[key] = _mention(chunk_key, key, name, item, statement.sentence)
    for named in sorted(item.mentions, key=lambda named: named.start is None):
        key = _entity(rows, corpus, named.entity)
        surface = item.chunk.text[named.start : named.end] if named.start is not None else named.entity.label
        row = {"chunk": chunk_key, "entity": key, "surface": surface, "start": named.start, "end": named.end}
        found.setdefault(key, row)
    return list(found.values())


def _entity(rows: Rows, corpus: str, entity: Entity) -> str:
    key = keys.entity_key(corpus, entity.id)
    known = rows.entities.get(key)
    if known is None:
        properties = entity.model_dump(exclude={"type"}) | {"key": key, "corpus": corpus}
        properties["aliases"] = list(entity.aliases) or None
        properties["form"] = keys.form_key(corpus, form(entity.label))
        rows.entities[key] = {"key": key, "type": entity.type, "properties": properties}
    elif entity.type is not None and (known["type"] is None or entity.type < known["type"]):
        known["type"] = entity.type
    return key


def _mention(chunk_key: str, entity_key: str, name: str, item: StatedChunk, sentence: str) -> Row:
    text = item.chunk.text
    span = mention(text, name, sentence)
    start, end = span if span else (None, None)
    surface = text[start:end] if span else name
    return {"chunk": chunk_key, "entity": entity_key, "surface": surface, "start": start, "end": end}
