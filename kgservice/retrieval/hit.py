"""What every retriever finds."""

from __future__ import annotations

from kgservice.model import Record, Scalar


class Hit(Record):
    """A chunk found for a query; `why` says what made it a hit, in the retriever's own terms.

    `chunk` and `document` are keys; scores compare within one query of one retriever only, higher is better.
    """

    chunk: str
    document: str
    title: str
    score: float
    text: str
    why: dict[str, Scalar | tuple[str, ...]]
