"""Multi-step retrieval: search, read, search for what was read (FRAMES, Algorithm 1)."""

from __future__ import annotations

from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.followups import EntityQueries, QueryGenerator
from kgservice.retrieval.hit import Hit, Why
from kgservice.retrieval.retriever import Retriever

FIRST = 2  # of FRAMES's (k, n, n_docs) = (5, 5, 2)


class MultistepRetriever(Retriever):
    """Gathers a context in n iterations of k queries, each adding its `documents` best chunks that are not there yet.

    No query is asked twice. The context's order is the ranking (score 1 / place), so it ends as soon as it holds k
    chunks; where the generator ends earlier, the question's own next best ones fill it (`filled`; not in FRAMES). `why`
    tells the iteration, the query, and the rank that it gave the chunk. `generator` None: the entities found so far.
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
        asked: list[str] = []

        def add(found: list[Hit], why: Why) -> None:
            for rank, hit in enumerate(found, 1):
                context.setdefault(hit.chunk, hit.rescored(1 / (len(context) + 1), why | {"rank": rank}))

        for step in range(self.iterations * self.queries):
            following = generator.next_query(query, list(context.values()), asked)
            if following is None or len(context) >= self.k:
                break
            if following in asked:
                continue
            asked.append(following)
            add(under._find(following), {"iteration": 1 + step // self.queries, "query": following})
        if self.filled and len(context) < self.k:
            add(self.stage(self.under, self.k)._find(query), {"iteration": 1, "query": query})
        return list(context.values())[: self.k]
