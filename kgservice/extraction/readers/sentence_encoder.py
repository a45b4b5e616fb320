"""Reads a sentence for the small trained models: an encoder with a head that asks what joins two of its ends.

The encoder is the packaged MiniLM, trained on; it is told which words are which kind of name. Then each pair of ends
asks the words (training/reader_model.py). The relation reader and the coreference reader have weights of their own.
"""

from __future__ import annotations

import hashlib
import math
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
        self._session: Any = onnxruntime.InferenceSession(
            folder / "encoder.onnx", options, providers=["CPUExecutionProvider"]
        )
        with np.load(folder / "head.npz") as stored:
            self._weights: dict[str, Array] = {name: stored[name].astype(np.float32) for name in stored.files}
        self.tokenizer, self._words = vocabulary()
        self._limit = limit
        self.read = lru_cache(KEPT)(self._read)

    def scores(self, encoded: Encoded, pairs: Sequence[tuple[int, int]], states: States | None = None) -> Array:
        """Return the scores of pairs of ends, a row each, a column for each relation."""
        states = states or self.states(encoded)
        return scores(self._weights, states.pieces, states.read, encoded.spans, pairs)

    def _read(self, text: str, ends: tuple[tuple[int, int, str], ...]) -> tuple[Encoded, States]:
        """Return a text as numbers, and what the encoder makes of it."""
        encoded = encode(self.tokenizer, text, ends, self._limit)
        return encoded, self.states(encoded)

    def states(self, encoded: Encoded) -> States:
        """Run the encoder over a text."""
        weights = self._weights
        inputs = self._words[encoded.ids].astype(np.float32) + weights["positions"][: len(encoded.ids)]
        inputs += weights["kinds"][encoded.kinds]
        pieces, read = self._session.run(None, {"inputs": inputs[None]})
        return States(pieces[0], read[0])


def scores(
    weights: dict[str, Array],
    states: Array,
    read: Array,
    spans: list[tuple[int, int]],
    pairs: Sequence[tuple[int, int]],
) -> Array:
    """Return the scores of pairs by the head: each pair asks the words (`read`: keys and values) and is scored by both
    ends and the answer."""
    named = np.stack([np.add.reduce(states[start:end], axis=0) / (end - start) for start, end in spans])
    one, other = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    apart = weights["steps"][[steps(spans[i], spans[j]) for i, j in pairs]]
    few = len(pairs) < len(spans)  # of one pair a product is a tenth of that of all ends

    def of(name: str, ends: Array) -> Array:
        found: Array = named[ends] @ weights[name] if few else (named @ weights[name])[ends]
        return found

    ask = np.maximum(0, of("ask_subject", one) + of("ask_object", other) + apart)
    width = states.shape[1]
    size = width // HEADS
    keys, values = read[:, :width].reshape(-1, HEADS, size), read[:, width:].reshape(-1, HEADS, size)
    asked = ask.reshape(-1, HEADS, size).transpose(1, 0, 2)  # heads, pairs, size
    near = asked @ keys.transpose(1, 2, 0) / math.sqrt(size)
    near = np.exp(near - near.max(axis=2, keepdims=True))
    near /= near.sum(axis=2, keepdims=True)
    answer = (near @ values.transpose(1, 0, 2)).transpose(1, 0, 2).reshape(len(pairs), width)
    seen = of("subject", one) + of("object", other)
    inner = np.maximum(0, seen + answer @ weights["answer"] + weights["bias"])
    both = of("left", one) * of("right", other)
    found: Array = inner @ weights["relations"] + both @ weights["product"] + weights["offset"]
    return found


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
