"""What larger readers think of sentences: training/teacher.py asks them once, training/reader.py learns from it.

opinions.npz has no text: a sentence is known by a hash of its words and its ends.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from reader_data import Example, Pair

LEAST = 0.02  # probability that is kept; what is less likely counts as 0


class Opinion(NamedTuple):
    """How likely each relation is of each pair of a sentence's ends that was asked about."""

    relations: tuple[str, ...]
    likely: dict[Pair, NDArray[np.float32]]


class Opinions:
    """The opinions of a file, by sentence."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as stored:
            self._stored = {name: stored[name] for name in stored.files}
        self._relations = tuple(self._stored["relations"].tolist())
        pairs = np.concatenate([[0], self._stored["pairs"].cumsum(dtype=np.int64)])
        likely = np.concatenate([[0], self._stored["likely"].cumsum(dtype=np.int64)])
        self._places = {
            key: (slice(*pairs[at : at + 2]), slice(*likely[at : at + 2]))
            for at, key in enumerate(self._stored["sentences"].tolist())
        }

    def __contains__(self, example: Example) -> bool:
        return sentence_key(example) in self._places

    def of(self, example: Example) -> Opinion | None:
        """Return what is thought of a sentence, None if nobody was asked."""
        if (places := self._places.get(sentence_key(example))) is None:
            return None
        ends = self._stored["ends"][places[0]].tolist()
        found = np.zeros((len(ends), len(self._relations)), np.float32)
        row, relation, chance = self._stored["found"][places[1]].T
        found[row, relation] = chance / 255
        return Opinion(self._relations, {(one, other): found[at] for at, (one, other) in enumerate(ends)})


def write_opinions(path: Path, relations: Iterable[str], found: Iterable[tuple[Example, Opinion]]) -> None:
    """Write the opinions of sentences; a pair's number within its sentence has to be below 65,536."""
    sentences, pairs, likely, ends, rows = [], [], [], list[tuple[int, int]](), list[NDArray[np.uint16]]()
    for example, opinion in found:
        table = np.array(list(opinion.likely.values()))
        at, relation = np.nonzero(table >= LEAST)
        sentences.append(sentence_key(example))
        pairs.append(len(table))
        likely.append(len(at))
        ends += opinion.likely
        rows.append(np.stack([at, relation, np.round(table[at, relation] * 255)], axis=1).astype(np.uint16))
    np.savez_compressed(
        path,
        relations=np.array(list(relations)),
        sentences=np.array(sentences, np.uint64),
        pairs=np.array(pairs, np.uint16),
        likely=np.array(likely, np.uint16),
        ends=np.array(ends, np.uint8),
        found=np.concatenate(rows),
    )


def sentence_key(example: Example) -> int:
    """Return the number of a sentence with its ends, 64 bits."""
    words = json.dumps([example.text, example.ends]).encode()
    return int.from_bytes(hashlib.blake2b(words, digest_size=8).digest(), "big")


def asked(opinions: Opinions, examples: Iterable[Example]) -> Iterator[Example]:
    """Yield the sentences of which larger readers were asked, each once."""
    seen = set[int]()
    for example in examples:
        if example in opinions and (key := sentence_key(example)) not in seen:
            seen.add(key)
            yield example
