"""/questions: list, generate, refresh."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query, Request, Response
from pydantic import Field

from kgservice.api.deps import (
    After,
    AsOf,
    CorpusName,
    Holder,
    Limit,
    TheCaller,
    TheGraph,
    TheJobs,
    holder_of,
    on_day,
    queued,
)
from kgservice.api.job_records import Job
from kgservice.api.listing import Page, page_of
from kgservice.api.model_orders import ModelOrder, check_asking, ordered_model
from kgservice.api.policy import gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.core.journal import Journal
from kgservice.core.records import Day, Question, Record
from kgservice.graph.filter_words import find_document
from kgservice.ingest.pipeline import Advance
from kgservice.questions import question_store
from kgservice.questions.llm_wording import Judging, WordingReport, ask
from kgservice.questions.patterns import check_pattern
from kgservice.questions.review import LONGEST, Choice, ReviewDecision, review
from kgservice.questions.search import Wanted, cursor, search
from kgservice.questions.selection import ORDER, Plan, Refreshed, follow, generate, refresh
from kgservice.resolution.decisions import entity_key
from kgservice.setup.connect import model_beside

router = APIRouter(prefix="/questions", tags=["questions"], route_class=ReadingRoute)

QUEUED: dict[int | str, dict[str, Any]] = {202: {"description": "A job, where a language model asks.", "model": Job}}


class Generation(Plan, ModelOrder):
    """The plan of a generation, and its corpus. `llm`: the service's language model words and judges the questions, as
    a job within a `budget`; `votes`: of each judge; `closed_book`: reject what it answers from memory."""

    patterns: tuple[str, ...] = Field(ORDER, min_length=1)
    corpus: str = Field("default", min_length=1, examples=["demo"])
    as_of: Day | None = Field(None, description="by what the documents said on this day: first POST /views")
    llm: bool = False
    votes: int = Field(3, ge=1, le=99)
    closed_book: bool = True
    judge: bool = True

    def plan(self) -> Plan:
        """Return the plan alone."""
        return Plan(**self.model_dump(include=set(Plan.model_fields)))

    def judging(self) -> Judging:
        """Return what is done with the words of the model."""
        return Judging(closed_book=self.closed_book, rare=self.judge, dragon=self.judge, votes=self.votes)


class RefreshOrder(Record):
    """The corpus of a refresh. `first`: where no questions were made yet, make those of the default patterns."""

    corpus: str = Field("default", min_length=1, examples=["demo"])
    as_of: Day | None = Field(None, description="by what the documents said on this day: first POST /views")
    first: bool = False


@router.get("", dependencies=[gives("questions")])
def list_questions(
    graph: TheGraph,
    corpus: CorpusName = "default",
    pattern: Annotated[str | None, Query(description="Only questions of this pattern.")] = None,
    state: Annotated[Literal["active", "retired", "rejected"] | None, Query(description="All when not given.")] = None,
    text: Annotated[str, Query(max_length=200, description="Words of the question or its answers.")] = "",
    document: Annotated[str | None, Query(description="Only those that rest on this document (key or id).")] = None,
    entity: Annotated[str | None, Query(description="Only those of this entity (key, id or name).")] = None,
    difficulty: Annotated[
        Literal["one", "two", "more"] | None, Query(description="Facts that a reader has to join.")
    ] = None,
    decided: Annotated[Literal["keep", "edit", "drop", "none"] | None, Query(description="What was decided.")] = None,
    sort: Annotated[
        Literal["key", "steps"], Query(description="In order of id, or those of most facts first.")
    ] = "key",
    after: After = "",
    limit: Limit = 20,
    as_of: AsOf = None,
) -> Page[Question]:
    """List questions with answers and evidence."""
    corpus = on_day(graph, corpus, as_of)
    graph.check_corpus(corpus)
    if pattern is not None:
        check_pattern(pattern, None)
    if not (text or document or entity or difficulty or decided or sort != "key"):
        found = question_store.questions(graph, corpus, pattern=pattern, state=state, after=after, limit=limit + 1)
        return page_of(found, limit, "id")
    key = find_document(graph, document, corpus, removed=True)[0] if document else None
    named = entity_key(graph, corpus, entity) if entity else None
    known = {"pattern": pattern, "state": state, "difficulty": difficulty, "document": key, "entity": named}
    wanted = Wanted(**known, text=text, review=decided, sort=sort)
    items = search(graph, corpus, wanted, after, limit + 1)
    more = len(items) > limit
    return Page(items=tuple(items[:limit]), next=cursor(items[limit - 1], sort) if more else None)


@router.post(
    "",
    response_model=Refreshed | Job,
    responses=QUEUED,
    dependencies=[gives("orders")],
    openapi_extra=body_of(MB // 10),
)
def generate_questions(
    generation: Generation, graph: TheGraph, jobs: TheJobs, caller: TheCaller, request: Request, response: Response
) -> Refreshed | Job:
    """Make the questions of a plan; ids of questions that still stand stay. With `llm` as a job (202)."""
    check_asking(request.app.state.settings, generation, asks=generation.llm, role="writer")
    named = on_day(graph, generation.corpus, generation.as_of)
    generation = generation.model_copy(update={"corpus": named, "as_of": None})
    if not generation.llm:
        return generate(graph, generation.corpus, generation.plan())
    for pattern in generation.patterns:
        check_pattern(pattern, None)
    graph.check_corpus(generation.corpus)
    job = jobs.add("questions", generation.corpus, generation, by=caller.owner, resumes=False)
    response.status_code = 202
    return queued(job, request, response, budget=generation.budget or "")


def work(app: FastAPI, order: str, advance: Advance) -> WordingReport:
    """Make the questions of a plan and have the model word and judge them."""
    generation, state = Generation.model_validate_json(order), app.state
    with Journal(state.settings.home, "questions") as journal:
        llm, judging = ordered_model(state.settings, journal, generation, "writer"), generation.judging()
        judge = model_beside(llm, state.settings, "judge")
        done = ask(state.job_graph, generation.corpus, generation.plan(), llm, judging, advance, judge)
        journal.finish(done)
        return done


class Decided(Record):
    """What a person decides about a question: keep it, drop it, edit its words (`question`), or clear the decision."""

    decision: Choice
    why: str = Field("", max_length=1_000)
    question: str = Field("", max_length=LONGEST)
    by: str = Field("", max_length=200, description="who decides, where the key does not say so")


@router.post("/{key}/review", dependencies=[gives("orders")], openapi_extra=body_of(MB // 10))
def review_question(key: str, decided: Decided, graph: TheGraph, caller: TheCaller, corpus: Holder = None) -> Question:
    """Keep, edit or drop a question; releases, refreshes and generations follow it while the facts stand."""
    named = decided.model_dump() | {"by": caller.owner or decided.by or "anyone"}
    return review(graph, holder_of(graph, key, corpus), key, ReviewDecision(**named))


@router.post("/refresh", dependencies=[gives("orders")], openapi_extra=body_of(MB // 10))
def refresh_questions(order: RefreshOrder, graph: TheGraph) -> Refreshed:
    """Bring the questions up to date with the graph, by the plan they were generated with."""
    corpus = on_day(graph, order.corpus, order.as_of)
    graph.check_corpus(corpus)
    return (follow if order.first else refresh)(graph, corpus)
