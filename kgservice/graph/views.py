"""A corpus as of a day: a view, a corpus of its own that holds what the documents said then.

A view is written by the code that writes documents, so it equals a corpus into which those versions alone were loaded,
with the decisions about names that the corpus has now. It is made when it is asked for, and brought up to date when the
corpus was written since: only versions that came or went are written. Nothing else is written to it but questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Any, NamedTuple

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Decision
from kgservice.graph.history import SaidVersion, versions, versions_on
from kgservice.graph.kept_documents import KeptDocument, kept, unpacked
from kgservice.graph.schema_terms import own_schema
from kgservice.graph.store import Graph
from kgservice.names.corpus_names import view_name

CHUNKS = 500  # about, that a transaction writes
READ, REMOVED = 50, 1_000  # documents read, and removed, at a time
AGAIN = 3  # times that a view is brought up to date while the corpus is written

Told = Callable[[int], None]


class ViewMade(NamedTuple):
    """A view: its name, how many documents it holds, and how many of them were written or removed now."""

    corpus: str
    documents: int
    changed: int


def current_view(graph: Graph, corpus: str, day: date, how: str) -> str:
    """Return the name of a view that is there and up to date. `how` says what makes it.

    Raises NotFound if it is not, or if there is no such corpus.
    """
    _check_source(graph, corpus)
    name = view_name(corpus, day)
    if not _holds(graph, name, graph.last_write(keys.corpus_code(corpus))):
        raise NotFound(f"{corpus!r} as of {day} is not written, or {corpus!r} has changed since: {how}")
    return name


def make_view(
    graph: Graph, corpus: str, day: date, told: Told = lambda count: None, *, searched: bool = True
) -> ViewMade:
    """Write the view of a corpus on a day, or bring it up to date. `told` is given the number of written documents.

    `searched`: with the full-text index of its own that a corpus has on Neo4j 2026. Raises NotFound if there is no such
    corpus, BadRequest if it is a view itself, or if another corpus has the view's name.
    """
    name, code = check_view(graph, corpus, day), keys.corpus_code(corpus)
    changed = 0
    for _ in range(AGAIN):
        written = graph.last_write(code)
        if _holds(graph, name, written):
            break
        graph.update("write/begin_view", corpus=name, code=keys.corpus_code(name), of=corpus, day=day)
        changed += _bring_up_to_date(graph, corpus, name, day, told, searched=searched)
        graph.update("write/end_view", corpus=name, holds=written)
    return ViewMade(name, graph.totals(name).documents, changed)


def check_view(graph: Graph, corpus: str, day: date) -> str:
    """Return the name of the view of a corpus on a day, there or not. Raises as `make_view`."""
    _check_source(graph, corpus)
    name = view_name(corpus, day)
    rows = graph.read("read/view", corpus=name)
    if rows and rows[0]["view_of"] != corpus:
        raise BadRequest(
            f"a corpus is called {name!r} and is no view of {corpus!r}: load its documents under another name"
        )
    return name


def _check_source(graph: Graph, corpus: str) -> None:
    graph.check_corpus(corpus)
    graph.check_written(corpus)


def _holds(graph: Graph, name: str, written: Any) -> bool:
    rows = graph.read("read/view", corpus=name)
    return bool(rows) and rows[0]["holds"] is not None and rows[0]["holds"] == written


def _bring_up_to_date(graph: Graph, corpus: str, name: str, day: date, told: Told, *, searched: bool) -> int:
    if decisions := _changed_decisions(graph, corpus, name):
        graph.decide(name, decisions, view=True)
    said = versions_on(all_versions(graph, corpus), day)
    there = {row["source"]: row for row in graph.read("read/said_documents", **_range(name))}
    gone = [there[source]["key"] for source in sorted(there.keys() - said.keys())]
    for start in range(0, len(gone), REMOVED):
        graph.remove(name, gone[start : start + REMOVED], view=True)
    held = {source: row["content_hash"] for source, row in there.items()}
    wanted = [version for source, version in said.items() if held.get(source) != version.content_hash]
    index = graph.text_index(name) if searched else None
    for batch in _batches(kept_versions(graph, corpus, wanted)):
        graph.write(graph.prepare_rows(name, batch), index, view=True)
        told(len(batch))
    if not said:
        graph.store_totals(name)
    graph.update("write/schema", corpus=name, schema=own_schema(graph, keys.corpus_code(corpus)))
    return len(gone) + len(wanted)


def all_versions(graph: Graph, corpus: str) -> list[SaidVersion]:
    """Return all versions of a corpus's documents, former ones first."""
    known = _range(corpus)
    return versions(graph.read("read/said_documents", **known), graph.read("read/past_documents", **known))


def kept_versions(graph: Graph, corpus: str, wanted: Iterable[SaidVersion]) -> Iterator[KeptDocument]:
    """Yield what versions of documents said."""
    past: list[str] = []
    live: list[str] = []
    for version in wanted:
        (live if version.said_until is None else past).append(version.key)
    for start in range(0, len(past), READ):
        rows = graph.read("read/past_readings", keys=past[start : start + READ])
        yield from (unpacked(row["reading"]) for row in rows)
    for start in range(0, len(live), READ):
        yield from kept(graph.read_each, corpus, live[start : start + READ]).values()


def _batches(found: Iterable[KeptDocument]) -> Iterator[list[KeptDocument]]:
    batch: list[KeptDocument] = []
    chunks = 0
    for document in found:
        if batch and chunks + len(document.chunks) > CHUNKS:
            yield batch
            batch, chunks = [], 0
        batch.append(document)
        chunks += len(document.chunks)
    if batch:
        yield batch


def _changed_decisions(graph: Graph, corpus: str, name: str) -> list[Decision]:
    """Return the decisions that make those of a view equal to those of its corpus."""
    wanted, there = (_decisions(graph, one) for one in (corpus, name))
    changed = [decision for key, decision in wanted.items() if there.get(key) != decision]
    withdrawn = (there[key].model_copy(update={"state": "withdrawn"}) for key in there.keys() - wanted.keys())
    return [*changed, *withdrawn]


def _decisions(graph: Graph, corpus: str) -> dict[tuple[str, str], Decision]:
    rows = graph.read("read/corpus_decisions", **_range(corpus))
    found = (Decision(**{field: row["decision"].get(field) for field in Decision.model_fields}) for row in rows)
    return {(one.kind, one.name): one.model_copy(update={"type": None}) for one in found}


def _range(corpus: str) -> dict[str, str]:
    code = keys.corpus_code(corpus)
    return {"code": code, "until": code + "~"}
