"""Extraction by a language model: windows of consecutive chunks, a prompt a domain (RARE, section 3.2, appendix F)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Self

from pydantic import BaseModel

from kgservice.core.errors import LLMFailure
from kgservice.core.records import Problem, Term, Triplet
from kgservice.extraction.extractor import Passages, Read
from kgservice.extraction.grounding import LONGEST_END, LONGEST_RELATION, cleaned, is_grounded
from kgservice.llm.client import LLM, Ask, gather
from kgservice.llm.prompts import prompt
from kgservice.text.placement import Folded, Span
from kgservice.text.sentences import sentences
from kgservice.text.values import typed

PROMPTS = 1  # part of a document's content hash: other prompts read every document again
WINDOW = 3  # chunks
STAGE = "extract"
WINDOW_TOKENS = 18 * 85  # of an answer: triplets and their length, reckoned with before any window was answered
DOMAINS = ("finance", "economics", "policy", "news")

_QUOTES = str.maketrans("‘’‚‛′`´“”„‟″«»‹›", "'''''''\"\"\"\"\"\"\"''")


class StatedTriplet(BaseModel):
    """A triplet as the model gives it: first where it stands, then what is said there."""

    chunk: int
    sentence: str
    subject: str
    subject_type: str
    relation: str
    object: str
    object_type: str


class StatedTriplets(BaseModel):
    """The triplets of a window."""

    triplets: list[StatedTriplet]


class _Window(NamedTuple):
    """Consecutive texts of a document, from the place `start` on."""

    passages: Passages
    start: int
    texts: tuple[str, ...]

    @property
    def unit(self) -> str:
        return f"{self.passages.source} texts {self.start + 1}-{self.start + len(self.texts)}"

    def ask(self) -> Ask:
        """The question for the window; its domain's prompt shows what matters there."""
        title, about = self.passages.title, self.passages.about
        domain = self.passages.domain if self.passages.domain in DOMAINS else "general"
        asked = prompt(f"extract_{domain}", title=title, about=about, texts=self.texts)
        return Ask(asked, StatedTriplets, STAGE, self.unit, document=self.passages.source)


class PromptedExtractor:
    """Reads documents by a model, `size` chunks at a time; a window that fails costs only its own chunks.

    Answers are kept on disk, so a load that is interrupted goes on at the window it had come to.
    """

    reads = True

    def __init__(self, llm: LLM, size: int = WINDOW) -> None:
        self._llm, self._size = llm, size

    def __enter__(self) -> Self:
        self._runner = asyncio.Runner()
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._llm.close())
        self._runner.close()

    def reads_language(self, code: str) -> bool:
        """True: models read any."""
        return True

    def asks(self, given: Iterable[Passages]) -> Iterator[Ask]:
        """Yield the questions that reading the documents takes."""
        return (window.ask() for passages in given for window in self._windows(passages))

    def read(self, given: Sequence[Passages]) -> Iterator[Read]:
        """Yield what each document's texts state."""
        answers = gather(self._llm, self.asks(given))
        try:
            for passages in given:
                windows = self._windows(passages)
                yield _together(windows, [self._runner.run(_next(answers)) for _ in windows])
        finally:
            self._runner.run(answers.aclose())

    def _windows(self, passages: Passages) -> list[_Window]:
        places = range(0, len(passages.texts), self._size)
        return [_Window(passages, at, passages.texts[at : at + self._size]) for at in places]


async def _next(answers: AsyncIterator[BaseModel | LLMFailure]) -> BaseModel | LLMFailure:
    return await anext(answers)


def _together(windows: Sequence[_Window], answers: Sequence[BaseModel | LLMFailure]) -> Read:
    """What a document's windows give, and those that could not be read."""
    triplets: list[list[Triplet]] = []
    problems, failed, unread = list[Problem](), list[Problem](), set[int]()
    for window, answer in zip(windows, answers, strict=True):
        stated: list[list[Triplet]] = [[] for _ in window.texts]
        triplets += stated
        if isinstance(answer, LLMFailure):
            unread.update(range(window.start, window.start + len(window.texts)))
            failed.append(Problem(source=window.unit, state="failed", reason=answer.reason, detail=answer.detail))
        elif isinstance(answer, StatedTriplets):
            for one in answer.triplets:
                reason = _put(one, window, stated)
                if reason:
                    problems.append(_rejected(window, one, reason))
    return Read(triplets, tuple(problems), len(windows), tuple(failed), frozenset(unread))


def _put(one: StatedTriplet, window: _Window, stated: list[list[Triplet]]) -> str | None:
    """Put a triplet with the text that it names, or return the reason to reject it."""
    if not 1 <= one.chunk <= len(window.texts):
        return "no such chunk"
    sentence = verbatim(window.texts[one.chunk - 1], one.sentence)
    if sentence is None:
        return "sentence not in its chunk"
    subject, relation, obj = cleaned(one.subject), cleaned(one.relation), cleaned(one.object)
    if reason := _misshapen(subject, relation, obj):
        return reason
    around = (*window.texts, window.passages.title, " ".join(str(value) for _, value in window.passages.about))
    ends = _term(subject, one.subject_type), _term(obj, one.object_type)
    for end, name in zip(ends, ("subject", "object"), strict=True):
        if not is_grounded(end, sentence, around):
            return f"{name} not in its sentence"
    stated[one.chunk - 1].append(Triplet(subject=ends[0], relation=relation, object=ends[1], sentence=sentence))
    return None


def _misshapen(subject: str, relation: str, obj: str) -> str | None:
    if not (subject and relation and obj):
        return "empty end"
    if subject == obj:
        return "about itself"
    if max(len(subject), len(obj)) > LONGEST_END:
        return "end too long"
    return "relation too long" if len(relation.split()) > LONGEST_RELATION or len(relation) > LONGEST_END else None


def verbatim(text: str, sentence: str) -> str | None:
    """Return the sentences of a text that hold what is given as one, in the text's own characters; None for none.

    White space and the kind of quotation marks make no difference; anything else does.
    """
    wanted = " ".join(sentence.translate(_QUOTES).split())
    folded, spans = _searchable(text)
    at = folded.text.find(wanted) if wanted else -1
    if at < 0:
        return None
    start, end = folded.original((at, at + len(wanted)))
    held = [span for span in spans if span[0] < end and span[1] > start]
    return text[min(start, held[0][0]) : max(end, held[-1][1])] if held else text[start:end]


@lru_cache(maxsize=8)
def _searchable(text: str) -> tuple[Folded, list[Span]]:
    """Return a text made ready to find sentences in, and its sentences; a window's triplets share them."""
    return Folded(text.translate(_QUOTES)), list(sentences(text))


def _term(label: str, type_: str) -> Term:
    term = typed(Term(label=label))
    return term.model_copy(update={"type": cleaned(type_).lower() or None}) if term.kind == "entity" else term


def _rejected(window: _Window, one: StatedTriplet, reason: str) -> Problem:
    said = f"({one.subject}, {one.relation}, {one.object}) in chunk {one.chunk}: {one.sentence}"
    return Problem(source=window.unit, state="rejected", reason=reason, detail=said[:500])
