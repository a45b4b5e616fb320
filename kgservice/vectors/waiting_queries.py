"""Queries of several threads, encoded together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeAlias

Vector: TypeAlias = list[float]
TOGETHER = 64  # queries of a call: more than a service has threads


class WaitingQueries:
    """One call of an encoder for the queries that wait for it.

    A model reads its weights once a call, so ten queries together take half the processor time of ten calls. A query
    that is alone waits for no others.
    """

    def __init__(self, encode: Callable[[Sequence[str]], list[Vector]]) -> None:
        self._encode = encode
        self._turn, self._adding = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[str, Future[Vector]]] = []

    def vector(self, text: str) -> Vector:
        """Return the vector of a query. Raises what the encoder raises for that query."""
        found: Future[Vector] = Future()
        with self._adding:
            self._waiting.append((text, found))
        with self._turn:  # the thread that gets it encodes what came before its own query, and what came since
            while not found.done():
                with self._adding:
                    taken, self._waiting = self._waiting[:TOGETHER], self._waiting[TOGETHER:]
                self._answer(taken)
        return found.result()

    def _answer(self, taken: Sequence[tuple[str, Future[Vector]]]) -> None:
        try:
            vectors = self._encode([text for text, _ in taken])
        except BaseException as error:  # noqa: BLE001 - each caller gets it from its own future
            if len(taken) > 1 and isinstance(error, Exception):
                for one in taken:
                    self._answer([one])
                return
            for _, found in taken:
                found.set_exception(error)
            return
        for (_, found), vector in zip(taken, vectors, strict=True):
            found.set_result(vector)
