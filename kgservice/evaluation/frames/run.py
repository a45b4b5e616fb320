"""FRAMES: answers without articles, from retrieved ones, from the question's own, and after searches (section 3)."""

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

METHOD = "FRAMES 6"  # count up when contexts or scores change
BATCH = 4  # questions under way at once
NAMED = re.compile(r"naive|oracle|(?:bm25|multistep|planned)-[1-9]\d{0,2}")

Condition: TypeAlias = str  # as in NAMED; the number is that of articles, or n_docs, the articles a query adds
CONDITIONS: tuple[Condition, ...] = (  # table 3 and figure 3b
    "naive", "bm25-2", "bm25-4", "oracle", "multistep-2", "planned-2", "multistep-10", "planned-10",
)  # fmt: skip


class SearchBounds(NamedTuple):
    """n and k of Algorithm 1: the steps of a search, and the queries a step (5 and 5 in table 3)."""

    steps: int = 5
    queries: int = 5


def conditions_of(given: str) -> list[Condition]:
    """Return the distinct conditions of a comma-separated list, in its order. Raises BadRequest if one is unknown."""
    names = list(dict.fromkeys(part.strip() for part in given.split(",") if part.strip()))
    if not names or (unknown := next((name for name in names if not NAMED.fullmatch(name)), "")):
        raise BadRequest(
            f"no condition {(unknown if names else given)!r}: choose of naive, oracle, bm25-N, multistep-N and "
            "planned-N, with commas between them; N is the number of articles, or of those that a query adds"
        )
    return names


class FramedAnswer(Record):
    """An answer from a context: its articles by the loader's names, and the share of the question's articles in it."""

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
    """A question with its answers. `absent` are links to articles that the corpus does not hold."""

    question: str
    truth: str
    types: tuple[str, ...]
    links: int
    absent: tuple[str, ...]
    answers: tuple[FramedAnswer, ...]

    def failures(self) -> tuple[str, ...]:
        """Return why answers or verdicts failed."""
        return tuple(answer.failure for answer in self.answers if answer.failure)


class FramesSystems(NamedTuple):
    """The system under test, the rater of answers and the searcher. Without a rater strings decide.

    Without a searcher entities are searched for.
    """

    generator: Generator
    under: type[Retriever]
    rater: LLM | None
    searcher: LLM | None


class _Context(NamedTuple):
    """The context of an answer: keys, texts and names of articles, and the queries that found them, or a failure."""

    condition: Condition
    keys: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    failure: str = ""


class FramesEvaluation:
    """The evaluation of FRAMES' questions over the articles of a corpus. A context consists of whole articles."""

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
        """Answer every question that the folder lacks, and write it there with its answers."""
        links = sorted({link for question in questions.units for link in question.links})
        self._gold = articles(self._graph, self._corpus, links)
        with ThreadPoolExecutor(
            BATCH
        ) as threads:  # not the loop's own threads, which look up addresses and must not wait

            async def test(batch: list[Framed]) -> list[AnsweredQuestion]:
                return await self._answered(batch, threads)

            await folder.go_on(questions.units, test, BATCH, advance)

    async def _answered(self, batch: list[Framed], threads: ThreadPoolExecutor) -> list[AnsweredQuestion]:
        loop = asyncio.get_running_loop()
        pairs = [(one, condition) for one in batch for condition in self._conditions]
        futures = (loop.run_in_executor(threads, self._context, *pair, loop) for pair in pairs)
        contexts = await asyncio.gather(*futures)
        calls = [
            QuestionWithPassages(unit=one.id, question=one.text, contexts=context.texts)
            for (one, _), context in zip(pairs, contexts, strict=True)
        ]
        generated = await self._systems.generator.answers(calls)
        answers = [_told(context, one) for context, one in zip(contexts, generated, strict=True)]
        predicted = [
            Answered(unit=one.id, question=one.text, prediction=prediction(answer), truth=one.answer)
            for (one, _), answer in zip(pairs, answers, strict=True)
        ]
        verdicts = await rated(self._systems.rater, predicted)
        ended = iter(zip(contexts, answers, verdicts, strict=True))
        return [self._line(one, list(islice(ended, len(self._conditions)))) for one in batch]

    def _context(self, question: Framed, condition: Condition, loop: asyncio.AbstractEventLoop) -> _Context:
        """Return the whole articles of a condition, in the order of retrieval."""
        queries: tuple[str, ...] = ()
        kind, _, number = condition.partition("-")
        try:
            if kind in ("multistep", "planned"):
                documents, queries = self._searched(question, int(number), loop, planned=kind == "planned")
            elif kind == "bm25":
                under = self._systems.under(graph=self._graph, corpus=self._corpus, embedder=self._embedder)
                documents = ranked_documents(under, question.text, int(number))
            else:
                documents = list(dict.fromkeys(self._own(question))) if kind == "oracle" else []
        except LLMFailure as failure:
            return _Context(condition, failure=f"search: {failure.reason}")
        rows = {row["key"]: row for row in self._graph.read("read/document_texts", keys=sorted(documents))}
        whole = [passage(rows[key]["title"] or "", "\n\n".join(rows[key]["texts"])) for key in documents]
        return _Context(
            condition, tuple(documents), tuple(whole), tuple(rows[key]["source"] for key in documents), queries
        )

    def _searched(
        self, question: Framed, documents: int, loop: asyncio.AbstractEventLoop, *, planned: bool
    ) -> tuple[list[str], tuple[str, ...]]:
        """Return the articles in order, and every query, with those that brought nothing new (appendix B)."""
        steps, queries = self._bounds
        generator: QueryGenerator = EntityQueries(self._graph)
        if self._systems.searcher is not None:
            generator = PromptedQueries(
                self._systems.searcher, loop, question.id, planned=planned, steps=steps, queries=queries
            )
        elif planned:
            generator = ClauseQueries(EntityQueries(self._graph))
        traced = TracedQueries(generator)
        hits = MultistepRetriever(
            graph=self._graph, corpus=self._corpus, embedder=self._embedder, under=self._systems.under,
            generator=traced, iterations=steps, queries=queries, documents=documents,
            k=steps * queries * documents, filled=False, whole=True,
        ).hits(question.text)  # fmt: skip
        return list(dict.fromkeys(hit.document for hit in hits)), tuple(traced.queries)

    def _own(self, question: Framed) -> list[str]:
        return [self._gold[link] for link in question.links if link in self._gold]

    def _line(
        self, one: Framed, ended: Sequence[tuple[_Context, Generated, Judgement | LLMFailure]]
    ) -> AnsweredQuestion:
        own, absent = set(self._own(one)), tuple(link for link in one.links if link not in self._gold)
        wanted = len(own) + len(set(absent))  # two links may lead to one document
        answers = [
            FramedAnswer(
                condition=context.condition, queries=context.queries, documents=context.names,
                recall=len(own.intersection(context.keys)) / wanted if wanted else None,
                answer=answer.answer, reasoning=answer.reasoning, failure=failure(answer, verdict),
                how=verdict.how if isinstance(verdict, Judgement) else "", outcome=outcome(answer, verdict),
            )
            for context, answer, verdict in ended
        ]  # fmt: skip
        return AnsweredQuestion(
            id=one.id, question=one.text, truth=one.answer, types=one.types, links=len(one.links),
            absent=absent, answers=tuple(answers),
        )  # fmt: skip


def _told(context: _Context, answer: Generated) -> Generated:
    return Generated(failure=context.failure) if context.failure else answer
