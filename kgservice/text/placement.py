"""Placement of ready-made triplets in the chunks that state them, and of names in text."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from operator import attrgetter

from kgservice.core.records import Chunk, Document, Problem, Term, Triplet
from kgservice.text.sentences import sentences
from kgservice.text.values import ENTITY, read_value, typed

Span = tuple[int, int]
_WORD = re.compile(r"\S+")
_START = attrgetter("start")
SHORT = 5_000  # characters of a text that is searched sooner than it is cut into sentences


class Folded:
    """A text with each run of white space as one space, so that names are found across line breaks.

    Results have offsets of the original. Names match whole words: "Al" is not in "Also".
    """

    def __init__(self, text: str) -> None:
        self.text, self._whole = " ".join(text.split()), text

    @cached_property
    def lower(self) -> str:
        """Return the folded text in lower case."""
        return _lower(self.text)

    @cached_property
    def _starts(self) -> tuple[array[int], array[int]]:
        """Return where each word starts, in the original and in the folded text."""
        original, folded, at = array("Q"), array("Q"), 0
        for word in _WORD.finditer(self._whole):
            original.append(word.start())
            folded.append(at)
            at += word.end() - word.start() + 1
        return original, folded

    def original(self, span: Span) -> Span:
        """Return the span in the original of a span of the folded text."""
        if self.text == self._whole:
            return span
        original, folded = self._starts
        first, last = bisect_right(folded, span[0]) - 1, bisect_right(folded, span[1] - 1) - 1
        start = original[first] + span[0] - folded[first]
        return start, original[last] + span[1] - folded[last]

    def folded(self, span: Span) -> Span:
        """Return the span in the folded text of a span of the original, without white space at its ends."""
        original, folded = self._starts
        first = max(bisect_right(original, span[0]) - 1, 0)
        last = max(bisect_right(original, span[1] - 1) - 1, 0)
        start = max(folded[first] + span[0] - original[first], 0)
        word_end = folded[last + 1] - 1 if last + 1 < len(folded) else len(self.text)
        return start, min(folded[last] + span[1] - original[last], word_end)

    def places(self, name: str, exact: bool, within: Span | None = None) -> Iterator[Span]:
        """Yield the spans of a folded name as whole words, in order."""
        text = self.text if exact else self.lower
        name = name if exact else _lower(name)
        start, end = within or (0, len(text))
        at = text.find(name, start, end) if name else -1
        while at >= 0:
            if _whole(text, at, at + len(name)):
                yield at, at + len(name)
            at = text.find(name, at + 1, end)


def _lower(text: str) -> str:
    """Return the text in lower case, character by character, so that offsets do not change."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def _whole(text: str, start: int, end: int) -> bool:
    """Return whether a span begins and ends at word boundaries. Scripts without spaces between words always do."""
    before = start > 0 and text[start - 1].isalnum() and _joins(text[start - 1], text[start])
    return not before and not (end < len(text) and text[end].isalnum() and _joins(text[end - 1], text[end]))


def _joins(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and max(left, right) < "\u2e80"


@lru_cache(maxsize=8)
def _folded(text: str) -> Folded:
    return Folded(text)


def mention(chunk_text: str, label: str, near: str) -> Span | None:
    """Return the span of a label in the chunk, or None: in the sentence `near` first, and with exact case first."""
    start = chunk_text.find(near) if near else -1
    at = chunk_text.find(label, start, start + len(near)) if start >= 0 else -1
    if at >= 0 and _whole(chunk_text, at, at + len(label)):  # as it mostly is, word for word
        return at, at + len(label)
    text, name, sentence = _folded(chunk_text), " ".join(label.split()), " ".join(near.split())
    at = text.text.find(sentence) if sentence else -1
    scopes = [(at, at + len(sentence)), None] if at >= 0 else [None]
    for scope in scopes:
        for exact in (True, False):
            if span := next(text.places(name, exact, scope), None):
                return text.original(span)
    return None


def place(document: Document, chunks: Sequence[Chunk]) -> list[list[Triplet]]:
    """Return the ready-made triplets of each chunk with values typed and the sentence as in the text.

    A triplet belongs to the first chunk with its sentence. Without one it gets the first sentence with both ends, else
    a passage: the text of the first chunk with both ends, else with the subject, else of the first chunk.
    """
    placed: list[dict[tuple[object, ...], Triplet]] = [{} for _ in chunks]
    if not chunks or not document.triplets:
        return [[] for _ in chunks]
    text = _Text(document.text, chunks)
    for source in document.triplets:
        spot = _stated(text, chunks, source.sentence, whole=True) or _said(text.folded, text.spans, chunks, source)
        if spot is None:
            at = _passage(text.folded, text.windows, source)
            spot = at, (chunks[at].start, chunks[at].end)
        at, (start, end) = spot
        found = _typed(source, document.text[start:end])
        placed[at].setdefault(_values(found), found)
    return [list(triplets.values()) for triplets in placed]


class _Text:
    """A document's text, folded, and the places of its sentences and chunks there, each made at its first use."""

    def __init__(self, text: str, chunks: Sequence[Chunk]) -> None:
        self.whole, self._chunks = text, chunks

    @cached_property
    def folded(self) -> Folded:
        """Return the text with each run of white space as one space."""
        return Folded(self.whole)

    def sentence(self, said: str) -> Span | None:
        """Return the first place of a folded text as a whole sentence, None where it has no place but one at most."""
        if len(self.whole) <= SHORT and self.folded.text.find(said, self.folded.text.find(said) + 1) < 0:
            return None
        return self._sentences.get(said)

    @cached_property
    def _sentences(self) -> dict[str, Span]:
        index = dict[str, Span]()
        for start, end in sentences(self.whole):
            index.setdefault(" ".join(self.whole[start:end].split()), (start, end))
        return index

    @cached_property
    def spans(self) -> list[Span]:
        """Return the sentences as spans of the folded text."""
        return [self.folded.folded(span) for span in sentences(self.whole)]

    @cached_property
    def windows(self) -> list[Span]:
        """Return the chunks as spans of the folded text."""
        return [self.folded.folded((chunk.start, chunk.end)) for chunk in self._chunks]


def _values(triplet: Triplet) -> tuple[object, ...]:
    """Return what makes a typed triplet another one, as a tuple: it is hashed in a third of the time."""
    one, two = triplet.subject, triplet.object
    ends = one.label, one.kind or "entity", two.label, two.kind or "entity"
    more = one.value, one.unit, one.type, two.value, two.unit, two.type, triplet.doubted, triplet.confidence
    return (*ends, triplet.relation, triplet.sentence, triplet.cell, triplet.period, *more)


def place_stated(document: Document, chunks: Sequence[Chunk]) -> tuple[list[list[Triplet]], list[Problem]]:
    """Return the facts that a loader read from the source, by chunk.

    A fact is rejected if no chunk holds the lines that state it.
    """
    placed: list[list[Triplet]] = [[] for _ in chunks]
    problems = []
    text = _Text(document.text, chunks)
    for triplet in document.stated:
        if spot := _stated(text, chunks, triplet.sentence):
            placed[spot[0]].append(_typed(triplet, document.text[slice(*spot[1])]))
        else:
            detail = f"{triplet.relation} {triplet.object.label}: {triplet.sentence[:80]!r}"
            problem = Problem(source=document.source, state="rejected", reason="lines in no one chunk", detail=detail)
            problems.append(problem)
    return placed, problems


def _typed(triplet: Triplet, sentence: str) -> Triplet:
    """Return the triplet with its ends typed and this sentence; the same one if its ends are names and it has that."""
    subject, obj = triplet.subject, triplet.object
    if triplet.sentence == sentence and _is_name(subject) and _is_name(obj):  # as most
        return triplet
    return triplet.but(subject=typed(subject), object=typed(obj), sentence=sentence)


def _is_name(end: Term) -> bool:
    """Return whether an end is a name by its label and has nothing but a class."""
    return end.kind is end.value is end.unit is None and read_value(end.label) is ENTITY


def _holder(chunks: Sequence[Chunk], span: Span) -> int | None:
    """Return the index of the first chunk that holds the whole span of the original text, or None."""
    last = bisect_right(chunks, span[0], key=_START) if len(chunks) > 1 else chunks[0].start <= span[0]
    holders = []
    for at in range(last - 1, -1, -1):  # overlapping chunks are neighbours
        if chunks[at].end >= span[1]:
            holders.append(at)
        elif chunks[at].end <= span[0]:
            break
    return min(holders, default=None)


def _stated(text: _Text, chunks: Sequence[Chunk], sentence: str, *, whole: bool = False) -> tuple[int, Span] | None:
    """Return the chunk and the span of a given sentence, or of any text given as one, or None.

    `whole`: where it stands as a whole sentence comes before where it is part of a longer one.
    """
    said = " ".join(sentence.split())
    if not said:
        return None
    at = -1
    if whole and (span := text.sentence(said)):
        holder = _holder(chunks, span)
        if holder is not None:
            return holder, span
        at = text.folded.folded(span)[0]
    while (at := text.folded.text.find(said, at + 1)) >= 0:
        span = text.folded.original((at, at + len(said)))
        holder = _holder(chunks, span)
        if holder is not None:
            return holder, span
    return None


def _said(text: Folded, spans: list[Span], chunks: Sequence[Chunk], triplet: Triplet) -> tuple[int, Span] | None:
    """Return the chunk and the span of the first sentence with both ends, with exact case first, or None."""
    names = sorted((" ".join(end.label.split()) for end in (triplet.subject, triplet.object)), key=len)
    for exact in (True, False):
        passed = -1
        for start, end in text.places(names[1], exact):  # the longer name is rarer
            at = bisect_right(spans, start, key=lambda span: span[0]) - 1
            if at == passed or end > spans[at][1]:
                continue
            passed = at
            if next(text.places(names[0], exact, spans[at]), None):
                span = text.original(spans[at])
                holder = _holder(chunks, span)
                if holder is not None:
                    return holder, span
    return None


def _passage(text: Folded, windows: list[Span], triplet: Triplet) -> int:
    """Return the index of the first chunk with both ends, else with the subject, else 0."""
    subject, other = (" ".join(end.label.split()) for end in (triplet.subject, triplet.object))
    for names in ((subject, other), (subject,)):
        for exact in (True, False):
            for at, window in enumerate(windows):
                if all(next(text.places(name, exact, window), None) for name in names):
                    return at
    return 0
