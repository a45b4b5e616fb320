"""Writes the trained reader as the package carries it: the encoder for onnxruntime in 8 bits, the head, and what of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from encoder_graph import EncoderGraph
from reader_model import WIDTH, Model
from torch import Tensor

from kgservice.extraction.readers.relation_reader import Taught

LIMIT = 63  # of a weight in 8 bits: with more, processors without VNNI overflow where two products are added


def write(model: Model, taught: Taught, target: Path) -> None:
    """Write encoder.onnx, head.npz and reader.json."""
    write_weights(model, target)
    (target / "reader.json").write_text(json.dumps(taught.model_dump(), indent=1) + "\n", encoding="utf-8")


def write_weights(model: Model, target: Path) -> None:
    """Write encoder.onnx and head.npz."""
    target.mkdir(parents=True, exist_ok=True)
    state = {name: value.detach().float() for name, value in model.state_dict().items()}
    onnx.save(ReaderGraph(state, len(model.encoder.encoder.layer)).made(), target / "encoder.onnx")
    np.savez(target / "head.npz", **head(state))


def head(state: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """What is not in the encoder, named as `scores` in sentence_encoder.py has it."""
    words = (
        state["encoder.embeddings.position_embeddings.weight"]
        + state["encoder.embeddings.token_type_embeddings.weight"][0]
    )
    arrays = {"positions": words[:192], "kinds": state["kinds.weight"], "steps": state["head.steps.weight"]}
    for name in ("ask_subject", "ask_object", "subject", "object", "answer", "left", "right", "relations", "product"):
        arrays[name] = state[f"head.{name}.weight"].T
    arrays |= {"bias": state["head.answer.bias"], "offset": state["head.relations.bias"]}
    return {name: value.numpy().astype(np.float16) for name, value in arrays.items()}


class ReaderGraph(EncoderGraph):
    """The encoder with its weights; a matrix product is in 8 bits, the rest in 32."""

    def __init__(self, state: dict[str, Tensor], layers: int) -> None:
        super().__init__()
        self._state, self._layers = state, layers

    def made(self) -> onnx.ModelProto:
        """Return the model: inputs (1, pieces, 384) to states (1, pieces, 384) and what pairs read (1, pieces, 768)."""
        at = self.encoder("encoder.", self._layers)
        self.node("Identity", [at], "states", domain="")
        self.product(at, "head.read", "read")
        return self.model({"states": WIDTH, "read": 2 * WIDTH}, 1, WIDTH)

    def product(self, at: str, name: str, out: str = "") -> str:
        """Add a linear layer, each column of its weights with a scale of its own."""
        columns = self._state[f"{name}.weight"].numpy().T
        scale = np.abs(columns).max(axis=0) / LIMIT
        whole = np.round(columns / scale).astype(np.int8)
        given = [at, self.constant(whole), self.constant(scale.astype(np.float32)), "", self.weights(f"{name}.bias")]
        return self.node("DynamicQuantizeMatMul", given, out)

    def weights(self, name: str) -> str:
        """Add a constant with weights; return its name."""
        return self.constant(self._state[name].numpy())
