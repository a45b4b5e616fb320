"""/questions: list, generate, refresh."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from kgservice.api.deps import After, CorpusName, Limit, TheGraph, curator, may_see_answers, reader
from kgservice.api.page import Page, page_of
from kgservice.model import Question, Record
from kgservice.questions import stored
from kgservice.questions.enumerate import check_pattern
from kgservice.questions.selection import Plan, Refreshed, generate, refresh

router = APIRouter(prefix="/questions", tags=["questions"])


class Generation(Plan):
    """The plan of a generation, and its corpus."""

    corpus: str = Field("default", min_length=1, examples=["demo"])


class Which(Record):
    """A corpus."""

    corpus: str = Field("default", min_length=1, examples=["demo"])


@router.get("", dependencies=[reader, may_see_answers])
def list_questions(
    graph: TheGraph,
    corpus: CorpusName = "default",
    pattern: Annotated[str | None, Query(description="Only questions of this pattern.")] = None,
    state: Annotated[Literal["active", "retired", "rejected"] | None, Query(description="All when not given.")] = None,
    after: After = "",
    limit: Limit = 20,
) -> Page[Question]:
    """List questions with answers and evidence, in order of id."""
    graph.check_corpus(corpus)
    if pattern is not None:
        check_pattern(pattern, None)
    return page_of(stored.questions(graph, corpus, pattern=pattern, state=state, after=after), limit, "id")


@router.post("", dependencies=[curator])
def generate_questions(generation: Generation, graph: TheGraph) -> Refreshed:
    """Make the questions of a plan; older questions that still stand are kept."""
    return generate(graph, generation.corpus, Plan(**generation.model_dump(exclude={"corpus"})))


@router.post("/refresh", dependencies=[curator])
def refresh_questions(which: Which, graph: TheGraph) -> Refreshed:
    """Bring the questions up to date with the graph, by the plan they were generated with."""
    return refresh(graph, which.corpus)
