"""The chunks that state a question's facts, with the metadata of their documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgservice.core.records import Reading, Record
from kgservice.graph.store import Graph

LONGEST = 6_000  # characters of a chunk in a prompt, around the sentence of the fact
MOST, LEAST = 60_000, 600  # characters of all chunks of a question together, and of one at least


class Context(Record):
    """A chunk and its document. `about` are names and values of the document's metadata (company, country, year).

    `domain` is the document's, or its type if it has none.
    """

    chunk: str
    title: str
    about: tuple[tuple[str, str], ...]
    text: str
    domain: str = ""


def contexts(graph: Graph, readings: Iterable[Reading]) -> dict[str, Context]:
    """Return the chunk of the first statement of every fact, by key."""
    wanted = {fact.statements[0].chunk for reading in readings for fact in reading.facts if fact.statements}
    return chunk_contexts(graph, sorted(wanted))


def chunk_contexts(graph: Graph, chunks: Sequence[str]) -> dict[str, Context]:
    """Return chunks by key, in order of key."""
    by_key = {}
    for row in graph.read("read/passages", keys=list(chunks)):
        pairs = [("kind", row["doc_type"]), ("published", row["published"]), *sorted(row["metadata"])]
        about = tuple((name, value) for name, value in pairs if value)
        by_key[row["chunk"]] = Context(
            chunk=row["chunk"], title=row["title"] or "", domain=row["domain"], about=about, text=row["text"]
        )
    return by_key


def of_readings(readings: Sequence[Reading], chunks: dict[str, Context]) -> tuple[Context, ...]:
    """Return the distinct chunks of the readings' facts, in the facts' order.

    Long ones are cut around their sentence.
    """
    sources = [fact.statements[0] for reading in readings for fact in reading.facts if fact.statements]
    stated = {source.chunk: source.sentence for source in reversed(sources) if source.chunk in chunks}
    longest = min(LONGEST, max(LEAST, MOST // max(len(stated), 1)))
    return tuple(
        chunks[chunk].model_copy(update={"text": _around(stated[chunk], chunks[chunk].text, longest)})
        for chunk in dict.fromkeys(source.chunk for source in sources) if chunk in stated
    )  # fmt: skip


def _around(sentence: str, text: str, longest: int) -> str:
    """Return at most `longest` characters of a text, with the sentence in the middle if possible."""
    start = max(0, text.find(sentence) - max(0, longest - len(sentence)) // 2)
    return text[start : start + longest] if len(text) - start > longest else text[-longest:]
