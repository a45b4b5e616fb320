"""Reads a sentence for the small trained models: an encoder with a head that asks what joins two of its ends.

The encoder is the packaged MiniLM, trained on; it is told which words are which kind of name. Then each pair of ends
asks the words, and is scored by both ends and the answer (training/reader_model.py). The relation reader and the
coreference reader have weights of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgservice.extraction.syntax.fact_ends import KINDS
from kgservice.vectors import minilm

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]

HEADS = 6  # of the attention from a pair to the words
DISTANCES = (3, 6, 10, 16, 30)  # words' pieces between two ends, as steps
MAX_ENDS = 24  # of a sentence: lists have more
MAX_PIECES = 192  # of a text; what follows is not read
KEPT = 64  # texts whose states are kept: a sentence is asked about what rules found, then about all its pairs

Places = Sequence[tuple[int, int, str]]  # ends in a text, in characters, with their kinds


class Encoded(NamedTuple):
    """A text's pieces of words, the kind of end that each is of, and the pieces of each end that is not cut off."""

    ids: list[int]
    kinds: list[int]
    spans: list[tuple[int, int]]
    ends: list[int]


class States(NamedTuple):
    """What the encoder makes of a text: a row for each piece, and its keys and values for the head."""

    pieces: Array
    read: Array


def encode(tokenizer: Tokenizer, text: str, ends: Places, limit: int = MAX_ENDS) -> Encoded:
    """Return a text as numbers, with the first `limit` of its ends."""
    found = tokenizer.encode(text)
    offsets = found.offsets[:MAX_PIECES]
    kinds, spans, kept = [0] * len(offsets), [], []
    for number, (start, end, kind) in enumerate(ends[:limit]):
        pieces = [at for at, (first, last) in enumerate(offsets) if first < end and last > start and last > first]
        if not pieces:
            continue
        at = 1 + 2 * KINDS.index(kind)
        kinds[pieces[0] : pieces[-1] + 1] = [at] + [at + 1] * (pieces[-1] - pieces[0])
        spans.append((pieces[0], pieces[-1] + 1))
        kept.append(number)
    return Encoded(found.ids[:MAX_PIECES], kinds, spans, kept)


def steps(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return how far two ends are apart, as a number below 12."""
    far = max(other[0] - one[1], one[0] - other[1], 0)
    step = sum(far > distance for distance in DISTANCES)
    return step if one < other else step + len(DISTANCES) + 1


class SentenceEncoder:
    """An encoder and the weights of its head, from a folder; loaded when it is made."""

    def __init__(self, folder: Path, limit: int = MAX_ENDS) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1

        def session(name: str) -> Any:
            return onnxruntime.InferenceSession(folder / name, options, providers=["CPUExecutionProvider"])

        self._encoder, self._head = session("encoder.onnx"), session("head.onnx")
        with np.load(folder / "inputs.npz") as stored:
            self._weights: dict[str, Array] = {name: stored[name].astype(np.float32) for name in stored.files}
        self.tokenizer, self._words = vocabulary()
        self._limit = limit
        self.read = lru_cache(KEPT)(self._read)

    def scores(self, encoded: Encoded, pairs: Sequence[tuple[int, int]], states: States | None = None) -> Array:
        """Return the scores of pairs of ends, a row each, a column for each relation."""
        states, used = states or self.states(encoded), sorted({end for pair in pairs for end in pair})
        spans = np.zeros((len(used), len(encoded.ids)), np.float32)
        for row, end in zip(spans, used, strict=True):
            first, last = encoded.spans[end]
            row[first:last] = 1 / (last - first)
        at = {end: row for row, end in enumerate(used)}
        given = {name: np.array([at[pair[side]] for pair in pairs]) for side, name in enumerate(("one", "other"))}
        given["apart"] = np.array([steps(encoded.spans[one], encoded.spans[other]) for one, other in pairs])
        found: Array = self._head.run(None, {"pieces": states.pieces, "read": states.read, "spans": spans, **given})[0]
        return found

    def _read(self, text: str, ends: tuple[tuple[int, int, str], ...]) -> tuple[Encoded, States]:
        """Return a text as numbers, and what the encoder makes of it."""
        encoded = encode(self.tokenizer, text, ends, self._limit)
        return encoded, self.states(encoded)

    def states(self, encoded: Encoded) -> States:
        """Run the encoder over a text."""
        weights = self._weights
        inputs = self._words[encoded.ids].astype(np.float32) + weights["positions"][: len(encoded.ids)]
        inputs += weights["kinds"][encoded.kinds]
        pieces, read = self._encoder.run(None, {"inputs": inputs[None]})
        return States(pieces[0], read[0])


@cache
def vocabulary() -> tuple[Tokenizer, Array]:
    """Return the packaged MiniLM's tokenizer and word embeddings; the latter stay on disk until they are used."""
    return minilm.tokenizer(), minilm.weights()[minilm.WORDS]


def folder_digest(folder: Path) -> str:
    """Return a digest of all that decides what the weights of a folder find, without loading them."""
    found = hashlib.blake2b(f"{MAX_PIECES} {MAX_ENDS} {DISTANCES}".encode(), digest_size=16)
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        found.update(path.read_bytes())
    return found.hexdigest()
