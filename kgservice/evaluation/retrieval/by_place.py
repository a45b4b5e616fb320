"""Retrieval measured by the place of evidence: any system's passages over the active questions of a corpus."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kgservice.core.errors import BadRequest, command
from kgservice.core.records import Question
from kgservice.evaluation.retrieval.query_results import QueryResult
from kgservice.evaluation.retrieval.questions import Judged, Judgements, lines
from kgservice.evaluation.retrieval.run import check_ks
from kgservice.gold.coverage import found, measures
from kgservice.gold.found_passage import FoundPassage, passage_of
from kgservice.gold.gold_places import Documents, Gold
from kgservice.gold.question_gold import gold_of
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.retrieval import retriever
from kgservice.vectors.embedder import Embedder


class PlacedQuestions(NamedTuple):
    """The active questions of a corpus with their gold by id, and the documents that hold it."""

    questions: tuple[Question, ...]
    gold: Mapping[str, Gold]
    documents: Documents

    def judged(self) -> Judgements:
        """Return the questions as queries. Documents have no grades, as places decide."""
        queries = tuple(Judged(id=question.id, text=question.question, grades={}) for question in self.questions)
        return Judgements(queries=queries, skipped={})

    def results(
        self, name: str, passages: Mapping[str, Sequence[FoundPassage]], ks: Sequence[int]
    ) -> list[QueryResult]:
        """Return the measures of each question's passages. A question without passages scores 0."""
        check_ks(ks)
        return [self._result(name, question, passages.get(question.id, ()), ks) for question in self.questions]

    def unknown(self, passages: Mapping[str, Sequence[FoundPassage]]) -> list[str]:
        """Return the documents of places, passages without a text, that mean no document of the corpus, or several."""
        named = {one.document for found in passages.values() for one in found if one.document and not one.text.strip()}
        return sorted(name for name in named if self.documents.source(name) is None)

    def _result(
        self, name: str, question: Question, passages: Sequence[FoundPassage], ks: Sequence[int]
    ) -> QueryResult:
        rows = measures(found(self.gold[question.id], passages, self.documents), ks)
        names = tuple(passage.id or passage.document or "quote" for passage in passages)
        return QueryResult(query=question.id, retriever=name, found=names, measures=rows)


def questions(graph: Graph, corpus: str) -> PlacedQuestions:
    """Return the active questions of a corpus.

    Raises NotFound if the corpus does not exist, BadRequest if it has no active question.
    """
    graph.check_corpus(corpus)
    active = tuple(question_store.questions(graph, corpus, state="active"))
    if not active:
        raise BadRequest(f"corpus {corpus!r} has no active questions: run {command('questions generate', corpus)}")
    return PlacedQuestions(active, *gold_of(graph, corpus, active))


def retrieved(
    graph: Graph,
    corpus: str,
    name: str,
    asked: PlacedQuestions,
    ks: Sequence[int],
    embedder: Embedder,
    *,
    advance: Callable[[int], None] = lambda _: None,
    **options: object,
) -> list[QueryResult]:
    """Return the results of one of our retrievers for every question. The oracle gets each question's chunks."""
    check_ks(ks)
    gold = {question.question: question.chunk_ids for question in asked.questions}
    finds = retriever(name, graph, corpus, embedder, gold=gold, k=max(ks), **options)
    passages = dict[str, list[FoundPassage]]()
    for question in asked.questions:
        passages[question.id] = [FoundPassage(id=hit.chunk) for hit in finds.hits(question.question)]
        advance(1)
    return asked.results(name, passages, ks)


def passages_of(path: Path, asked: PlacedQuestions) -> dict[str, list[FoundPassage]]:
    """Read a system's passages: lines {"id": … or "question": …, "passages": […]}, best first.

    Raises BadRequest if a line has another form or an unknown question, or if two are of one question.
    """
    by_text = defaultdict[str, list[str]](list)
    for item in asked.questions:
        by_text[item.question].append(item.id)
    rows = dict[str, list[FoundPassage]]()
    for number, line in lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
            key, passages = _question_of(row, by_text), row["passages"]
            if not isinstance(passages, list):
                raise TypeError(f"passages is a {type(passages).__name__}")
            if key in rows:
                raise BadRequest(f"a second line of question {key!r}")
            rows[key] = [passage_of(item) for item in passages]
        except BadRequest as error:
            raise BadRequest(f"{where}: {error}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadRequest(f'{where}: give {{"id" or "question": …, "passages": […]}} ({error!r})') from error
    if unknown := rows.keys() - asked.gold.keys():
        raise BadRequest(f"{path} has {len(unknown):,} rows for no active question of the corpus: {min(unknown)!r} …")
    return rows


def _question_of(row: Mapping[str, object], by_text: Mapping[str, Sequence[str]]) -> str:
    """Return the id of the question of a line. Raises BadRequest if its words are of none or of several questions."""
    if row.get("id"):
        return str(row["id"])
    text = str(row["question"])
    ids = by_text.get(text, ())
    if len(ids) != 1:
        many = (
            f"{len(ids)} active questions have these words, give the id" if ids else "no active question of the corpus"
        )
        raise BadRequest(f"{many}: {text!r}")
    return ids[0]
