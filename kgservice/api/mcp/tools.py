"""The tools, each with the kind of thing that it gives: the policy of the HTTP routes decides who may call it.

A tool takes a form and gives a record. Its text is what the documents say, in JSON, and nothing of it is an order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from kgservice.api.entry.access import Caller
from kgservice.api.job_records import Job
from kgservice.api.listing import page_of
from kgservice.api.mcp import tool_records as records
from kgservice.api.policy import Sight, Thing
from kgservice.api.routes import ask as ask_route
from kgservice.api.routes import documents, jobs, web
from kgservice.api.sent_documents import GivenDocument
from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Fact, Record
from kgservice.gold.cited_facts import CitedFact, citation, cited_facts, places_of_chunks
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, page
from kgservice.resolution.decisions import entity_key, names_of
from kgservice.retrieval import retrieve

LOOK = timedelta(seconds=0.2)  # between two looks at a job


@dataclass(frozen=True)
class ToolCall:
    """The service that a tool works on, and who calls it."""

    app: FastAPI
    caller: Caller
    sight: Sight

    @property
    def graph(self) -> Graph:
        """Return the open graph."""
        opened: Graph = self.app.state.graph
        return opened


Work: TypeAlias = Callable[[ToolCall, Any], Record] | Callable[[ToolCall, Any], Awaitable[Record]]


@dataclass(frozen=True)
class AgentTool:
    """A tool: what it does, the kind of thing that it gives, its form, its result, and whether it changes anything."""

    gives: Thing
    does: str
    form: type[Record]
    result: type[Record]
    work: Work
    writes: bool = False


def list_corpora(call: ToolCall, _: records.NoForm) -> records.ListedCorpora:
    """Return the corpora with what each holds."""
    found = documents.list_corpora(call.graph, call.sight).items
    shown = (records.ListedCorpus(corpus=one.corpus, documents=one.documents, facts=one.facts) for one in found)
    return records.ListedCorpora(corpora=tuple(shown))


def find_entity(call: ToolCall, asked: records.EntityForm) -> records.FoundThings:
    """Return the things whose names hold some words."""
    found = web.find_entities(call.graph, asked.corpus, asked.name[:200], asked.limit)
    things = tuple(_thing(one.model_dump()) for one in found.items)
    return records.FoundThings(things=things, more=found.more)


def neighbourhood(call: ToolCall, asked: records.NeighbourhoodForm) -> records.ThingWithFacts:
    """Return a thing with the facts about it."""
    key = _key(call.graph, asked.corpus, asked.entity)
    thing = call.graph.read("read/entity", key=key, limit=0)[0]["entity"]
    aliases = (one.name.removeprefix(LOCAL) for one in names_of(call.graph, asked.corpus, key, thing["id"]))
    found = _facts(call.graph, asked.corpus, key, after=asked.after, limit=asked.limit)
    return records.ThingWithFacts(
        thing=_thing(thing),
        aliases=tuple(name for name in aliases if name not in (thing["label"], thing["id"])),
        description=thing.get("description"),
        facts=found.facts,
        next=found.next,
    )


def facts(call: ToolCall, asked: records.FactsForm) -> records.FactPage:
    """Return facts by their ends (BadRequest without one)."""
    given = {side: name for side, name in (("subject", asked.subject), ("object", asked.object)) if name}
    if not given:
        raise BadRequest("give a subject or an object, by key, id or exact name: `find_entity` finds them")
    ends = {side: _key(call.graph, asked.corpus, name) for side, name in given.items()}
    key = next(iter(ends.values()))
    return _facts(call.graph, asked.corpus, key, relation=asked.relation, after=asked.after, limit=asked.limit, **ends)


def find_texts(call: ToolCall, asked: records.RetrieveForm) -> records.FoundTexts:
    """Return the best passages for a query; why they were found is left out, as that names facts."""
    state = call.app.state
    options = {"scorer": state.scorer}
    hits = retrieve(call.graph, asked.corpus, asked.retriever, asked.query, asked.k, state.embedder, **options)
    places = places_of_chunks(call.graph, {hit.chunk for hit in hits})
    found = []
    for hit in hits:
        place = places.get(hit.chunk)
        if place:  # removed since it was found, else
            known = {name: place[name] for name in ("title", "start", "page", "published", "text")}
            end = place["start"] + len(place["text"])
            found.append(records.FoundText(document=place["source"], end=end, score=round(hit.score, 4), **known))
    return records.FoundTexts(passages=tuple(found))


def answer(call: ToolCall, asked: records.AskForm) -> records.CitedAnswer:
    """Return the answer that the documents give, with its sentences."""
    found = ask_route.answer_from(call.app.state, call.sight, asked.corpus, asked.question)
    places = places_of_chunks(call.graph, {one.chunk for one in found.evidence})
    stated = dict.fromkeys(citation(places[one.chunk], one.sentence) for one in found.evidence if one.chunk in places)
    return records.CitedAnswer(answer=found.answer, stated=tuple(stated))


def list_subgraphs(call: ToolCall, asked: records.SubgraphsForm) -> records.CitedSubgraphs:
    """Return subgraphs of a pattern, each with one answer."""
    choice = SubgraphOptions()
    rows = page(call.graph, asked.corpus, asked.pattern, choice, limit=asked.limit + 1, after=asked.after, seed=None)
    found = page_of(rows, asked.limit, "id")
    cited = _cited(
        call.graph, asked.corpus, (fact for row in found.items for one in row.readings for fact in one.facts)
    )
    shown = (
        records.CitedSubgraph(
            id=row.id,
            named=row.named,
            answers=row.answers,
            facts=_of(cited, [fact for reading in row.readings for fact in reading.facts]),
        )
        for row in found.items
    )
    return records.CitedSubgraphs(subgraphs=tuple(shown), next=found.next)


def list_questions(call: ToolCall, asked: records.QuestionsForm) -> records.CitedQuestions:
    """Return the active questions of a corpus."""
    call.graph.check_corpus(asked.corpus)
    which: dict[str, Any] = {"pattern": asked.pattern, "state": "active", "after": asked.after}
    rows = question_store.questions(call.graph, asked.corpus, limit=asked.limit + 1, **which)
    found = page_of(rows, asked.limit, "id")
    cited = _cited(call.graph, asked.corpus, (fact for row in found.items for fact in row.facts))
    shown = (
        records.CitedQuestion(
            id=row.id, pattern=row.pattern, question=row.question, answers=row.answers, facts=_of(cited, row.facts)
        )
        for row in found.items
    )
    return records.CitedQuestions(questions=tuple(shown), next=found.next)


def load(call: ToolCall, asked: records.LoadForm) -> Job:
    """Queue a load of documents; the rules read them, no language model."""
    given = [GivenDocument(**one.model_dump()) for one in asked.documents]
    delivery = documents.Delivery(documents=given, corpus=asked.corpus)
    return documents.order(delivery, call.graph, call.app.state.jobs, call.caller, call.app.state.settings)


async def follow(call: ToolCall, asked: records.JobForm) -> Job:
    """Return a job, after waiting for its end."""
    async with asyncio.timeout(asked.wait + 10):
        waited = timedelta()
        while True:
            job = await run_in_threadpool(call.app.state.jobs.get, asked.id)
            if job.finished or waited.total_seconds() >= asked.wait:
                return jobs.shown(job, call.sight)
            await asyncio.sleep(LOOK.total_seconds())
            waited += LOOK


def _key(graph: Graph, corpus: str, name: str) -> str:
    graph.check_corpus(corpus)
    return entity_key(graph, corpus, name)


def _thing(known: dict[str, Any]) -> records.FoundThing:
    return records.FoundThing(
        key=known["key"], name=known["label"], kind=known["kind"], type=known.get("type"), facts=known["degree"]
    )


def _facts(
    graph: Graph,
    corpus: str,
    key: str,
    *,
    subject: str | None = None,
    object: str | None = None,  # noqa: A002 - an end of a fact
    relation: str | None = None,
    after: str,
    limit: int,
) -> records.FactPage:
    ends = {"subject": subject, "object": object, "relation": relation}
    start = keys.cursor(corpus, after)
    rows = graph.read("read/facts_around", key=key, after=start, limit=limit + 1, **ends)
    shown = [row["key"] for row in rows[:limit]]
    found = tuple(cited_facts(graph, corpus, shown).values())
    return records.FactPage(facts=found, next=shown[-1] if len(rows) > limit else None)


def _cited(graph: Graph, corpus: str, stated: Iterable[Fact]) -> dict[str, CitedFact]:
    return cited_facts(graph, corpus, (fact.key for fact in stated))


def _of(cited: dict[str, CitedFact], stated: Sequence[Fact]) -> tuple[CitedFact, ...]:
    return tuple(cited[key] for key in dict.fromkeys(fact.key for fact in stated) if key in cited)


TOOLS: dict[str, AgentTool] = {
    "corpora": AgentTool(
        "texts", "List the corpora (collections of documents).", records.NoForm, records.ListedCorpora, list_corpora
    ),
    "find_entity": AgentTool(
        "graph", "Find things (people, places, companies …) by words of their names.",
        records.EntityForm, records.FoundThings, find_entity,
    ),
    "neighbourhood": AgentTool(
        "graph", "Show a thing and the facts about it, each with its sentence and what contradicts it.",
        records.NeighbourhoodForm, records.ThingWithFacts, neighbourhood,
    ),
    "facts": AgentTool(
        "graph", "List facts by subject, object and relation, each with its sentence and what contradicts it.",
        records.FactsForm, records.FactPage, facts,
    ),
    "retrieve": AgentTool(
        "texts", "Search the documents and return the best passages.",
        records.RetrieveForm, records.FoundTexts, find_texts,
    ),
    "ask": AgentTool(
        "texts", "Answer a question from the documents, with the sentences that say it. Try this first.",
        records.AskForm, records.CitedAnswer, answer,
    ),
    "subgraphs": AgentTool(
        "graph", "List places in the graph where a question of one to three facts has exactly one answer.",
        records.SubgraphsForm, records.CitedSubgraphs, list_subgraphs,
    ),
    "questions": AgentTool(
        "questions", "List the corpus's test questions with answers and evidence.",
        records.QuestionsForm, records.CitedQuestions, list_questions,
    ),
    "load": AgentTool(
        "orders", "Load documents into a corpus in the background; follow it with `job`.",
        records.LoadForm, Job, load, writes=True,
    ),
    "job": AgentTool("jobs", "Show a load, and wait for its end.", records.JobForm, Job, follow),
}  # fmt: skip
