"""What an extractor is: documents' texts in, what they state out; by rules, by a language model, or none at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, Self

from kgservice.core.errors import BadRequest
from kgservice.core.records import Problem, Scalar, Triplet

METHODS = (
    "rules+reader, rules, reader (each also with :PIPELINE, a spaCy pipeline with UD labels), llm, "
    "llm:WINDOW (chunks read together), none"
)


class Passages(NamedTuple):
    """The texts of one document and what is known about it; its title may be what pronouns at their start mean."""

    title: str
    texts: tuple[str, ...]
    source: str = ""
    domain: str | None = None
    about: tuple[tuple[str, Scalar], ...] = ()


class Read(NamedTuple):
    """What the texts state, a list each, and what did not become a triplet, one by one in `problems`.

    Where texts are read in `windows`, `failed` are those that could not be, and `unread` the places of their texts.
    `kinds` is what a recogniser takes names for ("PER", "ORG", "LOC").
    """

    triplets: list[list[Triplet]]
    problems: tuple[Problem, ...] = ()
    windows: int = 0
    failed: tuple[Problem, ...] = ()
    unread: frozenset[int] = frozenset()
    kinds: Mapping[str, str] = {}


class Extractor(Protocol):
    """Reads documents in order; what a text states does not depend on which other documents are read."""

    reads: bool

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def reads_language(self, code: str) -> bool:
        """True if texts in a language (ISO 639-1) can be read."""
        ...

    def read(self, given: Sequence[Passages]) -> Iterator[Read | Exception]:
        """Yield what each document's texts state, or why it could not be read."""
        ...


def check_method(method: str, plugged: Sequence[str]) -> None:
    """Refuse a way of extraction that does not exist (BadRequest); `plugged` are the names of installed extractors."""
    if (
        not re.fullmatch(r"(?:rules|reader|rules\+reader)(?::.*)?|llm|llm:[1-9][0-9]?|none", method)
        and method.partition(":")[0] not in plugged
    ):
        others = "".join(f", {name}, {name}:ARGUMENT" for name in plugged)
        raise BadRequest(f"no extraction {method!r}: choose one of {METHODS}{others}")
