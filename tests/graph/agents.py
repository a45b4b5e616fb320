"""A service that answers agents, and the official client of the SDK over HTTP."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from kgservice.api.app import create_app
from kgservice.cli.serve import options
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph

KEYS = {"reader": "reader-key", "curator": "curator-key", "admin": "admin-key"}
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # on loopback nothing is encrypted: to read them takes 30 ms
Call = tuple[str, dict[str, Any]]


class AgentService(NamedTuple):
    """A service on loopback."""

    app: FastAPI
    base: str

    def call(self, role: str, *calls: Call, mode: str = "auto") -> list[CallToolResult]:
        """Call tools one after the other with the key of a role."""

        async def work() -> list[CallToolResult]:
            async with self.client(role, mode) as client:
                return [await client.call_tool(name, given) for name, given in calls]

        return asyncio.run(work())

    def tools(self, role: str) -> dict[str, Any]:
        """Return the tools that a role is shown, by name."""

        async def work() -> dict[str, Any]:
            async with self.client(role) as client:
                return {one.name: one for one in (await client.list_tools()).tools}

        return asyncio.run(work())

    @asynccontextmanager
    async def client(self, role: str, mode: Any = "auto") -> Any:
        headers = {"X-API-Key": KEYS[role]}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60, verify=NO_CERTIFICATES) as http:
            transport = streamable_http_client(f"{self.base}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


def text_of(result: CallToolResult) -> str:
    """Return the one text of a result."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data(result: CallToolResult) -> dict[str, Any]:
    """Return what a call gave, which has to have succeeded."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@contextmanager
def served(graph: Graph, home: Path, keys: dict[str, str] = KEYS) -> Iterator[AgentService]:
    """Serve on loopback in a thread."""
    settings = Settings(home=home, api_keys=keys, rate_limit=0)  # type: ignore[arg-type]
    app = create_app(settings, graph)
    server = uvicorn.Server(uvicorn.Config(app, port=0, **options(settings)))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield AgentService(app, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join(20)


def documents_of(graph: Graph, corpus: str) -> dict[str, str]:
    """Return the text of each document by source, blanks where no chunk holds it."""
    from kgservice.core import keys

    code = keys.corpus_code(corpus)
    found: dict[str, str] = {}
    rows: Sequence[Any] = graph.read("release/texts", after=code, until=code + "~", limit=10_000)
    for row in sorted(rows, key=lambda row: (row["source"], row["start"])):
        text = found.get(row["source"], "").ljust(row["start"])
        found[row["source"]] = text[: row["start"]] + row["text"]
    return found
