"""Multi-step retrieval: search, read, search again for names in the results (FRAMES, Algorithm 1)."""

from __future__ import annotations

from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.followups import EntityQueries, QueryGenerator
from kgservice.retrieval.hit import Hit, Why
from kgservice.retrieval.retriever import Retriever, best_of_documents

FIRST = 2  # of FRAMES's (k, n, n_docs) = (5, 5, 2)


class MultistepRetriever(Retriever):
    """A context gathered in `iterations` rounds of `queries` queries, each adding its `documents` best new chunks.

    No query runs twice. The order of the context is the ranking (score 1 / place), so the search ends once it holds k
    chunks. If the generator ends earlier, the question's own next best chunks fill the context (`filled`; not in
    FRAMES). `why` gives the iteration, the query and the chunk's rank in it. `generator` None: queries about the
    entities in the context. `whole`: each query adds its best documents, each by its best chunk (line 7 of the
    algorithm), where without it several chunks of one document may be its best.
    """

    under: type[Retriever] = BM25Retriever
    generator: QueryGenerator | None = None
    iterations: int = 5
    queries: int = 5
    documents: int = FIRST
    filled: bool = True
    whole: bool = False

    def _find(self, query: str) -> list[Hit]:
        generator = self.generator or EntityQueries(self.graph)
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
            add(self._found(following), {"iteration": 1 + step // self.queries, "query": following})
        if self.filled and len(context) < self.k:
            add(self.stage(self.under, self.k)._find(query), {"iteration": 1, "query": query})
        return list(context.values())[: self.k]

    def _found(self, query: str) -> list[Hit]:
        if self.whole:
            return best_of_documents(lambda k: self.stage(self.under, k)._find(query), self.documents)
        return self.stage(self.under, self.documents)._find(query)
