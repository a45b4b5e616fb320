"""Our own retrievers with the extractive reader as systems for the gate: kgservice:graph, kgservice:hybrid …"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kgservice.embedding import Embedder, passage
from kgservice.gate.replies import Reply
from kgservice.generation.ask import PASSAGES
from kgservice.generation.extractive import ExtractiveGenerator
from kgservice.generation.generator import Asked
from kgservice.gold.passages import Passage
from kgservice.graph.store import Graph
from kgservice.retrieval import retriever
from kgservice.retrieval.scoring import Scorer


def ours(graph: Graph, corpus: str, embedder: Embedder, scorer: Scorer, name: str) -> Callable[[str], object]:
    """Return a function of a question that answers as `kgservice ask` does (NotFound for the retriever)."""
    finds = retriever(name, graph, corpus, embedder, k=PASSAGES, scorer=scorer)
    reader = ExtractiveGenerator(embedder)

    def ask(question: str) -> Reply:
        hits = finds.hits(question)
        asked = Asked(unit="gate", question=question, contexts=tuple(passage(hit.title, hit.text) for hit in hits))
        (said,) = asyncio.run(reader.answers([asked]))
        return Reply(answer=said.answer, passages=tuple(Passage(id=hit.chunk) for hit in hits), failure=said.failure)

    return ask
