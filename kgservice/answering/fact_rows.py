"""Facts of the graph as they were read: their likely statements, and what their periods say of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from kgservice.text.values import read_value

SURE = 0.6  # confidence of a statement from which an answer may rest on its fact: that of the least sure of the schema


class FactAnswer(NamedTuple):
    """An answer, and the chunk and sentence of one statement for each thing that it names."""

    answer: str
    places: tuple[tuple[str, str], ...]


class SureStatement(NamedTuple):
    """A likely statement of a fact: its chunk, its sentence, and the sentence's words for the relation."""

    chunk: str
    sentence: str
    words: str

    @property
    def place(self) -> tuple[str, str]:
        return self.chunk, self.sentence


def sure_statements(row: Mapping[str, Any]) -> Iterator[SureStatement]:
    """Yield the statements that are likely right."""
    sure: Iterable[float] = row["confidence"] or [1.0] * len(row["chunks"])
    for *told, confidence in zip(row["chunks"], row["sentences"], row["said"], sure, strict=True):
        if confidence >= SURE:
            yield SureStatement(*told)


def period_time(period: str) -> tuple[str, str]:
    """Return the year of a period and the ISO date that it ends with, each "" if it has none, to compare periods.

    >>> period_time("February 3, 2024"), period_time("the three months ended June 30, 2031"), period_time("fiscal 2023")
    (('2024', '2024-02-03'), ('2031', '2031-06-30'), ('2023', ''))
    """
    words = period.split()
    ends = (read_value(" ".join(words[-size:])) for size in (3, 2, 1))
    date = next((str(value) for kind, value, _ in ends if kind == "date"), "")
    return date[:4], date if "-" in date else ""
