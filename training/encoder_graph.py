"""The encoder of MiniLM as a graph of onnxruntime's operators; subclasses say how its weights are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
ATTENTION = 12  # heads of a layer


class EncoderGraph(ABC):
    """Collects the nodes of an encoder over inputs (texts, pieces, width)."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def encoder(self, name: str, layers: int) -> str:
        """Add the norm of the embeddings and the layers; return the name of the states."""
        at = self.norm("inputs", f"{name}embeddings.LayerNorm")
        for layer in range(layers):
            at = self._layer(at, f"{name}encoder.layer.{layer}")
        return at

    def model(self, widths: dict[str, int], texts: int | str, width: int) -> onnx.ModelProto:
        """Return the model: `inputs` (texts, pieces, width) to the outputs, each (texts, pieces, its width)."""
        outputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, [texts, "pieces", wide])
            for name, wide in widths.items()
        ]
        given = [helper.make_tensor_value_info("inputs", TensorProto.FLOAT, [texts, "pieces", width])]
        return self.saved("encoder", given, outputs)

    def saved(self, name: str, given: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
        """Return the model of all nodes."""
        graph = helper.make_graph(self._nodes, name, given, outputs, self._constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9)

    @abstractmethod
    def product(self, at: str, name: str, out: str = "") -> str:
        """Add the linear layer of this name; return the name of what comes out."""

    @abstractmethod
    def weights(self, name: str) -> str:
        """Return the name of a constant with weights."""

    def norm(self, at: str, name: str) -> str:
        """Add a layer norm; return the name of what comes out."""
        given = [at, self.weights(f"{name}.weight"), self.weights(f"{name}.bias")]
        return self.node("LayerNormalization", given, domain="", axis=-1, epsilon=1e-12)

    def constant(self, value: np.ndarray) -> str:
        """Add a constant that the graph's file holds; return its name."""
        name = f"constant{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, given: list[str], out: str = "", domain: str = MICROSOFT, **options: float) -> str:
        """Add a node with one output; return its name."""
        out = out or f"value{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, given, [out], domain=domain, **options))
        return out

    def _layer(self, at: str, name: str) -> str:
        parts = [self.product(at, f"{name}.attention.self.{part}") for part in ("query", "key", "value")]
        near = self.node("MultiHeadAttention", parts, num_heads=ATTENTION)
        found = self.product(near, f"{name}.attention.output.dense")
        at = self.norm(self._sum(found, at), f"{name}.attention.output.LayerNorm")
        inner = self.node("Gelu", [self.product(at, f"{name}.intermediate.dense")])
        outer = self.product(inner, f"{name}.output.dense")
        return self.norm(self._sum(outer, at), f"{name}.output.LayerNorm")

    def _sum(self, one: str, other: str) -> str:
        return self.node("Add", [one, other], domain="")
