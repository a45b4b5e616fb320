"""The relation reader: what joins each two names of a sentence, by a small trained model, without torch.

An encoder (the packaged MiniLM, trained on) reads a sentence once, told which words are which kind of name; then each
ordered pair of names asks the sentence's words what joins the two (training/reader.py). Sentences are read one by one,
so that what is read in one never depends on the others. The weights are in `extraction/reader`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kgservice.core.records import Record
from kgservice.extraction.syntax.fact_ends import KINDS
from kgservice.vectors import minilm

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]

HEADS = 6  # of the attention from a pair to the sentence's words
DISTANCES = (3, 6, 10, 16, 30)  # words' pieces between two ends, as steps
MAX_PIECES = 192  # of a sentence; what follows is not read
MAX_ENDS = 24  # of a sentence: lists have more
FOLDER = Path(str(files("kgservice.extraction") / "reader"))
KEPT = 64  # sentences whose states are kept: a text is asked about what rules found, then about all its pairs


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


class Encoded(NamedTuple):
    """A sentence's pieces of words, the kind of end that each is of, and the pieces of each end that is not cut off."""

    ids: list[int]
    kinds: list[int]
    spans: list[tuple[int, int]]
    ends: list[int]


class States(NamedTuple):
    """What the encoder makes of a sentence: a row for each piece, and its keys and values for the head."""

    pieces: Array
    read: Array


class Joined(NamedTuple):
    """A relation between two ends of a sentence, by their numbers, and how likely it is stated."""

    subject: int
    relation: str
    object: int
    probability: float


def encode(tokenizer: Tokenizer, text: str, ends: Sequence[tuple[int, int, str]]) -> Encoded:
    """Return a sentence as numbers; `ends` are places in it, in characters, with their kinds."""
    found = tokenizer.encode(text)
    offsets = found.offsets[:MAX_PIECES]
    kinds, spans, kept = [0] * len(offsets), [], []
    for number, (start, end, kind) in enumerate(ends[:MAX_ENDS]):
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


class RelationReader:
    """Reads what joins the ends of sentences; the weights are loaded when it is made."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(
            folder / "encoder.onnx", options, providers=["CPUExecutionProvider"]
        )
        self.taught = Taught.model_validate_json((folder / "reader.json").read_text(encoding="utf-8"))
        with np.load(folder / "head.npz") as stored:
            self._weights: dict[str, Array] = {name: stored[name].astype(np.float32) for name in stored.files}
        self._tokenizer, self._words = vocabulary()
        self._dated = np.array(self.taught.dated)
        self._slopes, self._offsets = (np.array(one, np.float32) for one in (self.taught.slopes, self.taught.offsets))
        self._sentence = lru_cache(KEPT)(self._encoded)

    def read(self, text: str, ends: Sequence[tuple[int, int, str]], least: float) -> list[Joined]:
        """Return the relations between a sentence's ends that are as likely as `least`."""
        encoded, states = self._sentence(text, tuple(ends))
        either = permutations(range(len(encoded.ends)), 2)
        pairs = [pair for pair in either if ends[encoded.ends[pair[0]]][2] != "date"]
        if not pairs:
            return []
        dates = np.array([ends[encoded.ends[other]][2] == "date" for _, other in pairs])
        likely = np.where(dates[:, None] == self._dated, self.likely(encoded, pairs, states), 0.0)
        found = []
        for at, relation in zip(*np.nonzero(likely >= least), strict=True):
            one, other = (encoded.ends[end] for end in pairs[at])
            if not (self.taught.symmetric[relation] and one > other):
                found.append(Joined(one, self.taught.relations[relation], other, float(likely[at, relation])))
        return found

    def probability(
        self, text: str, ends: Sequence[tuple[int, int, str]], relation: str, pairs: Sequence[tuple[int, int]]
    ) -> float:
        """Return the highest probability of a relation among pairs of a sentence's ends, 1 if all are cut off."""
        encoded, states = self._sentence(text, tuple(ends))
        at = {end: number for number, end in enumerate(encoded.ends)}
        asked = [(at[one], at[other]) for one, other in pairs if one in at and other in at]
        column = self.taught.relations.index(relation)
        return float(self.likely(encoded, asked, states)[:, column].max()) if asked else 1.0

    def likely(self, encoded: Encoded, pairs: Sequence[tuple[int, int]], states: States | None = None) -> Array:
        """Return the probability of each relation of each pair."""
        states = states or self.states(encoded)
        scores = joined(self._weights, states.pieces, states.read, encoded.spans, pairs)
        likely: Array = 1 / (1 + np.exp(-(scores * self._slopes + self._offsets)))
        return likely

    def _encoded(self, text: str, ends: tuple[tuple[int, int, str], ...]) -> tuple[Encoded, States]:
        encoded = encode(self._tokenizer, text, ends)
        return encoded, self.states(encoded)

    def states(self, encoded: Encoded) -> States:
        """Run the encoder over a sentence."""
        weights = self._weights
        inputs = self._words[encoded.ids].astype(np.float32) + weights["positions"][: len(encoded.ids)]
        inputs += weights["kinds"][encoded.kinds]
        pieces, read = self._session.run(None, {"inputs": inputs[None]})
        return States(pieces[0], read[0])


def joined(
    weights: dict[str, Array],
    states: Array,
    read: Array,
    spans: list[tuple[int, int]],
    pairs: Sequence[tuple[int, int]],
) -> Array:
    """The head: each pair asks the words (`read`: keys and values) and is scored by both ends and the answer."""
    named = np.stack([states[start:end].mean(axis=0) for start, end in spans])
    one, other = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    apart = weights["steps"][[steps(spans[i], spans[j]) for i, j in pairs]]
    ask = np.maximum(0, (named @ weights["ask_subject"])[one] + (named @ weights["ask_object"])[other] + apart)
    width = states.shape[1]
    size = width // HEADS
    keys, values = read[:, :width].reshape(-1, HEADS, size), read[:, width:].reshape(-1, HEADS, size)
    asked = ask.reshape(-1, HEADS, size).transpose(1, 0, 2)  # heads, pairs, size
    near = asked @ keys.transpose(1, 2, 0) / math.sqrt(size)
    near = np.exp(near - near.max(axis=2, keepdims=True))
    near /= near.sum(axis=2, keepdims=True)
    answer = (near @ values.transpose(1, 0, 2)).transpose(1, 0, 2).reshape(len(pairs), width)
    seen = (named @ weights["subject"])[one] + (named @ weights["object"])[other]
    inner = np.maximum(0, seen + answer @ weights["answer"] + weights["bias"])
    both = (named @ weights["left"])[one] * (named @ weights["right"])[other]
    scores: Array = inner @ weights["relations"] + both @ weights["product"] + weights["offset"]
    return scores


@cache
def vocabulary() -> tuple[Tokenizer, Array]:
    """The packaged MiniLM's tokenizer and word embeddings; the latter stay on disk until they are used."""
    return minilm.tokenizer(), minilm.weights()[minilm.WORDS]


@cache
def packaged() -> RelationReader:
    """The reader that comes with the package, loaded once a process."""
    return RelationReader(FOLDER)


@cache
def weights_digest() -> str:
    """Return a digest of all that decides what the packaged reader finds in a sentence, without loading it."""
    found = hashlib.blake2b(f"{MAX_PIECES} {MAX_ENDS} {DISTANCES}".encode(), digest_size=16)
    for path in sorted(path for path in FOLDER.iterdir() if path.is_file()):
        found.update(path.read_bytes())
    return found.hexdigest()
