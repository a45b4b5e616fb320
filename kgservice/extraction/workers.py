"""Extraction by rules over the parser and by the relation reader, in processes of their own."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Self

from kgservice.core.errors import BadRequest
from kgservice.core.records import Problem, Triplet
from kgservice.extraction.extractor import Passages, Read
from kgservice.text.periods import calendar

GROUP = 20_000  # characters of text a task: some seconds at most, so that progress shows


class RuleExtractor:
    """Reads documents in worker processes, started at the first text; results come in the order of the texts.

    What a text states depends on nothing but itself and its document's title.
    """

    def __init__(self, method: str = "rules", processes: int | None = None) -> None:
        self.reads = method != "none"
        self._way, _, self._pipeline = method.partition(":")
        self._processes = processes or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._pool is None:
            return
        if KeyboardInterrupt in raised:  # who interrupts does not wait for the texts that are being read
            for worker in active_children():
                worker.kill()
        self._pool.shutdown(cancel_futures=True)

    def reads_language(self, code: str) -> bool:
        """True for English, and for any language where the user has named a pipeline."""
        return self.reads and (code == "en" or bool(self._pipeline))

    def read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
        """Yield what each document's texts state, or why it could not be read (a worker that dies costs only that)."""
        groups = list(_groups(given))
        futures = [self._submit(group) for group in groups]
        for group, future in zip(groups, futures, strict=True):
            try:
                yield from future.result()
            except BadRequest:
                raise
            except Exception:  # noqa: BLE001 - one document's failure must not cost its group
                yield from (self._alone(passages) for passages in group)

    def _submit(self, group: list[Passages]) -> Future[list[Read]]:
        if not any(passages.texts for passages in group):
            done: Future[list[Read]] = Future()
            done.set_result([Read([]) for _ in group])
            return done
        if self._pool is None:
            self._pool = self._workers(self._processes)
        try:
            return self._pool.submit(_read, self._way, self._pipeline, group)
        except BrokenProcessPool:
            self._pool = self._workers(self._processes)
            return self._pool.submit(_read, self._way, self._pipeline, group)

    def _alone(self, passages: Passages) -> Read | Exception:
        """Read again, in a worker of its own, a document of a group that was lost."""
        with self._workers(1) as pool:
            try:
                return pool.submit(_read, self._way, self._pipeline, [passages]).result()[0]
            except BrokenProcessPool:
                return RuntimeError("the process that read it died, perhaps for want of memory")
            except Exception as error:  # noqa: BLE001 - as above
                return error

    def _workers(self, count: int) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(count, get_context("spawn"), _start)


def _start() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    Thread(target=_follow, name="parent", daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = "1"


def _follow() -> None:
    """End with the parent however it ends: what SIGKILL ends tells nobody, and its workers would wait for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _groups(given: Sequence[Passages]) -> Iterator[list[Passages]]:
    """Group documents into tasks of about GROUP characters."""
    group: list[Passages] = []
    weight = 0
    for passages in given:
        group.append(passages)
        weight += sum(len(text) for text in passages.texts)
        if weight > GROUP:
            yield group
            group, weight = [], 0
    if group:
        yield group


def _read(way: str, pipeline: str, group: list[Passages]) -> list[Read]:
    from kgservice.extraction.relation_reader import packaged
    from kgservice.extraction.rules import extract
    from kgservice.extraction.syntax.parser import Parser

    parsed = Parser(pipeline).parse_all([(text, passages.title) for passages in group for text in passages.texts])
    reads = []
    for passages in group:
        problems, stated, kinds = list[Problem](), list[list[Triplet]](), dict[str, str]()
        about = dict(passages.about)
        company, years = str(about.get("company", "")), calendar(about)
        for _ in passages.texts:
            docs = list(next(parsed))
            kinds |= {" ".join(name.text.split()): name.label_ for doc in docs for name in doc.ents}
            found = [extract(doc, passages.title, company, years, packaged(), way) for doc in docs]
            stated.append([triplet for extraction in found for triplet in extraction.triplets])
            problems += [
                Problem(source=passages.source, state="rejected", reason=one.reason, detail=one.sentence)
                for extraction in found
                for one in extraction.lost
            ]
        reads.append(Read(stated, tuple(problems), kinds=kinds))
    return reads
