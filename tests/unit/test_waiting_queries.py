"""Queries that wait for the encoder at the same time share a call of it, and each gets its own vector or error."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from kgservice.vectors.embedder import Embedder
from kgservice.vectors.waiting_queries import TOGETHER, WaitingQueries


class Slow:
    """An encoder whose first call goes on until it is let go. The vector of a text is its number."""

    def __init__(self) -> None:
        self.calls, self.begun, self.go_on = list[list[str]](), threading.Event(), threading.Event()

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(list(texts))
        self.begun.set()
        assert self.go_on.wait(120)
        return [[float(text)] for text in texts]


def ask(queries: WaitingQueries, slow: Slow, texts: Sequence[str]) -> list[list[float] | str]:
    """Return the vectors of texts, or the names of errors, asked while the encoder is busy with "0"."""

    def one(text: str) -> list[float] | str:
        try:
            return queries.vector(text)
        except ValueError as error:
            return type(error).__name__

    with ThreadPoolExecutor(len(texts) + 1) as threads:
        first = threads.submit(one, "0")
        assert slow.begun.wait(120)
        others = [threads.submit(one, text) for text in texts]
        while len(queries._waiting) < len(texts):
            time.sleep(0.01)
        slow.go_on.set()
        assert first.result() == [0.0]
        return [other.result() for other in others]


def test_queries_that_wait_share_a_call() -> None:
    slow = Slow()
    texts = [str(number) for number in range(1, 2 * TOGETHER + 4)]
    assert ask(WaitingQueries(slow.encode), slow, texts) == [[float(text)] for text in texts]
    assert slow.calls[0] == ["0"]
    assert [len(call) for call in slow.calls] == [1, TOGETHER, TOGETHER, 3]


def test_a_query_that_cannot_be_encoded_fails_alone() -> None:
    slow = Slow()
    assert ask(WaitingQueries(slow.encode), slow, ["1", "no", "2"]) == [[1.0], "ValueError", [2.0]]


def test_an_interrupt_reaches_all_that_wait_for_it() -> None:
    def interrupted(texts: Sequence[str]) -> list[list[float]]:
        raise KeyboardInterrupt

    queries = WaitingQueries(interrupted)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            queries.vector("a")


def test_vectors_are_the_same_alone_and_at_once() -> None:
    embedder = Embedder()
    texts = [f"Which city is the capital of Varnia {'now ' * (number % 3)}?" for number in range(24)]
    alone = [embedder.embed_query(text) for text in texts]
    with ThreadPoolExecutor(12) as threads:
        assert list(threads.map(embedder.embed_query, texts)) == alone
