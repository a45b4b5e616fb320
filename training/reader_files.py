"""Writes the trained reader as the package carries it: encoder and head for onnxruntime in 8 bits, and what of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from encoder_graph import EncoderGraph
from onnx import TensorProto, helper
from reader_model import WIDTH, Model
from torch import Tensor

from kgservice.extraction.readers.relation_reader import Taught
from kgservice.extraction.readers.sentence_encoder import HEADS

LIMIT = 63  # of a weight in 8 bits: with more, processors without VNNI overflow where two products are added


def write(model: Model, taught: Taught, target: Path) -> None:
    """Write encoder.onnx, head.onnx, inputs.npz and reader.json."""
    write_weights(model, target)
    (target / "reader.json").write_text(json.dumps(taught.model_dump(), indent=1) + "\n", encoding="utf-8")


def write_weights(model: Model, target: Path) -> None:
    """Write encoder.onnx, head.onnx and inputs.npz."""
    target.mkdir(parents=True, exist_ok=True)
    state = {name: value.detach().float() for name, value in model.state_dict().items()}
    onnx.save(ReaderGraph(state, len(model.encoder.encoder.layer)).made(), target / "encoder.onnx")
    onnx.save(HeadGraph(head(state)).made(), target / "head.onnx")
    words = (
        state["encoder.embeddings.position_embeddings.weight"]
        + state["encoder.embeddings.token_type_embeddings.weight"][0]
    )
    inputs = {"positions": words[:192], "kinds": state["kinds.weight"]}
    np.savez(target / "inputs.npz", **{name: value.numpy().astype(np.float16) for name, value in inputs.items()})


def head(state: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """Return the weights of the head, but of what reads the words, which is in the encoder."""
    names = ("ask_subject", "ask_object", "subject", "object", "answer", "left", "right", "relations", "product")
    arrays = {name: state[f"head.{name}.weight"].numpy().T for name in names}
    arrays["steps"] = state["head.steps.weight"].numpy()
    return arrays | {"bias": state["head.answer.bias"].numpy(), "offset": state["head.relations.bias"].numpy()}


def in_8_bits(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix as whole numbers, and the scale of each of its columns."""
    scale = np.abs(columns).max(axis=0) / LIMIT
    return np.round(columns / scale).astype(np.int8), scale.astype(np.float32)


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
        whole, scale = in_8_bits(self._state[f"{name}.weight"].numpy().T)
        given = [at, self.constant(whole), self.constant(scale), "", self.weights(f"{name}.bias")]
        return self.node("DynamicQuantizeMatMul", given, out)

    def weights(self, name: str) -> str:
        """Add a constant with weights; return its name."""
        return self.constant(self._state[name].numpy())


class HeadGraph(EncoderGraph):
    """The head of reader_model.py. What is made of the ends, and of what a pair reads, is in 8 bits.

    Its weights come once for all ends: on short sentences most of the time is to fetch them.
    """

    OF_ENDS = ("ask_subject", "ask_object", "subject", "object", "left", "right")
    INPUTS: tuple[tuple[str, int, tuple[str, ...]], ...] = (
        ("spans", TensorProto.FLOAT, ("ends", "pieces")),
        ("one", TensorProto.INT64, ("pairs",)),
        ("other", TensorProto.INT64, ("pairs",)),
        ("apart", TensorProto.INT64, ("pairs",)),
    )

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        super().__init__()
        self._arrays = {name: value.astype(np.float32) for name, value in arrays.items()}
        self._arrays["ends"] = np.hstack([self._arrays[name] for name in self.OF_ENDS])

    def made(self) -> onnx.ModelProto:
        """Return the model: states (pieces, width) and what pairs read (pieces, 2 width) to scores (pairs, relations).

        `spans` averages the pieces of each end; of a pair, `one` and `other` are its ends, and `apart` its steps.
        """
        width, part = self._arrays["left"].shape
        known = self.product(self._plain("MatMul", "spans", "pieces"), "ends")
        of = self._split(known, [*[width] * 4, *[part] * 2])
        of = [self._plain("Gather", at, ("one", "other")[number % 2]) for number, at in enumerate(of)]
        ask = self._plain("Relu", self._plain("Sum", *of[:2], self._plain("Gather", self.weights("steps"), "apart")))
        alone = self.constant(np.array([0], np.int64))
        asked = [self._plain("Unsqueeze", at, alone) for at in (ask, *self._split("read", [width] * 2))]
        answer = self._plain("Squeeze", self.node("MultiHeadAttention", asked, num_heads=HEADS), alone)
        said = self._plain("Sum", *of[2:4], self.product(answer, "answer"), self.weights("bias"))
        inner = self._plain("MatMul", self._plain("Relu", said), self.weights("relations"))
        both = self._plain("MatMul", self._plain("Mul", *of[4:]), self.weights("product"))
        self.node("Sum", [inner, both, self.weights("offset")], "scores", domain="")
        given = [*self.INPUTS, ("pieces", TensorProto.FLOAT, ("pieces", width))]
        given.append(("read", TensorProto.FLOAT, ("pieces", 2 * width)))
        scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["pairs", len(self._arrays["offset"])])
        inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in given]
        return self.saved("head", inputs, [scores])

    def product(self, at: str, name: str, out: str = "") -> str:
        """Add a product, each column of its weights with a scale of its own."""
        whole, scale = in_8_bits(self._arrays[name])
        return self.node("DynamicQuantizeMatMul", [at, self.constant(whole), self.constant(scale), "", ""], out)

    def weights(self, name: str) -> str:
        """Add a constant with weights; return its name."""
        return self.constant(self._arrays[name])

    def _plain(self, kind: str, *given: str) -> str:
        return self.node(kind, list(given), domain="")

    def _split(self, at: str, sizes: list[int]) -> list[str]:
        """Add what cuts the columns of a matrix into parts; return their names."""
        names = [f"{at} {number}" for number in range(len(sizes))]
        given = [at, self.constant(np.array(sizes, np.int64))]
        self._nodes.append(helper.make_node("Split", given, names, axis=1))
        return names
