"""Answers without a language model: from the sentence closest to the question, or from those that lead on from it.

A chain of sentences (or table cells) is followed from name to name; the answer is what its last one names of the kind
asked for. It knows nothing by heart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.answering.reader.answer_type import answer_types, asked_noun
from kgservice.answering.reader.chains import Chain, Follower
from kgservice.answering.reader.naming import FAR, THING, NamedPart, NamedSentence, sentence
from kgservice.answering.reader.passage_statements import PassageStatement, passage_statements, stem, stems
from kgservice.answering.reader.question_words import asking, focus, respelt
from kgservice.retrieval.bm25 import bare
from kgservice.text.matching import normalised
from kgservice.text.values import read_value
from kgservice.vectors.embedder import Embedder

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from kgservice.extraction.syntax.parser import Parser

LOOKED_AT = 12  # statements whose vectors are compared with the question's
REMEMBERED = 50_000  # sentences and questions whose vectors, or names, are in memory

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


class ReaderWeights(NamedTuple):
    """What makes an answer a good one, and how good it has to be: chosen on other questions (benchmarks/reader.py)."""

    shared: float = 1.0  # of the question's words, the share that the chain has
    near: float = 0.1  # mean cosine
    hop: float = 0.05  # for each statement after the first
    unfit: float = 0.3  # of a kind that may not be the one asked for; twice, of another kind
    apart: float = 0.3  # far in the sentence from the words that say what is asked
    threshold: float = 0.55  # below it there is no answer


class AnswerCandidate(NamedTuple):
    """An answer that can be given, with what tells how good it is, and the statements that lead to it."""

    label: str
    chain: Chain
    unfit: float
    apart: float

    @property
    def features(self) -> tuple[float, ...]:
        """What speaks for it, in the order of the weights; what speaks against it is negative."""
        return self.chain.shared, self.chain.near, 1.0 - len(self.chain.path), -self.unfit, -self.apart

    def score(self, weights: ReaderWeights) -> float:
        """Return how good an answer it is."""
        return sum(weight * value for weight, value in zip(weights, self.features, strict=False))


class FoundAnswer(NamedTuple):
    """An answer, or REFUSAL, and the chain of statements that it was read from."""

    answer: str
    path: list[PassageStatement]


class _Question(NamedTuple):
    """A question's text, vector, words and those that say what is asked; the noun and the kinds that it asks for."""

    text: str
    vector: NDArray[np.float32]
    words: frozenset[str]
    focus: frozenset[str]
    noun: str
    kinds: frozenset[str]


class _Read(NamedTuple):
    """What passages state, the question as they spell it, and the numbers of the statements that may begin a chain."""

    statements: list[PassageStatement]
    question: str
    looked_at: tuple[int, ...]


class ExtractiveGenerator:
    """Refuses where the best answer has a score below the threshold."""

    name = "extractive 2"  # another number where a change makes other answers: a run goes on with one reader alone

    def __init__(self, embedder: Embedder, weights: ReaderWeights | None = None) -> None:
        self._embedder, self._weights = embedder, weights or ReaderWeights()
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._questions: dict[str, _Question] = {}
        self._sentences: dict[str, NamedSentence] = {}
        self._parser: Parser | None = None

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question; its reasoning is the chain of statements that it was read from."""
        return [self._answer(read) for read in self._read(asked)]

    def candidates(self, one: QuestionWithPassages) -> tuple[list[AnswerCandidate], list[PassageStatement]]:
        """Return every answer that can be read from the passages, in no order of worth, and what they state."""
        (read,) = self._read([one])
        return self._found(read), read.statements

    def _found(self, read: _Read) -> list[AnswerCandidate]:
        if not read.statements:
            return []
        asked = self._asked(read.question)
        cosines = {at: float(self._vectors[_whole(read.statements[at])] @ asked.vector) for at in read.looked_at}
        follower = Follower(asked.text, read.statements, cosines, self._named)
        return [
            AnswerCandidate(
                _as_asked(name, asked), chain, _unfit(name, asked),
                self._apart(name, read.statements[chain.path[-1]], asked),
            )
            for chain in follower.chains()
            for name in follower.ends(chain)
        ]  # fmt: skip

    def _apart(self, name: NamedPart, last: PassageStatement, asked: _Question) -> float:
        """How far a name is from what is asked in its sentence, of 1; a cell is said of its row and column.

        Where the sentence does not have it, any word of the question counts half.
        """
        if name.at < 0:
            return 0.0 if last.cell else 0.5 if asked.focus & last.own else 1.0
        said = self._sentence(last.text)
        if asked.focus & last.own:
            return said.apart(name.at, asked.focus) / FAR
        return (1 + said.apart(name.at, asked.words) / FAR) / 2

    def read(self, one: QuestionWithPassages) -> FoundAnswer:
        """Return the answer to one question and the statements that lead to it."""
        (read,) = self._read([one])
        return self._best(read)

    def _answer(self, read: _Read) -> Generated:
        best = self._best(read)
        return Generated(answer=best.answer, reasoning=" → ".join(one.text for one in best.path))

    def _best(self, read: _Read) -> FoundAnswer:
        found = self._found(read)
        if not found:
            return FoundAnswer(REFUSAL, [])
        best = max(found, key=lambda candidate: candidate.score(self._weights))  # of equal ones the first
        refused = best.score(self._weights) < self._weights.threshold
        return FoundAnswer(REFUSAL if refused else best.label, [read.statements[at] for at in best.chain.path])

    def _read(self, asked: Sequence[QuestionWithPassages]) -> list[_Read]:
        """What the passages state, and which statements share most words with the question; these get their vectors.

        Passages that come with several questions are taken apart once, and all vectors are made together.
        """
        states = {contexts: passage_statements(contexts) for contexts in dict.fromkeys(one.contexts for one in asked)}
        words = {contexts: frozenset[str]().union(*map(bare, contexts)) for contexts in states}
        reads = []
        for one in asked:
            statements, question = states[one.contexts], respelt(asking(one.question), words[one.contexts])
            told = stems(question)
            order = sorted(range(len(statements)), key=lambda at: (-len(statements[at].stems & told), at))[:LOOKED_AT]
            reads.append(_Read(statements, question, tuple(order)))
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
            vector = np.array(self._embedder.embed_query(question), np.float32)
            kinds, noun = answer_types(question), asked_noun(question)
            self._questions[question] = _Question(
                question, vector, stems(question), focus(self._tree(question)), noun, kinds
            )
        return self._questions[question]

    def _named(self, one: PassageStatement) -> list[NamedPart]:
        """What a statement names, of a cell its value alone; then what its passage is about, if that has a title."""
        if one.cell:
            inner = [NamedPart(one.cell, normalised(one.cell), read_value(one.cell)[0])]
        else:
            inner = list(self._sentence(one.text).names)
        if not (title := one.subject) or not _is_name(title):
            return inner
        form = normalised(title)
        kind = next((name.kind for name in self._sentence(title).names if name.form == form), "entity")
        return [*inner, *([] if any(name.form == form for name in inner) else [NamedPart(title, form, kind)])]

    def _sentence(self, text: str) -> NamedSentence:
        if len(self._sentences) > REMEMBERED:
            self._sentences.clear()
        if text not in self._sentences:
            self._sentences[text] = sentence(self._tree(text))
        return self._sentences[text]

    def _tree(self, sentence: str) -> Doc:
        from kgservice.extraction.syntax.parser import Parser  # spaCy, which only those who read need

        if self._parser is None:
            self._parser = Parser()
        return self._parser.sentence(sentence)


def _is_name(title: str) -> bool:
    """Whether a title can be an answer: a headline has words in small letters."""
    return all(word[:1].isupper() or word[:1].isdigit() for word in title.split() if len(word) > 3)


def _whole(one: PassageStatement) -> str:
    """A statement as it is embedded: with the title that says what it is about."""
    return one.text if not one.title or one.title in one.text else f"{one.title}: {one.text}"


def _as_asked(name: NamedPart, asked: _Question) -> str:
    """A name as it is written, of a date that a year is asked of the year."""
    year = _YEAR.search(name.label) if asked.noun == "year" and name.kind == "date" else None
    return year[0] if year else name.label


def _unfit(name: NamedPart, asked: _Question) -> float:
    """How far a name is from what is asked for, from 0 (it is of such a kind, or called so) to 2 (of another kind).

    Between lies what may be meant: names are often taken for another kind, and what has no name is an answer to "what".
    A name that the question has in part is likely another one for what it names.
    """
    value, kinds = name.kind in ("number", "date"), asked.kinds
    if value:
        return 0.0 if name.kind in kinds else 2.0 if kinds else 1.0
    words, called = stems(name.form), name.kind != THING and f" {asked.noun} " in f" {name.form} "
    known = len(words & asked.words - {stem(asked.noun) if called else ""}) / (len(words) or 1)
    if name.kind in kinds or called:
        return known
    if not kinds:  # "what did the person study at" asks for no person
        return known + (1.0 if stem(name.kind) in asked.words else 0.5 if name.kind == THING else 0.0)
    return 2.0 if kinds & {"number", "date"} else known + (1.5 if name.kind == THING else 1.0)
