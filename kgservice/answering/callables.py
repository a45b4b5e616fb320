"""Any Python function as a system under test: from passages that it is given, or from what it finds by itself.

Whatever the function does wrong is a failure with a reason and ends no run: an exception, no text, silence. A thread
cannot be stopped, so a call that takes too long is left behind.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from kgservice.answering.generator import Generated, QuestionWithPassages, SystemAnswer
from kgservice.core import keys

LONGEST = 100_000  # characters of an answer

Reads: TypeAlias = Callable[[str, Sequence[str]], str]
Finds: TypeAlias = Callable[[str], "str | tuple[str, Sequence[str | int]]"]


class CallableGenerator:
    """A function of a question and passages that returns the answer; no passages: from memory."""

    def __init__(self, function: Reads, *, timeout: float = 60.0, concurrency: int = 8) -> None:
        self.name = _name(function)
        self._function, self._timeout, self._concurrency = function, timeout, concurrency

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question, or how the function failed at it."""
        calls = [(one.question, list(one.contexts)) for one in asked]
        said = await called(self._function, calls, self._timeout, self._concurrency)
        return [one if isinstance(one, Generated) else _generated(one) for one in said]


class CallableSystem:
    """A function of a question that returns the answer, or the answer and what it rests on, best first.

    That is public ids of texts for DRAGON's measures; for PluriHop's, ids of the documents of `corpus`.
    """

    def __init__(self, function: Finds, *, corpus: str = "", timeout: float = 60.0, concurrency: int = 8) -> None:
        self.name, self._corpus = _name(function), corpus
        self._function, self._timeout, self._concurrency = function, timeout, concurrency

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return an answer a question, or how the function failed at it."""
        said = await called(self._function, [(one.question,) for one in asked], self._timeout, self._concurrency)
        return [
            SystemAnswer(failure=one.failure) if isinstance(one, Generated) else _told(one, self._corpus)
            for one in said
        ]


async def called(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], timeout: float, concurrency: int
) -> list[Any]:
    """What the function returns, call by call; a Generated with a failure in the place of what it does not."""
    slots = asyncio.Semaphore(concurrency)

    async def called(given: tuple[Any, ...]) -> Any:
        async with slots:
            try:
                return await asyncio.wait_for(_in_thread(function, given), timeout)
            except TimeoutError:
                return Generated(failure="time-out")

    return list(await asyncio.gather(*map(called, calls)))


def _in_thread(function: Callable[..., Any], given: tuple[Any, ...]) -> asyncio.Future[Any]:
    """Call in a daemon thread, which unlike those of a pool holds nobody up who wants to end."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(said: Any) -> None:
        if not future.done():
            future.set_result(said)

    def call() -> None:
        try:
            said = function(*given)
        except Exception as error:  # noqa: BLE001 - of the system under test, whatever it is
            said = Generated(failure=f"exception ({type(error).__name__})")
        with suppress(RuntimeError):  # too late: the loop is closed
            loop.call_soon_threadsafe(settle, said)

    threading.Thread(target=call, daemon=True).start()
    return future


def _generated(said: Any) -> Generated:
    if not isinstance(said, str):
        return Generated(failure="no text returned")
    return Generated(answer=said) if len(said) <= LONGEST else Generated(failure="answer too long")


def _told(said: Any, corpus: str) -> SystemAnswer:
    answer, found = said if isinstance(said, tuple) and len(said) == 2 else (said, ())
    generated = _generated(answer)
    if isinstance(found, str) or not isinstance(found, Iterable):
        return SystemAnswer(failure="what was found is no list")
    names = tuple(map(str, found))
    documents = tuple(keys.document_key(corpus, name) for name in names) if corpus else ()
    return SystemAnswer(answer=generated.answer, failure=generated.failure, chunks=names, documents=documents)


def _name(function: Callable[..., Any]) -> str:
    return f"callable: {getattr(function, '__qualname__', type(function).__name__)}"
