"""What routes depend on: the graph, the embedder, the jobs, the releases, and the caller's role."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, HTTPException, Query, Request, Security
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr

from kgservice.api.jobs import Jobs
from kgservice.api.problems import forbidden
from kgservice.benchmark.archive import Archive
from kgservice.benchmark.submissions import Submissions
from kgservice.embedding import Embedder
from kgservice.errors import SettingsError
from kgservice.graph.store import Graph
from kgservice.retrieval.scoring import Scorer

Role: TypeAlias = Literal["reader", "curator", "admin"]
RANK: dict[Role, int] = {"reader": 0, "curator": 1, "admin": 2}

_header = APIKeyHeader(name="X-API-Key", auto_error=False, description="Needed where the service has keys configured.")
_bearer = HTTPBearer(auto_error=False, description="The same key as a bearer token.")


def role_keys(given: Mapping[str, SecretStr]) -> dict[Role, bytes]:
    """Return the configured keys by role; a role that does not exist or an empty key is an error (SettingsError)."""
    found: dict[Role, bytes] = {}
    unknown = sorted(set(given).difference(RANK))
    if unknown:
        raise SettingsError(f"KGS_API_KEYS: no role {', '.join(unknown)}; there are {', '.join(RANK)}")
    for role in RANK:
        if role in given:
            found[role] = given[role].get_secret_value().encode()
            if not found[role]:
                raise SettingsError(f"KGS_API_KEYS: the key of {role} is empty")
    if len(set(found.values())) < len(found):
        raise SettingsError("KGS_API_KEYS: two roles have the same key")
    return found


def _held(name: str) -> Callable[[Request], Any]:
    """Return a dependency that gives what the app holds under a name (app.py)."""

    def held(request: Request) -> Any:
        return getattr(request.app.state, name)

    return held


def get_role(
    request: Request,
    header: Annotated[str | None, Security(_header)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Role:
    """Return the caller's role: by key, or admin for everyone where no keys are configured (401 for a wrong key)."""
    configured: dict[Role, bytes] = request.app.state.role_keys
    if not configured:
        return "admin"
    given = (header or (bearer.credentials if bearer else "")).encode("latin-1")  # as HTTP headers are decoded
    # every key is compared, each in constant time, so that the time taken tells nothing
    matching = [role for role, key in configured.items() if hmac.compare_digest(key, given)]
    if not matching:
        raise HTTPException(401, "give a valid key in X-API-Key", {"WWW-Authenticate": "Bearer"})
    return matching[0]


def at_least(needed: Role) -> Callable[[Role], None]:
    """Return a dependency that refuses callers below a role (403)."""

    def check(role: Annotated[Role, Depends(get_role)]) -> None:
        if RANK[role] < RANK[needed]:
            raise forbidden(f"this needs a key of role {needed}, yours is of role {role}")

    return check


def answers_reader(request: Request, role: Annotated[Role, Depends(get_role)]) -> None:
    """Refuse readers the questions and subgraphs of a corpus that has a release: its answers are private (403)."""
    archive: Archive = request.app.state.archive
    asked = request.query_params.getlist("corpus") or ["default"]
    released = [corpus for corpus in asked if role == "reader" and archive.all(corpus)]
    if released:
        raise forbidden(f"{released[0]!r} has a release, whose answers are private: this needs a key of role curator")


def keyed_or_local(request: Request) -> None:
    """Refuse callers from other machines where no keys are configured (403)."""
    if not request.app.state.role_keys and not _is_loopback(request):
        raise forbidden("without configured keys (KGS_API_KEYS) this answers on the service's own machine only")


def _is_loopback(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:  # a Unix socket or a name
        return False


TheGraph = Annotated[Graph, Depends(_held("graph"))]
# of background jobs: it waits longer for a database that went away
JobGraph = Annotated[Graph, Depends(_held("job_graph"))]
TheEmbedder = Annotated[Embedder, Depends(_held("embedder"))]
TheScorer = Annotated[Scorer, Depends(_held("scorer"))]
TheJobs = Annotated[Jobs, Depends(_held("jobs"))]
TheArchive = Annotated[Archive, Depends(_held("archive"))]
TheSubmissions = Annotated[Submissions, Depends(_held("submissions"))]
reader, curator, admin = Depends(at_least("reader")), Depends(at_least("curator")), Depends(at_least("admin"))
may_see_answers = Depends(answers_reader)

CorpusName = Annotated[str, Query(min_length=1, description="The collection of documents.", examples=["demo"])]
Limit = Annotated[int, Query(ge=1, le=1_000, description="Items a page.")]
After = Annotated[str, Query(description="Go on after this one: `next` of the page before.")]
