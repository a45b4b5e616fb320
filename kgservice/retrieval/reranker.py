"""Scorers of query and text together: cross-encoders, and a counterpart without weights of its own."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from kgservice.core.errors import SettingsError
from kgservice.retrieval.bm25 import bare
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.sentence_model import sentence_transformers

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

SENTENCES = "sentences"  # name of the scorer without weights of its own
LOOKED_AT = 4  # sentences a text; an encoder on one core reads a hundred a second


@runtime_checkable
class Scorer(Protocol):
    """A scorer of texts for a query. Higher is better, and a text above `threshold` is relevant (PluriHop's τ)."""

    name: str
    threshold: float

    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...


class CrossEncoderScorer:
    """Any cross-encoder of sentence-transformers by name or folder, loaded at first use. Scores are from 0 to 1."""

    threshold = 0.1  # PluriHop, section 4.3

    def __init__(self, name: str) -> None:
        self.name = name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of each (query, text).

        Raises SettingsError if the model is no re-ranker or cannot be loaded.
        """
        if not texts:
            return []
        pairs = [(query, text) for text in texts]
        scores = self._model.predict(pairs, batch_size=16, show_progress_bar=False)
        if scores.ndim != 1:
            raise SettingsError(f"{self.name!r} gives {scores.shape[1]} scores a text: set KGS_RERANKER to a re-ranker")
        return [float(score) for score in scores]

    @cached_property
    def _model(self) -> CrossEncoder:
        library = sentence_transformers(f"the re-ranker {self.name!r} (KGS_RERANKER)")
        try:
            model: CrossEncoder = library.CrossEncoder(self.name, device="cpu")
        except (OSError, ValueError) as error:
            raise SettingsError(
                f"cannot load the re-ranker {self.name!r}: set KGS_RERANKER to {SENTENCES!r} (offline), a folder, or a "
                f"name that the model hub can serve here ({type(error).__name__})"
            ) from error
        return model


class SentenceScorer:
    """The cosine of the query and the text's best sentence, by the corpus's embedding model.

    Of a longer text only the four sentences with the most of the query's words are embedded, earlier ones first.
    """

    name = SENTENCES
    threshold = 0.38  # keeps 9 of 10 relevant documents of MultiHop-RAG, drops 84 % of the others (evaluate threshold)

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text's best sentence, -1 for a text without a sentence."""
        terms = bare(query)
        candidates = [telling(text, terms) for text in texts]
        each = list(dict.fromkeys(sentence for chosen in candidates for sentence in chosen))
        if not each:
            return [-1.0] * len(texts)
        cosines = np.array(self._embedder.embed(each)) @ np.array(self._embedder.embed_query(query))
        by_sentence = dict(zip(each, cosines.tolist(), strict=True))
        return [max((by_sentence[sentence] for sentence in chosen), default=-1.0) for chosen in candidates]


def scorer(name: str, embedder: Embedder) -> Scorer:
    """Return the scorer of this name (setting KGS_RERANKER)."""
    return SentenceScorer(embedder) if name == SENTENCES else CrossEncoderScorer(name)


def telling(text: str, terms: AbstractSet[str]) -> list[str]:
    """Return the four sentences of a text that share the most words with `terms`, earlier ones first among equals."""
    spans = [text[start:end] for start, end in sentences(text)]
    shared = [len(bare(sentence) & terms) for sentence in spans]
    order = sorted(range(len(spans)), key=lambda index: (-shared[index], index))
    return [spans[index] for index in order[:LOOKED_AT]]
