"""Chains of statements that lead from what a question names to what it asks: each names what the next one is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

from kgservice.answering.reader.answer_type import CLASSES
from kgservice.answering.reader.naming import THING, NamedPart
from kgservice.answering.reader.passage_statements import PassageStatement, stems
from kgservice.text.matching import normalised

BEGINNINGS = 6  # statements that a chain may begin with
WIDTH = 8  # chains of one length that are followed further
HOPS = 3  # statements of the longest chain
BRIDGES, NEXT = 5, 6  # names of a statement that are followed, statements looked at for each
CLASS = 0.25  # what "city" and "company" count, which passages seldom say of what is one


_NAMES = re.compile(r"(?<!^)\b(?:[A-Z]\w*|\d[\w.,]*)")


class Chain(NamedTuple):
    """Statements by number, the names that joined them, and the share of the question's words that they have.

    `shared` counts a rare word more; `near` is the mean cosine of its statements with the question.
    """

    path: tuple[int, ...]
    bridges: tuple[str, ...]
    shared: float
    near: float


class Follower:
    """Follows chains through the statements of one question's passages.

    `cosines` are those of the question with each statement; `named` gives what a statement names.
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
        self._anchors = stems(" ".join(_NAMES.findall(question)))
        every = len(statements)
        holding = {stem: sum(stem in one.stems for one in statements) for stem in self._asked}
        self._weights = {
            stem: log(1 + every / (1 + number)) * (CLASS if stem in CLASSES else 1) for stem, number in holding.items()
        }
        self._whole = sum(self._weights.values()) or 1.0
        self._forms = [f" {normalised(f'{one.title} {one.text}')} " for one in statements]

    def chains(self) -> Iterator[Chain]:
        """Yield chains of one statement, then longer ones; of each length the best are followed further."""
        begun = [self._chain((at,), ()) for at in self._cosines]
        begun = sorted(begun, key=lambda chain: (-chain.shared - chain.near, chain.path))[:BEGINNINGS]
        for _ in range(HOPS):
            yield from begun
            longer = {chain.path: chain for one in begun for chain in self._longer(one)}
            begun = sorted(longer.values(), key=lambda chain: (-chain.shared - chain.near, chain.path))[:WIDTH]

    def ends(self, chain: Chain) -> list[NamedPart]:
        """What the last statement of a chain names that neither the question nor the way there does.

        Where that statement has a name of the question that those before lack, the name that led to it is the one of
        which both are true ("Which fund funds … and is headquartered in …?").
        """
        *before, last = chain.path
        known = frozenset[str]().union(*(self._statements[at].own for at in before))
        both = chain.bridges[-1:] if self._anchors & self._statements[last].own - known else ()
        way = [self._forms[at] for at in before]
        return [one for one in self._named(self._statements[last]) if one.form in both or self._new(one.form, way)]

    def _new(self, form: str, way: Sequence[str]) -> bool:
        return bool(form) and not any(f" {form} " in known for known in (self._known, *way))

    def _chain(self, path: tuple[int, ...], bridges: tuple[str, ...]) -> Chain:
        there = frozenset[str]().union(*(self._statements[at].stems for at in path))
        shared = sum(weight for stem, weight in self._weights.items() if stem in there) / self._whole
        near = sum(self._cosines.get(at, 0.0) for at in path) / len(path)
        return Chain(path, bridges, shared, near)

    def _longer(self, chain: Chain) -> Iterator[Chain]:
        """The chain with one statement more, which is about a name of its last one and adds a word of the question."""
        first, last = self._statements[chain.path[0]], self._statements[chain.path[-1]]
        if self._anchors and not self._anchors & first.stems:  # it would lead back to what the question names
            return
        there = [one.form for one in self._named(last) if one.kind not in ("number", "date", THING)]
        names = [form for form in there if form not in chain.bridges and self._new(form, ())]
        for bridge in list(dict.fromkeys(names))[:BRIDGES]:
            about = (at for at, form in enumerate(self._forms) if f" {bridge} " in form and at not in chain.path)
            found = [self._chain((*chain.path, at), (*chain.bridges, bridge)) for at in about]
            better = [one for one in found if one.shared > chain.shared]
            yield from sorted(better, key=lambda one: (-one.shared, one.path))[:NEXT]
