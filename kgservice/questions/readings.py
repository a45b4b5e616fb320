"""What the relation reader found in the sentences of a passage, kept with the passage: no later run reads them again.

A sentence is kept under a digest of its text and its ends, so a reading holds wherever the reader would be asked the
same. Readings by other weights or another threshold are dropped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TypeAlias

from kgservice.core import keys
from kgservice.extraction.relation_reader import Joined
from kgservice.graph.store import Graph

SAVED = 500  # passages a transaction
DIGITS = 6  # of a probability

SentenceEnds: TypeAlias = list[tuple[int, int, str]]
"""The places of a sentence's ends, in characters, with their kinds."""


class Readings:
    """The readings of one passage by a version of the reader; `stored` is what `text` returned, or an empty string."""

    def __init__(self, stored: str, version: str) -> None:
        kept = json.loads(stored) if stored else {}
        self._version, self.is_new = version, False
        self._read: dict[str, list[tuple[int, str, int, float]]] = (
            kept["sentences"] if kept.get("version") == version else {}
        )

    def of(self, text: str, ends: SentenceEnds, read: Callable[[], Iterable[Joined]]) -> list[Joined]:
        """Return the relations between the ends of a sentence, by `read` if none are kept."""
        key = keys.digest(16, text, ends)
        if key not in self._read:
            self._read[key] = [(one, relation, other, round(p, DIGITS)) for one, relation, other, p in read()]
            self.is_new = True
        return [Joined(*one) for one in self._read[key]]

    @property
    def text(self) -> str:
        """The readings as they are stored."""
        return json.dumps({"version": self._version, "sentences": self._read}, separators=(",", ":"))


def save(graph: Graph, read: Iterable[tuple[str, Readings]]) -> None:
    """Store the new readings of passages, by key; a passage that is gone is skipped."""
    new = sorted((chunk, readings) for chunk, readings in read if readings.is_new)
    for start in range(0, len(new), SAVED):
        batch = new[start : start + SAVED]
        graph.update("questions/save_readings", rows=[{"chunk": key, "readings": one.text} for key, one in batch])
        for _, one in batch:
            one.is_new = False
