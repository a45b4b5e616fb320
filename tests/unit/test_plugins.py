"""Extractors of the entry-point group: found by name, checked, and GLiNER2 as the one that ships."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from kgservice.core.errors import BadRequest
from kgservice.core.records import Term, Triplet
from kgservice.extraction import plugins
from kgservice.extraction.extractor import Passages, Read, check_method
from kgservice.extraction.plugins import PluggedExtractor
from kgservice.ingest.pipeline import Recipe, extractor_of

TEXT = "Marta Klein founded Veltrin in 1987. It makes pumps."
GIVEN = Passages("", (TEXT,))


def triplet(sentence: str, subject: str = "Marta Klein") -> Triplet:
    return Triplet(subject=Term(label=subject), relation="founded", object=Term(label="Veltrin"), sentence=sentence)


def founders(passages: Passages) -> list[list[Triplet]]:
    return [
        [triplet(text.split(". ")[0] + "."), triplet("not there"), triplet(text, "Veltrin")] for text in passages.texts
    ]


class Founders:
    def __init__(self, subject: str) -> None:
        self.subject = subject

    def extract(self, passages: Passages) -> list[list[Triplet]]:
        return [[triplet(text, self.subject)] for text in passages.texts]


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [
        EntryPoint("founders", f"{__name__}:founders", plugins.GROUP),
        EntryPoint("classy", f"{__name__}:Founders", plugins.GROUP),
        EntryPoint("short", f"{__name__}:short", plugins.GROUP),
    ]
    monkeypatch.setattr(plugins, "entry_points", lambda group: entries)


def short(passages: Passages) -> list[list[Triplet]]:
    return []


def read(method: str) -> Read | Exception:
    with PluggedExtractor(method) as extractor:
        (found,) = extractor.read([GIVEN])
    return found


@pytest.mark.usefixtures("installed")
def test_a_function_and_a_class_with_an_argument() -> None:
    found = read("founders")
    assert isinstance(found, Read)
    assert [one.sentence for one in found.triplets[0]] == ["Marta Klein founded Veltrin in 1987."]
    assert found.triplets[0][0].subject.kind == "entity"
    assert [one.reason for one in found.problems] == ["sentence not in its text", "about itself"]
    made = read("classy:Veltrin Ltd")
    assert isinstance(made, Read)
    assert made.triplets[0][0].subject.label == "Veltrin Ltd"


@pytest.mark.usefixtures("installed")
def test_a_fault_costs_one_document_and_a_wrong_name_lists_what_is_there() -> None:
    assert isinstance(read("short"), ValueError)
    with pytest.raises(BadRequest, match="takes nothing after a colon"):
        read("founders:x")
    with pytest.raises(BadRequest, match="there are classy, founders, short"):
        PluggedExtractor("magic")
    with pytest.raises(BadRequest, match=r"rules.*, llm.*, none, classy, classy:ARGUMENT"):
        check_method("magic", plugins.names())
    assert isinstance(extractor_of(Recipe(extract="founders"), None), PluggedExtractor)


def test_gliner2_is_installed_by_name() -> None:
    assert "gliner2" in plugins.names()


def test_gliner2_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "gliner2", None)
    with pytest.raises(BadRequest, match=r"pip install .gliner2"), PluggedExtractor("gliner2"):
        pass


@pytest.mark.filterwarnings("ignore")
def test_gliner2_reads_by_a_model_of_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("gliner2", reason="the extra kgservice[gliner] is not installed")
    tiny_model(tmp_path / "tiny")
    from kgservice.extraction.gliner import RELATIONS, Gliner2

    (stated,) = Gliner2(str(tmp_path / "tiny"), threshold=0.0).extract(GIVEN)
    assert stated
    for one in stated:
        assert one.relation in RELATIONS
        assert one.subject.label in one.sentence
        assert one.object.label in one.sentence
        assert one.sentence in ("Marta Klein founded Veltrin in 1987.", "It makes pumps.")
    with pytest.raises(BadRequest, match="no GLiNER2 model"):
        Gliner2(str(tmp_path / "nothing"))


def tiny_model(folder: Path) -> None:
    """Save a GLiNER2 of one layer with random weights."""
    import torch
    from gliner2 import GLiNER2
    from gliner2.configuration import ExtractorConfig
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import BertConfig, PreTrainedTokenizerFast

    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *TEXT.lower().replace(".", " .").split()]
    plain = Tokenizer(models.WordLevel({word: at for at, word in enumerate(dict.fromkeys(words))}, unk_token="[UNK]"))
    plain.pre_tokenizer = pre_tokenizers.Whitespace()
    marks = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, **marks)
    layer = BertConfig(vocab_size=64, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    GLiNER2(ExtractorConfig(model_name="tiny", max_width=4), encoder_config=layer, tokenizer=tokenizer).save_pretrained(
        str(folder)
    )
