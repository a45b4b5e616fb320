"""Answers without a language model, from the sentence closest to the question or a chain of sentences.

A chain of sentences or table cells goes from name to name. The answer is a name of its last statement that has the type
the question asks for. The reader has no knowledge besides the passages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgservice.answering.generator import REFUSAL, Generated, QuestionWithPassages
from kgservice.answering.reader.answer_check import AnswerCheck
from kgservice.answering.reader.answer_type import answer_types, asked_noun
from kgservice.answering.reader.chains import Chain, Follower, named_stems, stems_of_names
from kgservice.answering.reader.definition import defined, definition, is_plain
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
REMEMBERED = 50_000  # questions, and sentences whose names are cached

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")


class ReaderWeights(NamedTuple):
    """Weights of an answer's features, and the score below which it is refused.

    Fitted on other questions (benchmarks/reader.py).
    """

    shared: float = 1.0  # share of the question's words in the chain
    near: float = 0.1  # mean cosine
    hop: float = 0.05  # for each statement after the first one
    unfit: float = 0.3  # 1 for a type that may be wrong, 2 for a wrong one
    apart: float = 0.3  # distance in the sentence from the question's focus, from 0 to 1
    threshold: float = 0.55  # lower scores are refused


class AnswerCandidate(NamedTuple):
    """A possible answer with its features and the statements that lead to it."""

    label: str
    name: NamedPart
    chain: Chain
    unfit: float
    apart: float

    @property
    def features(self) -> tuple[float, ...]:
        """Return the features in the order of the weights. Penalties are negative."""
        return self.chain.shared, self.chain.near, 1.0 - len(self.chain.path), -self.unfit, -self.apart

    def score(self, weights: ReaderWeights) -> float:
        """Return the weighted sum of the features."""
        return sum(weight * value for weight, value in zip(weights, self.features, strict=False))


class FoundAnswer(NamedTuple):
    """An answer or REFUSAL, and the chain of statements behind it."""

    answer: str
    path: list[PassageStatement]


class _Question(NamedTuple):
    """A parsed question: text, vector, word stems, those of its focus, of all its names and of each (`named`), the noun
    and the types that it asks for."""

    text: str
    vector: NDArray[np.float32]
    words: frozenset[str]
    focus: frozenset[str]
    names: frozenset[str]
    named: tuple[frozenset[str], ...]
    noun: str
    kinds: frozenset[str]


class _Read(NamedTuple):
    """The statements of passages.

    `question` is in the spelling of the passages, `looked_at` has the indexes of possible first statements of a chain.
    """

    statements: list[PassageStatement]
    question: str
    looked_at: tuple[int, ...]


class ExtractiveGenerator:
    """A reader that refuses if the best answer scores below the threshold."""

    name = "extractive 11"  # count up when answers change: a resumed run needs the same reader

    def __init__(self, embedder: Embedder, weights: ReaderWeights | None = None) -> None:
        self._embedder, self._weights = embedder, weights or ReaderWeights()
        self._questions: dict[str, _Question] = {}
        self._sentences: dict[str, NamedSentence] = {}
        self._parser: Parser | None = None

    async def answers(self, asked: Sequence[QuestionWithPassages]) -> list[Generated]:
        """Return an answer a question. Its reasoning is the chain of statements behind it."""
        return [self._answer(read) for read in self._read(asked)]

    def candidates(self, question: QuestionWithPassages) -> tuple[list[AnswerCandidate], list[PassageStatement]]:
        """Return every possible answer from the passages, unordered, and the statements of the passages."""
        (read,) = self._read([question])
        return self._found(read), read.statements

    def _found(self, read: _Read) -> list[AnswerCandidate]:
        if not read.statements:
            return []
        asked = self._asked(read.question)
        vectors = self._embedder.embed_once([_whole(read.statements[at]) for at in read.looked_at])
        cosines = {at: float(vectors[_whole(read.statements[at])] @ asked.vector) for at in read.looked_at}
        follower = Follower(asked.text, read.statements, cosines, self._named)
        return [
            AnswerCandidate(
                _as_asked(name, asked), name, chain, _unfit(name, asked),
                self._apart(name, read.statements[chain.path[-1]], asked),
            )
            for chain in follower.chains()
            for name in follower.ends(chain)
        ]  # fmt: skip

    def _apart(self, name: NamedPart, last: PassageStatement, asked: _Question) -> float:
        """Return the distance of a name from the question's focus in its sentence, from 0 to 1.

        A cell is at distance 0, as its row and column describe it. Without a word of the focus in the sentence, any
        word of the question counts half.
        """
        if name.at < 0:
            return 0.0 if last.cell else 0.5 if asked.focus & last.own else 1.0
        sentence = self._sentence(last.text)
        if asked.focus & last.own:
            return sentence.apart(name.at, asked.focus) / FAR
        return (1 + sentence.apart(name.at, asked.words) / FAR) / 2

    def read(self, question: QuestionWithPassages) -> FoundAnswer:
        """Return the answer to one question and the statements that lead to it.

        An answer must pass `AnswerCheck`, which refuses what is about something else than the question names.
        """
        (read,) = self._read([question])
        return self._best(read, strict=True)

    def _answer(self, read: _Read) -> Generated:
        best = self._best(read)
        return Generated(answer=best.answer, reasoning=" → ".join(statement.text for statement in best.path))

    def _best(self, read: _Read, *, strict: bool = False) -> FoundAnswer:
        thing = defined(read.question)
        if thing and (found := definition(thing, read.statements)):
            return FoundAnswer(found[0], [found[1]])
        if thing and is_plain(thing):  # any name of these passages would do as well
            return FoundAnswer(REFUSAL, [])
        candidates = self._found(read)
        if strict:
            check = AnswerCheck(read.question, self._asked(read.question).focus)
            candidates = [
                one for one in candidates if check.passes(one.name, [read.statements[at] for at in one.chain.path])
            ]
        if not candidates:
            return FoundAnswer(REFUSAL, [])
        best = max(candidates, key=lambda candidate: candidate.score(self._weights))  # the first of equal ones
        refused = best.score(self._weights) < self._weights.threshold
        return FoundAnswer(REFUSAL if refused else best.label, [read.statements[at] for at in best.chain.path])

    def _read(self, asked: Sequence[QuestionWithPassages]) -> list[_Read]:
        """Return the statements of each question's passages, and make the vectors of the closest ones by words.

        Passages that several questions share are split once, and all vectors are made in one batch.
        """
        states = {contexts: passage_statements(contexts) for contexts in dict.fromkeys(item.contexts for item in asked)}
        words = {contexts: frozenset[str]().union(*map(bare, contexts)) for contexts in states}
        reads = []
        for item in asked:
            statements = [*states[item.contexts], *item.known]
            question = respelt(asking(item.question), words[item.contexts])
            asked_stems = stems(question)
            order = sorted(range(len(statements)), key=lambda at: (-len(statements[at].stems & asked_stems), at))[
                :LOOKED_AT
            ]
            reads.append(_Read(statements, question, tuple(order)))
        self._embedder.embed_once([_whole(read.statements[at]) for read in reads for at in read.looked_at])
        return reads

    def _asked(self, question: str) -> _Question:
        """Return a parsed question, cached because it may come with several sets of passages."""
        if len(self._questions) > REMEMBERED:
            self._questions.clear()
        if question not in self._questions:
            vector = np.array(self._embedder.embed_query(question), np.float32)
            kinds, noun = answer_types(question), asked_noun(question)
            self._questions[question] = _Question(
                question, vector, stems(question), focus(self._tree(question)), named_stems(question),
                stems_of_names(question), noun, kinds,
            )  # fmt: skip
        return self._questions[question]

    def _named(self, statement: PassageStatement) -> list[NamedPart]:
        """Return the names in a statement (of a cell its value), then the subject of its passage's title."""
        if statement.cell:
            kind = statement.kind or read_value(statement.cell)[0]
            inner = [NamedPart(statement.cell, normalised(statement.cell), kind)]
            if statement.kind:  # an entry of a manual is not about the manual
                return inner
        else:
            inner = list(self._sentence(statement.text).names)
        if not (title := statement.subject) or not _is_name(title):
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
    """Return whether a title can be an answer. A headline has lower-case words and cannot."""
    return all(word[:1].isupper() or word[:1].isdigit() for word in title.split() if len(word) > 3)


def _whole(statement: PassageStatement) -> str:
    """Return the text of a statement to embed: with the title, unless the title is in it."""
    return (
        statement.text
        if not statement.title or statement.title in statement.text
        else f"{statement.title}: {statement.text}"
    )


def _as_asked(name: NamedPart, question: _Question) -> str:
    """Return the label of a name, or the year of a date if the question asks for a year."""
    year = _YEAR.search(name.label) if question.noun == "year" and name.kind == "date" else None
    return year[0] if year else name.label


def _unfit(name: NamedPart, question: _Question) -> float:
    """Return how badly a name fits the type that the question asks for, from 0 (fits) to 2 (another type).

    Values between are uncertain: names often get a wrong type, and a phrase without a name may answer "what". A name
    that shares words with the question is likely a variant of a name in it, a person only with all words of one.
    """
    value, kinds = name.kind in ("number", "date"), question.kinds
    if value:
        return 0.0 if name.kind in kinds else 2.0 if kinds else 1.0
    words, called = stems(name.form), name.kind != THING and f" {question.noun} " in f" {name.form} "
    if name.kind == "person" and name.kind in kinds and not any(words <= own or words >= own for own in question.named):
        return 0.0  # "Victor Hartwell" of "Hartwell Group"
    overlap = len(words & question.names - {stem(question.noun) if called else ""}) / (len(words) or 1)
    if name.kind in kinds or called:
        return overlap
    if not kinds:  # "what did the person study at" asks for no person
        return overlap + (1.0 if stem(name.kind) in question.words else 0.5 if name.kind == THING else 0.0)
    return 2.0 if kinds & {"number", "date"} else overlap + (1.5 if name.kind == THING else 1.0)
