"""A baseline that needs no model: BM25 over a release's texts, and the sentence that shares most with the question."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import log

from kgservice.text.sentences import sentences

K1, B = 1.2, 0.75
_WORD = re.compile(r"[^\W_]+")


class BestSentence:
    """Answers a question with a sentence; the texts are (public id, title, text)."""

    def __init__(self, texts: Iterable[tuple[int, str, str]], k: int = 10) -> None:
        self._k = k
        self._texts: dict[int, str] = {}
        self._lengths: dict[int, int] = {}
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for key, title, text in texts:
            counts = Counter(_words(f"{title} {text}"))
            self._texts[key], self._lengths[key] = text, counts.total()
            for word, number in counts.items():
                self._postings[word].append((key, number))
        self._mean = sum(self._lengths.values()) / max(len(self._lengths), 1)

    def __call__(self, question: str) -> tuple[str, list[int]]:
        """Return the best sentence of the best three texts, and the best texts."""
        asked = set(_words(question))
        found = self._best(asked)
        candidates = [
            text[start:end] for text in map(self._texts.get, found[:3]) if text for start, end in sentences(text)
        ]
        return max(candidates, key=lambda sentence: self._shared(asked, sentence), default=""), found

    def _best(self, asked: set[str]) -> list[int]:
        scores: Counter[int] = Counter()
        for word in asked:
            for key, number in self._postings.get(word, ()):
                norm = K1 * (1 - B + B * self._lengths[key] / self._mean)
                scores[key] += self._weight(word) * number * (K1 + 1) / (number + norm)  # type: ignore[assignment]
        return [key for key, _ in sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[: self._k]]

    def _shared(self, asked: set[str], sentence: str) -> float:
        return sum(self._weight(word) for word in asked.intersection(_words(sentence)))

    def _weight(self, word: str) -> float:
        there = len(self._postings.get(word, ()))
        return log(1 + (len(self._texts) - there + 0.5) / (there + 0.5))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
