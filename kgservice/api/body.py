"""Refuses request bodies that are too big, whether or not they say their size."""

from __future__ import annotations

from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kgservice.api.problems import problem

MAX_BODY = 50_000_000  # bytes
REFUSAL = f"the body is over {MAX_BODY // 1_000_000} MB: send fewer documents a request, or use `kgservice load`"


class BodyLimit:
    """ASGI middleware: 413 for a body over MAX_BODY bytes, before it is in memory."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = dict(scope["headers"]).get(b"content-length", b"0")
        if said.isdigit() and int(said) > MAX_BODY:
            await problem(413, REFUSAL, headers={"Connection": "close"})(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MAX_BODY:
                raise HTTPException(413, REFUSAL, {"Connection": "close"})
            return message

        await self.app(scope, counted, send)
