"""The relation reader: what joins each two names of a sentence, by a small trained model, without torch.

An encoder (the packaged MiniLM, trained on) reads a sentence once, told which words are which kind of name; then each
ordered pair of names asks the sentence's words what joins the two (training/reader.py). Sentences are read one by one,
so that what is read in one never depends on the others. The weights are in `relations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgservice.core.records import Record
from kgservice.extraction.readers.sentence_encoder import KEPT, Encoded, Places, SentenceEncoder, States, folder_digest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

FOLDER = Path(str(files("kgservice.extraction.readers") / "relations"))


class Taught(Record):
    """What the weights are: their relations, and for each the two numbers that make its score a probability.

    `marked`: whether people's texts taught it, not made-up sentences alone.
    """

    how: str
    relations: tuple[str, ...]
    dated: tuple[bool, ...]
    symmetric: tuple[bool, ...]
    marked: tuple[bool, ...]
    slopes: tuple[float, ...]
    offsets: tuple[float, ...]


class Joined(NamedTuple):
    """A relation between two ends of a sentence, by their numbers, and how likely it is stated."""

    subject: int
    relation: str
    object: int
    probability: float


class Known(NamedTuple):
    """What is read in a sentence: the probabilities of relations, in `rows` by the numbers of two ends as encoded."""

    encoded: Encoded
    states: States
    rows: dict[tuple[int, int], int]
    likely: Array


class RelationReader:
    """Reads what joins the ends of sentences; the weights are loaded when it is made."""

    def __init__(self, folder: Path) -> None:
        self._encoder = SentenceEncoder(folder)
        self.taught = Taught.model_validate_json((folder / "reader.json").read_text(encoding="utf-8"))
        self._dated = np.array(self.taught.dated)
        self._known = lru_cache(KEPT)(self._read)
        self._slopes, self._offsets = (np.array(one, np.float32) for one in (self.taught.slopes, self.taught.offsets))

    def read(self, text: str, ends: Places, least: float) -> list[Joined]:
        """Return the relations between a sentence's ends that are as likely as `least`."""
        known = self._known(text, tuple(ends))
        if not known.rows:
            return []
        pairs = list(known.rows)
        dates = np.array([ends[known.encoded.ends[other]][2] == "date" for _, other in pairs])
        likely = np.where(dates[:, None] == self._dated, known.likely, 0.0)
        found = []
        for at, relation in zip(*np.nonzero(likely >= least), strict=True):
            one, other = (known.encoded.ends[end] for end in pairs[at])
            if not (self.taught.symmetric[relation] and one > other):
                found.append(Joined(one, self.taught.relations[relation], other, float(likely[at, relation])))
        return found

    def probability(self, text: str, ends: Places, relation: str, pairs: Sequence[tuple[int, int]]) -> float:
        """Return the highest probability of a relation among pairs of a sentence's ends, 1 if all are cut off."""
        known = self._known(text, tuple(ends))
        at = {end: number for number, end in enumerate(known.encoded.ends)}
        asked = [(at[one], at[other]) for one, other in pairs if one in at and other in at]
        rows = [known.rows[pair] for pair in asked if pair in known.rows]
        whole = len(rows) == len(asked)
        likely = known.likely[rows] if whole else self.likely(known.encoded, asked, known.states)
        return float(likely[:, self.taught.relations.index(relation)].max()) if asked else 1.0

    def _read(self, text: str, ends: tuple[tuple[int, int, str], ...]) -> Known:
        """Return what joins the ends of a sentence; a rule's relation is asked for before all that are likely."""
        encoded, states = self._encoder.read(text, ends)
        either = permutations(range(len(encoded.ends)), 2)
        pairs = [pair for pair in either if ends[encoded.ends[pair[0]]][2] != "date"]
        likely = self.likely(encoded, pairs, states) if pairs else np.empty((0, len(self.taught.relations)), np.float32)
        return Known(encoded, states, {pair: row for row, pair in enumerate(pairs)}, likely)

    def likely(self, encoded: Encoded, pairs: Sequence[tuple[int, int]], states: States | None = None) -> Array:
        """Return the probability of each relation of each pair."""
        found = self._encoder.scores(encoded, pairs, states)
        likely: Array = 1 / (1 + np.exp(-(found * self._slopes + self._offsets)))
        return likely


@cache
def packaged() -> RelationReader:
    """Return the reader that comes with the package, loaded once a process."""
    return RelationReader(FOLDER)


@cache
def weights_digest() -> str:
    """Return a digest of all that decides what the packaged reader finds in a sentence, without loading it."""
    return folder_digest(FOLDER)
