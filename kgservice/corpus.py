"""A corpus in one object: load, ask, retrieve, enumerate, make questions, and hand them to other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any, Self, overload

from pydantic import ValidationError

from kgservice.answering.ask import Answer, ask
from kgservice.answering.extractive import ExtractiveGenerator
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.journal import Journal
from kgservice.core.records import Question, Subgraph, Totals
from kgservice.core.settings import Settings
from kgservice.evaluation.retrieval import by_place
from kgservice.evaluation.retrieval.run import Report, report
from kgservice.gate.adapters import as_function
from kgservice.gate.replies import reply_of
from kgservice.graph.contexts import chunk_contexts
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.ingest.leftovers import LoadedFiles
from kgservice.ingest.load_report import LoadReport
from kgservice.ingest.load_workers import load_workers
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import ANY, LoaderReading, each_path
from kgservice.questions import question_store
from kgservice.questions.export.question_rows import flat_rows, ragas_rows
from kgservice.questions.patterns import SubgraphOptions, page
from kgservice.questions.selection import Plan, Refreshed, follow, generate
from kgservice.remote.remote_corpus import RemoteCorpus
from kgservice.retrieval import retrieve, retriever
from kgservice.retrieval.hit import PlacedHit, placed
from kgservice.retrieval.reranker import Scorer, cross_encoder
from kgservice.retrieval.retriever import Retriever
from kgservice.setup.connect import connect
from kgservice.vectors.embedder import Embedder


class Corpus:
    """The documents of one name in the database of the settings (KGS_…), with their facts and questions.

    >>> with Corpus.open("mine") as corpus:  # doctest: +SKIP
    ...     corpus.load("reports/")
    ...     print(corpus.ask("Who leads the port authority?").answer)
    """

    def __init__(self, name: str, graph: Graph, settings: Settings) -> None:
        self.name, self.graph, self.settings = name, graph, settings

    @overload
    @classmethod
    def open(cls, name: str = "default", settings: Settings | None = None) -> Self: ...

    @overload
    @classmethod
    def open(cls, name: str = "default", *, url: str, key: str = "") -> RemoteCorpus: ...

    @classmethod
    def open(
        cls, name: str = "default", settings: Settings | None = None, *, url: str = "", key: str = ""
    ) -> Self | RemoteCorpus:
        """Open a corpus, new or not; the managed Neo4j is started where no other database is named.

        `url` is the address of `kgservice serve`: the same methods over HTTP, as far as the key's role goes. Raises
        BadRequest if the name is empty.
        """
        if not name.strip():
            raise BadRequest("the name of the corpus is empty: give one, or none for 'default'")
        if url:
            return RemoteCorpus(name, url, key)
        values = settings or Settings()
        return cls(name, connect(values), values)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the database goes on."""
        self.graph.close()

    @cached_property
    def embedder(self) -> Embedder:
        """Return the model that embeds chunks and queries."""
        return Embedder(self.settings.embedding_model)

    @cached_property
    def _reader(self) -> ExtractiveGenerator:
        return ExtractiveGenerator(self.embedder)

    @cached_property
    def _scorer(self) -> Scorer | None:
        return cross_encoder(self.settings)

    def load(
        self,
        *paths: str | Path | Iterable[str | Path],
        loader: str = ANY,
        extract: str = "rules+reader",
        vectors: bool = True,
        ray: str = "",
    ) -> LoadReport:
        """Load files or folders, given one by one or as a list (NotFound for a path that is not there).

        The report counts what became of the documents, and `left_out` names those that did not get in, with why.

        Loading again changes nothing; a changed document replaces its former version. One whose file is gone from a
        loaded folder stays, and `leftovers` of the report names it. As loads start processes, a
        script calls this below `if __name__ == "__main__":`. `ray` is the address of a Ray cluster that reads and
        embeds, or "local".
        """
        given = each_path(paths)
        if missing := [str(path) for path in given if not path.exists()]:
            raise NotFound(f"no such file or folder: {', '.join(missing)}")
        recipe, home, model = Recipe(extract=extract), self.settings.home, self.settings.embedding_model
        found = LoadedFiles(self.graph, home, self.name, LoaderReading(loader, given), given)
        with (
            Journal(home, "load", self.name) as journal,
            load_workers(home, self.name, recipe, model, ray=ray) as workers,
        ):
            embedder = (workers.embedder if ray else self.embedder) if vectors else None
            return load(self.graph, found, self.name, recipe, embedder, journal, extractor=workers.extractor)

    def as_of(self, day: date) -> Self:
        """Return the corpus as of a day: what its documents said then, with subgraphs and questions of its own.

        It is written when it is asked for, and brought up to date when this corpus was written since. It shares the
        connection of this one. `load` raises BadRequest there.
        """
        return type(self)(make_view(self.graph, self.name, day).corpus, self.graph, self.settings)

    def totals(self) -> Totals:
        """Return how many documents, chunks, facts and entities there are."""
        return self.graph.totals(self.name)

    def ask(self, question: str, retriever: str = "graph") -> Answer:
        """Return the answer that the documents give, with its sentences; `answer` is "" where they give none."""
        return ask(
            self.graph, self.name, question, self._reader, self.embedder, retriever=retriever, scorer=self._scorer
        )

    def retrieve(self, query: str, retriever: str = "graph", k: int = 10) -> list[PlacedHit]:
        """Return the k best chunks for a query with their places, best first."""
        hits = retrieve(self.graph, self.name, retriever, query, k, self.embedder, scorer=self._scorer)
        return placed(self.graph, hits)

    def as_retriever(self, name: str = "graph", k: int = 10) -> Retriever:
        """Return a LangChain retriever over the corpus."""
        return retriever(name, self.graph, self.name, self.embedder, k=k, scorer=self._scorer)

    def evaluate(self, system: Any, k: int = 5) -> Report:
        """Return how much of the active questions' evidence a retriever finds: `measures` such as recall@5 and all@5.

        `system` is a retriever of LangChain or LlamaIndex, or a function from a question to passages: texts, or
        objects with `text` and `document`. Its passages may be cut in any way, as overlap with the evidence decides.
        """
        asked = by_place.questions(self.graph, self.name)
        function = as_function(system)
        passages = {one.id: reply_of(function(one.question)).passages for one in asked.questions}
        return report("system", asked.results("system", passages, [k]), asked.judged(), 0)

    def subgraphs(self, pattern: str, limit: int | None = None, **options: Any) -> Iterator[Subgraph]:
        """Yield the subgraphs of a pattern whose question has exactly one answer.

        `options` are the fields of SubgraphOptions. Raises BadRequest if one is unknown or its value is not valid.
        """
        if unknown := sorted(options.keys() - SubgraphOptions.model_fields.keys()):
            raise BadRequest(
                f"unknown option {', '.join(unknown)}: choose of {', '.join(SubgraphOptions.model_fields)}"
            )
        try:
            choice = SubgraphOptions(**options)
        except ValidationError as error:
            problem = error.errors()[0]
            raise BadRequest(f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error
        return page(self.graph, self.name, pattern, choice, limit=limit, after="", seed=None)

    def generate(self, plan: Plan | None = None) -> Refreshed:
        """Make the questions of a plan, of the default patterns if none is given; ids of questions that stand stay."""
        return generate(self.graph, self.name, plan or Plan())

    def refresh(self) -> Refreshed:
        """Bring the questions up to date with the documents; the first time they are made."""
        self.graph.check_corpus(self.name)
        return follow(self.graph, self.name)

    def questions(self, pattern: str | None = None, state: str | None = "active") -> list[Question]:
        """Return the questions in order of id; `state` is active, rejected or retired, None takes all."""
        self.graph.check_corpus(self.name)
        return list(question_store.questions(self.graph, self.name, pattern=pattern, state=state))

    def rows(self) -> list[dict[str, Any]]:
        """Return the active questions as flat rows, for `pandas.DataFrame(rows)` or `datasets.Dataset.from_list(rows)`.

        The columns are id, pattern, asked, question, answers, sentences (one a fact) and chunks.
        """
        return flat_rows(self.questions())

    def ragas_rows(self) -> list[dict[str, Any]]:
        """Return the active questions as rows for ragas: `EvaluationDataset.from_list(rows)`."""
        found = self.questions()
        texts = chunk_contexts(self.graph, sorted({chunk for item in found for chunk in item.chunk_ids}))
        return ragas_rows(found, {key: context.text for key, context in texts.items()})
