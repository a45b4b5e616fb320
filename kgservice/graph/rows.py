"""From a stated document to rows of the write statements, and from a fact's row to sources; no database here."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, TypeAlias

from kgservice.core import keys
from kgservice.core.records import Entity, LinkedTriplet, Source, StatedChunk, StatedDocument
from kgservice.graph.applied_decisions import NONE, AppliedDecisions, Naming, before, stored_names
from kgservice.graph.labels import corpus_label, label_of
from kgservice.names.mentions import form
from kgservice.text.placement import mention

Row: TypeAlias = dict[str, Any]
Stated: TypeAlias = tuple[str, str, str, str, str]  # chunk, sentence, cell, written (graph.decided), said


@dataclass(frozen=True)
class State:
    """What is stored of a document: its version, its content hash and the keys of its chunks."""

    version: int
    content_hash: str
    chunks: frozenset[str]


@dataclass
class Rows:
    """Rows for one transaction, by statement; facts are merged over all chunks of the batch.

    They hold for the `states` of the batch's documents at the time and for what was `decided` about names; `changed`
    and `vanished` are the keys of documents that are stored in another version and of chunks that go. `given` are the
    classes that sources give names which are decided to be others, by id.
    """

    corpus: str
    batch: Sequence[StatedDocument]
    states: Mapping[str, State]
    decided: AppliedDecisions = NONE
    given: dict[str, str] = field(default_factory=dict)
    changed: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    documents: list[Row] = field(default_factory=list)
    chunks: list[Row] = field(default_factory=list)
    following: list[Row] = field(default_factory=list)
    entities: dict[str, Row] = field(default_factory=dict)
    mentions: list[Row] = field(default_factory=list)
    facts: dict[str, Row] = field(default_factory=dict)
    statements: dict[str, set[Stated]] = field(default_factory=lambda: defaultdict(set))


def rows_of(
    corpus: str, batch: Sequence[StatedDocument], states: Mapping[str, State], decided: AppliedDecisions = NONE
) -> Rows:
    """Return the rows of the batch's new and changed documents; `states` by document key, of those that are stored."""
    rows = Rows(corpus, batch, states, decided)
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


def restated(
    corpus: str, chunks: Iterable[Mapping[str, Any]], decided: AppliedDecisions, types: Mapping[str, str | None]
) -> Rows:
    """Return the rows of stored chunks, from rows of write/chunk_statements, as these decisions have them.

    A row of `chunks` is {key, facts}; `types` are the classes of names that are decided about no more.
    """
    rows = Rows(corpus, (), {}, decided)
    for chunk in chunks:
        key = str(chunk["chunk"])
        facts = _statements(rows, key, [before(row, types) for row in chunk["statements"]])
        rows.mentions += _mentions(rows, key, stored_names(chunk))
        rows.chunks.append({"key": key, "facts": sorted(set(facts))})
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
            properties["fact_keys"] = sorted(set(_statements(rows, chunk_key, item.statements)))
            rows.mentions += _mentions(rows, chunk_key, _names(item))
        rows.chunks.append({"key": chunk_key, "document": key, "label": corpus_label(corpus), "properties": properties})
    rows.following += [{"key": here, "next": after} for here, after in pairwise(own)]


def _finish(rows: Rows) -> None:
    """Put the merged statements on the facts and bring every list into the order in which locks are taken."""
    for key, row in rows.facts.items():
        row["properties"] |= columns(rows.statements[key])
    rows.facts = dict(sorted(rows.facts.items()))
    rows.entities = {key: row | {"class": label_of(row["type"])} for key, row in sorted(rows.entities.items())}
    rows.documents.sort(key=lambda row: str(row["key"]))
    rows.chunks.sort(key=lambda row: str(row["key"]))
    rows.mentions.sort(key=lambda row: (str(row["chunk"]), str(row["entity"])))


def columns(stated: Iterable[Stated]) -> Row:
    """Return a fact's statements as it keeps them, item by item in their one order.

    No cells where no table is, and nothing `written` where all sources write the fact as it reads.
    """
    chunks, sentences, cells, written, said = map(list, zip(*sorted(stated), strict=True))
    kept = {"cells": cells if any(cells) else None, "written": written if any(written) else None}
    return {"chunks": chunks, "sentences": sentences, "said": said, **kept}


def sources(fact: Mapping[str, Any]) -> tuple[Source, ...]:
    """Return the statements of a fact's row; a sentence that states it by two names of one entity is one source."""
    cells = fact["cells"] or [""] * len(fact["chunks"])
    stated = dict.fromkeys(zip(fact["chunks"], fact["sentences"], cells, strict=True))
    return tuple(
        Source(chunk=chunk, document=chunk[: keys.KEY], sentence=sentence, cell=cell)
        for chunk, sentence, cell in stated
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
    facts = [(s.subject.id, s.relation, s.period, s.object.id, s.sentence, s.cell) for s in item.statements]
    named = [(named.entity.id, named.start) for named in item.mentions]  # which other chunks may tell
    title, chunk = stated.document.title, item.chunk
    return keys.digest(20, title, chunk.section, chunk.text, chunk.kind, facts, named, item.extracted, stated.recipe)


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
        "published": stated.document.published,
        "content_hash": content,
        "extracted": item.extracted,
        **item.chunk.model_dump(),
    }


def _statements(rows: Rows, chunk_key: str, given: Iterable[LinkedTriplet]) -> list[str]:
    """Add what a chunk states, as it is decided; return the keys of the facts."""
    facts = []
    for one in _both_ways(given):
        statement, written = rows.decided.stated(one)
        _remember_types(rows, (one.subject, one.object))
        subject, obj = _entity(rows, statement.subject), _entity(rows, statement.object)
        key = keys.fact_key(rows.corpus, subject, statement.relation, obj, statement.period)
        code = keys.relation_code(statement.relation, statement.period)
        if key not in rows.facts:
            properties = {
                "key": key,
                "relation": statement.relation,
                "label": statement.label,
                "period": statement.period or None,
                "sr": subject + code,
                "ro": obj + code,
                "objects": 1,
                "subjects": 1,
                "novel": statement.novel,
            }
            rows.facts[key] = {"key": key, "subject": subject, "object": obj, "properties": properties}
        elif statement.novel is not None:  # a decision put another statement here, of which nobody can tell
            rows.facts[key]["properties"]["novel"] = statement.novel
        said = statement.said or one.label
        rows.statements[key].add((chunk_key, statement.sentence, statement.cell, written, said))
        facts.append(key)
    return facts


def _both_ways(given: Iterable[LinkedTriplet]) -> Iterator[LinkedTriplet]:
    """The statements, and those of symmetric relations the other way round too."""
    for one in given:
        yield one
        if one.mirrored:
            turned = {"subject": one.object, "object": one.subject}
            yield one.model_copy(update=turned | {"written": one.written[::-1] if one.written else None})


def _names(item: StatedChunk) -> list[Naming]:
    """One naming a name: where a fact names it, else where the text does first, else the title's."""
    found: dict[str, Naming] = {}
    for statement in item.statements:
        written = statement.written or (statement.subject.label, "", statement.object.label)
        for entity, name in ((statement.subject, written[0]), (statement.object, written[2])):
            if entity.id not in found:
                found[entity.id] = _naming(entity, name, item, statement.sentence)
    for named in sorted(item.mentions, key=lambda named: named.start is None):
        surface = item.chunk.text[named.start : named.end] if named.start is not None else named.entity.label
        naming = Naming(named.entity, surface, named.start, named.end)
        if found.setdefault(named.entity.id, naming).start is None:  # a fact's end that the text calls otherwise
            found[named.entity.id] = naming
    return list(found.values())


def _mentions(rows: Rows, chunk_key: str, names: Iterable[Naming]) -> list[Row]:
    """One mention an entity: its own name where the chunk has it, else the first of those decided to be its names.

    `names` (ids) and `places` ([surface, start, end]) say what was written where a decision replaced one of them.
    """
    found: dict[str, list[Naming]] = defaultdict(list)
    canonical: dict[str, Entity] = {}
    for name in names:
        entity = rows.decided.entity(name.entity)
        key = _entity(rows, entity)
        canonical[key] = entity
        found[key].append(name)
    made = []
    for key, own in found.items():
        id_ = canonical[key].id
        own.sort(key=lambda name: (name.entity.id != id_, name.start is None, name.start, name.entity.id))
        first, moved = own[0], any(name.entity.id != id_ for name in own)
        row: Row = {"chunk": chunk_key, "entity": key, "surface": first.surface, "start": first.start, "end": first.end}
        row["names"] = [name.entity.id for name in own] if moved else None
        row["places"] = [json.dumps(name[1:], ensure_ascii=False) for name in own] if moved else None
        made.append(row)
    return made


def _remember_types(rows: Rows, ends: Iterable[Entity]) -> None:
    for end in ends:
        if end.type is not None and end.id in rows.decided.entities:
            rows.given[end.id] = min(end.type, rows.given.get(end.id, end.type))


def _entity(rows: Rows, entity: Entity) -> str:
    """Add an entity; what one name of it tells stays beside one that a decision put here, which tells nothing."""
    key = keys.entity_key(rows.corpus, entity.id)
    known = rows.entities.get(key)
    if known is None:
        properties = entity.model_dump(exclude={"type"}) | {"key": key, "corpus": rows.corpus}
        properties["aliases"] = list(entity.aliases) or None
        properties["form"] = keys.form_key(rows.corpus, form(entity.label))
        rows.entities[key] = {"key": key, "type": entity.type, "properties": properties}
        return key
    if entity.type is not None and (known["type"] is None or entity.type < known["type"]):
        known["type"] = entity.type
    if entity.description or entity.aliases:
        known["properties"] |= {"description": entity.description, "aliases": list(entity.aliases) or None}
    return key


def _naming(entity: Entity, name: str, item: StatedChunk, sentence: str) -> Naming:
    span = mention(item.chunk.text, name, sentence)
    return Naming(entity, item.chunk.text[slice(*span)], *span) if span else Naming(entity, name, None, None)
