"""Oracle retrieval: the gold of each query is given, so that generation can be judged apart from retrieval."""

from __future__ import annotations

from collections.abc import Mapping

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.retrieval.hit import Hit, best_first
from kgservice.retrieval.retriever import Retriever


class OracleRetriever(Retriever):
    """Finds what `gold` names for a query: chunks by key, documents by key or id, all chunks of those.

    A named chunk scores 1, the chunks of a named document 1, 1/2, 1/3 … in their order, so that each document comes in.
    What the corpus does not hold is not found, here as by any retriever.
    """

    gold: Mapping[str, tuple[str, ...]] = {}

    def _find(self, query: str) -> list[Hit]:
        names = self.gold.get(query)
        if not names:
            self.graph.check_corpus(self.corpus)
            raise BadRequest("oracle finds what it is told: give the query's gold, chunk keys or document ids")
        by_key = {key: name for name in names for key in (keys.document_key(self.corpus, name), name)}
        rows = self.graph.read("retrieve/gold", keys=sorted(by_key), **self.within.parameters(self.graph, self.corpus))
        named = [by_key.get(row["chunk"]) or by_key[row["document"]] for row in rows]
        hits = [
            Hit(**{name: row[name] for name in ("chunk", "document", "title", "text", "score")}, why={"gold": gold})
            for row, gold in zip(rows, named, strict=True)
        ]
        return best_first(hits, self.k)
