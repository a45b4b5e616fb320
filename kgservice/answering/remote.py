"""Answers of any system behind an address: POST {"question", "contexts"} returns {"answer"}.

The system is under test. Every fault of it is a failure with a reason, is not retried, and never ends a run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import httpx

from kgservice.answering.generator import Generated, QuestionWithPassages, writable
from kgservice.core.errors import BadRequest

LONGEST = 100_000  # bytes of a reply that are read
AT_ONCE = 8  # questions sent at a time


class RemoteGenerator:
    """A remote system, with AT_ONCE questions at a time and at most `timeout` seconds an answer.

    A reply may also have "reasoning". Without passages (the probe g(q, ∅)) `contexts` is empty. `phrasing` is the text
    sent, with {} for the question.
    """

    def __init__(self, url: str, *, timeout: float = 60.0, phrasing: str = "{}") -> None:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise BadRequest(f"{url!r} is no address: {error}") from error
        if address.scheme not in ("http", "https") or not address.host:
            raise BadRequest(f"{url!r} is no address of a system: give http://… or https://…")
        self.name, self._url = f"remote: {address.copy_with(username=None, password=None, query=None)}", address
        self._timeout, self._phrasing = timeout, phrasing

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question, or the system's failure."""
        slots = asyncio.Semaphore(AT_ONCE)
        async with httpx.AsyncClient(timeout=self._timeout) as client:

            async def answered(question: QuestionWithPassages) -> Generated:
                async with slots:
                    return await self._answer(client, question)

            return list(await asyncio.gather(*map(answered, asked)))

    async def _answer(self, client: httpx.AsyncClient, question: QuestionWithPassages) -> Generated:
        body = {"question": self._phrasing.replace("{}", question.question), "contexts": list(question.contexts)}
        plain = {"accept-encoding": "identity"}  # a compressed reply could grow without limit before it is counted
        try:
            async with (
                asyncio.timeout(self._timeout),
                client.stream("POST", self._url, json=body, headers=plain) as response,
            ):
                if response.status_code != httpx.codes.OK:
                    return Generated(failure=f"status {response.status_code}")
                received = bytearray()
                async for part in response.aiter_raw():
                    received += part
                    if len(received) > LONGEST:
                        return Generated(failure="answer too long")
        except (TimeoutError, httpx.TimeoutException):
            return Generated(failure="time-out")
        except httpx.HTTPError as error:
            return Generated(failure=f"no reply ({type(error).__name__})")
        return _read(bytes(received))


def _read(body: bytes) -> Generated:
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        return Generated(failure="not JSON")
    if not isinstance(reply, dict) or not isinstance(reply.get("answer"), str):
        return Generated(failure='no "answer" text in the reply')
    return Generated(answer=writable(reply["answer"]), reasoning=writable(str(reply.get("reasoning") or "")))
