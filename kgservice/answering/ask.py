"""One question, one answer: from the passages that a retriever finds, with the sentences that it rests on."""

from __future__ import annotations

import asyncio

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import REFUSAL, Generator, QuestionWithPassages
from kgservice.core.errors import KgserviceError
from kgservice.core.records import Record
from kgservice.graph.store import Graph
from kgservice.retrieval import retrieve
from kgservice.retrieval.hit import Hit
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder, passage

PASSAGES = 8
SHOWN = 3  # passages behind the answer of a model, which names no sentence


class Evidence(Record):
    """A sentence behind an answer, and where it stands: `chunk` and `document` are keys, `source` what was loaded.

    `page` is counted from 1, None where the document has no pages.
    """

    sentence: str
    chunk: str
    document: str
    title: str
    source: str
    url: str | None = None
    page: int | None = None
    section: str | None = None


class Answer(Record):
    """An answer with its evidence, in the order of the reasoning; "" where the documents do not say it."""

    question: str
    answer: str
    evidence: tuple[Evidence, ...] = ()
    by: str


def ask(
    graph: Graph, corpus: str, question: str, reader: Generator, embedder: Embedder, *, retriever: str = "graph"
) -> Answer:
    """Answer a question from the documents of a corpus (NotFound, BadRequest, KgserviceError where a model failed).

    The extractive reader names the sentences that it went through; a model's answer comes with the best passages.
    """
    hits = retrieve(graph, corpus, retriever, question, PASSAGES, embedder)
    asked = QuestionWithPassages(
        unit="ask", question=question, contexts=tuple(passage(hit.title, hit.text) for hit in hits)
    )
    if isinstance(reader, ExtractiveGenerator):
        reading = reader.read(asked)
        said, found = reading.answer, [(hits[one.passage], one.text) for one in reading.path]
    else:
        (told,) = asyncio.run(reader.answers([asked]))
        if told.failure:
            raise KgserviceError(f"the model gave no answer: {told.failure}")
        said, found = told.answer, [(hit, _first(hit, told.answer)) for hit in hits[:SHOWN]]
    refused = said == REFUSAL or not found
    return Answer(
        question=question,
        answer="" if refused else said,
        evidence=() if refused else _placed(graph, found),
        by=reader.name,
    )


def _first(hit: Hit, answer: str) -> str:
    """The sentence of a passage that has the answer, else its first."""
    said = [hit.text[start:end] for start, end in sentences(hit.text)] or [hit.text]
    return next((one for one in said if answer.lower() in one.lower()), said[0])


def _placed(graph: Graph, found: list[tuple[Hit, str]]) -> tuple[Evidence, ...]:
    rows = graph.read("read/places", keys=sorted({hit.chunk for hit, _ in found}))
    places = {row["chunk"]: row.data() for row in rows}
    return tuple(
        Evidence(sentence=" ".join(sentence.split()), document=hit.document, title=hit.title, **places[hit.chunk])
        for hit, sentence in found
    )
