"""The coreference reader: whom "he" and what "the company" mean, by a small trained model, without torch.

It reads the sentence of a pronoun with what stands before it, and scores each name there as what is meant; that none of
them is scores 0, and a name's probability is the softmax over all, summed over its mentions (Lee et al. 2017). The
weights are in `coreference` (training/coreference.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgservice.core.records import Record
from kgservice.extraction.readers.sentence_encoder import MAX_PIECES, SentenceEncoder, vocabulary
from kgservice.extraction.syntax.coreference import may_name
from kgservice.extraction.syntax.fact_ends import End, Met
from kgservice.extraction.syntax.proper_names import BRACKET, NamedEnd

FOLDER = Path(str(files("kgservice.extraction.readers") / "coreference"))
MAX_ENDS = MAX_PIECES  # of a window: all of them
NEVER = 1e-6  # no probability counts as less
BEFORE = 8  # sentences, at most
FIRST_PERSON = frozenset("we us our i me my".split())  # who speaks is seldom named where he does
NO_NAMES = ("pronoun", "date", "adjective")


class Calibration(Record):
    """What the weights are, and the two numbers that make the log odds of a softmax ones that hold."""

    how: str
    slope: float
    offset: float


class Antecedent(NamedTuple):
    """What an end of a sentence names, and how likely it means that."""

    name: NamedEnd
    probability: float


class Window(NamedTuple):
    """A sentence with its text's title and what stands before it: the text and its ends.

    `first` is the place, among the ends, of the sentence's own first one.
    """

    text: str
    ends: tuple[End, ...]
    first: int


class CoreferenceReader:
    """Reads which name is meant by the pronouns of a window; the weights are loaded when it is made."""

    def __init__(self, folder: Path) -> None:
        self._encoder = SentenceEncoder(folder, MAX_ENDS)
        stored = (folder / "coreference.json").read_text(encoding="utf-8")
        self._calibration = Calibration.model_validate_json(stored)
        self._size = lru_cache(1_000)(pieces)

    def window(self, title: str, met: Sequence[Met], at: int) -> Window:
        """Return a sentence with its title and as many of the sentences before it as the encoder reads."""
        return window(self._size, title, met, at)

    def meant(self, window: Window, asked: Sequence[int]) -> dict[int, Antecedent | None]:
        """Return what some ends of a window mean; None for what has no name there, as far as the reader sees it."""
        places = tuple((end.start, end.end, end.kind) for end in window.ends)
        encoded, states = self._encoder.read(window.text, places)
        at = {end: number for number, end in enumerate(encoded.ends)}
        names = [end for end in at if window.ends[end].kind not in NO_NAMES]
        asked = [end for end in asked if end in at]
        if not names or not asked:
            return {}
        pairs = [(at[end], at[name]) for end in asked for name in names]
        scores = self._encoder.scores(encoded, pairs, states).reshape(len(asked), len(names))
        likely = np.exp(scores - scores.max(axis=1, initial=0.0, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True) + np.exp(-scores.max(axis=1, initial=0.0, keepdims=True))
        return {end: self._best(window, names, row.tolist()) for end, row in zip(asked, likely, strict=True)}

    def _best(self, window: Window, names: list[int], likely: list[float]) -> Antecedent | None:
        """Return the likeliest name, its mentions together, unless it is likelier that none is meant."""
        sums, named = defaultdict[str, float](float), dict[str, NamedEnd]()
        for end, chance in zip(names, likely, strict=True):
            found = window.ends[end]
            label = found.name.label if found.name is not None else window.text[found.start : found.end]
            sums[label] += chance
            if found.name is not None:
                named[label] = found.name
        best = max(sums, key=lambda label: sums[label])
        if best not in named or sums[best] < 1 - sum(likely):
            return None
        odds = math.log(sums[best] / max(1 - sums[best], NEVER))
        return Antecedent(named[best], 1 / (1 + math.exp(-self._calibration.slope * odds - self._calibration.offset)))


def pieces(text: str) -> int:
    """Return how many pieces of words the encoder takes a text for, with its two marks."""
    return len(vocabulary()[0].encode(text).ids)


def window(size: Callable[[str], int], title: str, met: Sequence[Met], at: int) -> Window:
    """Return a sentence with its title and what stands before it; `size` counts a text's pieces."""
    text = f"{title}\n" if title else ""
    room, first = MAX_PIECES - (size(text) if title else 2) - size(met[at].text), at
    while first > 0 and at - first < BEFORE:
        room -= size(met[first - 1].text) - 2
        if room < 0:
            break
        first -= 1
    ends = [End(0, len(title), "name", NamedEnd(title, "entity", None, 0, 0))] if may_name(title) else []
    own = 0
    for sentence in met[first : at + 1]:
        moved, own = len(text) - sentence.start, len(ends)
        every = sorted((*sentence.ends, *sentence.nouns), key=lambda end: end.start)
        ends += [end._replace(start=end.start + moved, end=end.end + moved) for end in every]
        text += f"{sentence.text} "
    return Window(text.rstrip(), tuple(ends), own)


def asks(text: str, end: End) -> bool:
    """Return whether an end of a text is one of which the reader is asked: "he", "the company", not "we"."""
    return end.kind == "pronoun" and text[end.start : end.end].lower() not in FIRST_PERSON


class Resolver:
    """Whom the pronouns of a text mean; read sentence by sentence, where it is asked."""

    def __init__(self, reader: CoreferenceReader, met: Sequence[Met], title: str) -> None:
        self._reader, self._met = reader, met
        self._title = BRACKET.sub("", title).strip()
        self._of = lru_cache(maxsize=None)(self._read)

    def meant(self, sentence: int, end: End) -> Antecedent | None:
        """Return what an end means, of a sentence by its number: a name itself, a pronoun what the reader says."""
        if end.kind == "pronoun":
            return self._of(sentence).get(end.start)
        return Antecedent(end.name, 1.0) if end.name is not None else None

    def _read(self, sentence: int) -> dict[int, Antecedent | None]:
        """Return what the pronouns of a sentence mean, by where they start in the text."""
        seen = self._reader.window(self._title, self._met, sentence)
        own = len(seen.text) - len(self._met[sentence].text)
        asked = [at for at, end in enumerate(seen.ends) if at >= seen.first and asks(seen.text, end)]
        found = self._reader.meant(seen, asked)
        return {seen.ends[at].start - own + self._met[sentence].start: meant for at, meant in found.items()}


@cache
def packaged() -> CoreferenceReader:
    """Return the reader that comes with the package, loaded once a process."""
    return CoreferenceReader(FOLDER)
