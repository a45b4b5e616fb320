"""FRAMES: questions answered from no articles, from found ones, from their own, and after many searches (section 3)."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple, TypeAlias

from kgservice.answering.generator import Generated, Generator, QuestionWithPassages
from kgservice.core.errors import BadRequest, LLMFailure
from kgservice.core.records import Record
from kgservice.evaluation.frames.questions import Framed, articles
from kgservice.evaluation.frames.searches import ClauseQueries, PromptedQueries, TracedQueries
from kgservice.evaluation.retrieval.run import ranked_documents
from kgservice.evaluation.shared.run_folder import Advance, RunFolder, RunLine
from kgservice.evaluation.shared.sample import EvaluationSet
from kgservice.graph.store import Graph
from kgservice.llm.client import LLM
from kgservice.metrics.judge import Answered, Judgement, rated
from kgservice.metrics.outcomes import failure, outcome, prediction
from kgservice.metrics.robustness import Outcome
from kgservice.retrieval.followups import EntityQueries, QueryGenerator
from kgservice.retrieval.multistep import MultistepRetriever
from kgservice.retrieval.retriever import Retriever
from kgservice.vectors.embedder import Embedder, passage

METHOD = "FRAMES 4"  # another number where a change makes other contexts or scores
BATCH = 4  # questions under way at once
NAMED = re.compile(r"naive|oracle|(?:bm25|multistep|planned)-[1-9]\d{0,2}")

Condition: TypeAlias = str  # of NAMED; the number is that of articles, or n_docs, what a query adds
CONDITIONS: tuple[Condition, ...] = (  # table 3 and figure 3b
    "naive", "bm25-2", "bm25-4", "oracle", "multistep-2", "planned-2", "multistep-10", "planned-10",
)  # fmt: skip


class SearchBounds(NamedTuple):
    """n and k of Algorithm 1: how many steps a search has, and how many queries a step (5 and 5 in table 3)."""

    steps: int = 5
    queries: int = 5


def conditions_of(given: str) -> list[Condition]:
    """Return the conditions of a list with commas, each once, in its order (BadRequest)."""
    names = list(dict.fromkeys(part.strip() for part in given.split(",") if part.strip()))
    if not names or (unknown := next((name for name in names if not NAMED.fullmatch(name)), "")):
        raise BadRequest(
            f"no condition {(unknown if names else given)!r}: choose of naive, oracle, bm25-N, multistep-N and "
            "planned-N, with commas between them; N is the number of articles, or of passages that a query adds"
        )
    return names


class FramedAnswer(Record):
    """An answer from a context: its articles, by the loader's name, and the share of the question's that are there."""

    condition: Condition
    queries: tuple[str, ...] = ()
    documents: tuple[str, ...]
    recall: float | None
    answer: str
    reasoning: str
    failure: str
    how: str
    outcome: Outcome


class AnsweredQuestion(RunLine):
    """A question with its answers; `absent` are links to articles that the corpus does not hold."""

    question: str
    truth: str
    types: tuple[str, ...]
    links: int
    absent: tuple[str, ...]
    answers: tuple[FramedAnswer, ...]


class FramesSystems(NamedTuple):
    """What is tested, and what rates answers, and searches, where strings and entities do not (None: they do)."""

    generator: Generator
    under: type[Retriever]
    rater: LLM | None
    searcher: LLM | None


class _Context(NamedTuple):
    """What a question is answered from: keys and texts of articles, the queries that found them; or why nothing."""

    condition: Condition
    keys: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    failure: str = ""


class FramesEvaluation:
    """Answers the questions of FRAMES over the articles of a corpus; the unit of a context is the article."""

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        embedder: Embedder,
        systems: FramesSystems,
        conditions: Sequence[Condition],
        bounds: SearchBounds | None = None,
    ) -> None:
        self._graph, self._corpus, self._embedder = graph, corpus, embedder
        self._systems, self._conditions, self._bounds = systems, conditions, bounds or SearchBounds()
        self._gold: dict[str, str] = {}

    async def run(
        self,
        questions: EvaluationSet[Framed],
        folder: RunFolder[AnsweredQuestion],
        advance: Advance = lambda _: None,
    ) -> None:
        """Ask every question that the folder does not have yet, and write it there with its answers."""
        links = sorted({link for one in questions.units for link in one.links})
        self._gold = articles(self._graph, self._corpus, links)
        with ThreadPoolExecutor(
            BATCH
        ) as threads:  # the loop's own threads look up addresses: they must not wait for it

            async def test(batch: list[Framed]) -> list[AnsweredQuestion]:
                return await self._answered(batch, threads)

            await folder.go_on(questions.units, test, BATCH, advance)

    async def _answered(self, batch: list[Framed], threads: ThreadPoolExecutor) -> list[AnsweredQuestion]:
        loop = asyncio.get_running_loop()
        pairs = [(one, condition) for one in batch for condition in self._conditions]
        found = (loop.run_in_executor(threads, self._context, *pair, loop) for pair in pairs)
        contexts = await asyncio.gather(*found)
        calls = [
            QuestionWithPassages(unit=one.id, question=one.text, contexts=context.texts)
            for (one, _), context in zip(pairs, contexts, strict=True)
        ]
        said = await self._systems.generator.answers(calls)
        answers = [_told(context, one) for context, one in zip(contexts, said, strict=True)]
        predicted = [
            Answered(unit=one.id, question=one.text, prediction=prediction(answer), truth=one.answer)
            for (one, _), answer in zip(pairs, answers, strict=True)
        ]
        verdicts = await rated(self._systems.rater, predicted)
        ended = iter(zip(contexts, answers, verdicts, strict=True))
        return [self._line(one, list(islice(ended, len(self._conditions)))) for one in batch]

    def _context(self, one: Framed, condition: Condition, loop: asyncio.AbstractEventLoop) -> _Context:
        """The articles of a condition, whole, in the order in which they were found."""
        queries: tuple[str, ...] = ()
        kind, _, number = condition.partition("-")
        try:
            if kind in ("multistep", "planned"):
                found, queries = self._searched(one, int(number), loop, planned=kind == "planned")
            elif kind == "bm25":
                under = self._systems.under(graph=self._graph, corpus=self._corpus, embedder=self._embedder)
                found = ranked_documents(under, one.text, int(number))
            else:
                found = list(dict.fromkeys(self._own(one))) if kind == "oracle" else []
        except LLMFailure as failure:
            return _Context(condition, failure=f"search: {failure.reason}")
        rows = {row["key"]: row for row in self._graph.read("read/document_texts", keys=sorted(found))}
        whole = [passage(rows[key]["title"] or "", "\n\n".join(rows[key]["texts"])) for key in found]
        return _Context(condition, tuple(found), tuple(whole), tuple(rows[key]["source"] for key in found), queries)

    def _searched(
        self, one: Framed, documents: int, loop: asyncio.AbstractEventLoop, *, planned: bool
    ) -> tuple[list[str], tuple[str, ...]]:
        """The articles found, in order, and every query, those too that brought nothing new (appendix B)."""
        steps, queries = self._bounds
        generator: QueryGenerator = EntityQueries(self._graph)
        if self._systems.searcher is not None:
            generator = PromptedQueries(
                self._systems.searcher, loop, one.id, planned=planned, steps=steps, queries=queries
            )
        elif planned:
            generator = ClauseQueries(EntityQueries(self._graph))
        traced = TracedQueries(generator)
        hits = MultistepRetriever(
            graph=self._graph, corpus=self._corpus, embedder=self._embedder, under=self._systems.under,
            generator=traced, iterations=steps, queries=queries, documents=documents,
            k=steps * queries * documents, filled=False,
        ).hits(one.text)  # fmt: skip
        return list(dict.fromkeys(hit.document for hit in hits)), tuple(traced.queries)

    def _own(self, one: Framed) -> list[str]:
        return [self._gold[link] for link in one.links if link in self._gold]

    def _line(
        self, one: Framed, ended: Sequence[tuple[_Context, Generated, Judgement | LLMFailure]]
    ) -> AnsweredQuestion:
        own = set(self._own(one))
        answers = [
            FramedAnswer(
                condition=context.condition, queries=context.queries, documents=context.names,
                recall=len(own.intersection(context.keys)) / len(one.links) if one.links else None,
                answer=answer.answer, reasoning=answer.reasoning, failure=failure(answer, verdict),
                how=verdict.how if isinstance(verdict, Judgement) else "", outcome=outcome(answer, verdict),
            )
            for context, answer, verdict in ended
        ]  # fmt: skip
        return AnsweredQuestion(
            id=one.id, question=one.text, truth=one.answer, types=one.types, links=len(one.links),
            absent=tuple(link for link in one.links if link not in self._gold), answers=tuple(answers),
        )  # fmt: skip


def _told(context: _Context, answer: Generated) -> Generated:
    return Generated(failure=context.failure) if context.failure else answer
