"""The similarity of a corpus's chunks to each other: r@k (PluriHop, section 3.2)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Record
from kgservice.graph.store import Graph

KS = (1, 2, 5, 10, 20, 50)
PAGE = 2_000  # vectors a read
BLOCK = 1_000  # rows of similarities in memory at once


class Repetitiveness(Record):
    """r@k by k over `chunks` chunks of `documents` documents. A k that needs more chunks is dropped."""

    documents: int
    chunks: int
    at: dict[int, float]


def repetitiveness(
    graph: Graph, corpus: str, documents: int | None = None, seed: int = 0, ks: Sequence[int] = KS
) -> Repetitiveness:
    """Return r@k of a corpus, or of a random sample of its documents (100 in the paper), by the stored vectors.

    Raises NotFound if the corpus does not exist, BadRequest if it has fewer than two vectors.
    """
    graph.check_corpus(corpus)
    names, vectors = _vectors(graph, corpus)
    of = [name[: keys.KEY] for name in names]
    sampled = sorted(set(of))
    if documents is not None and documents < len(sampled):
        sampled = sorted(random.Random(seed).sample(sampled, documents))
        kept = set(sampled)
        vectors = vectors[[document in kept for document in of]]
    if len(vectors) < 2:
        raise BadRequest(f"corpus {corpus!r} has {len(vectors)} vectors here, and two are needed: load it with vectors")
    return Repetitiveness(documents=len(sampled), chunks=len(vectors), at=nearest_means(vectors, ks))


def nearest_means(vectors: NDArray[np.float32], ks: Sequence[int] = KS) -> dict[int, float]:
    """Return the mean cosine of each vector with its k nearest others, for each k.

    `vectors` has a row of unit length a vector. Exact: every pair is compared, a block of rows at a time.
    """
    count = len(vectors)
    wanted = [k for k in ks if k < count]
    if not wanted:
        return {}
    sums = dict.fromkeys(wanted, 0.0)
    deepest = max(wanted)
    for start in range(0, count, BLOCK):
        block = vectors[start : start + BLOCK] @ vectors.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf  # no chunk is its own neighbour
        nearest = -np.sort(-np.partition(block, -deepest, axis=1)[:, -deepest:], axis=1)
        for k in wanted:
            sums[k] += float(nearest[:, :k].sum(dtype=np.float64))
    return {k: total / (count * k) for k, total in sums.items()}


def _vectors(graph: Graph, corpus: str) -> tuple[list[str], NDArray[np.float32]]:
    """Return the keys of the chunks with vectors, and the vectors, a row each."""
    names: list[str] = []
    pages: list[NDArray[np.float32]] = []
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/vectors", after=after, until=code + "~", limit=PAGE):
        names += [row["key"] for row in rows]
        pages.append(np.array([row["vector"] for row in rows], np.float32))
        after = names[-1]
    return names, np.concatenate(pages) if pages else np.zeros((0, 1), np.float32)
