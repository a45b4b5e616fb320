"""Our own retrievers with the extractive reader as systems for the gate: kgservice:graph, kgservice:hybrid …"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kgservice.answering.ask import PASSAGES
from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.answering.generator import QuestionWithPassages
from kgservice.gate.replies import SystemReply
from kgservice.gold.found_passage import FoundPassage
from kgservice.graph.store import Graph
from kgservice.retrieval import retriever
from kgservice.retrieval.reranker import Scorer
from kgservice.vectors.embedder import Embedder, passage


def ours(graph: Graph, corpus: str, embedder: Embedder, scorer: Scorer | None, name: str) -> Callable[[str], object]:
    """Return a function of a question that answers as `kgservice ask` does (NotFound for the retriever, BadRequest)."""
    finds = retriever(name, graph, corpus, embedder, k=PASSAGES, scorer=scorer)
    reader = ExtractiveGenerator(embedder)

    def ask(question: str) -> SystemReply:
        hits = finds.hits(question)
        asked = QuestionWithPassages(
            unit="gate", question=question, contexts=tuple(passage(hit.title, hit.text) for hit in hits)
        )
        (said,) = asyncio.run(reader.answers([asked]))
        return SystemReply(
            answer=said.answer, passages=tuple(FoundPassage(id=hit.chunk) for hit in hits), failure=said.failure
        )

    return ask
