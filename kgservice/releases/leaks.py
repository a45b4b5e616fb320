"""Finds a release's questions and texts in other pages: by its canary, by runs and pairs of words, by whole sentences.

A text is found where half of its runs of three words stand close together, each run weighed by how few pieces of the
release have it ("the director of" tells nothing): so a copy is found after one word in ten has been changed. Of a
question, which is short, pairs of words at most three apart are compared, as one changed word leaves more of these.
Runs of 13 words, by which the training data of GPT-3 was compared with its benchmarks (Brown et al., 2020, appendix C),
find half of such copies (benchmarks/leaked.py). Words are compared without case and punctuation.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.releases.archive import Archive, Manifest
from kgservice.releases.canary import FIELD
from kgservice.text.sentences import sentences

Hashes: TypeAlias = npt.NDArray[np.uint64]
Marks: TypeAlias = Callable[[Sequence[str]], Hashes]
RUN, APART = 3, 3  # words of a text's run; how far apart the words of a question's pair are at most
TEXT, ASKED = (0.5, 5), (0.5, 7)  # share of its runs or pairs by weight, and how many of them at least
SHORTEST, SHORT = 4, 8  # words: a piece of so few is found whole or not at all
SENTENCE = 20  # words of a sentence that nobody else would write
WINDOW = 100  # words; at least twice as many as the longest piece has
_WORD = re.compile(r"[^\W_]+")
_TIMES = np.uint64(0x9E3779B97F4A7C15)  # odd: no two runs of other words fall together by multiplying


class ForeignPage(NamedTuple):
    """A page to look through."""

    name: str
    text: str


class Leak(Record):
    """What of a release a page has: its canary, public ids of questions and of texts."""

    page: str
    canary: bool
    questions: tuple[int, ...]
    texts: tuple[int, ...]

    def __str__(self) -> str:
        parts = ["canary"] if self.canary else []
        for name, found in (("question", self.questions), ("text", self.texts)):
            if found:
                shown = ", ".join(map(str, found[:5])) + (", …" if len(found) > 5 else "")
                several = "s" if len(found) > 1 else ""
                parts.append(f"{len(found):,} {name}{several} (id{several} {shown})")
        return f"{self.page}: {', '.join(parts)}"


class _Index:
    """Hashes of runs, each with the numbers of the pieces that have it and what it weighs for them."""

    def __init__(self, pieces: Sequence[tuple[int, Hashes]]) -> None:
        given = [np.unique(found) for _, found in pieces]
        self._numbers = np.array([number for number, _ in pieces], np.int64)
        hashes = np.concatenate([np.zeros(0, np.uint64), *given])
        owners = np.repeat(np.arange(len(given)), [len(found) for found in given])
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._owners = hashes[order], owners[order]
        _, which, counts = np.unique(self._hashes, return_inverse=True, return_counts=True)
        self._weights = 1 / counts[which] ** 2 if len(which) else np.zeros(0)
        self._whole = np.bincount(self._owners, self._weights, len(given))

    def find(self, found: Hashes, share: float, least: int) -> set[int]:
        """Return the numbers of the pieces of whose runs a share by weight is among these, and so many at least."""
        first = np.searchsorted(self._hashes, found := np.unique(found))
        last = np.searchsorted(self._hashes, found, side="right")
        spans = [np.arange(start, end) for start, end in zip(first, last, strict=True) if start < end]
        if not spans:
            return set()
        at = np.concatenate(spans)
        shares = np.bincount(self._owners[at], self._weights[at], len(self._numbers)) / np.maximum(self._whole, 1e-9)
        runs = np.bincount(self._owners[at], minlength=len(self._numbers))
        return set(self._numbers[(shares >= share - 1e-9) & (runs >= least)].tolist())


class _Pieces:
    """Questions or texts to look for, as (public id, text); `marks` are what is compared of their words."""

    def __init__(self, pieces: Sequence[tuple[int, str]], marks: Marks, least: tuple[float, int]) -> None:
        self._marks, self._least = marks, least
        said = [(number, _words(text)) for number, text in pieces]
        self.longest = max((len(words) for _, words in said), default=0)
        self._index = _Index([(number, marks(words)) for number, words in said])
        self._sentences = _Index([(number, _sentences(text)) for number, text in pieces])
        sizes = {len(words) for _, words in said if SHORTEST <= len(words) < SHORT}
        self._short = {
            size: _Index([(number, _runs(words, size)) for number, words in said if len(words) == size])
            for size in sorted(sizes)
        }

    def find(self, page: str, window: int) -> set[int]:
        """Return the public ids of what stands in a page."""
        words = _words(page)
        found = self._sentences.find(_sentences(page), 0, 1)
        found.update(*(short.find(_runs(words, size), 1, 1) for size, short in self._short.items()))
        for start in range(0, max(len(words) - window // 2, 1), window // 2):
            found |= self._index.find(self._marks(words[start : start + window]), *self._least)
        return found


class Traces:
    """What to look for; questions and texts are (public id, text)."""

    def __init__(
        self, questions: Sequence[tuple[int, str]], texts: Sequence[tuple[int, str]], canary: str = ""
    ) -> None:
        self._canary = canary
        self._questions, self._texts = _Pieces(questions, _pairs, ASKED), _Pieces(texts, _runs, TEXT)

    def find(self, page: ForeignPage) -> Leak | None:
        """Return what a page has of the release, None where it has nothing."""
        questions, texts = (
            part.find(page.text, max(2 * part.longest, WINDOW)) for part in (self._questions, self._texts)
        )
        known = bool(self._canary) and self._canary in page.text
        if not (known or texts or questions):
            return None
        return Leak(page=page.name, canary=known, questions=tuple(sorted(questions)), texts=tuple(sorted(texts)))


def release_traces(archive: Archive, release: Manifest) -> Traces:
    """Return the traces of a release: its canary, questions and texts."""
    asked, texts = (
        [json.loads(row) for row in archive.file(release, f"public_{name}.jsonl").splitlines()]
        for name in ("questions", "texts")
    )
    return Traces(
        [(row["public_id"], row["question"]) for row in asked],
        [(row["public_id"], row["text"]) for row in texts],
        next((row[FIELD] for row in asked if FIELD in row), ""),
    )


def pages_of(paths: Iterable[Path]) -> Iterator[ForeignPage]:
    """Yield the pages of files and folders, of JSONL each line (BadRequest for a file that cannot be read)."""
    for path in paths:
        for file in sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]:
            try:
                with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
                    if ".jsonl" in file.suffixes:
                        for number, line in enumerate(stream, 1):
                            yield ForeignPage(f"{file}:{number}", _strings(line))
                    else:
                        yield ForeignPage(str(file), stream.read().decode(errors="replace"))
            except (OSError, EOFError, zlib.error) as error:
                raise BadRequest(f"cannot read {file}: {error}") from error


def _strings(line: bytes) -> str:
    text = line.decode(errors="replace")
    try:
        return "\n".join(_leaves(json.loads(text)))
    except (ValueError, RecursionError):
        return text


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=1_000_000)
def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())


def _runs(words: Sequence[str], size: int = RUN) -> Hashes:
    """Return a hash of every run of so many words."""
    found = _hashes(words)
    runs = np.zeros(max(len(words) - size + 1, 0), np.uint64)
    for start in range(size):
        runs = runs * _TIMES + found[start : start + len(runs)]
    return runs


def _pairs(words: Sequence[str]) -> Hashes:
    """Return a hash of every two words, in their order, that are at most so far apart."""
    found = _hashes(words)
    return np.concatenate([found[:-apart] * _TIMES + found[apart:] for apart in range(1, APART + 1)])


def _hashes(words: Sequence[str]) -> Hashes:
    return np.fromiter(map(_hash, words), np.uint64, len(words))


def _sentences(text: str) -> Hashes:
    """Return a hash of each sentence that is long enough."""
    said = [_words(text[start:end]) for start, end in sentences(text)]
    found = [_runs(words, len(words)) for words in said if len(words) >= SENTENCE]
    return np.concatenate([np.zeros(0, np.uint64), *found])
