"""The page (kgservice/web), served without a key as it holds no data, and the small looks that it takes."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from kgservice.api.deps import AsOf, CorpusName, Holder, TheGraph, TheScorer, holder_of, keyed_or_local, on_day
from kgservice.api.entry.access import is_loopback
from kgservice.api.policy import gives
from kgservice.core import keys
from kgservice.core.records import Kind, Question, Record
from kgservice.graph.queries import explored, pictures
from kgservice.managed_neo4j import server
from kgservice.names.mentions import form
from kgservice.questions.export.showcase import showcase
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.review import find
from kgservice.retrieval import offered
from kgservice.retrieval.bm25 import lucene_query, words

router = APIRouter(tags=["page"])

PASSAGES = 500  # whose names are looked through for a search
HEADERS = {  # nothing but the page's own files and this service's answers; no inline script or style
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'",  # no text becomes markup, even by mistake
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # asked again by its ETag, so that an upgrade is seen at once
}


class EntityName(Record):
    """An entity as a search finds it; `degree` counts its facts."""

    key: str
    label: str
    kind: Kind
    type: str | None
    degree: int


class EntityNames(Record):
    """The entities found, the best connected first; `more`: there are others."""

    items: tuple[EntityName, ...]
    more: bool


class ShownPassage(Record):
    """A chunk's text with what is known of its document."""

    chunk: str
    document: str
    title: str
    doc_type: str
    published: str | None
    text: str


class ShownPassages(Record):
    """Chunks in order of key; those that are not there are left out."""

    items: tuple[ShownPassage, ...]


class QuestionCount(Record):
    """How many questions of a pattern are in a state for a reason."""

    pattern: str
    state: Literal["active", "retired", "rejected"]
    reason: str
    questions: int


class QuestionCounts(Record):
    """The questions of a corpus, counted."""

    items: tuple[QuestionCount, ...]


class BrowserLink(Record):
    """Where Neo4j Browser is, null where that is not known here, and statements for it, by name; no password."""

    url: str | None
    pictures: dict[str, str]


class Choices(Record):
    """What can be asked for: each pattern with the ends it asks for, and the retrievers that this service offers."""

    patterns: dict[str, tuple[str, ...]]
    retrievers: tuple[str, ...]


@router.get("/choices", dependencies=[gives("service")])
def list_choices(scorer: TheScorer) -> Choices:
    """List the patterns and the retrievers."""
    return Choices(patterns={name: tuple(asked) for name, asked in PATTERNS.items()}, retrievers=offered(scorer))


@router.get("/entities", dependencies=[gives("graph")])
def find_entities(
    graph: TheGraph,
    corpus: CorpusName = "default",
    name: Annotated[str, Query(max_length=200, description="Words, or beginnings of words, of the name.")] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    as_of: AsOf = None,
) -> EntityNames:
    """Find entities by their name, among those of the 500 passages that fit it best (of any, without a name)."""
    corpus = on_day(graph, corpus, as_of)
    graph.check_corpus(corpus)
    code, asked = keys.corpus_code(corpus), words(name)
    text = f"+corpus_code:{code}" + (f" +({lucene_query(asked | {f'{word}*': 1 for word in asked})})" if asked else "")
    held = list(asked) or name.lower().split()  # the index leaves out "it", which is a name all the same
    rows = graph.read(
        "read/entities_like", text=text, passages=PASSAGES, words=held, form=keys.form_key(corpus, form(name)),
        code=code, until=code + "~", limit=limit + 1,
    )  # fmt: skip
    return EntityNames(items=tuple(EntityName(**row) for row in rows[:limit]), more=len(rows) > limit)


@router.get("/chunks", dependencies=[gives("texts")])
def get_chunks(graph: TheGraph, key: Annotated[list[str], Query(min_length=1, max_length=100)]) -> ShownPassages:
    """Return chunks by their keys, of any corpus."""
    rows = graph.read("read/passages", keys=sorted(set(key)))
    shown = [{name: value for name, value in row.data().items() if name in ShownPassage.model_fields} for row in rows]
    return ShownPassages(items=tuple(ShownPassage(document=row["chunk"][: keys.KEY], **row) for row in shown))


@router.get("/browser", dependencies=[Depends(keyed_or_local), gives("database")])
def get_browser(request: Request, graph: TheGraph, corpus: CorpusName = "default") -> BrowserLink:
    """Return statements that draw a corpus and, to a caller on the machine of a managed Neo4j, Browser's address."""
    graph.check_corpus(corpus)
    settings, host = request.app.state.settings, request.client.host if request.client else ""
    running = None if settings.neo4j_uri or not is_loopback(host) else server.running(settings.home)
    return BrowserLink(
        url=running.showing(explored("hubs", corpus)) if running else None,
        pictures={name: explored(name, corpus) for name in pictures()},
    )


@router.get("/questions/counts", dependencies=[gives("questions")])
def count_questions(graph: TheGraph, corpus: CorpusName = "default") -> QuestionCounts:
    """Count the questions of a corpus by pattern, state and reason."""
    graph.check_corpus(corpus)
    code = keys.corpus_code(corpus)
    rows = graph.read("questions/counts", code=code, until=code + "~")
    return QuestionCounts(items=tuple(QuestionCount(**row) for row in rows))


class Best(Record):
    """The questions to show first."""

    items: tuple[Question, ...]


@router.get("/questions/best", dependencies=[gives("questions")])
def list_best_questions(
    graph: TheGraph, corpus: CorpusName = "default", limit: Annotated[int, Query(ge=1, le=20)] = 5
) -> Best:
    """List a few good questions: of every pattern in turn, those of several facts first, no two about one fact."""
    graph.check_corpus(corpus)
    return Best(items=tuple(showcase(graph, corpus, limit)))


@router.get("/questions/{key}", dependencies=[gives("questions")])
def get_question(key: str, graph: TheGraph, corpus: Holder = None) -> Question:
    """Return a question with its answer and evidence, by its id."""
    return find(graph, holder_of(graph, key, corpus), key)


class PageFiles(StaticFiles):
    """The page's files."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file with the headers that keep the page to itself."""
        response = await super().get_response(path, scope)
        response.headers.update(HEADERS)
        return response


def mount(app: FastAPI) -> None:
    """Serve the page under /web/, and lead there from /."""
    app.add_api_route("/", lambda: RedirectResponse("web/"), dependencies=[gives("page")], include_in_schema=False)
    app.mount("/web", PageFiles(packages=[("kgservice", "web")], html=True))
