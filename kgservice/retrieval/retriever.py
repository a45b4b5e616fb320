"""The base of all retrievers: a LangChain retriever over one corpus of a graph."""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Self, TypeAlias, TypeVar

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, ValidationError

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.tracing import Attribute, operation
from kgservice.graph.store import Graph
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit, PlacedHit, placed
from kgservice.vectors.embedder import Embedder

MAX_K = 10_000
SHARED = {"graph", "corpus", "embedder"}  # fields that no query changes

# a look at the best candidates: {seen: their number, last: the lowest score, hits: rows that pass the filter}
Look: TypeAlias = Mapping[str, Any]
R = TypeVar("R", bound="Retriever")


class Retriever(BaseRetriever):
    """A retriever of the k best chunks of a corpus `within` a filter. `embedder` makes vectors of queries.

    `invoke(query)` returns LangChain documents: the chunk's text, its key as id, and as metadata the hit's chunk,
    title, score and why, its `document` as it was loaded (a path or an id), its url, and the chunk's page and section,
    each None if unknown. `invoke(query, k=1)` sets fields for this query alone. Raises BadRequest if an option is
    unknown.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    graph: Graph
    corpus: str
    embedder: Embedder
    k: int = 10
    within: SearchFilter = SearchFilter()

    def hits(self, query: str) -> list[Hit]:
        """Return at most k hits, best first, equal scores by key.

        Raises BadRequest if the query, k or the filter is not valid, and NotFound if the corpus or a document of the
        filter does not exist. A hit proves that the corpus exists, so its name is looked up only if there is none.
        """
        if not query.strip():
            raise BadRequest("the query is empty: give at least one word")
        if not 1 <= self.k <= MAX_K:
            raise BadRequest(f"k must be between 1 and {MAX_K:,}, not {self.k}")
        self.within.check()
        attributes: dict[str, Attribute] = {"gen_ai.data_source.id": self.corpus, "gen_ai.retrieval.top_k": self.k}
        with operation("retrieval", self.corpus, attributes | {"kgservice.retriever": type(self).__name__}) as span:
            text = query.encode("utf-8", "replace").decode()  # Neo4j takes no half of a surrogate pair
            text = unicodedata.normalize("NFC", text)  # as documents are stored
            code = keys.corpus_code(self.corpus)
            hits = self.graph.spread(code, lambda graph: self._over(graph)._find(text))
            span.set_attribute("kgservice.hits", len(hits))
        if not hits:
            self.graph.check_corpus(self.corpus)
        if self.within.documents:
            self.within.check_documents(self.graph, self.corpus)
        return hits

    def _over(self, graph: Graph) -> Self:
        return self if graph is self.graph else self.model_copy(update={"graph": graph})

    def stage(self, kind: type[R], k: int) -> R:
        """Return another retriever over the same part of the corpus for its k best chunks, as a stage of this one."""
        shared = kind.model_fields.keys() & type(self).model_fields.keys()
        return kind(**{name: getattr(self, name) for name in shared} | {"k": min(k, MAX_K)})

    @abstractmethod
    def _find(self, query: str) -> list[Hit]:
        """Return the hits of a valid query, or none if the corpus does not exist."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        return [as_document(hit) for hit in placed(self.graph, self.with_options(options).hits(query))]

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return a copy of this retriever with other values of its own fields, such as k.

        Raises BadRequest if an option is unknown or its value is not valid.
        """
        own = sorted(type(self).model_fields.keys() - BaseRetriever.model_fields.keys() - SHARED)
        if unknown := sorted(options.keys() - set(own)):
            raise BadRequest(f"unknown option {', '.join(unknown)}: choose of {', '.join(own)}")
        try:
            return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | dict(options))
        except ValidationError as error:
            problem = error.errors()[0]
            raise BadRequest(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error


def best_of_documents(find: Callable[[int], list[Hit]], wanted: int) -> list[Hit]:
    """Return the best hit of each of the best documents, at most `wanted`.

    `find` gives the k best hits. k doubles until there are enough documents.
    """
    k = wanted
    while True:
        hits = find(k)
        best = dict[str, Hit]()
        for hit in hits:
            best.setdefault(hit.document, hit)
        if len(best) >= wanted or len(hits) < k or k >= MAX_K:
            return list(best.values())[:wanted]
        k = min(2 * k, MAX_K)


def as_document(hit: PlacedHit) -> Document:
    """Return a hit as a LangChain document, whose metadata has the source of its document as `document`."""
    metadata = hit.model_dump(exclude={"text", "source"})
    if hit.source is not None:
        metadata["document"] = hit.source
    return Document(id=hit.chunk, page_content=hit.text, metadata=metadata)
