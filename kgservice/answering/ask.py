"""The answer to one question from retrieved passages, with the sentences behind it."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.fact_answer import fact_answer
from kgservice.answering.generator import REFUSAL, Generator, QuestionWithPassages
from kgservice.answering.reader.passage_statements import PassageStatement, stems
from kgservice.core import keys
from kgservice.core.errors import KgserviceError
from kgservice.core.records import Record
from kgservice.core.schema import DEFAULT, load_schema
from kgservice.graph.store import Graph
from kgservice.retrieval import retrieve
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.reranker import Scorer
from kgservice.text.refusal import refuses
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder, passage

PASSAGES = 8
DESCRIPTION = "kgs:description"
SHOWN = 3  # passages shown with a model's answer, as it names no sentence


class Evidence(Record):
    """A sentence behind an answer and its place. `chunk` and `document` are keys, `source` is the document as loaded.

    `page` is counted from 1, None if the document has no pages.
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
    """An answer with its evidence in the order of the reasoning. `answer` is "" if the documents do not have it."""

    question: str
    answer: str
    evidence: tuple[Evidence, ...] = ()
    by: str


def ask(
    graph: Graph,
    corpus: str,
    question: str,
    reader: Generator,
    embedder: Embedder,
    *,
    retriever: str = "graph",
    scorer: Scorer | None = None,
    with_graph: bool = True,
) -> Answer:
    """Answer a question from the documents of a corpus.

    The extractive reader gives the sentences behind its answer, a model the best passages. `with_graph`: a fact of the
    graph answers before the reader, if the question asks for its relation in words of the schema or for a figure by its
    label, and the graph tells the reader which option a sentence describes ("Print the version and exit."). Raises
    NotFound if the corpus or retriever does not exist, BadRequest if the question is empty or rerank lacks a scorer,
    KgserviceError if the model failed.
    """
    question = unicodedata.normalize("NFC", question)  # as documents are stored
    hits = retrieve(graph, corpus, retriever, question, PASSAGES, embedder, scorer=scorer)
    extractive = isinstance(reader, ExtractiveGenerator)
    if extractive and with_graph and (stated := fact_answer(graph, corpus, question)):
        return Answer(question=question, answer=stated.answer, evidence=_cited(graph, stated.places), by=reader.name)
    texts = tuple(passage(hit.title, hit.text) for hit in hits)
    asked = QuestionWithPassages(unit="ask", question=question, contexts=texts)
    if isinstance(reader, ExtractiveGenerator):
        known = tuple(_descriptions(graph, hits)) if with_graph else ()
        reading = reader.read(asked.model_copy(update={"known": known}))
        answer, places = reading.answer, [(hits[step.passage], step.text) for step in reading.path]
        refused = answer == REFUSAL
    else:
        (generated,) = asyncio.run(reader.answers([asked]))
        if generated.failure:
            raise KgserviceError(f"the model gave no answer: {generated.failure}")
        answer, places = generated.answer, [(hit, _first(hit, generated.answer)) for hit in hits[:SHOWN]]
        refused = not answer.strip() or refuses(answer)  # a model has words of its own for it
    refused = refused or not places
    return Answer(
        question=question,
        answer="" if refused else answer,
        evidence=() if refused else _placed(graph, places),
        by=reader.name,
    )


def _descriptions(graph: Graph, hits: Sequence[Hit]) -> Iterator[PassageStatement]:
    """Yield a statement for either end of what the hits describe: "read_byte", "Read a byte from a device"."""
    schema, places = load_schema(DEFAULT), {hit.chunk: at for at, hit in enumerate(hits)}
    for row in graph.read("read/descriptions", keys=list(places), relation=DESCRIPTION):
        at, title = places[row["chunk"]], hits[places[row["chunk"]]].title
        own = stems(f"{row['thing']} {row['sentence']}")
        kind = next(iter(schema.broadest(row["type"])), "") if schema else ""
        for end, its_kind in ((row["thing"], kind), (row["does"], "description")):
            yield PassageStatement(
                passage=at,
                title=title,
                text=row["sentence"],
                cell=end,
                own=own,
                stems=own | stems(title),
                kind=its_kind,
            )


def _first(hit: Hit, answer: str) -> str:
    """Return the sentence of a passage with the answer, or its first sentence."""
    spans = [hit.text[start:end] for start, end in sentences(hit.text)] or [hit.text]
    return next((sentence for sentence in spans if answer.lower() in sentence.lower()), spans[0])


def _cited(graph: Graph, places: Iterable[tuple[str, str]]) -> tuple[Evidence, ...]:
    """Return the evidence of a fact's statements: chunks and sentences."""
    cited = list(dict.fromkeys(places))
    rows = {row["chunk"]: row.data() for row in graph.read("read/places", keys=sorted({chunk for chunk, _ in cited}))}
    titles = {row["chunk"]: row["title"] for row in graph.read("read/passages", keys=sorted(rows))}
    return tuple(
        Evidence(sentence=" ".join(sentence.split()), document=chunk[: keys.KEY], title=titles[chunk], **rows[chunk])
        for chunk, sentence in cited
    )


def _placed(graph: Graph, cited: list[tuple[Hit, str]]) -> tuple[Evidence, ...]:
    rows = graph.read("read/places", keys=sorted({hit.chunk for hit, _ in cited}))
    places = {row["chunk"]: row.data() for row in rows}
    return tuple(
        Evidence(sentence=" ".join(sentence.split()), document=hit.document, title=hit.title, **places[hit.chunk])
        for hit, sentence in cited
    )
