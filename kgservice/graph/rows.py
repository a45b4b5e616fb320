"""Rows of the write statements from a stated document, and sources from a fact's row, without a database."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import Any, TypeAlias

from kgservice.core import keys
from kgservice.core.records import Entity, LinkedTriplet, Source, StatedChunk, StatedDocument
from kgservice.graph.applied_decisions import NONE, AppliedDecisions, Naming, before, stored_names
from kgservice.graph.kept_documents import KeptChunk
from kgservice.graph.labels import corpus_label
from kgservice.names.mentions import form
from kgservice.text.placement import mention

Row: TypeAlias = dict[str, Any]
# chunk, sentence, cell, written (applied_decisions), said, confidence
Stated: TypeAlias = tuple[str, str, str, str, str, float]


@dataclass(frozen=True)
class State:
    """The stored state of a document: its version, its content hash and the keys of its chunks."""

    version: int
    content_hash: str
    chunks: frozenset[str]


@dataclass
class Rows:
    """Rows for one transaction, by statement. Facts are merged over all chunks of the batch.

    They are valid for the `states` of the batch's documents and the decisions, `decided`, at the time. `changed` and
    `vanished` are the keys of documents with another stored version and of chunks to remove. `given` are the sources'
    classes of names that a decision replaces, by id. `named` are the entities by key, of which `entities` are the rows.
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
    named: dict[str, Entity] = field(default_factory=dict)
    entities: dict[str, Row] = field(default_factory=dict)
    mentions: list[Row] = field(default_factory=list)
    facts: dict[str, Row] = field(default_factory=dict)
    statements: dict[str, set[Stated]] = field(default_factory=lambda: defaultdict(set))


def rows_of(
    corpus: str, batch: Sequence[StatedDocument], states: Mapping[str, State], decided: AppliedDecisions = NONE
) -> Rows:
    """Return the rows of the batch's new and changed documents. `states` are those of stored documents, by key."""
    rows = unmerged_rows(corpus, batch, states, decided)
    _finish(rows)
    return rows


def unmerged_rows(
    corpus: str, batch: Sequence[StatedDocument], states: Mapping[str, State], decided: AppliedDecisions = NONE
) -> Rows:
    """Return rows_of in no order, with entities in `named` alone, and without the lists of statements in facts.

    Rows are for a Writer that merges entities and statements over several batches (ingest.import_files).
    """
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
    return rows


def restated(corpus: str, chunks: Iterable[Mapping[str, Any]], decided: AppliedDecisions) -> Rows:
    """Return the rows of stored chunks under these decisions, from rows of write/chunk_statements.

    A row of `chunks` is {key, facts}.
    """
    rows = Rows(corpus, (), {}, decided)
    for chunk in chunks:
        key = str(chunk["chunk"])
        names = stored_names(chunk)
        types = classes(name.entity for name in names)
        facts = _statements(rows, key, [before(row, types) for row in chunk["statements"]])
        rows.mentions += _mentions(rows, key, names, types)
        rows.chunks.append({"key": key, "facts": sorted(set(facts))})
    _finish(rows)
    return rows


def chunk_keys(corpus: str, stated: StatedDocument) -> list[str]:
    """Return the key of each chunk in order. Equal chunks of a document differ by their occurrence."""
    return [key for key, *_ in _hashed(corpus, stated)]


def _add_document(rows: Rows, stated: StatedDocument, version: int, stored: frozenset[str]) -> None:
    """Add a document's rows. Chunks in `stored` are in the graph already, and only their place is updated."""
    document, corpus = stated.document, rows.corpus
    key = keys.document_key(corpus, document.source)
    rows.documents.append({"key": key, "properties": _document(corpus, key, stated, version)})
    own: list[str] = []
    for (chunk_key, content, types), item in zip(_hashed(corpus, stated), stated.chunks, strict=True):
        own.append(chunk_key)
        properties = _chunk(corpus, chunk_key, content, stated, item)
        if chunk_key not in stored:
            properties["fact_keys"] = sorted(set(_statements(rows, chunk_key, item.statements)))
            rows.mentions += _mentions(rows, chunk_key, _names(item), types)
        rows.chunks.append({"key": chunk_key, "document": key, "label": corpus_label(corpus), "properties": properties})
    rows.following += [{"key": here, "next": after} for here, after in pairwise(own)]


def _finish(rows: Rows) -> None:
    """Make the entities' rows, add the merged statements to the facts, and sort every list in the order of locks."""
    for key, row in rows.facts.items():
        row["properties"] |= columns(rows.statements[key])
    rows.facts = dict(sorted(rows.facts.items()))
    rows.entities = {key: entity_row(rows.corpus, key, vars(rows.named[key])) for key in sorted(rows.named)}
    rows.documents.sort(key=itemgetter("key"))
    rows.chunks.sort(key=itemgetter("key"))
    rows.mentions.sort(key=itemgetter("chunk", "entity"))


def columns(stated: Iterable[Stated]) -> Row:
    """Return a fact's statements as parallel lists, in a fixed order.

    `cells` is None without tables, `written` if all sources have the fact's own words, `confidence` if all are sure.
    """
    rows = sorted(stated)
    if len(rows) == 1:  # as of most facts
        chunk, sentence, cell, words, phrase, sure = rows[0]
        kept = {
            "cells": [cell] if cell else None,
            "written": [words] if words else None,
            "confidence": [sure] if sure < 1 else None,
        }
        return {"chunks": [chunk], "sentences": [sentence], "said": [phrase], **kept}
    chunks, sentences, cells, written, said, confidence = map(list, zip(*rows, strict=True))
    kept = {
        "cells": cells if any(cells) else None,
        "written": written if any(written) else None,
        "confidence": confidence if min(confidence) < 1 else None,
    }
    return {"chunks": chunks, "sentences": sentences, "said": said, **kept}


def sources(fact: Mapping[str, Any]) -> tuple[Source, ...]:
    """Return the distinct sources of a fact's row."""
    cells = fact["cells"] or [""] * len(fact["chunks"])
    confidence = fact["confidence"] or [1.0] * len(fact["chunks"])
    stated: dict[tuple[str, str, str], float] = {}
    places = zip(fact["chunks"], fact["sentences"], cells, strict=True)
    for place, sure in zip(places, confidence, strict=True):
        stated[place] = max(sure, stated.get(place, 0.0))
    return tuple(
        Source(chunk=chunk, document=chunk[: keys.KEY], sentence=sentence, cell=cell, confidence=sure)
        for (chunk, sentence, cell), sure in stated.items()
    )


def grouped(rows: list[Row], by: str, name: str) -> list[Row]:
    """Return neighbouring rows with one value of `by` as one row each, so that the database looks it up once."""
    return [
        {by: value, name: [{key: item for key, item in row.items() if key != by} for row in group]}
        for value, group in groupby(rows, key=lambda row: row[by])
    ]


def _hashed(corpus: str, stated: StatedDocument) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield of each chunk the key, the content hash and the class that it gives each name, by id."""
    document = keys.document_key(corpus, stated.document.source)
    seen: Counter[str] = Counter()
    for item in stated.chunks:
        types = _classes(item)
        content = item.content if isinstance(item, KeptChunk) else _content_hash(stated, item, types)
        yield keys.chunk_key(document, content, seen[content]), content, types
        seen[content] += 1


def _content_hash(stated: StatedDocument, item: StatedChunk, given: Mapping[str, str]) -> str:
    """Return the hash of a chunk's text and facts, with its title, which is part of the embedded text."""
    facts = [(s.subject.id, s.relation, s.period, s.object.id, s.sentence, s.cell) for s in item.statements]
    mention = [(mention.entity.id, mention.start) for mention in item.mentions]  # may depend on other chunks
    title, chunk = stated.document.title, item.chunk
    types = sorted(given.items())
    classes_given = [types] if types else []  # a chunk without classes keeps the key that it had in earlier versions
    return keys.digest(
        20, title, chunk.section, chunk.text, chunk.kind, facts, mention, item.extracted, stated.recipe, *classes_given
    )


def _document(corpus: str, key: str, stated: StatedDocument, version: int) -> Row:
    document = stated.document
    fields = {
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
    return {f"metadata_{name}": value for name, value in sorted(document.metadata.items())} | fields


def _chunk(corpus: str, key: str, content: str, stated: StatedDocument, item: StatedChunk) -> Row:
    return {
        "key": key,
        "corpus": corpus,
        "corpus_code": keys.corpus_code(corpus),
        "title": stated.document.title,
        "published": stated.document.published,
        "content_hash": content,
        "extracted": item.extracted,
        **vars(item.chunk),
    }


def _statements(rows: Rows, chunk_key: str, triplets: Iterable[LinkedTriplet]) -> list[str]:
    """Add the facts of a chunk under the decisions, and return their keys."""
    facts, decided = list[str](), rows.decided
    for triplet in _both_ways(triplets):
        statement, written = decided.stated(triplet)
        if decided.entities:
            _remember_types(rows, (triplet.subject, triplet.object))
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
        elif statement.novel is not None:  # a decision may move a statement of unknown novelty here
            rows.facts[key]["properties"]["novel"] = statement.novel
        said = statement.said or triplet.label
        rows.statements[key].add((chunk_key, statement.sentence, statement.cell, written, said, statement.confidence))
        facts.append(key)
    return facts


def _both_ways(triplets: Iterable[LinkedTriplet]) -> Iterator[LinkedTriplet]:
    """Yield the triplets, and those of symmetric relations in the other direction too."""
    for triplet in triplets:
        yield triplet
        if triplet.mirrored:
            turned = {"subject": triplet.object, "object": triplet.subject}
            yield triplet.model_copy(update=turned | {"written": triplet.written[::-1] if triplet.written else None})


def _classes(item: StatedChunk) -> dict[str, str]:
    """Return the class that a chunk gives each name, by id."""
    ends = (end for statement in item.statements for end in (statement.subject, statement.object))
    return classes(end for end in chain(ends, (named.entity for named in item.mentions)) if end.type is not None)


def classes(entities: Iterable[Entity]) -> dict[str, str]:
    """Return the class that most of these entities give each id; of several the alphabetically first."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for entity in entities:
        if entity.type is not None:
            votes[entity.id][entity.type] += 1
    return {id_: min(own, key=lambda type_: (-own[type_], type_)) for id_, own in votes.items()}


def _names(item: StatedChunk) -> list[Naming]:
    """Return one naming a name: at a fact's end, else at its first place in the text, else in the title."""
    if isinstance(item, KeptChunk):
        names = zip(item.mentions, item.surfaces, strict=True)
        return [Naming(named.entity, surface, named.start, named.end) for named, surface in names]
    namings: dict[str, Naming] = {}
    for statement in item.statements:
        written = statement.written or (statement.subject.label, "", statement.object.label)
        for entity, name in ((statement.subject, written[0]), (statement.object, written[2])):
            if entity.id not in namings:
                namings[entity.id] = _naming(entity, name, item, statement.sentence)
    for named in sorted(item.mentions, key=lambda named: named.start is None):
        surface = item.chunk.text[named.start : named.end] if named.start is not None else named.entity.label
        naming = Naming(named.entity, surface, named.start, named.end)
        if namings.setdefault(named.entity.id, naming).start is None:  # a fact's end that has other words in the text
            namings[named.entity.id] = naming
    return list(namings.values())


def _mentions(rows: Rows, chunk_key: str, names: Iterable[Naming], types: Mapping[str, str]) -> list[Row]:
    """Return one mention an entity: by its own name if the chunk has it, else by the first name merged into it.

    `names` (ids) and `places` ([surface, start, end, class]) keep the written names if a decision replaced one of them.
    `types` are the classes that the chunk gives names, by id. A name gives none to what a decision makes of it.
    """
    if not rows.decided.entities:  # each name is an entity of its own
        return [
            {
                "chunk": chunk_key, "entity": _entity(rows, entity), "surface": surface, "start": start, "end": end,
                "type": types.get(entity.id), "names": None, "places": None,
            }
            for entity, surface, start, end in names
        ]  # fmt: skip
    by_entity: dict[str, list[Naming]] = defaultdict(list)
    canonical: dict[str, Entity] = {}
    for name in names:
        entity = rows.decided.entity(name.entity)
        key = _entity(rows, entity)
        canonical[key] = entity
        by_entity[key].append(name)
    made = []
    for key, own in by_entity.items():
        id_ = canonical[key].id
        if len(own) > 1:
            own.sort(key=lambda name: (name.entity.id != id_, name.start is None, name.start, name.entity.id))
        first, moved = own[0], any(name.entity.id != id_ for name in own)
        row: Row = {"chunk": chunk_key, "entity": key, "surface": first.surface, "start": first.start, "end": first.end}
        row["type"] = types.get(id_)
        row["names"] = [name.entity.id for name in own] if moved else None
        places = ((*name[1:], types.get(name.entity.id)) for name in own)
        row["places"] = [json.dumps(place, ensure_ascii=False) for place in places] if moved else None
        made.append(row)
    return made


def _remember_types(rows: Rows, ends: Iterable[Entity]) -> None:
    for end in ends:
        if end.type is not None and end.id in rows.decided.entities:
            rows.given[end.id] = min(end.type, rows.given.get(end.id, end.type))


def _entity(rows: Rows, entity: Entity) -> str:
    """Add an entity, and return its key. Data of a name is kept beside that of an entity made by a decision."""
    key = keys.entity_key(rows.corpus, entity.id)
    known = rows.named.setdefault(key, entity)
    if known is not entity and (entity.description or entity.aliases):
        rows.named[key] = known.but(description=entity.description, aliases=entity.aliases)
    return key


def entity_row(corpus: str, key: str, entity: Mapping[str, Any]) -> Row:
    """Return the row of an entity, from the values of an Entity by name."""
    properties = {name: value for name, value in entity.items() if name != "type"} | {
        "key": key,
        "corpus": corpus,
        "aliases": list(entity["aliases"]) or None,
        "form": keys.form_key(corpus, form(entity["label"])),
        "bracketed": keys.corpus_code(corpus) if entity["label"].endswith(")") else None,
    }
    return {"key": key, "properties": properties}


def _naming(entity: Entity, name: str, item: StatedChunk, sentence: str) -> Naming:
    span = mention(item.chunk.text, name, sentence)
    return Naming(entity, item.chunk.text[slice(*span)], *span) if span else Naming(entity, name, None, None)
