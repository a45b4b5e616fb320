"""Any Python function as a system under test, with given passages or with retrieval of its own.

Every fault of the function is a failure with a reason and never ends a run: an exception, a result that is no text, a
time-out. A thread cannot be stopped, so a call that takes too long is abandoned.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeAlias

from kgservice.answering.generator import Generated, QuestionWithPassages, SystemAnswer, writable
from kgservice.core import keys

LONGEST = 100_000  # characters of an answer
MOST = 10_000  # sources of an answer that are read

Reads: TypeAlias = Callable[[str, Sequence[str]], str]
Finds: TypeAlias = Callable[[str], "str | tuple[str, Sequence[str | int]]"]


class CallableGenerator:
    """A function of a question and passages that returns the answer. No passages: an answer from memory."""

    def __init__(self, function: Reads, *, timeout: float = 60.0, concurrency: int = 8) -> None:
        self.name = _name(function)
        self._function, self._timeout, self._concurrency = function, timeout, concurrency

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question, or the function's failure."""
        calls = [(item.question, list(item.contexts)) for item in asked]
        results = await called(self._function, calls, self._timeout, self._concurrency)
        return [item if isinstance(item, Generated) else _generated(item) for item in results]


class CallableSystem:
    """A function of a question that returns the answer, or the answer and its sources, best first.

    Sources are public ids of texts for DRAGON's measures, and ids of documents of `corpus` for PluriHop's.
    """

    def __init__(self, function: Finds, *, corpus: str = "", timeout: float = 60.0, concurrency: int = 8) -> None:
        self.name, self._corpus = _name(function), corpus
        self._function, self._timeout, self._concurrency = function, timeout, concurrency

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[SystemAnswer]:
        """Return an answer a question, or the function's failure."""

        def found(question: str) -> SystemAnswer:  # with lazily made sources, which may raise or take long
            return _system_answer(self._function(question), self._corpus)

        results = await called(found, [(item.question,) for item in asked], self._timeout, self._concurrency)
        return [item if isinstance(item, SystemAnswer) else SystemAnswer(failure=item.failure) for item in results]


async def called(
    function: Callable[..., Any], calls: Sequence[tuple[Any, ...]], timeout: float, concurrency: int
) -> list[Any]:
    """Return the function's result of each call, or a Generated with the failure."""
    slots = asyncio.Semaphore(concurrency)

    async def called(arguments: tuple[Any, ...]) -> Any:
        async with slots:
            try:
                return await asyncio.wait_for(_in_thread(function, arguments), timeout)
            except TimeoutError:
                return Generated(failure="time-out")

    return list(await asyncio.gather(*map(called, calls)))


def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> asyncio.Future[Any]:
    """Return the future of a call in a daemon thread.

    Unlike a pool's threads, it does not delay the end of the process.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def settle(result: Any) -> None:
        if not future.done():
            future.set_result(result)

    def call() -> None:
        try:
            result = function(*arguments)
        except Exception as error:  # noqa: BLE001 - of the system under test, whatever it is
            result = Generated(failure=f"exception ({type(error).__name__})")
        with suppress(RuntimeError):  # after a time-out the loop may be closed
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=call, daemon=True).start()
    return future


def _generated(result: Any) -> Generated:
    if not isinstance(result, str):
        return Generated(failure="no text returned")
    return Generated(answer=writable(result)) if len(result) <= LONGEST else Generated(failure="answer too long")


def _system_answer(result: Any, corpus: str) -> SystemAnswer:
    answer, sources = result if isinstance(result, tuple) and len(result) == 2 else (result, ())
    generated = _generated(answer)
    if isinstance(sources, str) or not isinstance(sources, Iterable):
        return SystemAnswer(failure="what was found is no list")
    names = tuple(writable(str(source)) for source in islice(sources, MOST))
    documents = tuple(keys.document_key(corpus, name) for name in names) if corpus else ()
    return SystemAnswer(answer=generated.answer, failure=generated.failure, chunks=names, documents=documents)


def _name(function: Callable[..., Any]) -> str:
    return f"callable: {getattr(function, '__qualname__', type(function).__name__)}"
