"""The gold of a corpus's questions, read from the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgservice.core import keys
from kgservice.core.records import Fact, Question
from kgservice.gold.gold_places import Documents, Gold, Piece, Place
from kgservice.graph.store import Graph

PAGE = 200  # documents a look-up


def gold_of(graph: Graph, corpus: str, questions: Sequence[Question]) -> tuple[dict[str, Gold], Documents]:
    """Return the gold of questions, by id, and the documents that hold it.

    A fact that no text states in words (a ready-made triplet without a sentence) is at its whole chunk.
    """
    stated = {source.document for one in questions for fact in one.facts for source in fact.statements}
    names, titles, pieces = dict[str, str](), dict[str, str](), dict[str, list[Piece]]()
    code = keys.corpus_code(corpus)
    for row in graph.read("read/sources_of_corpus", code=code, until=code + "~"):
        names |= {row["key"]: row["source"], row["source"]: row["source"]}
    for some in _pages(sorted(stated)):
        for row in graph.read("read/document_pieces", keys=some):
            titles[row["source"]] = row["title"]
            pieces[row["source"]] = [Piece(one["chunk"], one["start"], one["text"]) for one in row["pieces"]]
    by_chunk = {piece.id: (source, piece) for source, found in pieces.items() for piece in found}
    gold = {one.id: Gold(facts=tuple(_places(fact, by_chunk) for fact in one.facts)) for one in questions}
    return gold, Documents(pieces, names, titles)


def _places(fact: Fact, by_chunk: dict[str, tuple[str, Piece]]) -> tuple[Place, ...]:
    found = list[Place]()
    for source in fact.statements:
        if source.chunk in by_chunk:
            document, piece = by_chunk[source.chunk]
            found.append(place_of(document, piece, source.sentence))
    return tuple(dict.fromkeys(found))


def place_of(document: str, piece: Piece, sentence: str) -> Place:
    """Return where a sentence of a piece stands in its document; the whole piece where it is not there word by word."""
    at = piece.text.find(sentence) if sentence else -1
    start, length = (piece.start + at, len(sentence)) if at >= 0 else (piece.start, len(piece.text))
    said = sentence if at >= 0 else piece.text
    return Place(document=document, start=start, end=start + length, sentence=said, id=piece.id)


def _pages(keys: Sequence[str]) -> Iterable[list[str]]:
    return ([*keys[start : start + PAGE]] for start in range(0, len(keys), PAGE))
