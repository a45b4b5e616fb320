"""What each role may see of a corpus: the one place that decides it. It refuses by default.

A route declares the kind of thing that it gives, `dependencies=[gives("graph")]`; a route that declares nothing refuses
everybody but admins. A tool of `api/mcp` declares it in the same words, and `Sight.refuse` decides for both. From the
first release of a corpus on, everything that is derived from its gold graph is shut to readers, as it holds the
release's private answers; texts stay open. A view, a corpus as of a day, is shut with the corpus that it shows.
SECURITY.md says what that promises and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypeAlias

from fastapi import Depends, FastAPI, Request, params
from starlette.routing import BaseRoute

from kgservice.api.deps import TheArchive, TheCaller, TheGraph
from kgservice.api.entry.access import RANK, Caller, Role
from kgservice.api.entry.problems import forbidden
from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.corpus_names import named_source
from kgservice.releases.archive import Archive

Thing: TypeAlias = Literal[
    "health", "page", "service", "texts", "graph", "questions", "releases", "results", "jobs", "orders",
    "database", "decisions",
]  # fmt: skip


class Rule(NamedTuple):
    """The least role that may have a kind of thing (None: no key), and why; `gold`: it shows the gold graph."""

    role: Role | None
    why: str
    gold: bool = False


THINGS: dict[Thing, Rule] = {
    "health": Rule(None, "load balancers have no key; below a curator it counts documents and chunks only"),
    "page": Rule(None, "the package's own files, the same everywhere: they hold no data"),
    "service": Rule("reader", "names of patterns, retrievers and baselines; how many requests there were"),
    "texts": Rule("reader", "what documents say is public; a route leaves out what else it knows (`Sight.sees`)"),
    "graph": Rule("reader", "facts and entities, and whatever counts or draws them", gold=True),
    "questions": Rule("reader", "questions with answers and evidence, and whatever counts them", gold=True),
    "releases": Rule("reader", "the public files of a release; its private ones are given to nobody"),
    "results": Rule("reader", "a team's own submissions, and the board; scores say no single answer (ladder.py)"),
    "jobs": Rule("reader", "that work waits, runs or has ended; what came of it is shown as Job.shown says"),
    "orders": Rule("curator", "changes what a corpus holds"),
    "database": Rule("curator", "Cypher reads everything"),
    "decisions": Rule("admin", "decides about submissions and releases, and enters baselines"),
}
# routes that libraries make, so that no declaration can stand at them
OUTSIDE = {
    "/openapi.json": "describes the routes, and holds no data",
    "/docs": "describes the routes, and holds no data",
    "/docs/oauth2-redirect": "describes the routes, and holds no data",
    "/static-offline-docs": "the files of the documentation's own page",
    "/web": THINGS["page"].why,
    "/mcp": "its tools declare what they give, each for itself (api/mcp/tools.py)",
}


class Sight:
    """What a caller may see; `caller` None is nobody known."""

    def __init__(self, archive: Archive, caller: Caller | None, graph: Graph) -> None:
        self._archive, self._graph, self.role = archive, graph, caller.role if caller else None

    @property
    def trusted(self) -> bool:
        """Return True if the caller may see every gold graph."""
        return self.role is not None and RANK[self.role] >= RANK["curator"]

    @cached_property
    def shut(self) -> frozenset[str]:
        """Return the corpora whose gold graph is hidden from the caller: for a reader, all that have a release."""
        return frozenset() if self.trusted else frozenset(one.corpus for one in self._archive.all())

    def sees(self, thing: Thing, corpus: str) -> bool:
        """Return True if the caller may see this kind of thing of a corpus."""
        return self.allows(thing) and not (THINGS[thing].gold and self._is_shut(corpus))

    def _is_shut(self, corpus: str) -> bool:
        """Return True if a corpus, or the one that it is called a view of, is shut; the database is not asked."""
        shown = named_source(corpus)
        return corpus in self.shut or (shown is not None and self._is_shut(shown))

    def allows(self, thing: Thing) -> bool:
        """Return True if the caller's role may see this kind of thing, of some corpus at least."""
        least = THINGS[thing].role
        return least is None or (self.role is not None and RANK[self.role] >= RANK[least])

    def check(self, thing: Thing, request: Request) -> None:
        """Refuse a request for what its caller may not see (403).

        A request that names no corpus is about "default", or about the corpus of the key in its path.
        """
        named = request.path_params.values()
        unnamed = () if any(keys.is_key(str(value), keys.KEY, keys.QUESTION) for value in named) else ("default",)
        self.refuse(thing, request.query_params.getlist("corpus") or unnamed, named)

    def refuse(self, thing: Thing, corpora: Iterable[str], values: Iterable[object] = ()) -> None:
        """Raise a 403 if the caller may not see a kind of thing of these corpora.

        `values` are the other things that the caller names: a key is of the corpus whose code it begins with.
        """
        rule, named = THINGS[thing], [str(value) for value in values]
        if not self.allows(thing):
            raise forbidden(f"this needs a key of role {rule.role}, yours is of role {self.role}")
        codes = self._shut_codes() if rule.gold and named else {}
        asked = [*corpora, *(codes[name[: keys.CODE]] for name in named if name[: keys.CODE] in codes)]
        if hidden := next((one for one in asked if not self.sees(thing, one)), None):
            raise forbidden(
                f"{hidden!r} has a release, whose answers are private: its graph and its questions are for "
                "curators and admins; documents, passages and retrieval are open"
            )

    def _shut_codes(self) -> dict[str, str]:
        """Return the shut corpora and their views by their codes, with which each key of theirs begins."""
        views = (name for name in self._graph.views() if self._is_shut(name)) if self.shut else ()
        return {keys.corpus_code(one): one for one in (*self.shut, *views)}


async def get_sight(archive: TheArchive, caller: TheCaller, graph: TheGraph) -> Sight:
    """Return what the caller may see."""
    return Sight(archive, caller, graph)


def sight_of(app: FastAPI, caller: Caller | None) -> Sight:
    """Return what a caller of an app may see."""
    return Sight(app.state.archive, caller, app.state.graph)


TheSight = Annotated[Sight, Depends(get_sight)]


def _check(thing: Thing) -> Callable[..., object]:
    async def check(request: Request, sight: TheSight) -> None:
        sight.check(thing, request)

    def check_in_thread(request: Request, sight: TheSight) -> None:
        sight.check(thing, request)

    async def anybody() -> None: ...

    if THINGS[thing].role is None:
        return anybody
    return check_in_thread if THINGS[thing].gold else check  # the gold graph's looks through the releases' files


CHECKS: dict[Thing, Callable[..., object]] = {thing: _check(thing) for thing in THINGS}


def gives(thing: Thing) -> params.Depends:
    """Return the dependency that declares what a route gives: `dependencies=[gives("graph")]`."""
    return params.Depends(CHECKS[thing])


def declaration(route: BaseRoute | None) -> Thing | None:
    """Return what a route declares to give."""
    stated = {one.dependency for one in getattr(route, "dependencies", ())}
    return next((thing for thing, check in CHECKS.items() if check in stated), None)


async def declared(request: Request) -> None:
    """Refuse everybody but admins a route that declares nothing; a dependency of the whole app."""
    caller, route = request.state.caller, request.scope.get("route")
    admin = caller is not None and caller.role == "admin"
    if declaration(route) is None and getattr(route, "path", "") not in OUTSIDE and not admin:
        raise forbidden("this route does not declare what it gives: it needs a key of role admin")
