"""Batches of texts of equal length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence


def same_length(lengths: Sequence[int], together: int) -> Iterator[list[int]]:
    """Yield the indexes of texts of equal length, in batches of at most `together` tokens, or of one text.

    Without padding a text's vector is the same to the last bit in any batch, so an interrupted load ends with the same
    graph as an undisturbed one.
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        by_length[length].append(index)
    for length, indexes in by_length.items():
        size = max(1, together // max(1, length))
        for at in range(0, len(indexes), size):
            yield indexes[at : at + size]
