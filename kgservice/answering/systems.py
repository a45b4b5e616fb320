"""Whole systems: a retriever with a generator, in the two ways that PluriHop compares (sections 4.1 and 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgservice.answering.aggregate import Aggregator, FromDocument, Partial
from kgservice.answering.document_question import narrowed
from kgservice.answering.document_reader import DocumentTask, PromptedReader, ReadyDecomposer
from kgservice.answering.generator import Generated, Generator, QuestionWithPassages, SystemAnswer
from kgservice.core.errors import LLMFailure
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.per_document import DocumentEvidence, PluriHopRetriever
from kgservice.retrieval.retriever import Retriever
from kgservice.retrieval.subquestions import Decomposer, DocumentQuestions
from kgservice.vectors.embedder import passage

EVERYWHERE = SearchFilter()

Scopes = Mapping[str, SearchFilter]


class ReadsPassages:
    """Retrieves passages and has a generator answer from them: naive RAG, or re-ranked, as the retriever is.

    `scopes`: where to look, by unit, for questions about some documents alone (Loong).
    """

    def __init__(self, retriever: Retriever, generator: Generator, scopes: Scopes | None = None) -> None:
        self.name = generator.name
        self._retriever, self._generator, self._scopes = retriever, generator, scopes or {}

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return an answer a question; it rests on every document that a passage is of."""
        found = [self._hits(one) for one in asked]
        full = [one.model_copy(update={"contexts": _texts(hits)}) for one, hits in zip(asked, found, strict=True)]
        answers = await self._generator.answers(full)
        return [
            SystemAnswer(
                **answer.model_dump(include={"answer", "reasoning", "failure"}),
                chunks=tuple(hit.chunk for hit in hits), documents=tuple(dict.fromkeys(hit.document for hit in hits)),
            )
            for answer, hits in zip(answers, found, strict=True)
        ]  # fmt: skip

    def _hits(self, one: QuestionWithPassages) -> list[Hit]:
        scope = self._scopes.get(one.unit, EVERYWHERE)
        return self._retriever.model_copy(update={"within": scope}).hits(one.question)


class ReadsDocuments:
    """PluriHopRAG (Algorithm 1): each document that passes the filter is asked, the answers are put together.

    A document is one call with the chunks that were found there: a `PromptedReader` asks it the parts into which it
    takes the question, a generator the question as one document is asked it.
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
        """Return an answer a question; it rests on the documents that the aggregator took it from."""
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
        """What was found in the documents to ask, question by question; nothing for one that was not taken apart."""
        if not isinstance(self._reader, PromptedReader):
            return [_Looked(one, None, self._relevant(one, self._retriever.decomposer)) for one in asked]
        parts = zip(asked, await self._reader.taken_apart(asked), strict=True)
        return [
            _Looked(one, apart, [] if isinstance(apart, LLMFailure) else self._relevant(one, ReadyDecomposer(apart)))
            for one, apart in parts
        ]

    async def _said(self, looked: Sequence[_Looked]) -> list[Generated]:
        """What each document says, those of one question after those of the other."""
        if not isinstance(self._reader, PromptedReader):
            return await self._reader.answers([_ask(one.asked, part) for one in looked for part in one.found])
        return await self._reader.read([
            DocumentTask(unit=f"{one.asked.unit} {part.document}", title=part.hits[0].title,
                         questions=one.parts.questions, contexts=_texts(part.hits))
            for one in looked if isinstance(one.parts, DocumentQuestions) for part in one.found
        ])  # fmt: skip

    def _relevant(self, one: QuestionWithPassages, decomposer: Decomposer) -> list[DocumentEvidence]:
        """The documents to ask: those that pass the filter; of a question that names its documents all of these."""
        scope = self._scopes.get(one.unit, EVERYWHERE)
        finds = self._retriever.model_copy(update={"within": scope, "decomposer": decomposer})
        return finds.evidence(one.question) if scope.documents else finds.relevant(one.question)


class _Looked(NamedTuple):
    """A question, the parts that a reader took it into, and what was found in the documents to ask."""

    asked: QuestionWithPassages
    parts: DocumentQuestions | LLMFailure | None
    found: list[DocumentEvidence]


def _ended(one: _Looked, partial: Partial, told: SystemAnswer) -> SystemAnswer:
    """An answer with the chunks it was read from; a document that could not be read is a failure beside the answer."""
    if isinstance(one.parts, LLMFailure):
        return SystemAnswer(failure=f"taken apart: {one.parts.reason}")
    unread = [f"a document was not read: {part.said.failure}" for part in partial.documents if part.said.failure]
    chunks = tuple(hit.chunk for part in one.found for hit in part.hits)
    return told.model_copy(update={"chunks": chunks, "failure": told.failure or next(iter(unread), "")})


def _ask(one: QuestionWithPassages, part: DocumentEvidence) -> QuestionWithPassages:
    """The question as the document is asked it, with its title: "Report of Acme: What is the revenue?"."""
    title, question = part.hits[0].title, narrowed(one.question)
    asked = f"{title}: {question}" if title else question
    return QuestionWithPassages(unit=f"{one.unit} {part.document}", question=asked, contexts=_texts(part.hits))


def _texts(hits: Sequence[Hit]) -> tuple[str, ...]:
    return tuple(passage(hit.title, hit.text) for hit in hits)
