"""Limits on request bodies: their time, their memory, and the end of refused ones.

A server that answers before it has read the body and then closes makes the client lose the answer (TCP resets the
unread rest). So the rest is read for a moment and dropped.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

WAIT = 20.0  # seconds for a body, plus one for each SLOWEST bytes received
SLOWEST = 20_000
LINGER = 2.0  # seconds for which the rest of a refused body is read and dropped
HELD = 300_000_000  # bytes of bodies in memory at once


class Bodies:
    """ASGI middleware that answers 408 to a slow body and 503 if too much is in memory. No answer is lost."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        ended, read = not _has_body(scope), 0
        started = asyncio.get_running_loop().time()

        async def timed() -> Message:
            nonlocal ended, read
            if ended:
                return await receive()  # waits for the client to go away
            try:
                async with asyncio.timeout_at(started + WAIT + read / SLOWEST):
                    message = await receive()
            except TimeoutError as error:
                raise HTTPException(408, "the body comes too slowly: send it again", _CLOSE) from error
            size = len(message.get("body", b""))
            read, self._held = read + size, self._held + size
            ended = not message.get("more_body", False)
            if self._held > HELD:
                raise HTTPException(503, "too much is being sent at once: try again", _CLOSE | {"Retry-After": "5"})
            return message

        async def lingering(message: Message) -> None:
            if message["type"] == "http.response.start" and not ended:
                MutableHeaders(scope=message)["Connection"] = "close"
            if message["type"] != "http.response.body" or message.get("more_body", False) or ended:
                await send(message)
                return
            await send({**message, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER):
                    while (await receive()).get("more_body", False):
                        pass
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        try:
            await self.app(scope, timed, lingering)
        finally:
            self._held -= read


_CLOSE = {"Connection": "close"}


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
