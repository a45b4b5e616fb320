"""Writes the trained reader as the package carries it: the encoder for onnxruntime in 8 bits, the head, and what of."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from reader_model import WIDTH, Model
from torch import Tensor

from kgservice.extraction.relation_reader import Taught

MICROSOFT = "com.microsoft"
ATTENTION = 12  # heads of the encoder's own layers
LIMIT = 63  # of a weight in 8 bits: with more, processors without VNNI overflow where two products are added
HOW = (
    "training/reader.py on KnowledgeNet folds 1 and 2 (CC BY-SA 4.0), Re-DocRED dev without its last 150 documents, "
    "FewRel validation and ParaRel (MIT), from all-MiniLM-L6-v2 (Apache-2.0); see training/NOTICE"
)


def write(model: Model, taught: Taught, target: Path) -> None:
    """Write encoder.onnx, head.npz and reader.json."""
    target.mkdir(parents=True, exist_ok=True)
    state = {name: value.detach().float() for name, value in model.state_dict().items()}
    onnx.save(Graph(state, len(model.encoder.encoder.layer)).made(), target / "encoder.onnx")
    np.savez(target / "head.npz", **head(state))
    (target / "reader.json").write_text(json.dumps(taught.model_dump(), indent=1) + "\n", encoding="utf-8")


def head(state: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """What is not in the encoder, named as `joined` in relation_reader.py has it."""
    words = (
        state["encoder.embeddings.position_embeddings.weight"]
        + state["encoder.embeddings.token_type_embeddings.weight"][0]
    )
    arrays = {"positions": words[:192], "kinds": state["kinds.weight"], "steps": state["head.steps.weight"]}
    for name in ("ask_subject", "ask_object", "subject", "object", "answer", "left", "right", "relations", "product"):
        arrays[name] = state[f"head.{name}.weight"].T
    arrays |= {"bias": state["head.answer.bias"], "offset": state["head.relations.bias"]}
    return {name: value.numpy().astype(np.float16) for name, value in arrays.items()}


class Graph:
    """The encoder as a graph of onnxruntime's operators; a matrix product is in 8 bits, the rest in 32."""

    def __init__(self, state: dict[str, Tensor], layers: int) -> None:
        self._state, self._layers = state, layers
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def made(self) -> onnx.ModelProto:
        """Return the model: inputs (1, pieces, 384) to states (1, pieces, 384) and what pairs read (1, pieces, 768)."""
        at = self._normal("inputs", "encoder.embeddings.LayerNorm")
        for layer in range(self._layers):
            at = self._layer(at, f"encoder.encoder.layer.{layer}")
        self._nodes.append(helper.make_node("Identity", [at], ["states"]))
        self._product(at, self._state["head.read.weight"], self._state["head.read.bias"], "read")
        outputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, "pieces", width])
            for name, width in (("states", WIDTH), ("read", 2 * WIDTH))
        ]
        given = [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, [1, "pieces", WIDTH])]
        graph = helper.make_graph(self._nodes, "encoder", given, outputs, self._constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9)

    def _layer(self, at: str, name: str) -> str:
        asked = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        parts = [self._product(at, *self._both(part)) for part in asked]
        near = self._node("MultiHeadAttention", parts, num_heads=ATTENTION)
        found = self._product(near, *self._both(f"{name}.attention.output.dense"))
        at = self._normal(self._sum(found, at), f"{name}.attention.output.LayerNorm")
        inner = self._node("Gelu", [self._product(at, *self._both(f"{name}.intermediate.dense"))])
        outer = self._product(inner, *self._both(f"{name}.output.dense"))
        return self._normal(self._sum(outer, at), f"{name}.output.LayerNorm")

    def _both(self, name: str) -> tuple[Tensor, Tensor]:
        return self._state[f"{name}.weight"], self._state[f"{name}.bias"]

    def _product(self, at: str, weight: Tensor, bias: Tensor, out: str = "") -> str:
        """A linear layer, each column of its weights with a scale of its own."""
        columns = weight.numpy().T
        scale = np.abs(columns).max(axis=0) / LIMIT
        whole = np.round(columns / scale).astype(np.int8)
        given = [at, self._constant(whole), self._constant(scale.astype(np.float32)), "", self._constant(bias.numpy())]
        return self._node("DynamicQuantizeMatMul", given, out)

    def _sum(self, one: str, other: str) -> str:
        return self._node("Add", [one, other], domain="")

    def _normal(self, at: str, name: str) -> str:
        given = [at, *(self._constant(value.numpy()) for value in self._both(name))]
        return self._node("LayerNormalization", given, domain="", axis=-1, epsilon=1e-12)

    def _constant(self, value: np.ndarray) -> str:
        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def _node(self, kind: str, given: list[str], out: str = "", domain: str = MICROSOFT, **options: float) -> str:
        out = out or f"value{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, given, [out], domain=domain, **options))
        return out
