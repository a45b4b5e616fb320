"""The filter of a query: the documents and times to search in."""

from __future__ import annotations

from datetime import date
from typing import Any

from pydantic import Field

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Day, Record
from kgservice.graph.store import Graph


class SearchFilter(Record):
    """A filter by documents, by time of publication, or (the default) none.

    The filter is part of each Cypher statement, so a retriever finds k chunks if that many pass it.
    """

    documents: tuple[str, ...] = Field((), description="ids, or keys, of the documents to look in; all when not given")
    published_since: Day | None = Field(None, description="documents of this day or later; undated ones are left out")
    published_until: Day | None = Field(None, description="documents of this day or earlier")

    @property
    def is_narrow(self) -> bool:
        """Return whether the filter excludes anything."""
        return self != SearchFilter()

    @property
    def is_dated(self) -> bool:
        """Return whether the filter has a time."""
        return self.published_since is not None or self.published_until is not None

    def check(self) -> None:
        """Reject a time that ends before it starts. Raises BadRequest."""
        since, until = self.published_since, self.published_until
        if since and until and since > until:
            raise BadRequest(f"nothing is published since {since} and until {until}: turn the two round")

    def check_documents(self, graph: Graph, corpus: str) -> None:
        """Reject names of documents that the corpus does not hold. Raises NotFound."""
        stored = {row["key"] for row in graph.read("read/document_keys", corpus=corpus, keys=self._keys(corpus))}
        for name in self.documents:
            if name not in stored and keys.document_key(corpus, name) not in stored:
                raise NotFound(f"no document {name!r} in corpus {corpus!r}; see `kgservice documents list`")

    def parameters(self, graph: Graph, corpus: str) -> dict[str, Any]:
        """Return the parameters that restrict every statement of cypher/retrieve: code, until, documents."""
        code = keys.corpus_code(corpus)
        return {"code": code, "until": code + "~", "documents": self._documents(graph, corpus)}

    def dates(self, corpus: str) -> dict[str, Any]:
        """Return the parameters of a statement whose index knows corpus and time."""
        first, last = self.published_since or date.min, self.published_until or date.max
        return {"code": keys.corpus_code(corpus), "first": first, "last": last}

    def _documents(self, graph: Graph, corpus: str) -> list[str] | None:
        """Return the keys of the documents to search in, None for all.

        A time is resolved here, so queries without one pay nothing.
        """
        wanted = self._keys(corpus) if self.documents else None
        if not self.is_dated:
            return wanted
        first, last, code = self.published_since, self.published_until, keys.corpus_code(corpus)
        rows = graph.read("retrieve/published", code=code, until=code + "~", first=first, last=last)
        return [row["key"] for row in rows if wanted is None or row["key"] in wanted]

    def _keys(self, corpus: str) -> list[str]:
        return [key for name in self.documents for key in (name, keys.document_key(corpus, name))]
