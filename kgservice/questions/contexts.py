"""The chunks that state a question's facts, with what is known about their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgservice.graph.store import Graph
from kgservice.model import Reading, Record

LONGEST = 6_000  # characters of a chunk that a model is shown


class Context(Record):
    """A chunk and its document: `about` are names and values of the document's metadata (company, country, year).

    `domain` is the document's, its type where it has none.
    """

    chunk: str
    title: str
    about: tuple[tuple[str, str], ...]
    text: str
    domain: str = ""


def contexts(graph: Graph, readings: Iterable[Reading]) -> dict[str, Context]:
    """Return, by key, the chunk of the first statement of every fact, cut where it is very long."""
    wanted = {fact.statements[0].chunk for reading in readings for fact in reading.facts if fact.statements}
    found = chunk_contexts(graph, sorted(wanted))
    return {key: one.model_copy(update={"text": one.text[:LONGEST]}) for key, one in found.items()}


def chunk_contexts(graph: Graph, chunks: Sequence[str]) -> dict[str, Context]:
    """Return chunks by key, in order of key."""
    found = {}
    for row in graph.read("read/passages", keys=list(chunks)):
        known = [("kind", row["doc_type"]), ("published", row["published"]), *sorted(row["metadata"])]
        about = tuple((name, value) for name, value in known if value)
        found[row["chunk"]] = Context(
            chunk=row["chunk"], title=row["title"] or "", domain=row["domain"], about=about, text=row["text"]
        )
    return found


def of_reading(reading: Reading, known: dict[str, Context]) -> tuple[Context, ...]:
    """Return the chunks of a reading's facts, each once, in the facts' order."""
    chunks = dict.fromkeys(fact.statements[0].chunk for fact in reading.facts if fact.statements)
    return tuple(known[chunk] for chunk in chunks if chunk in known)
