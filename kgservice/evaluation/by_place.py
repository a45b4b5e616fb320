"""Retrieval measured by where evidence stands: any system's passages over the active questions of a corpus."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgservice.embedding import Embedder
from kgservice.errors import BadRequest
from kgservice.evaluation.judgements import Judged, Judgements, lines
from kgservice.evaluation.results import Result
from kgservice.evaluation.runs import check_ks
from kgservice.gold.cover import found, measures
from kgservice.gold.passages import Passage, passage_of
from kgservice.gold.places import Documents, Gold
from kgservice.gold.stored import gold_of
from kgservice.graph.store import Graph
from kgservice.model import Question
from kgservice.questions import stored
from kgservice.retrieval import retriever


class Questions(NamedTuple):
    """The active questions of a corpus with their gold, by id, and the documents that hold it."""

    questions: tuple[Question, ...]
    gold: Mapping[str, Gold]
    documents: Documents

    def judged(self) -> Judgements:
        """Return the questions as queries; no document is graded, as places decide."""
        queries = tuple(Judged(id=one.id, text=one.question, grades={}) for one in self.questions)
        return Judgements(queries=queries, skipped={})

    def results(self, name: str, passages: Mapping[str, Sequence[Passage]], ks: Sequence[int]) -> list[Result]:
        """Measure passages by question; one that has none has found nothing."""
        check_ks(ks)
        return [self._result(name, one, passages.get(one.id, ()), ks) for one in self.questions]

    def _result(self, name: str, one: Question, passages: Sequence[Passage], ks: Sequence[int]) -> Result:
        rows = measures(found(self.gold[one.id], passages, self.documents), ks)
        names = tuple(passage.id or passage.document or "quote" for passage in passages)
        return Result(query=one.id, retriever=name, found=names, measures=rows)


def questions(graph: Graph, corpus: str) -> Questions:
    """Return the active questions of a corpus (NotFound for the corpus, BadRequest where it has none)."""
    graph.check_corpus(corpus)
    active = tuple(stored.questions(graph, corpus, state="active"))
    if not active:
        raise BadRequest(f"corpus {corpus!r} has no active questions: run `kgservice questions generate`")
    return Questions(active, *gold_of(graph, corpus, active))


def retrieved(
    graph: Graph,
    corpus: str,
    name: str,
    asked: Questions,
    ks: Sequence[int],
    embedder: Embedder,
    *,
    advance: Callable[[int], None] = lambda _: None,
    **options: object,
) -> list[Result]:
    """Ask one of our retrievers every question; oracle is given each question's chunks."""
    check_ks(ks)
    gold = {one.question: one.chunk_ids for one in asked.questions}
    finds = retriever(name, graph, corpus, embedder, gold=gold, k=max(ks), **options)
    passages = dict[str, list[Passage]]()
    for one in asked.questions:
        passages[one.id] = [Passage(id=hit.chunk) for hit in finds.hits(one.question)]
        advance(1)
    return asked.results(name, passages, ks)


def passages_of(path: Path, asked: Questions) -> dict[str, list[Passage]]:
    """Read what a system found: lines {"id": … or "question": …, "passages": […]}, best first (BadRequest)."""
    by_text = {one.question: one.id for one in asked.questions}
    rows = dict[str, list[Passage]]()
    for number, line in lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
            name, given = row.get("id") or by_text.get(row.get("question", "")), row["passages"]
            rows[str(name)] = [passage_of(one) for one in given]
        except BadRequest as error:
            raise BadRequest(f"{where}: {error}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadRequest(f'{where}: give {{"id" or "question": …, "passages": […]}} ({error!r})') from error
    if unknown := rows.keys() - asked.gold.keys():
        raise BadRequest(f"{path} has {len(unknown):,} rows for no active question of the corpus: {min(unknown)!r} …")
    return rows
