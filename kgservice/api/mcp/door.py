"""/mcp of the service: the gate's caller, a body within bounds, then the SDK. Without the extra it says what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fastapi import FastAPI, HTTPException, Request
from starlette.types import Message, Receive, Scope, Send

from kgservice.api.deps import caller_of
from kgservice.api.policy import sight_of
from kgservice.api.reading import MB, check_values, read_body
from kgservice.core.errors import SettingsError

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"
SMALL, LARGE = MB // 10, 20 * MB  # bytes of a body; large for whoever may load documents
MISSING = "MCP needs its SDK: pip install 'mcp>=2,<3'"


class McpDoor:
    """The ASGI app at /mcp; it answers between `open` and its end."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Answer while the service runs; without the SDK say what is missing."""
        if not installed():
            yield
            return
        from kgservice.api.mcp.protocol import manager_of

        manager = manager_of(self._app)
        async with manager.run():
            self._manager = manager
            try:
                yield
            finally:
                self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        sight = sight_of(self._app, caller_of(request))
        if request.method != "POST":  # each request stands for itself: there is no stream to open, no session to end
            raise HTTPException(405, "MCP is spoken by POST here", {"Allow": "POST"})
        if self._manager is None:
            raise HTTPException(501, MISSING)
        data = await read_body(request, LARGE if sight.allows("orders") else SMALL)
        check_values(data)
        given = False

        async def again() -> Message:
            nonlocal given
            if given:
                return await receive()  # waits for the client to go away
            given = True
            return {"type": "http.request", "body": data, "more_body": False}

        await self._manager.handle_request(scope, again, send)


def installed() -> bool:
    """Return True if the SDK is there."""
    return find_spec("mcp") is not None


def check_installed() -> None:
    """Raise SettingsError if the SDK is not there."""
    if not installed():
        raise SettingsError(MISSING)
