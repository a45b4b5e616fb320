"""A model in memory that makes vectors of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

PACKAGED = "all-MiniLM-L6-v2"


class Encoder(Protocol):
    """A model in memory. Its vectors have length 1.

    No vector of `encode` depends on the other texts of its batch. `encode_fast` may return vectors near those.
    """

    @property
    def dimension(self) -> int: ...

    @property
    def prompts(self) -> Mapping[str, str | None]: ...

    def encode(self, texts: Sequence[str]) -> list[list[float]]: ...

    def encode_fast(self, texts: Sequence[str]) -> list[list[float]]: ...


def encoder(name: str, *, threads: int = 0) -> Encoder:
    """Load the packaged model, or one of sentence-transformers by name or path. `threads` 0: one a core."""
    if name == PACKAGED:
        from kgservice.vectors.minilm import MiniLM

        return MiniLM(threads)
    from kgservice.vectors.sentence_model import SentenceModel

    return SentenceModel(name)
