"""The statements of a writing transaction: write documents, remove them, apply decisions."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import neo4j

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Decision, StatedDocument
from kgservice.graph.applied_decisions import (
    NONE,
    AppliedDecisions,
    Named,
    Run,
    applied_decisions,
    before,
    named_in,
    names_in,
    replaced,
    stored_names,
)
from kgservice.graph.history import Ended, past_rows
from kgservice.graph.labels import class_and_label
from kgservice.graph.queries import query
from kgservice.graph.rows import (
    Row,
    Rows,
    State,
    Stated,
    columns,
    grouped,
    restated,
    rows_of,
)
from kgservice.names.mentions import form

SLICE = 10_000  # rows a statement; keeps one transaction's memory bounded whatever a document holds
CHUNKS = 1_000  # chunks restated at a time


class Lock(NamedTuple):
    """The lock of a corpus's writer: whether the corpus has questions, the version of its decisions, what it holds."""

    asked: bool
    decisions: int
    totals: dict[str, int]


class Applied(NamedTuple):
    """What a transaction made of decisions: those that it stored, and how many chunks it restated."""

    decisions: list[Decision]
    chunks: int


def write(tx: neo4j.ManagedTransaction, rows: Rows, text_index: str | None = None, *, view: bool = False) -> int:
    """Store the documents of prepared rows, and return the version of the corpus's decisions.

    `text_index`: the corpus's own full-text index, None if it has none. What replaced versions said is kept as the
    corpus's past; a `view` has none. Raises BadRequest if the corpus is a view and `view` is False.
    """
    asked, version, totals = _locked(tx, rows.corpus, text_index, view=view)
    batch = {keys.document_key(rows.corpus, stated.document.source): stated for stated in rows.batch}
    names = {key: stated.document for key, stated in batch.items()}
    stored = _run(tx, "write/document_states", keys=list(names))
    states = states_of(stored)
    if states != rows.states or version != rows.decided.version:  # another writer was faster
        rows = rows_of(rows.corpus, rows.batch, states, decided_in(_reader(tx), rows.corpus, version, rows.batch))
    if rows.changed and not view:
        published = {row["key"]: row["published"] and row["published"].to_native() for row in stored}
        today = date.today()
        whole = (key for key in rows.changed if states[key].content_hash)  # none: a removal was interrupted
        ended = {key: Ended(published[key], names[key].published or today, batch[key]) for key in whole}
        _keep_past(tx, rows.corpus, ended)
    touched = _withdraw(tx, rows.vanished)
    if rows.changed:
        _run(tx, "write/unlink_chunks", documents=rows.changed)
    _add(tx, rows, touched)
    _settle(tx, touched)
    _set_totals(tx, rows.corpus, totals, touched)
    if asked:
        how = {key: "changed" if key in states else "added" for key in names}
        documents = {key: f"{how[key]}: {_named(document.source, document.title)}" for key, document in names.items()}
        _record(tx, rows.corpus, touched, documents)
    return version


def _locked(tx: neo4j.ManagedTransaction, corpus: str, text_index: str | None = None, *, view: bool = False) -> Lock:
    code = keys.corpus_code(corpus)
    row = _run(tx, "write/lock_corpus", corpus=corpus, code=code, text_index=text_index)[0]
    if row["view_of"] is not None and not view:
        raise view_refused(corpus, row["view_of"])
    totals = row["totals"] or _run(tx, "read/counted_totals", code=code, until=code + "~")[0].data()
    return Lock(row["asked"], row["decisions"], totals)


def view_refused(corpus: str, of: str) -> BadRequest:
    """Return the error for a write to a view."""
    return BadRequest(f"{corpus!r} shows what {of!r} said on a day, and nothing is written to it: write to {of!r}")


def _keep_past(tx: neo4j.ManagedTransaction, corpus: str, ended: Mapping[str, Ended]) -> None:
    """Keep what versions of documents said, before they are withdrawn."""
    for rows in past_rows(_reader(tx), corpus, ended):
        _run(tx, "write/past_documents", rows=rows)


def decided_in(run: Run, corpus: str, version: int, batch: Sequence[StatedDocument]) -> AppliedDecisions:
    """Return the decisions about the names of a batch. Nothing is read if the corpus has none."""
    return applied_decisions(run, corpus, version, named_in(batch)) if version else NONE


def states_of(rows: Iterable[neo4j.Record]) -> dict[str, State]:
    return {row["key"]: State(row["version"], row["content_hash"], frozenset(row["chunks"])) for row in rows}


def remove(
    tx: neo4j.ManagedTransaction,
    corpus: str,
    documents: Sequence[str],
    on: date | None = None,
    *,
    forget: bool = False,
    view: bool = False,
) -> int:
    """Remove documents by key, with their chunks and the facts that only they stated; return how many were there.

    What they said is kept as said until `on`, None for today. `forget` keeps nothing, of former versions and in
    questions neither. Raises BadRequest if the corpus is a view and `view` is False.
    """
    asked, _, totals = _locked(tx, corpus, view=view)
    states = _run(tx, "write/document_states", keys=list(documents))
    found, sources = {row["key"] for row in states}, {row["source"] for row in states}
    if forget:
        past = _run(tx, "write/forget_past", documents=sorted(documents))
        found, sources = found | {row["document"] for row in past}, sources | {row["source"] for row in past}
    elif not view:
        until = on or date.today()
        whole = (row for row in states if row["content_hash"])
        published = {row["key"]: row["published"] and row["published"].to_native() for row in whole}
        _keep_past(tx, corpus, {key: Ended(day, until) for key, day in published.items()})
    touched = _withdraw(tx, sorted(chunk for row in states for chunk in row["chunks"]))
    _counted(tx, touched, "documents", "write/remove_documents", "keys", sorted(documents))
    if forget:
        found |= _forget_in_questions(tx, corpus, documents, sources, touched)
    _settle(tx, touched)
    _set_totals(tx, corpus, totals, touched)
    if asked:
        removed = {row["key"]: f"removed: {_named(row['source'], row['title'])}" for row in states}
        _record(tx, corpus, touched, {} if forget else removed)
    return len(found)


def _forget_in_questions(
    tx: neo4j.ManagedTransaction, corpus: str, documents: Iterable[str], sources: Iterable[str], touched: _Touched
) -> set[str]:
    """Delete the questions that rest on documents, and what others quote of these and say of what was done to them.

    Return the documents of which there was anything in questions. What else the deleted ones asked about counts as
    changed, so that the next refresh asks about it by others. Call it when the chunks of the documents are gone: a run
    that writes questions at the same time waits for that.
    """
    code = keys.corpus_code(corpus)
    scope = {"code": code, "until": code + "~", "documents": sorted(documents)}
    named = [f"{before}{source}{after}" for source in sorted(sources) for before, after in ((": ", ""), (" (", ")"))]
    if gone := _run(tx, "write/forget_questions", **scope):
        named = named or sorted({row["cause"] for row in gone if row["cause"]})  # no version is left to tell its id
        _run(tx, "questions/forget_totals", corpus=corpus)
        (row,) = _run(tx, "questions/facts_known", keys=sorted({key for one in gone for key in one["facts"]}))
        touched.facts.update((sr, ro, key) for key, sr, ro, *_ in row["facts"])
    quoting = _run(tx, "read/quoting_questions", **scope)
    rows = [{"key": row["key"], "rivals": _unquoted(row["rivals"], scope["documents"])} for row in quoting]
    _sliced(tx, "write/unquoted_questions", "rows", rows)
    _run(tx, "write/forget_causes", code=code, until=code + "~", named=named)
    behind = {key for row in gone for key in row["documents"]}
    return {key for key in scope["documents"] if key in behind or any(key in row["rivals"] for row in quoting)}


def _unquoted(rivals: str, documents: Collection[str]) -> str:
    """Return rivals (JSON) without the words of documents; their place stays, so that a refresh looks there again."""
    known = json.loads(rivals)
    blank = {"answer": "", "sentence": ""}
    return json.dumps([one | blank if one["document"] in documents else one for one in known], ensure_ascii=False)


def decide(tx: neo4j.ManagedTransaction, corpus: str, decisions: Sequence[Decision], *, view: bool = False) -> Applied:
    """Store decisions, each about another name, and restate the chunks that state or mention these names.

    A person may have decided since a resolution read the names: what the resolution decided about the same name is
    dropped, as is what would merge names in a ring. Raises BadRequest if a person's decision would do that, or if the
    corpus is a view and `view` is False.
    """
    asked, version, totals = _locked(tx, corpus, view=view)
    decisions = _ringless(tx, corpus, _unsettled(tx, corpus, decisions))
    if not decisions:
        return Applied([], 0)
    names = {(decision.kind, decision.name) for decision in decisions}
    former = applied_decisions(_reader(tx), corpus, version, names)
    chunks = _concerned(tx, corpus, sorted(names), former)
    rows = [
        _decision(corpus, decision)
        for decision in sorted(decisions, key=lambda decision: (decision.kind, decision.name))
    ]
    _sliced(tx, "write/decide", "rows", rows)
    _run(tx, "write/count_decisions", corpus=corpus)
    touched = _Touched()
    for start in range(0, len(chunks), CHUNKS):
        _restate(tx, corpus, chunks[start : start + CHUNKS], version + 1, touched)
    _settle(tx, touched)
    _set_totals(tx, corpus, totals, touched)
    if asked:
        _record(tx, corpus, touched, {})
    return Applied(decisions, len(chunks))


def store_totals(tx: neo4j.ManagedTransaction, corpus: str) -> None:
    """Count a corpus that no transaction of this version has written, and store the counts."""
    _set_totals(tx, corpus, _locked(tx, corpus, view=True).totals, _Touched())


def _unsettled(tx: neo4j.ManagedTransaction, corpus: str, decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions of people, and those of a resolution about names of which no person has decided."""
    made = {keys.decision_key(corpus, one.kind, one.name): one for one in decisions}
    automatic = sorted(key for key, one in made.items() if one.by != "person")
    stored = _sliced(tx, "read/decision", "keys", automatic)
    settled = {row["decision"]["key"] for row in stored if row["decision"]["by"] == "person"}
    return [one for key, one in made.items() if key not in settled or one.by == "person"]


def _ringless(tx: neo4j.ManagedTransaction, corpus: str, decisions: Sequence[Decision]) -> list[Decision]:
    """Return decisions without those of a resolution that lead back to their own name (BadRequest: a person's does)."""
    made = {keys.decision_key(corpus, one.kind, one.name): one for one in decisions}
    stored: dict[str, str] = {}
    pending = made.keys() | {keys.decision_key(corpus, one.kind, one.into) for one in decisions}
    while pending:
        rows = _sliced(tx, "write/decisions", "keys", sorted(pending))
        stored |= {row["key"]: row["target"] for row in rows}
        pending = {row["target"] for row in rows} - stored.keys()
    while rings := _in_rings(corpus, made, stored):
        dropped = {key for key, one in rings.items() if one.by != "person"}
        if not dropped:
            first = next(iter(rings.values()))
            raise BadRequest(f"{first.into!r} stands for {first.name!r} already: split it first")
        made = {key: one for key, one in made.items() if key not in dropped}  # the stored one about its name stands
    return list(made.values())


def _in_rings(corpus: str, made: Mapping[str, Decision], stored: Mapping[str, str]) -> dict[str, Decision]:
    """Return the decisions, by key, that lead back to their own name on top of stored ones."""
    links = {key: target for key, target in stored.items() if key not in made} | {
        key: keys.decision_key(corpus, one.kind, one.into) for key, one in made.items() if one.state == "merged"
    }
    return {key: one for key, one in made.items() if key in _behind_link(links, key)}


def _behind_link(links: Mapping[str, str], key: str) -> set[str]:
    """Return what a key leads to, itself only in a ring."""
    behind: set[str] = set()
    while key in links and links[key] not in behind:
        key = links[key]
        behind.add(key)
    return behind


def _decision(corpus: str, decision: Decision) -> Row:
    properties = decision.model_dump(exclude={"type"}) | {"corpus": corpus}
    key = properties["key"] = keys.decision_key(corpus, decision.kind, decision.name)
    properties["target"] = keys.decision_key(corpus, decision.kind, decision.into)
    entity = keys.entity_key(corpus, decision.name) if decision.kind == "entity" else None
    return {"key": key, "properties": properties, "entity": entity}


def _concerned(
    tx: neo4j.ManagedTransaction, corpus: str, named: Sequence[Named], former: AppliedDecisions
) -> list[str]:
    """Return the chunks that state or mention these names: all at a name's own node, only those words elsewhere."""
    code = keys.corpus_code(corpus)
    places: dict[str, list[Row]] = {"entity": [], "relation": []}
    for kind, name in named:
        if kind == "entity":
            now = former.entities[name].id if name in former.entities else name
            places[kind].append({"key": keys.entity_key(corpus, now), "own": now == name})
        else:
            now = former.relations.get(name, name)
            places[kind].append({"relation": now, "own": now == name, "code": code, "until": code + "~"})
    rows = _sliced(tx, "write/chunks_naming", "rows", places["entity"])
    rows += _sliced(tx, "write/chunks_relating", "rows", places["relation"])
    return sorted({row["chunk"] for row in rows})


def _restate(tx: neo4j.ManagedTransaction, corpus: str, chunks: Sequence[str], version: int, touched: _Touched) -> None:
    """Withdraw what chunks state and mention under former decisions, and state it under the present ones."""
    stored = _run(tx, "write/chunk_statements", chunks=list(chunks))
    names = names_in(
        (before(row, {}) for chunk in stored for row in chunk["statements"]),
        (name.entity for chunk in stored for name in stored_names(chunk)),
    )
    rows = restated(corpus, stored, applied_decisions(_reader(tx), corpus, version, names))
    gone: list[Row] = []
    kept: dict[str, set[Stated]] = defaultdict(set)
    made: dict[str, dict[str, set[Stated]]] = defaultdict(lambda: defaultdict(set))
    for fact, statements in rows.statements.items():
        for statement in statements:
            made[statement[0]][fact].add(statement)
    for chunk in stored:
        own = made[chunk["chunk"]]
        held: dict[str, set[Stated]] = defaultdict(set)
        for row in chunk["statements"]:
            known = (row[name] for name in ("sentence", "cell", "written", "said", "confidence"))
            held[row["key"]].add((chunk["chunk"], *known))
        changed = {fact for fact in held.keys() | own.keys() if held.get(fact) != own.get(fact)}
        gone.append({"key": chunk["chunk"], "facts": sorted(changed & held.keys())})
        for fact in changed & own.keys():
            kept[fact] |= own[fact]
        touched.passages.add(chunk["chunk"])
        for row in chunk["mentions"]:
            entity = keys.entity_key(corpus, row["entity"]["id"])
            touched.maybe_bare.add(entity)
            touched.mentioned.add(keys.form_key(corpus, form(row["entity"]["label"])))
            if row["type"] is not None:
                touched.typed.add(entity)
    rows.facts = {key: row for key, row in rows.facts.items() if key in kept}
    for key, row in rows.facts.items():
        row["properties"] |= columns(kept[key])
    rows.statements = kept
    _withdraw_facts(tx, [row for row in gone if row["facts"]], touched)
    _sliced(tx, "write/restated_chunks", "rows", rows.chunks)
    rows.chunks = []
    _add(tx, rows, touched)


class _Touched:
    """Facts (sr, ro, key) whose groups must be counted again, and entities to check before the transaction ends."""

    def __init__(self) -> None:
        self.facts: set[tuple[str, str, str]] = set()
        self.documents: dict[str, set[str]] = defaultdict(set)  # keys by fact: documents that state or stated it
        self.typed: set[str] = set()  # entities with mentions of a class that came or went
        self.retyped: list[str] = []
        self.passages: set[str] = set()  # keys of chunks that came, went or were restated
        self.mentioned: set[str] = set()  # forms (keys) of what they mention
        self.entities: set[str] = set()
        self.maybe_bare: set[str] = set()
        self.totals: Counter[str] = Counter()  # by kind: how many more the corpus has, or fewer


def _withdraw(tx: neo4j.ManagedTransaction, chunks: list[str]) -> _Touched:
    touched = _Touched()
    touched.passages.update(chunks)
    _withdraw_facts(tx, [{"key": key, "facts": None} for key in chunks], touched)
    for row in _counted(tx, touched, "chunks", "write/withdraw_chunks", "chunks", chunks):
        touched.maybe_bare.add(row["entity"])
        touched.mentioned.add(row["form"])
        if row["typed"]:
            touched.typed.add(row["entity"])
    touched.entities.update(touched.maybe_bare)
    return touched


def _withdraw_facts(tx: neo4j.ManagedTransaction, rows: list[Row], touched: _Touched) -> None:
    """Withdraw statements. A fact that only decisions still make loses its novelty, which no index gives."""
    untold = []
    for row in _counted(tx, touched, "facts", "write/withdraw_facts", "rows", rows):
        touched.facts.add((row["sr"], row["ro"], row["key"]))
        touched.documents[row["key"]].update(chunk[: keys.KEY] for chunk in row["gone"])
        touched.maybe_bare.update((row["subject"], row["object"]))
        touched.entities.update((row["subject"], row["object"]))
        if row["written"] is not None and all(map(replaced, row["written"])):
            untold.append(row["key"])
    _sliced(tx, "write/untold_facts", "keys", untold)


def _add(tx: neo4j.ManagedTransaction, rows: Rows, touched: _Touched) -> None:
    _counted(tx, touched, "documents", "write/documents", "rows", rows.documents)
    _counted(tx, touched, "chunks", "write/chunks", "rows", rows.chunks)
    _sliced(tx, "write/next_chunks", "rows", rows.following)
    _sliced(tx, "write/entities", "rows", list(rows.entities.values()))
    given = ((keys.decision_key(rows.corpus, "entity", name), type_) for name, type_ in rows.given.items())
    _sliced(tx, "write/given_types", "rows", [{"key": key, "type": type_} for key, type_ in given])
    _sliced(tx, "write/mentions", "rows", grouped(rows.mentions, "chunk", "mentions"))
    touched.typed.update(row["entity"] for row in rows.mentions if row["type"] is not None)
    touched.passages.update(row["chunk"] for row in rows.mentions)
    touched.mentioned.update(rows.entities[row["entity"]]["properties"]["form"] for row in rows.mentions)
    stored = {row["key"]: row for row in _sliced(tx, "write/known_facts", "keys", list(rows.facts))}
    _sliced(tx, "write/statements", "rows", [_merged(row, rows) for row in stored.values()])
    new = sorted((row for key, row in rows.facts.items() if key not in stored), key=lambda row: str(row["subject"]))
    _counted(tx, touched, "facts", "write/facts", "rows", grouped(new, "subject", "facts"))
    touched.facts.update((row["properties"]["sr"], row["properties"]["ro"], key) for key, row in rows.facts.items())
    for key in rows.facts:
        touched.documents[key].update(stated[0][: keys.KEY] for stated in rows.statements[key])
    touched.entities.update(rows.entities)


def _merged(stored: neo4j.Record, rows: Rows) -> Row:
    """Return a stored fact with its old and new statements, in their fixed order."""
    lists = ("chunks", "sentences", "cells", "written", "said", "confidence")
    held = zip(*(stored[name] for name in lists), strict=True)
    novel = rows.facts[stored["key"]]["properties"]["novel"]
    return {"key": stored["key"], "novel": novel, **columns(rows.statements[stored["key"]].union(held))}


def _settle(tx: neo4j.ManagedTransaction, touched: _Touched) -> None:
    _sliced(tx, "write/count_objects", "groups", sorted({sr for sr, _, _ in touched.facts}))
    _sliced(tx, "write/count_subjects", "groups", sorted({ro for _, ro, _ in touched.facts}))
    for row in _sliced(tx, "write/count_degrees", "entities", sorted(touched.entities)):
        touched.totals["entities"] += row["more"]
    _sliced(tx, "write/remove_bare_entities", "entities", sorted(touched.maybe_bare))
    _sliced(tx, "write/untold_entities", "entities", sorted(touched.maybe_bare))
    _sliced(tx, "write/count_classes", "entities", sorted(touched.typed))
    named = []
    for row in _sliced(tx, "read/relations_at", "keys", sorted(touched.entities | touched.maybe_bare)):
        given = dict(zip(row["classes"], row["passages"], strict=True))
        type_, label = class_and_label(row["kind"], given, row["from"], row["to"])
        if type_ != row["type"]:
            touched.retyped.append(row["key"])
        if (type_, label) != (row["type"], row["label"]):
            named.append({"key": row["key"], "type": type_, "label": label})
    _sliced(tx, "write/labels", "rows", named)


def _set_totals(tx: neo4j.ManagedTransaction, corpus: str, totals: Mapping[str, int], touched: _Touched) -> None:
    after = {kind: number + touched.totals[kind] for kind, number in totals.items()}
    _run(tx, "write/totals", corpus=corpus, totals=after)


def _named(source: str, title: str | None) -> str:
    return f"{title} ({source})" if title and title != source else source


def _record(tx: neo4j.ManagedTransaction, corpus: str, touched: _Touched, documents: Mapping[str, str]) -> None:
    """Store the changes of the transaction and their documents, for the next refresh of the corpus's questions."""
    facts, lists = sorted(set(_behind(touched, documents))), {"retyped": touched.retyped}
    lists |= {"facts": facts, "mentioned": sorted(touched.mentioned), "passages": sorted(touched.passages)}
    for start in range(0, max(map(len, lists.values())), SLICE):
        here = {name: values[start : start + SLICE] for name, values in lists.items()}
        _run(tx, "write/changes", code=keys.corpus_code(corpus), **here)


def _behind(touched: _Touched, documents: Mapping[str, str]) -> Iterator[str]:
    for fact in touched.facts:
        behind = touched.documents[fact[2]] & documents.keys()
        yield from ("".join((*fact, documents[key])) for key in behind)
        if not behind:
            yield "".join(fact)


def _reader(tx: neo4j.ManagedTransaction) -> Run:
    return lambda name, parameter, values: _sliced(tx, name, parameter, values)


def _run(tx: neo4j.ManagedTransaction, name: str, /, **parameters: Any) -> list[neo4j.Record]:
    return list(tx.run(query(name), parameters))


def _sliced(tx: neo4j.ManagedTransaction, name: str, parameter: str, values: Iterable[Any]) -> list[neo4j.Record]:
    rows, results = list(values), []
    for start in range(0, len(rows), SLICE):
        results += _run(tx, name, **{parameter: rows[start : start + SLICE]})
    return results


def _counted(
    tx: neo4j.ManagedTransaction, touched: _Touched, kind: str, name: str, parameter: str, values: list[Any]
) -> list[neo4j.Record]:
    """Run a statement in slices, and count how many of a kind it creates and deletes."""
    rows = []
    for start in range(0, len(values), SLICE):
        result = tx.run(query(name), {parameter: values[start : start + SLICE]})
        rows += list(result)
        made = result.consume().counters
        more = (made.relationships_created - made.relationships_deleted, made.nodes_created - made.nodes_deleted)
        touched.totals[kind] += more[kind != "facts"]
    return rows
