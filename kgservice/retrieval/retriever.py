"""A retriever is a LangChain retriever over one corpus of a graph."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from kgservice.embedding import Embedder
from kgservice.errors import BadRequest
from kgservice.graph.store import Graph
from kgservice.retrieval.hit import Hit

MAX_K = 10_000


class Retriever(BaseRetriever):
    """Finds the k best chunks of a corpus. `embedder` is used by the retrievers that compare vectors.

    `invoke(query)` returns LangChain documents: the chunk's text, its key as id, and the other fields of the hit
    (chunk, document, title, score, why) as metadata.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Graph
    corpus: str
    embedder: Embedder
    k: int = 10

    def hits(self, query: str) -> list[Hit]:
        """Return at most k hits, best first, equal scores by key (BadRequest, NotFound for what cannot be asked)."""
        if not query.strip():
            raise BadRequest("the query is empty: give at least one word")
        if not 1 <= self.k <= MAX_K:
            raise BadRequest(f"k must be between 1 and {MAX_K:,}, not {self.k}")
        self.graph.check_corpus(self.corpus)
        return self._find(query)

    @abstractmethod
    def _find(self, query: str) -> list[Hit]:
        """Return the hits of a query that can be asked."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **_: Any
    ) -> list[Document]:
        return [
            Document(id=hit.chunk, page_content=hit.text, metadata=hit.model_dump(exclude={"text"}))
            for hit in self.hits(query)
        ]
