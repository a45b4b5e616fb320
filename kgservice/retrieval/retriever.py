"""A retriever is a LangChain retriever over one corpus of a graph."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self, TypeAlias, TypeVar

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, ValidationError

from kgservice.core.errors import BadRequest
from kgservice.core.tracing import Attribute, operation
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit, PlacedHit, placed
from kgservice.vectors.embedder import Embedder

MAX_K = 10_000
SHARED = {"graph", "corpus", "embedder"}  # what no query changes

Look: TypeAlias = Mapping[str, Any]  # at the best candidates: {seen: how many, last: lowest score, hits: that fit}
R = TypeVar("R", bound="Retriever")


class Retriever(BaseRetriever):
    """Finds the k best chunks `within` a corpus. `embedder` is used by the retrievers that compare vectors.

    `invoke(query)` returns LangChain documents: the chunk's text, its key as id, and as metadata chunk, title, score
    and why of the hit, with `document` as it was loaded (a path or an id), its url, and the chunk's page and section,
    each None where unknown. `invoke(query, k=1)` sets fields for this query alone; an unknown option raises BadRequest.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

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
        known: dict[str, Attribute] = {"gen_ai.data_source.id": self.corpus, "gen_ai.retrieval.top_k": self.k}
        with operation("retrieval", self.corpus, known | {"kgservice.retriever": type(self).__name__}) as span:
            found = self._find(query.encode("utf-8", "replace").decode())  # no database holds half a surrogate pair
            span.set_attribute("kgservice.hits", len(found))
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
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return [as_document(hit) for hit in placed(self.graph, self.with_options(options).hits(query))]

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return this retriever with other values of its own fields, such as k (BadRequest for any other option)."""
        own = sorted(type(self).model_fields.keys() - BaseRetriever.model_fields.keys() - SHARED)
        if unknown := sorted(options.keys() - set(own)):
            raise BadRequest(f"unknown option {', '.join(unknown)}: choose of {', '.join(own)}")
        try:
            return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | dict(options))
        except ValidationError as error:
            told = error.errors()[0]
            raise BadRequest(f"{'.'.join(map(str, told['loc']))}: {told['msg']}") from error


def as_document(hit: PlacedHit) -> Document:
    """Return a hit as a LangChain document, whose metadata has the source of its document as `document`."""
    known = hit.model_dump(exclude={"text", "source"})
    if hit.source is not None:
        known["document"] = hit.source
    return Document(id=hit.chunk, page_content=hit.text, metadata=known)
