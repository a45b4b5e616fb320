"""Chains of statements from the names in a question to its answer. Each statement names the subject of the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from kgservice.answering.reader.answer_check import question_names
from kgservice.answering.reader.answer_type import CLASSES
from kgservice.answering.reader.naming import THING, NamedPart
from kgservice.answering.reader.passage_statements import PassageStatement, stems
from kgservice.text.matching import normalised

BEGINNINGS = 6  # statements that a chain may begin with
WIDTH = 8  # chains of one length that are extended
HOPS = 3  # statements of the longest chain
BRIDGES, NEXT = 5, 6  # names of a statement that are followed, statements tried for each
CLASS = 0.25  # weight of "city" and "company", as passages seldom use them for a named one


_NAMES = re.compile(r"(?<!^)\b(?:[A-Z]\w*|\d[\w.,]*)")
_WHOLE_NAMES = re.compile(r"(?<!^)\b[A-Z]\w*(?:(?: |-| of (?:the )?| & )[A-Z]\w*)*")
_NUMBER = re.compile(r"\b\d[\w.,]*")
_REFERS = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|(?:The|This|These) (?=[a-z]))\b")


class Chain(NamedTuple):
    """Indexes of statements, the names that join them, and the weighted share of the question's words in them.

    In `shared` rare words weigh more. `near` is the mean cosine of the statements with the question.
    """

    path: tuple[int, ...]
    bridges: tuple[str, ...]
    shared: float
    near: float


class Follower:
    """The search for chains in the statements of one question's passages.

    `cosines` are those of the question with each statement. `named` returns the names in a statement.
    """

    def __init__(
        self,
        question: str,
        statements: Sequence[PassageStatement],
        cosines: Mapping[int, float],
        named: Callable[[PassageStatement], Sequence[NamedPart]],
    ) -> None:
        self._statements, self._cosines, self._named = statements, cosines, named
        self._known, self._asked = f" {normalised(question)} ", stems(question)
        self._anchors = named_stems(question)
        self._asked_names = [stems(name) for name in (*question_names(question), *_NUMBER.findall(question))]
        every = len(statements)
        holding = {stem: sum(stem in statement.stems for statement in statements) for stem in self._asked}
        self._weights = {
            stem: log(1 + every / (1 + number)) * (CLASS if stem in CLASSES else 1) for stem, number in holding.items()
        }
        self._whole = sum(self._weights.values()) or 1.0
        self._texts = [f" {normalised(statement.text)} " for statement in statements]
        self._forms = [f" {normalised(one.title)}{text}" for one, text in zip(statements, self._texts, strict=True)]

    def chains(self) -> Iterator[Chain]:
        """Yield chains of one statement, then longer ones. The best of each length are extended."""
        begun = [self._chain((at,), ()) for at in self._cosines]
        begun = sorted(begun, key=lambda chain: (-chain.shared - chain.near, chain.path))[:BEGINNINGS]
        for _ in range(HOPS):
            yield from begun
            longer = {chain.path: chain for shorter in begun for chain in self._longer(shorter)}
            begun = sorted(longer.values(), key=lambda chain: (-chain.shared - chain.near, chain.path))[:WIDTH]

    def ends(self, chain: Chain) -> list[NamedPart]:
        """Return the names in the last statement of a chain that neither the question nor an earlier statement has.

        If that statement has a name of the question of which the earlier ones have no word, the name that led to it is
        an answer too: both conditions hold of it ("Which fund funds … and is headquartered in …?").
        """
        *before, last = chain.path
        earlier = frozenset[str]().union(*(self._statements[at].own for at in before))
        own = self._statements[last].own
        other = any(name & own and not name & earlier for name in self._asked_names)
        both = chain.bridges[-1:] if other else ()
        way = [self._forms[at] for at in before]
        return [name for name in self._named(self._statements[last]) if name.form in both or self._new(name.form, way)]

    def _new(self, form: str, way: Sequence[str]) -> bool:
        return bool(form) and not any(f" {form} " in text for text in (self._known, *way))

    def _chain(self, path: tuple[int, ...], bridges: tuple[str, ...]) -> Chain:
        there = frozenset[str]().union(*(self._statements[at].stems for at in path))
        shared = sum(weight for stem, weight in self._weights.items() if stem in there) / self._whole
        near = sum(self._cosines.get(at, 0.0) for at in path) / len(path)
        return Chain(path, bridges, shared, near)

    def _longer(self, chain: Chain) -> Iterator[Chain]:
        """Yield the chain with one more statement about a name of its last one, if that adds a word of the question."""
        first, last = self._statements[chain.path[0]], self._statements[chain.path[-1]]
        if self._anchors and not self._anchors & first.stems:  # it would lead back to the question's own names
            return
        forms = [name.form for name in self._named(last) if name.kind not in ("number", "date", THING)]
        names = [form for form in forms if form not in chain.bridges and self._new(form, ())]
        for bridge in list(dict.fromkeys(names))[:BRIDGES]:
            about = (
                at for at in range(len(self._forms)) if at not in chain.path and self._joins(bridge, chain.path[-1], at)
            )
            extended = [self._chain((*chain.path, at), (*chain.bridges, bridge)) for at in about]
            better = [name for name in extended if name.shared > chain.shared]
            yield from sorted(better, key=lambda name: (-name.shared, name.path))[:NEXT]

    def _joins(self, bridge: str, last: int, at: int) -> bool:
        """Return whether a name of the last statement leads to this one.

        Two statements under one title need not be about it: one of them has the name in its words, or this one refers
        back ("It", "The firm").
        """
        if f" {bridge} " not in self._forms[at]:
            return False
        this = self._statements[at]
        told = any(f" {bridge} " in self._texts[one] for one in (last, at))
        return told or self._statements[last].title != this.title or bool(this.cell or _REFERS.match(this.text))


def named_stems(question: str) -> frozenset[str]:
    """Return the stems of a question's names and numbers."""
    return stems(" ".join(_NAMES.findall(question)))


def stems_of_names(question: str) -> tuple[frozenset[str], ...]:
    """Return the stems of each name of a question."""
    return tuple(stems(found[0]) for found in _WHOLE_NAMES.finditer(question))
