"""Answers by any system behind an address: POST {"question", "contexts"}, and {"answer"} comes back.

The system is under test: whatever it does wrong is a failure with a reason, is not tried again, and ends no run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import httpx

from kgservice.answering.generator import Generated, QuestionWithPassages
from kgservice.core.errors import BadRequest

LONGEST = 100_000  # bytes of a reply that are read


class RemoteGenerator:
    """Asks `concurrency` questions at a time; `timeout` is the seconds that one answer may take in all.

    A reply may also have "reasoning". Without passages (the probe g(q, ∅)) `contexts` is empty. `phrasing` is what the
    system is told, with {} for the question.
    """

    def __init__(self, url: str, *, timeout: float = 60.0, concurrency: int = 8, phrasing: str = "{}") -> None:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise BadRequest(f"{url!r} is no address: {error}") from error
        if address.scheme not in ("http", "https") or not address.host:
            raise BadRequest(f"{url!r} is no address of a system: give http://… or https://…")
        self.name, self._url = f"remote: {address.copy_with(username=None, password=None, query=None)}", address
        self._timeout, self._concurrency, self._phrasing = timeout, concurrency, phrasing

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question, or how the system failed at it."""
        slots = asyncio.Semaphore(self._concurrency)
        async with httpx.AsyncClient(timeout=self._timeout) as client:

            async def answered(one: QuestionWithPassages) -> Generated:
                async with slots:
                    return await self._answer(client, one)

            return list(await asyncio.gather(*map(answered, asked)))

    async def _answer(self, client: httpx.AsyncClient, one: QuestionWithPassages) -> Generated:
        body = {"question": self._phrasing.replace("{}", one.question), "contexts": list(one.contexts)}
        plain = {"accept-encoding": "identity"}  # what is packed may grow without end before it can be counted
        try:
            async with (
                asyncio.timeout(self._timeout),
                client.stream("POST", self._url, json=body, headers=plain) as response,
            ):
                if response.status_code != httpx.codes.OK:
                    return Generated(failure=f"status {response.status_code}")
                found = bytearray()
                async for part in response.aiter_raw():
                    found += part
                    if len(found) > LONGEST:
                        return Generated(failure="answer too long")
        except (TimeoutError, httpx.TimeoutException):
            return Generated(failure="time-out")
        except httpx.HTTPError as error:
            return Generated(failure=f"no reply ({type(error).__name__})")
        return _read(bytes(found))


def _read(body: bytes) -> Generated:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return Generated(failure="not JSON")
    if not isinstance(reply, dict) or not isinstance(reply.get("answer"), str):
        return Generated(failure='no "answer" text in the reply')
    return Generated(answer=_text(reply["answer"]), reasoning=_text(str(reply.get("reasoning") or "")))


def _text(said: str) -> str:
    """What was said as it can be written to a file: half a surrogate pair, and NUL, cannot."""
    return said.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
