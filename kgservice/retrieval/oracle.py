"""Oracle retrieval: the query's gold passages, to evaluate answering apart from retrieval."""

from __future__ import annotations

from collections.abc import Mapping

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.retrieval.hit import Hit, best_first
from kgservice.retrieval.retriever import Retriever


class OracleRetriever(Retriever):
    """The gold passages of each query in `gold`: chunks by key, or all chunks of documents by key or id.

    A gold chunk scores 1. The chunks of a gold document score 1, 1/2, 1/3 … in their order, so that each document is
    represented. Keys that the corpus does not hold give no hit.
    """

    gold: Mapping[str, tuple[str, ...]] = {}

    def _find(self, query: str) -> list[Hit]:
        names = self.gold.get(query)
        if not names:
            self.graph.check_corpus(self.corpus)
            raise BadRequest("oracle needs the query's gold: give chunk keys or document ids")
        by_key = {key: name for name in names for key in (keys.document_key(self.corpus, name), name)}
        rows = self.graph.read("retrieve/gold", keys=sorted(by_key), **self.within.parameters(self.graph, self.corpus))
        golds = [by_key.get(row["chunk"]) or by_key[row["document"]] for row in rows]
        hits = [
            Hit(**{name: row[name] for name in ("chunk", "document", "title", "text", "score")}, why={"gold": gold})
            for row, gold in zip(rows, golds, strict=True)
        ]
        return best_first(hits, self.k)
