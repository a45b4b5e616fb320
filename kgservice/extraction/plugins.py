"""Extractors of other packages, found by name in the entry-point group `kgservice.extractors`.

An entry point is a function from Passages to a list of triplets a text, or a class that is made with what follows the
colon of `--extract NAME:ARGUMENT` ("" for none) and has one method `extract`, which is such a function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from kgservice.core.entry_points import entry_points
from kgservice.core.errors import BadRequest
from kgservice.core.records import Problem, Triplet
from kgservice.extraction.extractor import Passages, Read
from kgservice.text.values import typed

GROUP = "kgservice.extractors"


def names() -> list[str]:
    """Return the names of the installed extractors of this group."""
    return sorted({entry.name for entry in entry_points(GROUP)})


class PluggedExtractor:
    """Reads documents, one after the other, by an extractor of the entry-point group.

    A triplet whose sentence does not stand in its text, word for word, is dropped and counted.
    """

    reads = True

    def __init__(self, method: str) -> None:
        name, _, self._argument = method.partition(":")
        entries = [entry for entry in entry_points(GROUP) if entry.name == name]
        if not entries:
            raise BadRequest(f"no extractor {name!r}: there are {', '.join(names()) or 'none'}")
        self._entry = entries[0]

    def __enter__(self) -> Self:
        made: Any = self._entry.load()
        self._extract: Callable[[Passages], Sequence[Sequence[Triplet]]]
        if isinstance(made, type):
            self._extract = made(self._argument).extract
        elif self._argument:
            raise BadRequest(f"the extractor {self._entry.name!r} takes nothing after a colon")
        else:
            self._extract = made
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def reads_language(self, code: str) -> bool:
        """Return True: what an extractor of another package can read is for it to say."""
        return True

    def read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
        """Yield what each document's texts state, or why it could not be read."""
        for passages in given:
            try:
                yield _checked(passages, self._extract(passages))
            except BadRequest:
                raise
            except Exception as error:  # noqa: BLE001 - one document's failure must not end the load
                yield error


def _checked(passages: Passages, stated: Sequence[Sequence[Triplet]]) -> Read:
    """What an extractor gave, typed; ValueError if it is not a list a text."""
    if len(stated) != len(passages.texts):
        raise ValueError(f"the extractor gave {len(stated)} lists of triplets for {len(passages.texts)} texts")
    problems = list[Problem]()
    kept: list[list[Triplet]] = []
    for text, triplets in zip(passages.texts, stated, strict=True):
        kept.append([])
        for one in triplets:
            if not one.sentence or one.sentence not in text:
                problems.append(_rejected(passages, one, "sentence not in its text"))
            elif one.subject.label == one.object.label:
                problems.append(_rejected(passages, one, "about itself"))
            else:
                ends = {"subject": typed(one.subject), "object": typed(one.object)}
                kept[-1].append(one.model_copy(update=ends))
    return Read(kept, tuple(problems))


def _rejected(passages: Passages, one: Triplet, reason: str) -> Problem:
    detail = f"({one.subject.label}, {one.relation}, {one.object.label}): {one.sentence}"
    return Problem(source=passages.source, state="rejected", reason=reason, detail=detail[:500])
