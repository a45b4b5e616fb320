"""The gate of every request: its id, its caller, the rate limit, and its lines in log, audit and metrics.

It runs before the body is read, so the service never reads the body of a caller without a key.
"""

from __future__ import annotations

import logging
import math
import re
import time
import uuid
from collections.abc import Sequence
from urllib.parse import urlsplit, urlunsplit

from starlette.datastructures import MutableHeaders, State
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgservice.api.entry.access import ANYONE, Caller, Keys
from kgservice.api.entry.audit import Act, Audit, shown
from kgservice.api.entry.limit import Limit
from kgservice.api.entry.logs import REQUEST, TOLD
from kgservice.api.entry.metrics import Metrics
from kgservice.api.entry.origins import READING, foreign
from kgservice.api.entry.problems import problem

log = logging.getLogger("kgservice.requests")
SEARCHES = ("/retrieve", "/ask")  # POSTs that change nothing
PAGE = "/web/"  # files without data
AGENTS = "/mcp"  # POSTs whose `about` tells which of them change something or were refused
NO_KEY = "give a valid key in X-API-Key"
_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)


class Gate:
    """ASGI middleware that sets `request.state.caller` (None: unknown) and `request.state.about`, for the audit."""

    def __init__(
        self, app: ASGIApp, keys: Keys, limit: Limit, audit: Audit, metrics: Metrics, hosts: Sequence[str]
    ) -> None:
        self.app, self._keys, self._limit, self._audit, self._metrics = app, keys, limit, audit, metrics
        self._hosts = tuple(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request, started, status = Request(scope), time.perf_counter(), 500
        state = request.state
        state.id, state.about = _id(request), {}
        REQUEST.set(state.id)

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = state.id
                if "location" in headers:
                    headers["location"] = _relative(headers["location"])
            await send(message)

        try:
            with self._metrics.under_way.track_inprogress():
                await (self._refusal(request) or self.app)(scope, receive, watched)
        finally:
            self._tell(request, status, time.perf_counter() - started)

    def _refusal(self, request: Request) -> ASGIApp | None:
        """Store the caller in the request. Return a refusal for a caller without any access, else None."""
        secret, state = _secret(request), request.state
        open_to_all = not self._keys.configured()
        state.caller = ANYONE if open_to_all else self._keys.caller(secret)
        # A browser takes 31 files to open the page, so these would leave a caller few views a minute.
        of_page = not secret and request.method in READING and request.url.path.startswith(PAGE)
        if not of_page and (wait := self._limit.wait(_who(request, state))):
            headers = {"Retry-After": str(math.ceil(wait))}
            return problem(429, f"too many requests: try again in {math.ceil(wait)} s", headers=headers)
        if why := foreign(request, self._hosts, keyed=not open_to_all):
            return problem(403, why)
        if state.caller is None and (secret or request.method not in READING):
            return problem(401, NO_KEY, headers={"WWW-Authenticate": "Bearer"})
        return None

    def _tell(self, request: Request, status: int, seconds: float) -> None:
        self._metrics.answered(request.scope, status, seconds)
        caller: Caller | None = request.state.caller
        by = {"caller": caller.owner or "anyone" if caller else "unknown", "address": _address(request)}
        path = shown(request.url.path)
        did = f"{request.method} {path}"
        fields = by | {"method": request.method, "path": path, "status": status, "ms": round(1_000 * seconds, 1)}
        log.info("%s %d in %.0f ms", did, status, 1_000 * seconds, extra={TOLD: fields})
        reads = path in SEARCHES or (path == AGENTS and not request.state.about)
        changing = request.method not in READING and not reads and status != 429
        if changing or status in (401, 403):
            role = caller.role if caller else ""
            act_fields = {"request": request.state.id, "did": did, "status": status, "about": request.state.about}
            act = Act(role=role, **by, **act_fields)
            try:
                self._audit.write(act)
            except OSError as error:  # the answer has been sent, so the log gets the act
                log.error("the audit cannot be written (%s): %s", error, act.model_dump_json(exclude_defaults=True))


def _relative(location: str) -> str:
    """Return a redirect without scheme and host, because the caller chose those."""
    parts = urlsplit(location)
    path = f"/{parts.path.lstrip('/')}" if parts.netloc else parts.path
    return urlunsplit(("", "", path, parts.query, parts.fragment))


def _id(request: Request) -> str:
    """Return the id that a proxy gave the request, or a new one."""
    sent = request.headers.get("x-request-id", "")
    return sent if _ID.fullmatch(sent) else uuid.uuid4().hex


def _secret(request: Request) -> str:
    """Return the key from either header, decoded as UTF-8, as keys are never in HTTP's Latin-1."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    sent = request.headers.get("x-api-key") or (token.strip() if scheme.lower() == "bearer" else "")
    return sent.encode("latin-1").decode("utf-8", "surrogateescape")


def _who(request: Request, state: State) -> str:
    """Return the name to count requests under: the owner of the key, else the address."""
    caller: Caller | None = state.caller
    return f"address {_address(request)}" if caller is None or caller.shared else f"key {caller.owner}"


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
