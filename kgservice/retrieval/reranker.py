"""Scorers of query and text together: cross-encoders here or behind an address, and one without weights of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import httpx
import numpy as np
from pydantic import BaseModel, Field, SecretStr, ValidationError

from kgservice.core.errors import BadRequest, SettingsError
from kgservice.core.settings import Settings
from kgservice.retrieval.bm25 import bare
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.sentence_model import sentence_transformers

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

SENTENCES = "sentences"  # name of the scorer without weights of its own
LOOKED_AT = 4  # sentences a text; an encoder on one core reads a hundred a second
TEXTS = 100  # a request
WAITS = (1.0, 4.0)  # seconds before a second and a third try, where the service asks for no other time
LONGEST_WAIT = 30.0
MOST_BYTES = 2**20  # of a reply


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
    threshold = 0.33  # keeps 9 of 10 relevant documents of MultiHop-RAG's evidence (benchmarks/distractors.py)

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of each text's best sentence, -1 for a text without a sentence."""
        terms = bare(query)
        candidates = [telling(text, terms) for text in texts]
        each = list(dict.fromkeys(sentence for chosen in candidates for sentence in chosen))
        if not each:
            return [-1.0] * len(texts)
        vectors = self._embedder.embed_once(each)
        cosines = np.array([vectors[text] for text in each], float) @ np.array(self._embedder.embed_query(query))
        by_sentence = dict(zip(each, cosines.tolist(), strict=True))
        return [max((by_sentence[sentence] for sentence in chosen), default=-1.0) for chosen in candidates]


class _Scored(BaseModel):
    index: int
    relevance_score: float = Field(allow_inf_nan=False)


class _Reply(BaseModel):
    results: list[_Scored]


class _AgainError(Exception):
    """A fault that may pass. `wait` is in seconds, if the service names a time."""

    def __init__(self, text: str, wait: float | None = None) -> None:
        super().__init__(text)
        self.wait = wait


class ApiScorer:
    """A scorer behind an address (KGS_RERANKER=https://…), of the model KGS_RERANKER_MODEL.

    A request has at most 100 texts. It is sent three times at most: again after a time-out, no connection, status 429
    and 5xx.
    """

    threshold = 0.1  # PluriHop, section 4.3, of Cohere Rerank 3.5

    def __init__(self, url: str, model: str | None, key: SecretStr | None, *, timeout: float = 60.0) -> None:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise BadRequest(f"{url!r} is no address (KGS_RERANKER): {error}") from error
        shown = address.copy_with(username=None, password=None, query=None)
        self.name = f"{model} at {shown}" if model else str(shown)
        self._url, self._model, self._key, self._timeout = address, model, key, timeout

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the model's score of each text. Raises SettingsError if the service gives none, with its reason."""
        found: list[float] = []
        with httpx.Client(timeout=self._timeout) as client:
            for start in range(0, len(texts), TEXTS):
                found += self._scored(client, query, list(texts[start : start + TEXTS]))
        return found

    def _scored(self, client: httpx.Client, query: str, texts: list[str]) -> list[float]:
        for wait in (*WAITS, None):
            try:
                return _read(self._asked(client, query, texts), len(texts))
            except _AgainError as error:
                if wait is None:
                    raise SettingsError(f"the re-ranker {self.name} {error}: try again, or set KGS_RERANKER") from error
                time.sleep(min(error.wait or wait, LONGEST_WAIT))
            except ValueError as error:
                raise SettingsError(f"the re-ranker {self.name} {error}: is KGS_RERANKER its /rerank?") from error
        raise AssertionError("unreachable")

    def _asked(self, client: httpx.Client, query: str, texts: list[str]) -> bytes:
        body: dict[str, object] = {"query": query, "documents": texts, "top_n": len(texts)}
        headers = {"accept-encoding": "identity"}  # a compressed reply could grow without limit before it is counted
        if self._model:
            body["model"] = self._model
        if self._key:
            headers["authorization"] = f"Bearer {self._key.get_secret_value()}"
        until, received = time.monotonic() + self._timeout, bytearray()
        try:
            with client.stream("POST", self._url, json=body, headers=headers) as response:
                status = response.status_code
                if status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR:
                    asked_for = response.headers.get("retry-after", "")
                    raise _AgainError(f"answers {status}", float(asked_for) if asked_for.isdecimal() else None)
                if status != httpx.codes.OK:
                    raise ValueError(f"refuses with status {status} (KGS_RERANKER_API_KEY, KGS_RERANKER_MODEL?)")
                for part in response.iter_raw():
                    received += part
                    if len(received) > MOST_BYTES:
                        raise ValueError("sends more than a megabyte")
                    if time.monotonic() > until:
                        raise _AgainError("takes too long")
        except httpx.HTTPError as error:
            raise _AgainError(f"does not answer ({type(error).__name__})") from error
        return bytes(received)


def _read(body: bytes, count: int) -> list[float]:
    """Return the scores in the order of the texts. Raises ValueError unless each text has one."""
    try:
        results = _Reply.model_validate_json(body).results
    except ValidationError as error:
        raise ValueError("sends no scores") from error
    scores = {one.index: one.relevance_score for one in results}
    if len(results) != count or scores.keys() != set(range(count)):
        raise ValueError(f"scores {len(results)} of {count} texts, each once is asked for")
    return [scores[index] for index in range(count)]


def cross_encoder(settings: Settings) -> Scorer | None:
    """Return the re-ranker that KGS_RERANKER names, an address or a model; None if it names none ("sentences")."""
    if settings.reranker == SENTENCES:
        return None
    if settings.reranker.startswith(("http://", "https://")):
        return ApiScorer(settings.reranker, settings.reranker_model, settings.reranker_api_key)
    return CrossEncoderScorer(settings.reranker)


def telling(text: str, terms: AbstractSet[str]) -> list[str]:
    """Return the four sentences of a text that share the most words with `terms`, earlier ones first among equals."""
    spans = [text[start:end] for start, end in sentences(text)]
    shared = [len(bare(sentence) & terms) for sentence in spans]
    order = sorted(range(len(spans)), key=lambda index: (-shared[index], index))
    return [spans[index] for index in order[:LOOKED_AT]]
