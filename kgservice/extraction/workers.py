"""The extractors of a load: rules over the parser in processes of their own, or none."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from typing import NamedTuple, Self

from kgservice.errors import BadRequest
from kgservice.model import Triplet

METHODS = 'rules, rules:PIPELINE (a spaCy pipeline with UD labels) or "none"'


class Passages(NamedTuple):
    """The texts of one document, and its title, which pronouns at their start may mean."""

    title: str
    texts: tuple[str, ...]


class Read(NamedTuple):
    """What the texts state, a list each, and how many statements were dropped by reason."""

    triplets: list[list[Triplet]]
    dropped: dict[str, int]


class Extractor:
    """Reads documents in worker processes, started at the first text; results come in the order of the texts.

    One text is read at a time and alone, so what it states depends on nothing but itself and its document's title.
    """

    def __init__(self, method: str = "rules", processes: int | None = None) -> None:
        check_method(method)
        self.reads = method != "none"
        self._pipeline = method.partition(":")[2]
        self._processes = processes or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
        """Yield what each document's texts state, or why it could not be read (a worker that dies costs only that)."""
        futures = [self._submit(passages) for passages in given]
        for passages, future in zip(given, futures, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield self._alone(passages)
            except BadRequest:
                raise
            except Exception as error:  # noqa: BLE001 - one document's failure must not end the load
                yield error

    def _submit(self, passages: Passages) -> Future[Read]:
        if not passages.texts:
            done: Future[Read] = Future()
            done.set_result(Read([], {}))
            return done
        if self._pool is None:
            self._pool = self._workers(self._processes)
        try:
            return self._pool.submit(_read, self._pipeline, passages)
        except BrokenProcessPool:
            self._pool = self._workers(self._processes)
            return self._pool.submit(_read, self._pipeline, passages)

    def _alone(self, passages: Passages) -> Read | Exception:
        """Read again what was lost with a worker, in one of its own."""
        with self._workers(1) as pool:
            try:
                return pool.submit(_read, self._pipeline, passages).result()
            except BrokenProcessPool:
                return RuntimeError("the process that read it died, perhaps for want of memory")
            except Exception as error:  # noqa: BLE001 - as above
                return error

    def _workers(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, get_context("spawn"), _start)


def check_method(method: str) -> None:
    """Refuse a way of extraction that does not exist (BadRequest)."""
    if method not in ("rules", "none") and not method.startswith("rules:"):
        raise BadRequest(f"no extraction {method!r}: choose {METHODS}")


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    os.environ["OMP_NUM_THREADS"] = "1"
    if "torch" not in sys.modules:
        sys.modules["torch"] = None  # type: ignore[assignment]  # spaCy would load it, 300 MB, and never use it


def _read(pipeline: str, passages: Passages) -> Read:
    from kgservice.extraction.parser import Parser
    from kgservice.extraction.rules import extract

    parser, dropped = Parser(pipeline), Counter[str]()
    stated: list[list[Triplet]] = []
    for text in passages.texts:
        found: list[Triplet] = []
        for doc in parser.parse(text, passages.title):
            extraction = extract(doc, passages.title)
            found += extraction.triplets
            dropped.update(extraction.dropped)
        stated.append(found)
    return Read(stated, dict(dropped))
