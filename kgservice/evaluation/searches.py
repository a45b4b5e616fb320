"""What FRAMES' multi-step evaluation searches for next (section 3.2): planned or not, by a model or with none."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence

from pydantic import BaseModel

from kgservice.llm.client import LLM
from kgservice.prompts import prompt
from kgservice.retrieval.bm25 import bare
from kgservice.retrieval.followups import EntityQueries
from kgservice.retrieval.hit import Hit

STAGE = "search"
PROMPTS = ("search_query", "search_query_planned")
SHOWN = 6_000  # characters of a passage that a model is shown

_CLAUSE = re.compile(r"[,;:?]|\b(?:and|or|who|whom|whose|which|that|where|when|if|while|after|before|than)\b", re.I)


class Searched(BaseModel):
    """The next query; "" ends the search."""

    query: str


class Planned(BaseModel):
    """The next query after the reasoning that led to it."""

    reasoning: str
    query: str


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
    """Asks a model in the event loop `loop`; used from another thread, as retrievers are (LLMFailure)."""

    def __init__(self, llm: LLM, loop: asyncio.AbstractEventLoop, unit: str, *, planned: bool) -> None:
        self._llm, self._loop, self._unit, self._planned = llm, loop, unit, planned

    def next_query(self, question: str, context: Sequence[Hit], asked: Collection[str]) -> str | None:
        """Return the model's query, None where it has enough, or searches for the same again."""
        texts = [f"{hit.title}\n{hit.text[:SHOWN]}" for hit in context]
        form: type[Searched | Planned] = Planned if self._planned else Searched
        told = prompt(PROMPTS[self._planned], question=question, context=texts, asked=list(asked))
        asking = self._llm.ask(told, form, stage=STAGE, unit=self._unit)
        query = asyncio.run_coroutine_threadsafe(asking, self._loop).result().query.strip()
        return query if query and query not in asked else None
