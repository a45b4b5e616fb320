"""Our own retrievers with the extractive reader as systems for the gate: kgservice:graph, kgservice:hybrid …"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from kgservice.answering.ask import PASSAGES
from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import QuestionWithPassages
from kgservice.gate.replies import SystemReply
from kgservice.gold.found_passage import FoundPassage, passage_of
from kgservice.graph.store import Graph
from kgservice.retrieval import retriever
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.reranker import Scorer
from kgservice.vectors.embedder import Embedder, passage


def ours(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    scorer: Scorer | None,
    name: str,
    public: Mapping[str, str] | None = None,
) -> Callable[[str], object]:
    """Return a function of a question that answers as `kgservice ask` does (NotFound for the retriever, BadRequest).

    `public` has the public ids of a release's texts by chunk key, None for the corpus as it is now.
    """
    finds = retriever(name, graph, corpus, embedder, k=PASSAGES, scorer=scorer)
    reader = ExtractiveGenerator(embedder)

    def ask(question: str) -> SystemReply:
        hits = finds.hits(question)
        asked = QuestionWithPassages(
            unit="gate", question=question, contexts=tuple(passage(hit.title, hit.text) for hit in hits)
        )
        (said,) = asyncio.run(reader.answers([asked]))
        return SystemReply(
            answer=said.answer, passages=tuple(_passage(hit, public) for hit in hits), failure=said.failure
        )

    return ask


def _passage(hit: Hit, public: Mapping[str, str] | None) -> FoundPassage:
    """Return a hit as a passage: a chunk that came after the release is no text of it, so it is quoted."""
    if public is None:
        return FoundPassage(id=hit.chunk)
    return FoundPassage(id=public[hit.chunk]) if hit.chunk in public else passage_of(hit.text)
