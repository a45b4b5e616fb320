"""The head of the trained readers as training/ writes it for onnxruntime, beside its formula word by word."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from kgservice.extraction.readers.sentence_encoder import DISTANCES, HEADS, steps

pytest.importorskip("torch", reason="the readers are written by torch: make tools")
pytest.importorskip("onnx", reason="the readers are written by onnx: make tools")
TRAINING = Path(__file__).parents[2] / "training"
WIDTH, PART, RELATIONS = 4 * HEADS, 8, 5


@pytest.mark.parametrize("seed", range(3))
def test_the_head_scores_pairs_by_its_formula(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.syspath_prepend(TRAINING)
    from reader_files import HeadGraph

    draw = np.random.default_rng(seed)
    weights = drawn_weights(draw)
    spans = [(3 * at, 3 * at + 1 + at % 2) for at in range(5)]
    states, read = (draw.normal(size=(15, width)).astype(np.float32) for width in (WIDTH, 2 * WIDTH))
    pairs = list(permutations(range(len(spans)), 2))
    mean = np.zeros((len(spans), len(states)), np.float32)
    for row, (first, last) in zip(mean, spans, strict=True):
        row[first:last] = 1 / (last - first)
    given = {name: np.array([pair[side] for pair in pairs]) for side, name in enumerate(("one", "other"))}
    given["apart"] = np.array([steps(spans[one], spans[other]) for one, other in pairs])
    session = onnxruntime.InferenceSession(HeadGraph(weights).made().SerializeToString())
    found = session.run(None, {"pieces": states, "read": read, "spans": mean, **given})[0]
    wanted = np.stack([alone(weights, states, read, spans, pair) for pair in pairs])
    assert found.shape == (len(pairs), RELATIONS)
    assert np.abs(found - wanted).max() < 0.05 * np.abs(wanted).max()  # 8 bits, one scale for all


def drawn_weights(draw: np.random.Generator) -> dict[str, np.ndarray]:
    names = ("ask_subject", "ask_object", "subject", "object", "answer")
    shapes = dict.fromkeys(names, (WIDTH, WIDTH)) | dict.fromkeys(("left", "right"), (WIDTH, PART))
    shapes |= {"steps": (2 * len(DISTANCES) + 2, WIDTH), "relations": (WIDTH, RELATIONS), "product": (PART, RELATIONS)}
    weights = {name: draw.normal(size=shape) for name, shape in shapes.items()}
    return weights | {"bias": draw.normal(size=WIDTH), "offset": draw.normal(size=RELATIONS)}


def alone(
    weights: dict[str, np.ndarray],
    states: np.ndarray,
    read: np.ndarray,
    spans: list[tuple[int, int]],
    pair: tuple[int, int],
) -> np.ndarray:
    """One pair's scores, word by word."""
    one, other = (np.mean(states[slice(*spans[end])], axis=0) for end in pair)
    apart = weights["steps"][steps(*(spans[at] for at in pair))]
    ask = np.maximum(one @ weights["ask_subject"] + other @ weights["ask_object"] + apart, 0)
    size, answer = len(one) // HEADS, []
    for head in range(HEADS):
        part = slice(head * size, (head + 1) * size)
        near = [math.exp(float(ask[part] @ word[part]) / math.sqrt(size)) for word in read]
        values = [word[len(one) :][part] for word in read]
        answer.append(sum(share * value for share, value in zip(near, values, strict=True)) / sum(near))
    inner = one @ weights["subject"] + other @ weights["object"] + np.concatenate(answer) @ weights["answer"]
    inner = np.maximum(inner + weights["bias"], 0)
    both = (one @ weights["left"]) * (other @ weights["right"])
    return np.asarray(inner @ weights["relations"] + both @ weights["product"] + weights["offset"])
