"""How well a text answers a query, judged on both together: cross-encoders, and a counterpart that needs no weights."""

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

SENTENCES = "sentences"  # the name of the scorer that needs no weights of its own
LOOKED_AT = 4  # sentences of a text; an encoder of one core reads a hundred a second


@runtime_checkable
class Scorer(Protocol):
    """Scores texts for a query, higher is better; one above `threshold` is worth reading (PluriHop's τ)."""

    name: str
    threshold: float

    def scores(self, query: str, texts: Sequence[str]) -> list[float]: ...


class CrossEncoderScorer:
    """Any cross-encoder of sentence-transformers by name or folder, loaded at first use; scores from 0 to 1."""

    threshold = 0.1  # PluriHop, section 4.3

    def __init__(self, name: str) -> None:
        self.name = name

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of each (query, text)."""
        if not texts:
            return []
        pairs = [(query, text) for text in texts]
        found = self._model.predict(pairs, batch_size=16, show_progress_bar=False)
        if found.ndim != 1:
            raise SettingsError(f"{self.name!r} gives {found.shape[1]} scores a text: set KGS_RERANKER to a re-ranker")
        return [float(score) for score in found]

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
    """The cosine of the query and the text's best sentence, by the embedding model that is there anyway.

    Of a longer text only the four sentences with the most of the query's words are embedded, earlier ones first.
    """

    name = SENTENCES
    threshold = 0.38  # keeps 9 of 10 relevant documents of MultiHop-RAG, drops 84 % of the others (evaluate threshold)

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the best sentence's cosine of each text, -1 for one without a sentence."""
        asked = bare(query)
        looked_at = [telling(text, asked) for text in texts]
        each = list(dict.fromkeys(sentence for found in looked_at for sentence in found))
        if not each:
            return [-1.0] * len(texts)
        cosines = np.array(self._embedder.embed(each)) @ np.array(self._embedder.embed_query(query))
        by_sentence = dict(zip(each, cosines.tolist(), strict=True))
        return [max((by_sentence[sentence] for sentence in found), default=-1.0) for found in looked_at]


def scorer(name: str, embedder: Embedder) -> Scorer:
    """Return the scorer of this name (the setting KGS_RERANKER)."""
    return SentenceScorer(embedder) if name == SENTENCES else CrossEncoderScorer(name)


def telling(text: str, asked: AbstractSet[str]) -> list[str]:
    """Return the four sentences of a text with the most of these words, first those with more, then earlier ones."""
    found = [text[start:end] for start, end in sentences(text)]
    shared = [len(bare(sentence) & asked) for sentence in found]
    order = sorted(range(len(found)), key=lambda index: (-shared[index], index))
    return [found[index] for index in order[:LOOKED_AT]]
