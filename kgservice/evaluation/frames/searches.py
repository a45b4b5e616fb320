"""What FRAMES' multi-step evaluation searches for next (section 3.2): planned or not, by a model or with none."""

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
SHOWN = 8_000  # tokens of passages that a model is shown at a step
LONGEST = 3_000  # characters of one of them, more than a chunk of 600 tokens has

_CLAUSE = re.compile(r"[,;:?]|\b(?:and|or|who|whom|whose|which|that|where|when|if|while|after|before|than)\b", re.I)


class Searched(BaseModel):
    """The next queries; none ends the search."""

    queries: list[str]


class Planned(BaseModel):
    """The next queries after the reasoning that led to them."""

    reasoning: str
    queries: list[str]


class TracedQueries:
    """Keeps every query of a generator, in order, whatever it finds."""

    def __init__(self, generator: QueryGenerator) -> None:
        self._generator, self.queries = generator, list[str]()

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the generator's next query."""
        found = self._generator.next_query(question, context, asked)
        if found is not None:
            self.queries.append(found)
        return found


class ClauseQueries:
    """Plans with no model: the question, then each of its clauses, so that every condition is searched for by itself;
    then the entities found, as without a plan.
    """

    def __init__(self, entities: EntityQueries) -> None:
        self._entities = entities

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the next query, None where nothing is left."""
        clauses = (" ".join(part.split()) for part in _CLAUSE.split(question))
        plan = [question, *(clause for clause in clauses if len(bare(clause)) > 1)]
        left = next((query for query in plan if query not in asked), None)
        return left or self._entities.next_query(question, context, asked)


class PromptedQueries:
    """Asks a model in the event loop `loop`; used from another thread, as retrievers are (LLMFailure).

    A step is one call for as many as `queries` queries, as in the paper ("five for retrieval + one for final
    answering"); after `steps` of them nothing is asked any more.
    """

    def __init__(
        self, llm: LLM, loop: asyncio.AbstractEventLoop, unit: str, *, planned: bool, steps: int, queries: int
    ) -> None:
        self._llm, self._loop, self._unit, self._planned = llm, loop, unit, planned
        self._steps, self._queries = steps, queries
        self._left: list[str] = []

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the model's next query, None where it has enough, or searches for nothing but the same again."""
        if not self._left and self._steps:
            self._steps -= 1
            new = dict.fromkeys(query.strip() for query in self._asked(question, context, asked).queries)
            self._left = [query for query in new if query and query not in asked][: self._queries]
        return self._left.pop(0) if self._left else None

    def _asked(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> Searched | Planned:
        form: type[Searched | Planned] = Planned if self._planned else Searched
        passages, titles = shown(context)
        told = prompt(
            PROMPTS[self._planned], question=question, context=passages, titles=titles, asked=list(asked),
            queries=self._queries,
        )  # fmt: skip
        asking = self._llm.ask(told, form, stage=STAGE, unit=self._unit)
        return asyncio.run_coroutine_threadsafe(asking, self._loop).result()


def shown(context: Sequence[Hit]) -> tuple[list[str], list[str]]:
    """Return the passages of a context that a model is shown, in their order, and the titles of the other articles.

    A query's best passages go first, those of later queries before those of earlier ones: what is new was not read yet.
    The paper sends whole articles, which is as much as the longest of contexts holds.
    """
    texts = [f"{hit.title}\n{hit.text[:LONGEST]}" for hit in context]
    order = sorted(range(len(context)), key=lambda at: (int(str(context[at].why["rank"])), -at))
    sums = accumulate(tokens_of(texts[at]) for at in order)
    chosen = sorted(at for at, tokens in zip(order, sums, strict=True) if tokens <= SHOWN)
    there = {context[at].document for at in chosen}
    others = dict.fromkeys(hit.title for hit in context if hit.document not in there)
    return [texts[at] for at in chosen], [title for title in others if title]
