"""Any model of sentence-transformers, by name or folder. Needs torch: the extra kgservice[torch]."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgservice.core.errors import SettingsError
from kgservice.vectors.same_length import same_length

if TYPE_CHECKING:
    from collections.abc import Mapping

TOGETHER = 16_384  # tokens of a batch


class SentenceModel:
    """A SentenceTransformer on the processor, loaded when it is made."""

    def __init__(self, name: str) -> None:
        if _is_missing_folder(name):
            raise _not_loaded(name, FileNotFoundError())
        library = sentence_transformers(f"the embedding model {name!r} (KGS_EMBEDDING_MODEL)")
        try:
            self._model: Any = library.SentenceTransformer(name, device="cpu")
        except (OSError, ValueError) as error:
            raise _not_loaded(name, error) from error

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return int(self._model.get_embedding_dimension() or 0)

    @property
    def prompts(self) -> Mapping[str, str | None]:
        """Return the model's own prompts by their names."""
        prompts: Mapping[str, str | None] = self._model.prompts
        return prompts

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        limit = self._model.max_seq_length or 512
        ids = self._model.tokenizer(list(texts), truncation=True, max_length=limit)["input_ids"]
        vectors: list[list[float]] = [[] for _ in texts]
        for indexes in same_length([len(tokens) for tokens in ids], TOGETHER):
            batch = [texts[index] for index in indexes]
            encoded = self._model.encode(
                batch, batch_size=len(batch), prompt="", normalize_embeddings=True, show_progress_bar=False
            )
            for index, vector in zip(indexes, encoded.tolist(), strict=True):
                vectors[index] = vector
        return vectors

    encode_fast = encode


def _is_missing_folder(name: str) -> bool:
    """Return whether the name can only be that of a folder, and no such folder exists: the library takes seconds."""
    return (name.startswith((".", "~")) or Path(name).is_absolute()) and not Path(name).exists()


def _not_loaded(name: str, error: Exception) -> SettingsError:
    return SettingsError(
        f"cannot load the embedding model {name!r}: set KGS_EMBEDDING_MODEL to 'all-MiniLM-L6-v2' (packaged, "
        f"offline), a folder, or a name that the model hub can serve here ({type(error).__name__})"
    )


def sentence_transformers(needed_by: str) -> Any:
    """Return the library, set up without extra threads and progress bars.

    Raises SettingsError if it is not installed.
    """
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault(
        "OMP_WAIT_POLICY", "PASSIVE"
    )  # else torch's threads spin against a busy Neo4j: 2.6 times slower
    try:
        import sentence_transformers as library
        from transformers.utils import logging
    except ImportError as error:
        raise SettingsError(f"{needed_by} needs torch: pip install sentence-transformers") from error
    logging.disable_progress_bar()
    return library
