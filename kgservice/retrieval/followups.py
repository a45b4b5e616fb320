"""What to search for next: queries of a multi-step retrieval, from what it has found so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from kgservice.graph.store import Graph
from kgservice.retrieval.bm25 import bare, words
from kgservice.retrieval.hit import Hit
from kgservice.text.sentences import sentences


@runtime_checkable
class QueryGenerator(Protocol):
    """Makes the next search query from the question and the context, one not in `asked`; None: nothing is left."""

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None: ...


class EntityQueries:
    """Asks about the entities found so far, with no model: the question itself first, then an entity a query.

    The next entity is the one whose sentence in the context has most of the question's words: a bridge is named where
    the text speaks of what is asked. It is asked for with those words of the question that its sentence does not have.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the query of the best entity that has not been asked for, nor is named in the question."""
        if question not in asked:
            return question
        wanted, named = words(question), bare(question)
        best: tuple[int, str] | None = None
        for label, sentence in self._mentions(context):
            there = bare(sentence)
            left = [word for word in wanted if not bare(word) <= there]
            query, overlap = " ".join([label, *left]), len(wanted) - len(left)
            if bare(label) <= named or query in asked:
                continue
            if best is None or overlap > best[0]:  # of equal ones the first found
                best = overlap, query
        return best[1] if best else None

    def _mentions(self, context: Sequence[Hit]) -> list[tuple[str, str]]:
        """The entities of the context with the sentence that names each, in the order of the context."""
        place = {hit.chunk: (rank, hit.text) for rank, hit in enumerate(context)}
        rows = self._graph.read("retrieve/mentioned", chunks=list(place))
        rows.sort(key=lambda row: (place[row["chunk"]][0], row["start"], row["label"]))
        return [(row["label"], _around(place[row["chunk"]][1], row["start"])) for row in rows]


def _around(text: str, position: int) -> str:
    return next((text[start:end] for start, end in sentences(text) if start <= position < end), text)
