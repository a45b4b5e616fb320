"""Follow-up queries of a multi-step retrieval, from the context found so far."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from kgservice.graph.store import Graph
from kgservice.retrieval.bm25 import bare, words
from kgservice.retrieval.hit import Hit
from kgservice.text.sentences import sentences


@runtime_checkable
class QueryGenerator(Protocol):
    """A generator of the next search query from the question and the context.

    It returns a query that is not in `asked`, or None to end the search.
    """

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None: ...


class EntityQueries:
    """Queries about entities of the context, without a model: the question itself first, then an entity a query.

    The next entity is the one whose sentence in the context shares the most words with the question, as a bridge is
    named near the words of the question. The query is its label with the words of the question that its sentence lacks.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the query of the best entity that is neither in `asked` nor named in the question, or None."""
        if question not in asked:
            return question
        terms, question_words = words(question), bare(question)
        best: tuple[int, str] | None = None
        for label, sentence in self._mentions(context):
            there = bare(sentence)
            left = [word for word in terms if not bare(word) <= there]
            query, overlap = " ".join([label, *left]), len(terms) - len(left)
            if bare(label) <= question_words or query in asked:
                continue
            if best is None or overlap > best[0]:  # the first of equal ones
                best = overlap, query
        return best[1] if best else None

    def _mentions(self, context: Sequence[Hit]) -> list[tuple[str, str]]:
        """Return the entities of the context, each with its sentence, in the order of the context."""
        place = {hit.chunk: (rank, hit.text) for rank, hit in enumerate(context)}
        rows = self._graph.read("retrieve/mentioned", chunks=list(place))
        rows.sort(key=lambda row: (place[row["chunk"]][0], row["start"], row["label"]))
        return [(row["label"], _around(place[row["chunk"]][1], row["start"])) for row in rows]


def _around(text: str, position: int) -> str:
    return next((text[start:end] for start, end in sentences(text) if start <= position < end), text)
