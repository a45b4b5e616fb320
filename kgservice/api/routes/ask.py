"""/ask: an answer to one question, with the sentences that it rests on."""

from __future__ import annotations

from threading import Lock

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.datastructures import State

from kgservice.answering.ask import Answer, ask
from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.api.policy import Sight, TheSight, gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.api.sent_documents import Text
from kgservice.core.records import Record
from kgservice.retrieval import NAMES

router = APIRouter(tags=["retrieval"], route_class=ReadingRoute)
_READING = Lock()  # the reader remembers sentences, and one parse at a time leaves room for other requests


class QuestionAsked(Record):
    """A question about the documents of a corpus."""

    question: str = Field(min_length=1, max_length=1_000, examples=["Who is the mayor of Port Ambrel?"])
    corpus: str = Field("default", min_length=1, examples=["demo"])
    retriever: Text = Field("graph", description=f"what finds the passages: {NAMES}", examples=["graph"])


@router.post("/ask", dependencies=[gives("texts")], openapi_extra=body_of(MB // 10))
def answer(asked: QuestionAsked, request: Request, sight: TheSight) -> Answer:
    """Answer a question from the texts of a corpus; `answer` is "" where they do not say it.

    For a reader the answer in a corpus that has a release is read from passages alone, so it is as open as the texts.
    """
    return answer_from(request.app.state, sight, asked.corpus, asked.question, asked.retriever)


def answer_from(state: State, sight: Sight, corpus: str, question: str, retriever: str = "graph") -> Answer:
    """Return the answer of the service's reader, one question at a time, without facts that the caller may not see."""
    with _READING:
        if not hasattr(state, "reader"):
            state.reader = ExtractiveGenerator(state.embedder)
        return ask(
            state.graph, corpus, question, state.reader, state.embedder, retriever=retriever, scorer=state.scorer,
            with_graph=sight.sees("graph", corpus),
        )  # fmt: skip
