"""Surveys, plans and question sets: documents of their layout written for these tests; news said twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgservice.core.records import Document, Problem
from loaders.benchmarks.frames import FramesLoader
from loaders.benchmarks.loong import LoongLoader
from loaders.benchmarks.raguard import RaguardLoader
from loaders.reports.caper import CaperLoader
from loaders.reports.oecd import OecdLoader
from loaders.shared.loader import FileLoader
from tests.unit.loading import jsonl, reasons, sorted_out

SURVEY = """<h1>OECD Economic Surveys: Velmora 2031</h1><p>Foreword by the secretary.</p><p>Basic statistics follow.</p>
<p>Table 1. Growth</p><table><tr><th>Year<th>GDP</tr><tr><td>2030<td>1.2</tr></table><p>Source: national accounts.</p>"""
PLAN = """<h1>Annual Action Plan</h1><p>Grantee: City of Isvik</p><p>State: Norland</p><p>Program Year 2031</p>
<p>The plan, with its attachments, houses people.</p><h2>Attachment A</h2><p>gone</p>"""


def only(loader: FileLoader) -> Document:
    (document,), problems = sorted_out(loader)
    assert problems == {}
    return document


def test_a_long_field_of_a_table_loses_no_row(tmp_path: Path) -> None:
    columns = [*RaguardLoader.question[:1], RaguardLoader.key, *RaguardLoader.kept]
    rows = [[name, name, *["x" * 200_000] * len(RaguardLoader.kept)] for name in ("a", "b", "c")]
    (tmp_path / "q.csv").write_text("\n".join(",".join(row) for row in (columns, *rows)))
    assert [one.text for one in sorted_out(RaguardLoader(tmp_path / "q.csv"))[0]] == ["a", "b", "c"]


def test_survey(tmp_path: Path) -> None:
    (tmp_path / "s.html").write_text(SURVEY)
    found = only(OecdLoader(tmp_path))
    assert found.metadata == {"country": "Velmora", "year": 2031}
    assert (found.title, found.domain) == ("OECD Economic Survey of Velmora 2031", "economics")
    assert found.text.startswith("Basic statistics follow.\n\nTable 1. Growth\n\n| Year | GDP |")
    assert found.text.endswith("Source: national accounts.")
    (tmp_path / "s.html").write_text("<p>Another report.</p>")
    assert reasons(OecdLoader(tmp_path)) == {"no survey": 1}


def test_plan(tmp_path: Path) -> None:
    (tmp_path / "p.html").write_text(PLAN)
    found = only(CaperLoader(tmp_path))
    said = {"plan_type": "Annual Action Plan", "grantee": "City of Isvik", "state": "Norland", "year": 2031}
    assert found.metadata == said
    assert found.text.endswith("with its attachments, houses people.")
    (tmp_path / "metadata.csv").write_text("id,plan_type,grantee,state,year\np,CAPER,Isvik County,,2030\n")
    assert only(CaperLoader(tmp_path)).metadata == said | {
        "plan_type": "CAPER",
        "grantee": "Isvik County",
        "year": 2030,
    }
    (tmp_path / "p.html").write_text("<p>A letter.</p>")
    (tmp_path / "metadata.csv").unlink()
    assert reasons(CaperLoader(tmp_path)) == {"no plan": 1}


@pytest.mark.parametrize(
    ("ledger", "detail"),
    [
        ("id,grantee\np,Cañon City\n".encode("cp1252"), "metadata.csv: byte 15: the text is neither UTF-8"),
        (b"file,grantee\np,Isvik County\n", "metadata.csv: its first line must name the columns id, plan_type"),
    ],
)
def test_a_ledger_that_cannot_be_read_is_named(tmp_path: Path, ledger: bytes, detail: str) -> None:
    (tmp_path / "p.html").write_text(PLAN)
    (tmp_path / "metadata.csv").write_bytes(ledger)
    (problem,) = CaperLoader(tmp_path).read()
    assert isinstance(problem, Problem)
    assert detail in problem.detail


@pytest.mark.parametrize("ledger", ["id;grantee\np;Cañon City, Colorado", 'id\tgrantee\np\t"Cañon City, Colorado"'])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_ledger_as_spreadsheets_save_it(tmp_path: Path, ledger: str, encoding: str) -> None:
    (tmp_path / "p.html").write_text(PLAN)
    (tmp_path / "metadata.csv").write_bytes(ledger.replace("\n", "\r\n").encode(encoding))
    assert only(CaperLoader(tmp_path)).metadata["grantee"] == "Cañon City, Colorado"


@pytest.mark.parametrize(
    ("loader", "path", "count"),
    [
        (RaguardLoader, "raguard/claims_even.jsonl.gz", 1324),
        (FramesLoader, "frames/questions_even.jsonl.gz", 412),
        (LoongLoader, "loong/loong_even.jsonl.gz", 800),
    ],
)
def test_question_sets(shared_data: Path, loader: type[FileLoader], path: str, count: int) -> None:
    documents, problems = sorted_out(loader(shared_data / path))
    assert (len(documents), problems) == (count, {})
    assert all(document.text and document.doc_type == "question" and document.metadata for document in documents)


def test_a_question_of_another_set_is_refused(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "q.jsonl", [{"Claim ID": "1", "Claim": "x"}, {"question": 5}])
    assert reasons(RaguardLoader(path)) == {"unknown shape": 2}
