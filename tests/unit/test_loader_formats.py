"""Each loader's format: what is read, what is refused and why."""

from __future__ import annotations

import gzip
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from kgservice.core.records import Document, Problem, Term
from loaders.benchmarks.beir import BeirLoader
from loaders.markdown import MarkdownLoader
from loaders.news import NewsLoader
from loaders.text import TextLoader
from loaders.triplets import TripletsLoader
from tests.unit.loading import jsonl, reasons, sorted_out


def one(tmp_path: Path, **record: object) -> Document | Problem:
    return next(TripletsLoader(jsonl(tmp_path / "one.jsonl", [{"id": "a", "text": "T.", **record}])).read())


def test_triplets_records(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "t.jsonl",
        [
            {
                "id": " d1 ",
                "title": " A\n b ",
                "text": "x",
                "triplets": [{"subject": " A  b", "relation": "Is", "object": "c."}],
            },
            {"idx": 7, "text": "x", "extracted_triples": [["a", "b", "c"]], "extracted_entities": [1, {}]},
            {"text": "x"},
            {
                "id": "",
                "text": "",
                "triplets": [["a", "b", "c"], {"subject": "s", "relation": "r", "object": "o", "sentence": "S r o!"}],
            },
            {"id": "none"},
            {"id": "d1", "text": "other"},
        ],
    )
    documents, problems = sorted_out(TripletsLoader(path, name="t.jsonl"))
    assert [d.source for d in documents] == ["d1", "t.jsonl#7", "t.jsonl#3", "t.jsonl#4"]
    assert documents[0].title == "A b"
    assert documents[0].triplets is not None
    assert documents[0].triplets[0].subject == Term(label="A b")
    assert documents[0].triplets[0].object.label == "c."
    assert documents[2].triplets is None
    assert documents[3].text == "a b c.\nS r o!"
    assert problems == {("rejected", "no text"): 1, ("rejected", "duplicate id"): 1}


def test_lines_that_are_no_records(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [
        "{",
        "[1]",
        '"x"',
        '{"id": "\\ud800", "text": "x"}',
        '{"id": 1, "text": NaN}',
        "[" * 100_000,
        '{"text": 5}',
    ]
    lines += ['{"n": ' + "9" * 5000 + "}", '{"text": "x", "triplets": {}}', "", '{"id": "ok", "text": "x"}']
    path.write_text("\n".join(lines))
    documents, problems = sorted_out(TripletsLoader(path))
    assert [d.source for d in documents] == ["ok"]
    assert problems == {("failed", "malformed line"): 9}


def test_malformed_triplets_stay_with_the_document(tmp_path: Path) -> None:
    shapes: list[object] = [
        ["a", "b"],
        ["a", "b", "c", "d"],
        {"subject": "a"},
        ["a", " ", "c"],
        ["a", "b", None],
        ["a", "b", ["c"]],
    ]
    shapes += ["a b c", 5, None, [True, "b", "c"], ["a", "b", "c"], [1, "b", 2.50]]
    document = one(tmp_path, triplets=shapes)
    assert isinstance(document, Document)
    found = Counter(problem.reason for problem in document.malformed)
    assert found == {"not three parts": 3, "empty end": 1, "not text": 3, "unknown shape": 3}
    assert [(t.subject.label, t.object.label) for t in document.triplets or ()] == [("a", "c"), ("1", "2.5")]


def test_typed_ends(tmp_path: Path) -> None:
    base = {"subject": "a", "relation": "b", "object": "c"}
    given: list[dict[str, object]] = [
        {"subject_type": "company", "object_kind": "number", "object_value": 12, "object_unit": "kg"},
        {"object_value": "2031-04"},
        {"subject_kind": "entity"},
        {"object_kind": "date", "object_value": 5},
        {"object_kind": ["x"]},
        {"object_value": 10**400},
        {"object_type": 5},
    ]
    document = one(tmp_path, triplets=[base | extra for extra in given])
    assert isinstance(document, Document)
    first, second, third = document.triplets or ()
    assert (first.subject.type, first.object.kind, first.object.value, first.object.unit) == (
        "company",
        "number",
        12.0,
        "kg",
    )
    assert (second.object.kind, second.object.value) == ("date", "2031-04")
    assert third.subject.kind == "entity"
    assert Counter(p.reason for p in document.malformed) == {"unknown shape": 3, "not text": 1}


def test_optional_fields(tmp_path: Path) -> None:
    document = one(
        tmp_path,
        published_at="2031-03-14T09:30:00Z",
        doc_type="news",
        domain="d",
        url="u",
        metadata={"a": 1, "b": None},
    )
    assert isinstance(document, Document)
    assert (document.published, document.doc_type, document.domain, document.url) == (
        date(2031, 3, 14),
        "news",
        "d",
        "u",
    )
    assert document.metadata == {"a": 1}
    bad = [
        {"published": "14 March"},
        {"published": 5},
        {"metadata": []},
        {"metadata": {"a": [1]}},
        {"metadata": {"a": 2**63}},
    ]
    found = [one(tmp_path, **record) for record in bad]
    assert [p.reason for p in found if isinstance(p, Problem)] == ["bad date"] * 2 + ["bad metadata"] * 3


@pytest.mark.parametrize("name", ["t.tsv", "t.txt", "t.tsv.gz"])
def test_tsv(tmp_path: Path, name: str) -> None:
    text = "head\trelation\ttail\tsplit\nQ1\tP1\tQ2\ttrain\nQ1\tP1\nQ1\t\tQ2\nQ1\tP1\tQ2\ttest\na|b\tP1\tc  d\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    documents, problems = sorted_out(TripletsLoader(tmp_path))
    assert [(d.source, d.text, d.doc_type, d.title) for d in documents] == [
        ("Q1 | P1 | Q2", "Q1 P1 Q2", "triple", ""),
        ("a\\|b | P1 | c d", "a|b P1 c d", "triple", ""),
    ]
    assert problems == {
        ("rejected", "not three parts"): 1,
        ("rejected", "empty end"): 1,
        ("rejected", "duplicate id"): 1,
    }


def test_tsv_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("Q1\tP1\tQ2\n")
    assert reasons(TripletsLoader(tmp_path)) == {"no header": 1}


# text, Markdown, news, BEIR


def test_titles(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n  First  line\nmore")
    (tmp_path / "b.text").write_text("word " * 100)
    (tmp_path / "c.txt").write_text("Ada &amp; the Tide\n\nWrite &amp; for &.")
    first, second, third = sorted_out(TextLoader(tmp_path))[0]
    assert first.title == "First line"
    assert third.title == "Ada & the Tide" and third.text.endswith("Write &amp; for &.")
    assert len(second.title) <= 120
    assert second.title.endswith("word…")


def test_front_matter(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        '---\ntitle: "A: b"\npublished: 2031-03-14\ndoc_type: plan\nyear: 2031\nshare: 0.5\nok: true\nzip: 007\ntags:\n - x\n---\n# H\ntext'
    )
    (tmp_path / "readme.md").write_text("---\n\ntext with rules\n\n---\n\n```\n# no\n```\n## Yes ##\n")
    (tmp_path / "c.md").write_text("---\npublished: soon\n---\nx")
    (tmp_path / "d.md").write_text("---\ntitle: x\n---\n")
    (first, undated, second), problems = sorted_out(MarkdownLoader(tmp_path))
    assert (undated.published, undated.text) == (None, "x")
    assert (first.title, first.published, first.doc_type) == ("A: b", date(2031, 3, 14), "plan")
    assert first.metadata == {"year": 2031, "share": 0.5, "ok": True, "zip": "007"}
    assert first.text == "# H\ntext"
    assert second.title == "Yes"
    assert second.text.startswith("---")
    assert problems == {("rejected", "empty"): 1}


def test_front_matter_in_toml(tmp_path: Path) -> None:
    head = (
        'title = "A port"\ndate = 2031-03-14T10:00:00Z\npublished = 2031-03-15\ndraft = true\ntags = ["x"]\n[a]\nb = 1'
    )
    (tmp_path / "a.md").write_text(f"+++\n{head}\n+++\n\nIt opens.")
    (tmp_path / "b.md").write_text("+++\nno TOML\n+++\n\nIt opens.")
    (found, other), problems = sorted_out(MarkdownLoader(tmp_path))
    assert (found.title, found.published, found.text.strip()) == ("A port", date(2031, 3, 15), "It opens.")
    assert found.metadata == {"date": "2031-03-14T10:00:00+00:00", "draft": True}
    assert ("no TOML" in other.text, problems) == (True, {})


@pytest.mark.parametrize(
    ("said", "published"),
    [
        ("true", None), ("false", None), ("true\npublished_at: 2031-03-14", date(2031, 3, 14)), ("2031", None),
        ("March 14, 2031", date(2031, 3, 14)), ("2031-3-4", date(2031, 3, 4)),
        ("2031-03-14T09:30:00Z", date(2031, 3, 14)), ("2031-02-30", None),
    ],
)  # fmt: skip
def test_a_date_that_cannot_be_read_costs_no_text(tmp_path: Path, said: str, published: date | None) -> None:
    (tmp_path / "a.md").write_text(f"---\ntitle: A\npublished: {said}\n---\nText.")
    (found,), problems = sorted_out(MarkdownLoader(tmp_path))
    assert (found.text, found.published, found.metadata, problems) == ("Text.", published, {}, {})


def test_news_keeps_the_newest_version(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "n.jsonl",
        [
            {"url": "u1", "title": "old", "text": "x", "published_at": "2031-01-01T08:00:00"},
            {
                "url": "u1",
                "title": "new",
                "text": "x",
                "published_at": "2031-01-01T09:00:00Z",
                "author": "A",
                "source": None,
            },
            {"url": "u1", "title": "undated", "text": "x"},
            {"url": "u2", "facts": ["One.", " ", "Two."]},
            {"url": "u2", "text": "again"},
            {"url": "u1", "title": "newest but bad", "published_at": "2032-01-01"},
        ],
    )
    documents, problems = sorted_out(NewsLoader(path))
    assert [(d.source, d.title, d.domain, d.doc_type) for d in documents] == [
        ("u1", "new", "news", "news"),
        ("u2", "", "news", "news"),
    ]
    assert documents[0].metadata == {"author": "A", "published_at": "2031-01-01T09:00:00+00:00"}
    assert documents[1].text == "One.\n\nTwo."
    assert problems == {("rejected", "older version"): 3, ("rejected", "no text"): 1}


def test_beir(tmp_path: Path) -> None:
    assert reasons(BeirLoader(tmp_path)) == {"no files": 1}
    jsonl(tmp_path / "queries.jsonl", [{"_id": "q", "text": "?"}])
    jsonl(
        tmp_path / "corpus.jsonl",
        [
            {"_id": "d1", "title": "T", "text": "x", "metadata": {"a": 1, "b": [1]}},
            {"_id": 2, "title": "only", "text": ""},
            {"_id": "3"},
        ],
    )
    documents, problems = sorted_out(BeirLoader(tmp_path))
    assert [(d.source, d.text, d.metadata) for d in documents] == [("d1", "x", {"a": 1}), ("2", "only", {})]
    assert problems == {("rejected", "no text"): 1}
    assert len(sorted_out(BeirLoader(tmp_path / "corpus.jsonl"))[0]) == 2


def test_langchain_gets_the_good_ones(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = jsonl(tmp_path / "t.jsonl", [{"id": "a", "title": "T", "text": "x", "metadata": {"y": 1}}, {"id": "b"}])
    (found,) = TripletsLoader(path).load()
    assert (found.id, found.page_content) == ("a", "x")
    assert found.metadata == {"y": 1, "title": "T", "doc_type": "text", "source": "a"}
    assert "no text" in caplog.text


def test_a_title_has_no_badges(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("# Acme [![Build](https://x.org/b.svg)](https://x.org) ![logo](l.png)\n\nIt serves.\n")
    (found,) = MarkdownLoader(path).read()
    assert isinstance(found, Document)
    assert found.title == "Acme"


def test_underlined_headings_are_headings(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(
        "Acme server\n===========\n\nIt serves.\n\nOptions\n-------\n\n```\nno\n---\n```\n\ntext\n\n---\n\nend\n"
    )
    (found,) = MarkdownLoader(path).read()
    assert isinstance(found, Document)
    assert found.title == "Acme server"
    assert [line for line in found.text.split("\n") if line.startswith("#")] == ["# Acme server", "## Options"]
    assert "no\n---" in found.text


def test_inline_code_on_a_line_of_its_own_leaves_later_headings_headings(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("```pip install x```\n\nAcme server\n===========\n\nIt serves.\n")
    (found,) = MarkdownLoader(tmp_path).read()
    assert isinstance(found, Document)
    assert (found.title, found.text.split("\n")[2]) == ("Acme server", "# Acme server")
