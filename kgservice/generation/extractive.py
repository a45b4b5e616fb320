"""Answers without a language model: the sentence closest to the question, and what it names of the kind asked for.

It reads one sentence at a time, so it cannot join facts, and it knows nothing by heart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgservice.embedding import Embedder
from kgservice.evaluation.matching import normalised
from kgservice.generation.generator import REFUSAL, Asked, Generated
from kgservice.questions.words import AUXILIARIES, BE, PREPOSITIONS
from kgservice.retrieval.bm25 import bare
from kgservice.retrieval.scoring import telling

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgservice.extraction.names import Name
    from kgservice.extraction.parser import Parser

THRESHOLD = 0.5  # cosine of question and sentence
LOOKED_AT = 3  # sentences
REMEMBERED = 50_000  # sentences and questions whose vectors, or trees, are in memory

_PLACES = "place|city|country|town|region|state|port|district|village|location|birthplace|capital"
_PEOPLE = "person|founder|director|chief|governor|minister|author|mayor|president|chair\\w*|head|spouse|executive"
_GROUPS = "company|organi[sz]ation|firm|bank|supplier|agency|auditor|programme|program|party|team|university|exchange"
KINDS = (  # the first that fits says what is asked for
    (re.compile(r"(?i)\bhow (?:many|much)\b"), frozenset(("number",))),
    (re.compile(r"(?i)\b(?:when|(?:what|which) (?:year|day|date|month))\b"), frozenset(("date",))),
    (re.compile(rf"(?i)\bwhere\b|\b(?:what|which)(?: is the)? (?:{_PLACES})\b"), frozenset(("place",))),
    (re.compile(rf"(?i)\b(?:what|which)(?: is the)? (?:{_GROUPS})\b"), frozenset(("organization",))),
    (re.compile(rf"(?i)\b(?:who|whom|whose)\b|\b(?:what|which)(?: is the)? (?:{_PEOPLE})\b"), frozenset(("person",))),
)
_ASKING = frozenset("what which who whom whose when where how many much".split()) | BE | AUXILIARIES | PREPOSITIONS


class _Found(NamedTuple):
    """A candidate, best first in this order: its kind fits, its sentence's place, how near to the question's words."""

    unfit: int
    place: int
    distance: int
    label: str


class ExtractiveGenerator:
    """Refuses where no sentence has a cosine of `threshold` with the question, or none of these names anything new."""

    name = "extractive"

    def __init__(self, embedder: Embedder, threshold: float = THRESHOLD) -> None:
        self._embedder, self._threshold = embedder, threshold
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._questions: dict[str, NDArray[np.float32]] = {}
        self._trees: dict[str, Doc] = {}
        self._parser: Parser | None = None

    async def answers(self, asked: Sequence[Asked]) -> list[Generated]:
        """Return an answer a question; its reasoning is the sentence that it was read from."""
        return [self._answer(one) for one in asked]

    def _answer(self, one: Asked) -> Generated:
        found = self._closest(one)
        candidates = [
            candidate
            for place, sentence in enumerate(found)
            for candidate in _candidates(self._tree(sentence), one.question, place)
        ]
        if not candidates:
            return Generated(answer=REFUSAL, reasoning=found[0] if found else "")
        best = min(candidates)
        return Generated(answer=best.label, reasoning=found[best.place])

    def _closest(self, one: Asked) -> list[str]:
        """The sentences that are close enough to the question, closest first, of the four a passage that share most."""
        told = bare(one.question)
        each = list(dict.fromkeys(sentence for text in one.contexts for sentence in telling(text, told)))
        if not each:
            return []
        cosines = self._embedded(each) @ self._asked(one.question)
        order = sorted(range(len(each)), key=lambda at: (-cosines[at], at))[:LOOKED_AT]
        return [each[at] for at in order if cosines[at] >= self._threshold]

    def _asked(self, question: str) -> NDArray[np.float32]:
        """The vector of a question, which comes with several sets of passages."""
        if question not in self._questions:
            self._questions = {question: np.array(self._embedder.embed_query(question), np.float32)}
        return self._questions[question]

    def _embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(self._vectors) > REMEMBERED:
            self._vectors.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= zip(new, np.array(self._embedder.embed(new), np.float32), strict=True)
        return np.stack([self._vectors[text] for text in texts])

    def _tree(self, sentence: str) -> Doc:
        from kgservice.extraction.parser import Parser  # spaCy, which only those who read need

        if self._parser is None:
            self._parser = Parser()
        if len(self._trees) > REMEMBERED:
            self._trees.clear()
        if sentence not in self._trees:
            self._trees[sentence] = self._parser.sentence(sentence)
        return self._trees[sentence]


def _candidates(tree: Doc, question: str, place: int) -> Iterable[_Found]:
    """What a sentence names that the question does not."""
    wanted = next((kinds for asks, kinds in KINDS if asks.search(question)), frozenset[str]())
    known, told = normalised(question), bare(question) - _ASKING
    near = [token.i for token in tree if token.lower_ in told] or [0]
    for name in _named(tree):
        label = normalised(name.label)
        if not label or f" {label} " in f" {known} ":
            continue
        kind = name.kind if name.kind != "entity" else name.type or "entity"
        distance = min(max(name.start - at, at - name.end + 1) for at in near)
        yield _Found(_unfit(kind, wanted), place, distance, name.label)


def _named(tree: Doc) -> list[Name]:
    from kgservice.extraction.names import Names

    names = Names(tree[:], "")
    found = (names.of(token) for token in tree)
    return list({(name.start, name.end): name for name in found if name is not None}.values())


def _unfit(kind: str, wanted: frozenset[str]) -> int:
    """0: of a kind that is asked for, or any will do; 1: a name of a kind not known; 2: of another kind."""
    if not wanted or kind in wanted:
        return 0
    return 1 if kind == "entity" and not wanted & {"number", "date"} else 2
