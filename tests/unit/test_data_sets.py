"""Doors in: data sets as their owners' libraries write them, and files that are none."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from kgservice.exchange.exchange_rows import Tables
from kgservice.exchange.parquet import write_parquet
from loaders.benchmarks.columnar import HuggingFaceLoader, ParquetLoader
from loaders.benchmarks.croissant import CroissantLoader
from loaders.benchmarks.ragas import RagasLoader
from loaders.shared.fields import Refused
from loaders.shared.row_loader import document_of
from tests.unit.loading import jsonl, reasons, sorted_out
from tests.unit.test_exchange import EVIDENCE, QUESTIONS, TEXTS

ROWS = [
    {
        "id": 7,
        "title": " Isvik\n town",
        "text": "Ada Lind leads Isvik.",
        "date": "2031-03-14",
        "tags": ["a", "b"],
        "n": 3,
    },
    {"id": 8, "title": "", "text": "", "date": None, "tags": [], "n": 4},
    {"id": 9, "title": "Orlo", "text": "t0", "date": None, "tags": None, "n": 5},
]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_what_datasets_saves_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    saved = datasets.Dataset.from_list(ROWS)
    saved.save_to_disk(str(tmp_path / "one"))
    asked = datasets.Dataset.from_list([{"question": "Who leads Isvik?", "answers": ["Ada Lind"]}])
    datasets.DatasetDict({"train": saved, "test": asked}).save_to_disk(str(tmp_path / "both"))
    saved.to_parquet(str(tmp_path / "rows.parquet"))
    for loader in (HuggingFaceLoader(tmp_path / "one"), ParquetLoader(tmp_path / "rows.parquet")):
        (document,), problems = sorted_out(loader)
        assert (document.source, document.title, document.published) == ("7", "Isvik town", date(2031, 3, 14))
        assert document.metadata == {"tags": "a; b", "n": 3}
        assert problems == {("rejected", "no text"): 2}
    (question, document), _ = sorted_out(HuggingFaceLoader(tmp_path / "both"))
    assert (document.text, question.text) == ("Ada Lind leads Isvik.", "Who leads Isvik?")
    assert (question.doc_type, question.metadata) == ("question", {"answers": "Ada Lind"})


@pytest.mark.parametrize(
    ("said", "published", "kept"),
    [
        ("December 31, 2017 ", date(2017, 12, 31), {}), ("14 March 2031", date(2031, 3, 14), {}),
        ("Fri, 14 Mar 2031 09:30:00 GMT", date(2031, 3, 14), {}), ("2031-03-14T09:30:00Z", date(2031, 3, 14), {}),
        ("2017", None, {"date": "2017"}), (2017, None, {"date": 2017}), ("last week", None, {"date": "last week"}),
    ],
)  # fmt: skip
def test_a_date_that_cannot_be_read_is_kept_as_it_is(
    said: object, published: date | None, kept: dict[str, object]
) -> None:
    found = document_of({"text": "Ada Lind leads Isvik.", "date": said}, "a#1")
    assert (found.published, found.metadata) == (published, kept)


def test_a_text_in_a_script_without_blanks_is_no_id() -> None:
    assert document_of({"id": "c1", "text": "东京是日本的首都。"}, "a#1").text == "东京是日本的首都。"
    with pytest.raises(Refused):
        document_of({"text": "d41d8cd9"}, "a#1")


def test_our_own_croissant_comes_back(tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant")
    write_parquet(Tables(TEXTS, QUESTIONS, EVIDENCE), "towns", tmp_path)
    documents, problems = sorted_out(CroissantLoader(tmp_path / "croissant.json"))
    assert not problems
    assert [(one.source, one.text) for one in documents] == [(row["id"], row["text"]) for row in TEXTS]
    path = tmp_path / "croissant.json"
    described = json.loads(path.read_text())
    described["distribution"][0]["contentUrl"] = "https://example.org/texts.parquet"
    path.write_text(json.dumps(described))
    assert reasons(CroissantLoader(path)) == {"file elsewhere": 1}
    for url in ("file:///etc/passwd", "/etc/passwd", "../x.parquet", "a/../../x.parquet"):
        described["distribution"][0]["contentUrl"] = url
        path.write_text(json.dumps(described))
        assert reasons(CroissantLoader(path)) == {"file elsewhere": 1}, url


def test_ragas_samples(tmp_path: Path) -> None:
    context = "Ada Lind leads Isvik."
    path = jsonl(
        tmp_path / "samples.jsonl",
        [
            {
                "user_input": "Who leads Isvik?",
                "reference": "Ada Lind",
                "reference_contexts": [context],
                "retrieved_contexts": None,
            },
            {"user_input": "What does Ada Lind lead?", "reference_contexts": [context, "Isvik is a town."]},
            {"user_input": [{"content": "Hi", "type": "human"}]},
            {"question": "Who?"},
            {"user_input": "Who?", "retrieved_contexts": "Isvik"},
        ],
    )
    documents, problems = sorted_out(RagasLoader(path))
    assert [(one.doc_type, one.text) for one in documents] == [
        ("text", context), ("question", "Who leads Isvik?"), ("text", "Isvik is a town."),
        ("question", "What does Ada Lind lead?"),
    ]  # fmt: skip
    assert documents[1].metadata == {"reference": "Ada Lind"}
    assert problems == {
        ("rejected", "several turns"): 1, ("rejected", "no text"): 1, ("failed", "malformed line"): 1,
    }  # fmt: skip


def test_files_that_are_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (
        ("a.parquet", b"PAR1 no"),
        ("b.parquet", b""),
        ("c.arrow", b"no arrow at all"),
        ("d.arrow", b""),
    ):
        (tmp_path / name).write_bytes(content)
        assert reasons(HuggingFaceLoader(tmp_path / name)) == {"unreadable": 1}, name
    for name, content, reason in (
        ("a.json", b"[]", "not Croissant"), ("b.json", b"{", "unreadable"), ("c.json", b'{"recordSet": [1]}', "not Croissant"),
        ("d.json", b'{"recordSet": [], "@type": "sc:Dataset"}', "not Croissant"),
        ("e.json", b'{"recordSet": [], "@context": "http://127.0.0.1:1/c.json"}', "file elsewhere"),
        ("f.json", b'{"recordSet": [], "@context": {"a": {"@context": ["http://127.0.0.1:1/c.json"]}}}', "file elsewhere"),
        ("g.json", b'{"recordSet": [], "distribution": [{"containedIn": {"@id": "x.zip"}}]}', "file elsewhere"),
    ):  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert reasons(CroissantLoader(tmp_path / name)) == {reason: 1}, name
    assert reasons(ParquetLoader(tmp_path / "none.parquet")) == {"no such file": 1}
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    assert reasons(ParquetLoader(tmp_path / "a.parquet")) == {"library not installed": 1}
    (problem,) = CroissantLoader(tmp_path / "d.json").read()
    assert "pip install mlcroissant" in problem.detail  # type: ignore[union-attr]
