"""The packaged model by onnxruntime: equal to sentence-transformers', to the last bit in any company, without torch."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.errors import SettingsError
from kgservice.retrieval.reranker import CrossEncoderScorer
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.encoder import PACKAGED
from kgservice.vectors.minilm import MiniLM, folder
from kgservice.vectors.same_length import same_length
from tests.conftest import examples

ROOT = Path(__file__).parents[2]
ODD = [
    "", " ", "a", "\n\t two  lines \n", "word " * 400, "東京は日本の首都です", "[SEP] is [MASK] a piece", "Größter ñandú 🦜",
    "x" * 500, "U.S.-based, 10,000km; O'Brien's", "\u200b\u00ad", "UPPER lower",
]  # fmt: skip
WITHOUT_TORCH = """
import sys
from kgservice.vectors.embedder import Embedder
vectors = Embedder().embed(["Novosel is the capital of Varnia."])
print(len(vectors[0]), {"torch", "transformers", "sentence_transformers", "onnx"} & set(sys.modules))
"""


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


def passages(shared_data: Path, count: int) -> list[str]:
    """Return passages of MuSiQue, as they are loaded."""
    with gzip.open(shared_data / "hipporag" / "musique_train100_corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in islice(stream, count)]
    return [f"{row['title']}\n{row['text']}" for row in rows]


def difference(model: MiniLM, texts: Sequence[str]) -> float:
    """Return the largest difference of a component between this model and sentence-transformers'."""
    import torch

    from kgservice.vectors.sentence_model import SentenceModel

    torch.set_num_threads(1)  # the other core is another test's, for which a second thread would wait busily
    return float(np.abs(np.array(model.encode(texts)) - np.array(SentenceModel(str(folder())).encode(texts))).max())


@pytest.mark.whole
def test_vectors_are_those_of_sentence_transformers(model: MiniLM, shared_data: Path) -> None:
    assert difference(model, [*ODD, *passages(shared_data, examples(30))]) < 1e-5


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.integers(0, 11), st.integers(0, 40))
def test_a_vector_is_the_same_to_the_last_bit_in_any_company(
    model: MiniLM, texts: list[str], place: int, same: int
) -> None:
    text = texts[place % len(texts)]
    alone = model.encode([text])
    assert model.encode(texts)[place % len(texts)] == alone[0]
    assert model.encode([*texts, *[text] * same])[-1] == (alone[0] if same else model.encode([texts[-1]])[0])


@pytest.mark.parametrize("words", [1, 30, 200, 400])
def test_full_batches_do_not_move_a_vector(model: MiniLM, words: int) -> None:
    text, filler = ("paris " * words).strip(), ("berlin " * words).strip()
    (alone,) = model.encode([text])
    for size, place in ((2, 0), (5, 3), (9, 8)):
        many = [filler] * size
        many[place] = text
        assert model.encode(many)[place] == alone


@given(st.lists(st.integers(0, 300), max_size=80), st.integers(1, 500))
def test_batches_hold_each_text_once_and_no_more_than_fit(lengths: list[int], together: int) -> None:
    found = list(same_length(lengths, together))
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    for batch in found:
        assert len({lengths[index] for index in batch}) == 1
        assert len(batch) == 1 or sum(lengths[index] for index in batch) <= max(together, len(batch))


def test_the_packaged_model_needs_no_torch() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "384 set()"


def test_another_model_without_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(SettingsError, match=r"KGS_EMBEDDING_MODEL.*pip install sentence-transformers"):
        Embedder("intfloat/multilingual-e5-base").embed_query("tides")
    with pytest.raises(SettingsError, match=r"KGS_RERANKER.*pip install sentence-transformers"):
        CrossEncoderScorer("own/judge").scores("tides", ["a text"])
    assert Embedder(PACKAGED).dimension == 384


@pytest.mark.parametrize("name", ["/no/such model", "./no such model", "~/no such model"])
def test_a_missing_folder_is_said_before_the_library_is_imported(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(SettingsError, match=rf"cannot load the embedding model '{name}'.*\(FileNotFoundError\)"):
        Embedder(name).embed_query("tides")


@pytest.mark.whole
def test_a_folder_of_sentence_transformers_is_a_model(model: MiniLM) -> None:
    other = Embedder(str(folder()))
    assert other.dimension == 384
    assert other.embed_query("tides") == pytest.approx(model.encode(["tides"])[0], abs=1e-5)
    assert other.embed([]) == []


def test_the_graphs_are_what_their_program_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "training"))
    import minilm_graph

    for name in minilm_graph.GRAPHS:
        made = minilm_graph.graph(name).SerializeToString(deterministic=True)
        assert (minilm_graph.TARGET / name).read_bytes() == made


def test_vectors_in_8_bits_are_near_those_in_32(model: MiniLM) -> None:
    texts = ["Orla Brandt born", "tides", "Norwegian Film Company spouse of the director", "Where is Lunsk?"]
    exact, fast = np.array(model.encode(texts)), np.array(model.encode_fast(texts))
    assert np.linalg.norm(fast, axis=1) == pytest.approx(1, abs=1e-6)
    near = fast @ exact.T
    assert near.diagonal().min() > 0.99
    assert np.abs(near - exact @ exact.T).max() < 0.03
    assert np.array_equal(fast, model.encode_fast(texts))
