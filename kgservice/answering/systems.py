"""Whole systems: a retriever with a generator, in the two ways that PluriHop compares (sections 4.1 and 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgservice.answering.aggregate import Aggregator, FromDocument, Partial
from kgservice.answering.document_question import narrowed
from kgservice.answering.document_reader import DocumentTask, PromptedReader, ReadyDecomposer
from kgservice.answering.generator import Generated, Generator, QuestionWithPassages, SystemAnswer
from kgservice.core.errors import LLMFailure
from kgservice.llm.budget import REACHED
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.per_document import DocumentEvidence, PluriHopRetriever
from kgservice.retrieval.retriever import Retriever
from kgservice.retrieval.subquestions import Decomposer, DocumentQuestions
from kgservice.vectors.embedder import passage

EVERYWHERE = SearchFilter()

Scopes = Mapping[str, SearchFilter]


class ReadsPassages:
    """A retriever and a generator over its passages: naive RAG, or re-ranked if the retriever is.

    `scopes`: a search filter by unit, for questions about some documents alone (Loong).
    """

    def __init__(self, retriever: Retriever, generator: Generator, scopes: Scopes | None = None) -> None:
        self.name = generator.name
        self._retriever, self._generator, self._scopes = retriever, generator, scopes or {}

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return an answer a question. It rests on the documents of all its passages."""
        hits_of = [self._hits(question) for question in asked]
        full = [
            question.model_copy(update={"contexts": _texts(hits)})
            for question, hits in zip(asked, hits_of, strict=True)
        ]
        answers = await self._generator.answers(full)
        return [
            SystemAnswer(
                **answer.model_dump(include={"answer", "reasoning", "failure"}),
                chunks=tuple(hit.chunk for hit in hits), documents=tuple(dict.fromkeys(hit.document for hit in hits)),
            )
            for answer, hits in zip(answers, hits_of, strict=True)
        ]  # fmt: skip

    def _hits(self, question: QuestionWithPassages) -> list[Hit]:
        scope = self._scopes.get(question.unit, EVERYWHERE)
        return self._retriever.model_copy(update={"within": scope}).hits(question.question)


class ReadsDocuments:
    """PluriHopRAG (Algorithm 1): a question to each document that passes the filter, and an aggregated answer.

    A document is one call with its retrieved chunks. A `PromptedReader` gets the parts of the question, another
    generator the question to one document.
    """

    def __init__(
        self,
        retriever: PluriHopRetriever,
        reader: Generator | PromptedReader,
        aggregator: Aggregator,
        scopes: Scopes | None = None,
    ) -> None:
        self.name = f"{reader.name} a document, {aggregator.name}"
        self._retriever, self._reader, self._aggregator = retriever, reader, aggregator
        self._scopes = scopes or {}

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return an answer a question. It rests on the documents that the aggregator used."""
        looked = await self._looked(asked)
        said = iter(await self._said(looked))
        partial = [
            Partial(asked=one.asked, documents=tuple(
                FromDocument(document=part.document, title=part.hits[0].title, said=next(said)) for part in one.found
            ))
            for one in looked
        ]  # fmt: skip
        whole = await self._aggregator.aggregated(partial)
        return [_ended(*row) for row in zip(looked, partial, whole, strict=True)]

    async def _looked(self, asked: Sequence[QuestionWithPassages]) -> list[_Looked]:
        """Return the evidence of the documents for each question, none if its decomposition failed."""
        if not isinstance(self._reader, PromptedReader):
            return [_Looked(one, None, self._relevant(one, self._retriever.decomposer)) for one in asked]
        parts = zip(asked, await self._reader.taken_apart(asked), strict=True)
        return [
            _Looked(one, apart, [] if isinstance(apart, LLMFailure) else self._relevant(one, ReadyDecomposer(apart)))
            for one, apart in parts
        ]

    async def _said(self, looked: Sequence[_Looked]) -> list[Generated]:
        """Return the answers of all documents, in the order of the questions."""
        if not isinstance(self._reader, PromptedReader):
            return await self._reader.answers([_ask(one.asked, part) for one in looked for part in one.found])
        return await self._reader.read([
            DocumentTask(unit=f"{one.asked.unit} {part.document}", title=part.hits[0].title,
                         questions=one.parts.questions, contexts=_texts(part.hits))
            for one in looked if isinstance(one.parts, DocumentQuestions) for part in one.found
        ])  # fmt: skip

    def _relevant(self, question: QuestionWithPassages, decomposer: Decomposer) -> list[DocumentEvidence]:
        """Return the documents to read: those above the threshold, or all that the question's filter names."""
        scope = self._scopes.get(question.unit, EVERYWHERE)
        finds = self._retriever.model_copy(update={"within": scope, "decomposer": decomposer})
        return finds.evidence(question.question) if scope.documents else finds.relevant(question.question)


class _Looked(NamedTuple):
    """A question, its parts, and the evidence of the documents to read."""

    asked: QuestionWithPassages
    parts: DocumentQuestions | LLMFailure | None
    found: list[DocumentEvidence]


def _ended(one: _Looked, partial: Partial, answer: SystemAnswer) -> SystemAnswer:
    """Return an answer with its chunks. A document that could not be read is a failure beside the answer."""
    if isinstance(one.parts, LLMFailure):
        return SystemAnswer(failure=f"taken apart: {one.parts.reason}")
    unread = [f"a document was not read: {part.said.failure}" for part in partial.documents if part.said.failure]
    chunks = tuple(hit.chunk for part in one.found for hit in part.hits)
    failures = [reason for reason in (answer.failure, *unread) if reason]
    failure = next((reason for reason in failures if REACHED in reason), next(iter(failures), ""))
    return answer.model_copy(update={"chunks": chunks, "failure": failure})


def _ask(asked: QuestionWithPassages, part: DocumentEvidence) -> QuestionWithPassages:
    """Return the question to one document, with its title: "Report of Acme: What is the revenue?"."""
    title, question = part.hits[0].title, narrowed(asked.question)
    full = f"{title}: {question}" if title else question
    return QuestionWithPassages(unit=f"{asked.unit} {part.document}", question=full, contexts=_texts(part.hits))


def _texts(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(passage(hit.title, hit.text) for hit in hits)
