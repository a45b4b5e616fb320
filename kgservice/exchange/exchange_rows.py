"""Questions, their evidence by place, and all texts of a corpus as flat rows, the same for every format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from kgservice.core import keys
from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Question
from kgservice.gold.question_gold import gold_of
from kgservice.graph.store import Graph

Row: TypeAlias = dict[str, Any]
PAGE = 500


class Tables(NamedTuple):
    """Three tables: `texts` by id, `questions` by id, `evidence` by question and text (a row a place of a fact)."""

    texts: list[Row]
    questions: list[Row]
    evidence: list[Row]


def tables(graph: Graph, corpus: str, questions: Sequence[Question]) -> Tables:
    """Return the rows of questions of a corpus with everything that they are asked over (BadRequest where none is)."""
    if not questions:
        raise BadRequest(f"corpus {corpus!r} has no such questions: run {command('questions generate', corpus)}")
    gold, _ = gold_of(graph, corpus, questions)
    asked = [
        {"id": one.id, "pattern": one.pattern, "asked": one.asked, "question": one.question, "answers": [*one.answers]}
        for one in questions
    ]
    evidence = [
        {
            "question": one.id, "fact": fact.key, "subject": fact.subject, "relation": fact.relation,
            "object": fact.object, "text": place.id, "document": place.document, "start": place.start,
            "end": place.end, "sentence": place.sentence,
        }
        for one in questions
        for fact, places in zip(one.facts, gold[one.id].facts, strict=True)
        for place in places
    ]  # fmt: skip
    return Tables([*_texts(graph, corpus)], asked, evidence)


def _texts(graph: Graph, corpus: str) -> Iterator[Row]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("release/texts", after=after, until=code + "~", limit=PAGE):
        yield from map(_text, rows)
        after = rows[-1]["chunk"]


def _text(row: Any) -> Row:
    end = row["start"] + len(row["text"])
    return {
        "id": row["chunk"], "document": row["source"], "title": row["title"], "start": row["start"], "end": end,
        "text": row["text"],
    }  # fmt: skip


def qrels(evidence: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return the texts that hold evidence, by question, each with grade 1."""
    found: dict[str, dict[str, int]] = {}
    for row in evidence:
        found.setdefault(row["question"], {})[row["text"]] = 1
    return found
