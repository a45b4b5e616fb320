"""Answers without a language model: from the sentence closest to the question, or from those that lead on from it.

A chain of sentences (or table cells) is followed from name to name; the answer is what its last one names of the kind
asked for. It knows nothing by heart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgservice.embedding import Embedder
from kgservice.evaluation.matching import normalised
from kgservice.generation.chains import Chain, Follower, Named
from kgservice.generation.generator import REFUSAL, Asked, Generated
from kgservice.generation.statements import Stated, stated, stems
from kgservice.generation.wanted import bare_question, wanted
from kgservice.values import read_value

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgservice.extraction.parser import Parser

LOOKED_AT = 12  # statements whose vectors are compared with the question's
REMEMBERED = 50_000  # sentences and questions whose vectors, or names, are in memory


class Weights(NamedTuple):
    """What makes an answer a good one, and how good it has to be: chosen on other questions (benchmarks/reader.py)."""

    shared: float = 1.0  # of the question's words, the share that the chain has
    near: float = 0.5  # mean cosine
    hop: float = 0.05  # for each statement after the first
    unfit: float = 0.4  # of a kind that may not be the one asked for; twice, of another kind
    threshold: float = 0.825  # below it there is no answer


class Candidate(NamedTuple):
    """An answer that can be given, with what tells how good it is, and the statements that lead to it."""

    label: str
    chain: Chain
    unfit: int

    def score(self, weights: Weights) -> float:
        """Return how good an answer it is."""
        gained = weights.shared * self.chain.shared + weights.near * self.chain.near
        lost = weights.hop * (len(self.chain.path) - 1) + weights.unfit * self.unfit
        return gained - lost


class _Question(NamedTuple):
    """A question's vector, and the kinds of answer that it asks for."""

    vector: NDArray[np.float32]
    kinds: frozenset[str]


class _Read(NamedTuple):
    """What passages state, and the numbers of the statements that may begin a chain."""

    statements: list[Stated]
    looked_at: tuple[int, ...]


class ExtractiveGenerator:
    """Refuses where the best answer has a score below the threshold."""

    name = "extractive"

    def __init__(self, embedder: Embedder, weights: Weights | None = None) -> None:
        self._embedder, self._weights = embedder, weights or Weights()
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._questions: dict[str, _Question] = {}
        self._names: dict[str, list[Named]] = {}
        self._parser: Parser | None = None

    async def answers(self, asked: Sequence[Asked]) -> list[Generated]:
        """Return an answer a question; its reasoning is the chain of statements that it was read from."""
        return [self._answer(one, read) for one, read in zip(asked, self._read(asked), strict=True)]

    def candidates(self, one: Asked) -> tuple[list[Candidate], list[Stated]]:
        """Return every answer that can be read from the passages, in no order of worth, and what they state."""
        (read,) = self._read([one])
        return self._found(one, read), read.statements

    def _found(self, one: Asked, read: _Read) -> list[Candidate]:
        if not read.statements:
            return []
        asked, question = self._asked(one.question), bare_question(one.question)
        cosines = {at: float(self._vectors[_whole(read.statements[at])] @ asked.vector) for at in read.looked_at}
        follower = Follower(question, read.statements, cosines, self._named)
        return [
            Candidate(name.label, chain, _unfit(name.kind, asked.kinds))
            for chain in follower.chains()
            for name in follower.ends(chain)
        ]  # fmt: skip

    def _answer(self, one: Asked, read: _Read) -> Generated:
        found = self._found(one, read)
        if not found:
            return Generated(answer=REFUSAL)
        best = max(found, key=lambda candidate: candidate.score(self._weights))  # of equal ones the first
        reasoning = " → ".join(read.statements[at].text for at in best.chain.path)
        refused = best.score(self._weights) < self._weights.threshold
        return Generated(answer=REFUSAL if refused else best.label, reasoning=reasoning)

    def _read(self, asked: Sequence[Asked]) -> list[_Read]:
        """What the passages state, and which statements share most words with the question; these get their vectors.

        Passages that come with several questions are taken apart once, and all vectors are made together.
        """
        states = {contexts: stated(contexts) for contexts in dict.fromkeys(one.contexts for one in asked)}
        reads = []
        for one in asked:
            statements, told = states[one.contexts], stems(bare_question(one.question))
            order = sorted(range(len(statements)), key=lambda at: (-len(statements[at].stems & told), at))[:LOOKED_AT]
            reads.append(_Read(statements, tuple(order)))
        if len(self._vectors) > REMEMBERED:
            self._vectors.clear()
        texts = dict.fromkeys(_whole(read.statements[at]) for read in reads for at in read.looked_at)
        new = [text for text in texts if text not in self._vectors]
        self._vectors |= zip(new, np.array(self._embedder.embed(new), np.float32), strict=True) if new else ()
        return reads

    def _asked(self, question: str) -> _Question:
        """What a question asks, which comes with several sets of passages."""
        if len(self._questions) > REMEMBERED:
            self._questions.clear()
        if question not in self._questions:
            text = bare_question(question)
            vector = np.array(self._embedder.embed_query(text), np.float32)
            self._questions[question] = _Question(vector, wanted(text))
        return self._questions[question]

    def _named(self, one: Stated) -> list[Named]:
        """What a statement names, of a cell its value alone; then what its passage is about, if that has a title."""
        if one.cell:
            inner = [Named(one.cell, normalised(one.cell), read_value(one.cell)[0])]
        else:
            inner = self._names_of(one.text)
        if not (title := one.subject):
            return inner
        form = normalised(title)
        kind = next((name.kind for name in self._names_of(title) if name.form == form), "entity")
        return [*inner, *([] if any(name.form == form for name in inner) else [Named(title, form, kind)])]

    def _names_of(self, text: str) -> list[Named]:
        if len(self._names) > REMEMBERED:
            self._names.clear()
        if text not in self._names:
            self._names[text] = _names(self._tree(text))
        return self._names[text]

    def _tree(self, sentence: str) -> Doc:
        from kgservice.extraction.parser import Parser  # spaCy, which only those who read need

        if self._parser is None:
            self._parser = Parser()
        return self._parser.sentence(sentence)


def _whole(one: Stated) -> str:
    """A statement as it is embedded: with the title that says what it is about."""
    return one.text if not one.title or one.title in one.text else f"{one.title}: {one.text}"


def _names(tree: Doc) -> list[Named]:
    from kgservice.extraction.names import Names

    names = Names(tree[:], "")
    found = {(name.start, name.end): name for name in map(names.of, tree) if name is not None}
    return [
        Named(one.label, normalised(one.label), one.kind if one.kind != "entity" else one.type or "entity")
        for one in found.values()
    ]


def _unfit(kind: str, wanted: frozenset[str]) -> int:
    """0: of a kind that is asked for, or a name where any will do; 1: may be of that kind, as names are often taken for
    another; 2: a name where a number or date is asked for, or the reverse.
    """
    if kind in wanted:
        return 0
    if not wanted:
        return int(kind in ("number", "date"))
    return 2 if kind in ("number", "date") or wanted & {"number", "date"} else 1
