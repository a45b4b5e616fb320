"""Multi-step retrieval: search, read, search again for names in the results (FRAMES, Algorithm 1)."""

from __future__ import annotations

from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.followups import EntityQueries, QueryGenerator
from kgservice.retrieval.hit import Hit, Why
from kgservice.retrieval.retriever import Retriever

FIRST = 2  # of FRAMES's (k, n, n_docs) = (5, 5, 2)


class MultistepRetriever(Retriever):
    """A context gathered in `iterations` rounds of `queries` queries, each adding its `documents` best new chunks.

    No query runs twice. The order of the context is the ranking (score 1 / place), so the search ends once it holds k
    chunks. If the generator ends earlier, the question's own next best chunks fill the context (`filled`; not in
    FRAMES). `why` gives the iteration, the query and the chunk's rank in it. `generator` None: queries about the
    entities in the context.
    """

    under: type[Retriever] = BM25Retriever
    generator: QueryGenerator | None = None
    iterations: int = 5
    queries: int = 5
    documents: int = FIRST
    filled: bool = True

    def _find(self, query: str) -> list[Hit]:
        generator = self.generator or EntityQueries(self.graph)
        under = self.stage(self.under, self.documents)
        context: dict[str, Hit] = {}
        queries_run: list[str] = []

        def add(hits: list[Hit], why: Why) -> None:
            for rank, hit in enumerate(hits, 1):
                context.setdefault(hit.chunk, hit.rescored(1 / (len(context) + 1), why | {"rank": rank}))

        for step in range(self.iterations * self.queries):
            following = generator.next_query(query, list(context.values()), queries_run)
            if following is None or len(context) >= self.k:
                break
            if following in queries_run:
                continue
            queries_run.append(following)
            add(under._find(following), {"iteration": 1 + step // self.queries, "query": following})
        if self.filled and len(context) < self.k:
            add(self.stage(self.under, self.k)._find(query), {"iteration": 1, "query": query})
        return list(context.values())[: self.k]
