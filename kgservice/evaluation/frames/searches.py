"""Queries of FRAMES' multi-step evaluation (section 3.2): planned or not, with or without a model."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from itertools import accumulate

from pydantic import BaseModel

from kgservice.llm.budget import tokens_of
from kgservice.llm.client import LLM
from kgservice.llm.prompts import prompt
from kgservice.retrieval.bm25 import bare
from kgservice.retrieval.followups import EntityQueries, QueryGenerator
from kgservice.retrieval.hit import Hit

STAGE = "search"
PROMPTS = ("search_query", "search_query_planned")
SHOWN = 8_000  # tokens of passages in a step's prompt
LONGEST = 3_000  # characters of a passage, more than a chunk of 600 tokens has

_CLAUSE = re.compile(r"[,;:?]|\b(?:and|or|who|whom|whose|which|that|where|when|if|while|after|before|than)\b", re.I)


class Searched(BaseModel):
    """The next queries; none ends the search."""

    queries: list[str]


class Planned(BaseModel):
    """The next queries after the reasoning that led to them."""

    reasoning: str
    queries: list[str]


class TracedQueries:
    """A query generator that keeps every query, in order."""

    def __init__(self, generator: QueryGenerator) -> None:
        self._generator, self.queries = generator, list[str]()

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the next query of the wrapped generator, None to end."""
        query = self._generator.next_query(question, context, asked)
        if query is not None:
            self.queries.append(query)
        return query


class ClauseQueries:
    """A plan without a model: the question, then each of its clauses, then the entities found.

    So every condition is searched for separately.
    """

    def __init__(self, entities: EntityQueries) -> None:
        self._entities = entities

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the next query, None if nothing is left."""
        clauses = (" ".join(part.split()) for part in _CLAUSE.split(question))
        plan = [question, *(clause for clause in clauses if len(bare(clause)) > 1)]
        left = next((query for query in plan if query not in asked), None)
        return left or self._entities.next_query(question, context, asked)


class PromptedQueries:
    """Queries of a model, asked in the event loop `loop` from another thread, as retrievers run in one.

    A step is one call for at most `queries` queries, as in the paper ("five for retrieval + one for final answering").
    After `steps` steps the search ends. Raises LLMFailure if the model fails.
    """

    def __init__(
        self, llm: LLM, loop: asyncio.AbstractEventLoop, unit: str, *, planned: bool, steps: int, queries: int
    ) -> None:
        self._llm, self._loop, self._unit, self._planned = llm, loop, unit, planned
        self._steps, self._queries = steps, queries
        self._left: list[str] = []

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the model's next query, None if it needs no more or only repeats earlier ones."""
        if not self._left and self._steps:
            self._steps -= 1
            new = dict.fromkeys(query.strip() for query in self._asked(question, context, asked).queries)
            self._left = [query for query in new if query and query not in asked][: self._queries]
        return self._left.pop(0) if self._left else None

    def _asked(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> Searched | Planned:
        form: type[Searched | Planned] = Planned if self._planned else Searched
        passages, titles = shown(context)
        text = prompt(
            PROMPTS[self._planned], question=question, context=passages, titles=titles, asked=list(asked),
            queries=self._queries,
        )  # fmt: skip
        reply = self._llm.ask(text, form, stage=STAGE, unit=self._unit)
        return asyncio.run_coroutine_threadsafe(reply, self._loop).result()


def shown(context: Sequence[Hit]) -> tuple[list[str], list[str]]:
    """Return the passages of a context for the prompt, in their order, and the titles of the other articles.

    The best passages of each query come first, and later queries before earlier ones, as new passages were not read
    yet. The paper sends whole articles, which fill the longest of contexts.
    """
    texts = [f"{hit.title}\n{hit.text[:LONGEST]}" for hit in context]
    order = sorted(range(len(context)), key=lambda at: (int(str(context[at].why["rank"])), -at))
    sums = accumulate(tokens_of(texts[at]) for at in order)
    chosen = sorted(at for at, tokens in zip(order, sums, strict=True) if tokens <= SHOWN)
    included = {context[at].document for at in chosen}
    others = dict.fromkeys(hit.title for hit in context if hit.document not in included)
    return [texts[at] for at in chosen], [title for title in others if title]
