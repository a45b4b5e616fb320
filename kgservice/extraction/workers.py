"""Extraction by rules over the parser and by the relation reader, in workers of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import Self

from kgservice.core.errors import BadRequest
from kgservice.core.pools import Pool, ProcessPool
from kgservice.core.records import Problem, Triplet
from kgservice.extraction.extractor import Passages, Read
from kgservice.extraction.kept_readings import KeptReadings
from kgservice.text.periods import calendar

GROUP = 20_000  # characters of text a task: some seconds at most, so that progress shows


class RuleExtractor:
    """Reads documents in the workers of a pool; results come in the order of the texts.

    What a text states depends on nothing but itself and its document's title. Without a pool the extractor starts
    processes of this machine and ends them. A document in `kept` is not read again.
    """

    def __init__(
        self, method: str = "rules+reader", pool: Pool | None = None, kept: KeptReadings | None = None
    ) -> None:
        self.reads = method != "none"
        self._way, _, self._pipeline = method.partition(":")
        self._pool, self._own, self._kept = pool or ProcessPool(), pool is None, kept

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._own:  # who interrupts does not wait for the texts that are being read
            self._pool.close(at_once=KeyboardInterrupt in raised)

    def reads_language(self, code: str) -> bool:
        """True for English, and for any language where the user has named a pipeline."""
        return self.reads and (code == "en" or bool(self._pipeline))

    def read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
        """Yield what each document's texts state, or why it could not be read (a worker that dies costs only that)."""
        known = self._kept.known(given) if self._kept else [None] * len(given)
        read = self._read([passages for passages, kept in zip(given, known, strict=True) if kept is None])
        for kept in known:
            yield next(read) if kept is None else kept

    def _read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
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
        future = self._pool.submit(_read, self._way, self._pipeline, group)
        future.add_done_callback(lambda done: self._keep(group, done))
        return future

    def _keep(self, group: list[Passages], done: Future[list[Read]]) -> None:
        """Keep a group as soon as it is read, also where an earlier one is still being read."""
        if self._kept and not done.cancelled() and done.exception() is None:
            self._kept.keep(group, done.result())

    def _alone(self, passages: Passages) -> Read | Exception:
        """Read again, in a worker of its own, a document of a group that was lost."""
        try:
            return self._pool.run_apart(_read, self._way, self._pipeline, [passages])[0]
        except Exception as error:  # noqa: BLE001 - as above
            return error


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
    from kgservice.extraction.readers.relation_reader import packaged
    from kgservice.extraction.syntax.parser import Parser
    from kgservice.extraction.text_facts import extract

    texts = [(at, text, passages.title) for passages in group for at, text in enumerate(passages.texts)]
    later = {number for number, (at, *_) in enumerate(texts) if at}
    parsed = Parser(pipeline).parse_all([(text, title) for _, text, title in texts], later)
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
