"""Vectors of the labels of an index, in a memory-mapped array beside it, for names like "French" (France).

The rows are in the order of the items' numbers, so bisection finds a row. A search reads the whole array once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kgservice.linking.wikidata_index import IndexedItem, Wikidata, described
from kgservice.vectors.embedder import Embedder

BATCH = 2_048
TOGETHER, ROWS = 64, 65_536  # vectors compared at a time
LAYOUT = 2  # labels of items, and properties
LABELLED = "SELECT label FROM items WHERE id > ? AND label <> '' ORDER BY id LIMIT ?"

Vector = NDArray[np.float32]


class Vectors:
    """The vectors of an index's labels, read by page. They have unit length, so a product is a cosine."""

    def __init__(self, index: Path) -> None:
        self._folder = index.with_suffix(".vectors")

    def exist(self, fingerprint: str, model: str) -> bool:
        """Return whether the vectors are of this index's content and by this model."""
        marker = self._folder / "of"
        return marker.is_file() and marker.read_text(encoding="utf-8") == _name(fingerprint, model)

    def nearest(self, wanted: Sequence[Vector], limit: int) -> list[list[int]]:
        """Return for each vector the numbers of the items with the nearest labels, the nearest first, then by number.

        Batches always have the same size, so results do not depend on the other vectors.
        """
        results: list[list[int]] = []
        for start in range(0, len(wanted), TOGETHER):
            own = wanted[start : start + TOGETHER]
            padded = np.zeros((TOGETHER, self._rows.shape[1]), dtype=np.float32)
            padded[: len(own)] = own
            best: list[list[tuple[float, int]]] = [[] for _ in own]
            for at in range(0, len(self._rows), ROWS):
                likeness = np.round(padded @ self._rows[at : at + ROWS].T, 4)
                for several, cosines in zip(best, likeness, strict=False):
                    several += [(-float(cosines[place]), at + int(place)) for place in _highest(cosines, limit)]
            results += [[int(self._numbers[place]) for _, place in sorted(several)[:limit]] for several in best]
        return results

    def of(self, number: int) -> Vector | None:
        """Return the vector of an item's label, or None."""
        at = int(np.searchsorted(self._numbers, number))
        return self._rows[at] if at < len(self._numbers) and self._numbers[at] == number else None

    @cached_property
    def properties(self) -> Vector:
        """Return two vectors a property, in the index's order: of its label, and with its description."""
        rows: Vector = np.load(self._folder / "properties.npy", mmap_mode="r")
        return rows

    @cached_property
    def _rows(self) -> Vector:
        rows: Vector = np.load(self._folder / "rows.npy", mmap_mode="r")
        return rows

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = np.load(self._folder / "numbers.npy", mmap_mode="r")
        return numbers


def make_vectors(index: Path, fingerprint: str, embedder: Embedder, advance: Callable[[int], None]) -> int:
    """Write the missing vectors of labels, and return their number. A stopped run resumes at its batch."""
    if Vectors(index).exist(fingerprint, embedder.name):
        return 0
    folder = index.with_suffix(".vectors")
    folder.mkdir(exist_ok=True)
    numbers = _numbers(index)
    of, place = folder / "of", folder / "place"
    identity = _name(fingerprint, embedder.name)
    progress = place.read_text(encoding="utf-8").rpartition(" ") if place.is_file() else ("", "", "0")
    start = int(progress[2]) if progress[0] == identity else 0
    of.unlink(missing_ok=True)
    np.save(folder / "numbers.npy", numbers)
    shape = (len(numbers), embedder.dimension)
    mode: Literal["r+", "w+"] = "r+" if start else "w+"
    np.save(folder / "properties.npy", _properties(index, embedder))
    rows = np.lib.format.open_memmap(folder / "rows.npy", mode=mode, dtype=np.float32, shape=shape)
    for at, labels in _labels(index, numbers, start):
        rows[at : at + len(labels)] = np.array(embedder.embed(labels), dtype=np.float32)
        rows.flush()
        place.write_text(f"{identity} {at + len(labels)}", encoding="utf-8")
        advance(len(labels))
    place.unlink(missing_ok=True)
    of.write_text(identity, encoding="utf-8")
    return len(numbers) - start


def _highest(cosines: Vector, limit: int) -> Iterable[int]:
    """Return the indexes of the highest numbers, all of equal ones."""
    if len(cosines) <= limit:
        return range(len(cosines))
    return np.flatnonzero(cosines >= np.partition(cosines, -limit)[-limit])


def _name(fingerprint: str, model: str) -> str:
    """Return the identity of vectors: index, layout and model. Others are made anew."""
    return f"{fingerprint} {LAYOUT} {model}"


def property_texts(properties: Sequence[IndexedItem]) -> tuple[list[str], list[str]]:
    """Return the texts to embed for properties: their labels, and labels with descriptions."""
    return [prop.label for prop in properties], [described(prop) for prop in properties]


def _properties(index: Path, embedder: Embedder) -> Vector:
    with Wikidata(index) as opened:
        texts = property_texts(opened.properties)
    return np.array([embedder.embed(side) for side in texts], dtype=np.float32).reshape(2, -1, embedder.dimension)


def _numbers(index: Path) -> NDArray[np.int64]:
    with closing(sqlite3.connect(index)) as db:
        rows = db.execute("SELECT id FROM items WHERE id > 0 AND label <> '' ORDER BY id")
        return np.fromiter((row[0] for row in rows), dtype=np.int64)


def _labels(index: Path, numbers: NDArray[np.int64], start: int) -> Iterator[tuple[int, list[str]]]:
    """Yield labels in batches, each with its index, from `start` on."""
    with closing(sqlite3.connect(index)) as db:
        for at in range(start, len(numbers), BATCH):
            after = int(numbers[at - 1]) if at else 0
            yield at, [row[0] for row in db.execute(LABELLED, (after, BATCH))]
