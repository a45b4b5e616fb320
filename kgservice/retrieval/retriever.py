"""A retriever is a LangChain retriever over one corpus of a graph."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict

from kgservice.core.errors import BadRequest
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.vectors.embedder import Embedder

MAX_K = 10_000

Look: TypeAlias = Mapping[str, Any]  # at the best candidates: {seen: how many, last: lowest score, hits: that fit}
R = TypeVar("R", bound="Retriever")


class Retriever(BaseRetriever):
    """Finds the k best chunks `within` a corpus. `embedder` is used by the retrievers that compare vectors.

    `invoke(query)` returns LangChain documents: the chunk's text, its key as id, and the other fields of the hit
    (chunk, document, title, score, why) as metadata.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Graph
    corpus: str
    embedder: Embedder
    k: int = 10
    within: SearchFilter = SearchFilter()

    def hits(self, query: str) -> list[Hit]:
        """Return at most k hits, best first, equal scores by key (BadRequest, NotFound for what cannot be asked).

        What was found shows that the corpus is there, so only a query that finds nothing costs the look-up of its name.
        """
        if not query.strip():
            raise BadRequest("the query is empty: give at least one word")
        if not 1 <= self.k <= MAX_K:
            raise BadRequest(f"k must be between 1 and {MAX_K:,}, not {self.k}")
        self.within.check()
        found = self._find(query.encode("utf-8", "replace").decode())  # no database holds half a surrogate pair
        if not found:
            self.graph.check_corpus(self.corpus)
        if self.within.documents:
            self.within.check_documents(self.graph, self.corpus)
        return found

    def stage(self, kind: type[R], k: int) -> R:
        """Return a retriever over the same part of the corpus, as a part of this one, for its k best chunks."""
        shared = kind.model_fields.keys() & type(self).model_fields.keys()
        return kind(**{name: getattr(self, name) for name in shared} | {"k": min(k, MAX_K)})

    @abstractmethod
    def _find(self, query: str) -> list[Hit]:
        """Return the hits of a query that can be asked; none for a corpus that does not exist."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **_: Any
    ) -> list[Document]:
        return [
            Document(id=hit.chunk, page_content=hit.text, metadata=hit.model_dump(exclude={"text"}))
            for hit in self.hits(query)
        ]
