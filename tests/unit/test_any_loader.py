"""A folder of mixed files: each is read by the loader of its format, whatever it is called."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kgservice.core.records import Document, Problem
from loaders.anything import AnyLoader, loader_of
from loaders.mail import MailLoader
from tests.unit.loading import sorted_out

FILING = "<html><body><p>UNITED STATES SECURITIES AND EXCHANGE COMMISSION</p><p>FORM&nbsp;10-K</p>{}</body></html>"
ITEMS = "".join(f"<p><b>Item {item}. {title}</b></p><p>Some text of it.</p>" for item, title in (
    ("1", "Business"), ("1A", "Risk Factors"), ("2", "Properties"), ("3", "Legal Proceedings"),
))  # fmt: skip
MAIL = """From: Ann Lee <ann@example.org>
Subject: =?utf-8?q?Minutes_of_the_caf=C3=A9?=
Date: Tue, 4 Mar 2031 10:00:00 +0100
Content-Type: multipart/alternative; boundary=b

--b
Content-Type: text/html; charset=iso-8859-1

<html><head><meta charset="iso-8859-1"></head><body><p>Not this one.</p></body></html>
--b
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The caf=E9 opened in Port Ambrel.
--b--
"""


@pytest.mark.parametrize(
    ("name", "head", "loader"),
    [
        ("a.bin", "%PDF-1.7", "pdf"),
        ("page", "<!-- saved --><!DOCTYPE html><p>x", "html"),
        ("page.html", "no markup", "html"),
        ("filing.txt", "FORM 10-K\nSecurities and Exchange Commission", "filings_10k"),
        ("filing.htm.gz", FILING, "filings_10k"),
        ("notes.md", "# A form of love", "markdown"),
        ("README", "Form 10-K is what the page is about", "text"),
        ("a.rst", "Title\n=====", "rst"),
        ("a.eml", "Subject: x\n\nx", "mail"),
        ("a.jsonl", '{"text": "x", "triplets": []}', "triplets"),
        ("a.jsonl", '{"text": "x", "published_at": "2031-01-01"}', "news"),
        ("corpus.jsonl", '{"_id": "1", "text": "x"}', "beir"),
        ("a.ndjson", "{broken", "triplets"),
        ("package.json", '{\n  "name": "x",\n  "version": "1"\n}\n', ""),
        ("a.json", "[1, 2]", ""),
        ("a.json", '[\n  {\n    "title": "x",\n    "published_at": "2031-01-01"\n  },\n  {}\n]', "news"),
        ("a.json.gz", '[{"text": "x", "published_at": "2031-01-01"}, {}]', "news"),
        ("a.json", '{\n"text": "x", "published_at": "2031-01-01"}', "news"),
        ("a.json", '{"text": "x"}\n{"text": "y"}', "triplets"),
        ("a.json", '{"text": "x", "published_at": "2031-01-01", "triplets": []}', "triplets"),
        ("a.tsv", "head\trelation\ttail\nx\ty\tz", "triplets"),
        ("a.tsv", "head\trelation\ttail\r\nx\ty\tz\r\n", "triplets"),
        ("a.tsv", "one\ttwo", ""),
        ("dump.xml", "<mediawiki>", "wikipedia"),
        ("dump.xml.bz2", "BZh", "wikipedia"),
        ("feed.xml", "<rss>", ""),
        ("code.py", "import os", ""),
    ],
)
def test_the_format_is_known_by_the_content_and_the_name(name: str, head: str, loader: str) -> None:
    assert loader_of(name, head.encode()) == loader


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_table_of_triples_as_programs_save_it(tmp_path: Path, encoding: str) -> None:
    plain = 'head\trelation\ttail\n"y ""z"""\tnot "x"\t"Heroes"\n'
    quoted = '"head"\t"relation"\t"tail"\n"Acme"\t"led ""by"""\t"Ada"\n'
    for name, text in (("a.tsv", plain), ("b.tsv", quoted), ("c.jsonl", '{"id": "c", "text": "Row."}')):
        (tmp_path / name).write_bytes(text.encode(encoding))
    documents, problems = sorted_out(AnyLoader(tmp_path))
    assert [one.text for one in documents] == ['y "z" not "x" "Heroes"', 'Acme led "by" Ada', "Row."]
    assert not problems


def test_a_folder_of_many_formats_is_read_whole_and_what_is_left_out_is_named(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.md").write_text("# Port Ambrel\n\nIt is a port.")
    (tmp_path / "sub" / "page").write_text("<html><body><h1>Kasharra</h1><p>It is a city.</p></body></html>")
    (tmp_path / "sub" / "filing.html.gz").write_bytes(gzip.compress(FILING.format(ITEMS).encode()))
    (tmp_path / "about.html").write_text(FILING.format("<p>It explains the form.</p>"))
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps({"id": str(n), "text": f"Row {n}."}) for n in range(3)))
    (tmp_path / "x.py").write_text("import os")
    (tmp_path / "photo").write_bytes(b"\x89PNG\r\n\0\0")
    found = list(AnyLoader(tmp_path, name="in").read())
    documents = {one.source: one for one in found if isinstance(one, Document)}
    assert set(documents) == {"in/a.md", "in/sub/page", "in/sub/filing.html.gz", "in/about.html", "0", "1", "2"}
    assert documents["in/sub/filing.html.gz"].metadata["items"] == "1 1A 2 3"
    assert "explains the form" in documents["in/about.html"].text
    problems = {one.source: one.reason for one in found if isinstance(one, Problem)}
    assert problems == {"in/x.py": "format not read", "in/photo": "binary"}


def test_of_an_article_in_several_files_the_newest_version_is_kept(tmp_path: Path) -> None:
    for name, day, text in (("a", 1, "Old."), ("b", 3, "New."), ("c", 2, "Between.")):
        rows = [{"url": "u", "text": f"{text} {n}", "published_at": f"2031-01-0{day}T0{n}:00:00"} for n in (0, 1)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "other.jsonl").write_text(json.dumps({"id": "v", "text": "x", "doc_type": "news"}))
    documents, problems = sorted_out(AnyLoader(tmp_path))
    assert [one.text for one in documents] == ["New. 1", "x"]
    assert problems == {("rejected", "older version"): 5}


def test_an_empty_folder_is_said_to_be_empty(tmp_path: Path) -> None:
    (problem,) = AnyLoader(tmp_path).read()
    assert isinstance(problem, Problem)
    assert (problem.reason, problem.detail) == ("no files", "the folder is empty")


def test_a_mail_is_its_plain_text_under_its_subject(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(MAIL.replace("\n", "\r\n").encode())
    (document,) = MailLoader(tmp_path / "a.eml", name="a.eml").read()
    assert isinstance(document, Document)
    assert document.title == "Minutes of the café"
    assert document.text.strip() == "The café opened in Port Ambrel."
    assert str(document.published) == "2031-03-04"
    assert document.metadata == {"from": "Ann Lee <ann@example.org>"}


@pytest.mark.parametrize(
    ("mail", "text", "reason"),
    [
        (b"Subject: x\r\nContent-Type: text/html\r\n\r\n<p>Only <b>HTML</b>.</p>", "Only HTML.", None),
        (b"Subject: x\r\n\r\n", None, "no text"),
        (b"Subject: x\r\nContent-Type: text/plain; charset=nonsense\r\n\r\nabc", "abc", None),
        ("Subject: x\n\nA café.".encode(), "A café.", None),
        ("Subject: x\n\nA café – €5.".encode("cp1252"), "A café – €5.", None),
        ("Content-Type: text/plain; charset=latin1\n\n€5 “now”".encode("cp1252"), "€5 “now”", None),
        (b'Content-Type: multipart/mixed; boundary="A"\n\nIn a broken way.', "In a broken way.", None),
        (b"Date: nonsense\r\n\r\nSome text.", "Some text.", None),
    ],
)
def test_mails_of_all_kinds_end_as_a_document_or_with_a_reason(
    tmp_path: Path, mail: bytes, text: str | None, reason: str | None
) -> None:
    (tmp_path / "a.eml").write_bytes(mail)
    (found,) = MailLoader(tmp_path).read()
    assert (found.text.strip() if isinstance(found, Document) else None) == text
    assert (found.reason if isinstance(found, Problem) else None) == reason


MIXED = """Subject: x
Content-Type: multipart/mixed; boundary="A"

--A
Content-Type: multipart/alternative; boundary="B"

--B

{plain}
--B
Content-Type: text/html

<style>p {{}}</style><p>In HTML.</p>
--B--
--A
Content-Type: text/plain; name="log.txt"

A file.
--A

The rest.
--A
Content-Type: message/rfc822

Subject: Enclosed

Of another message.
--A--
"""


def test_all_texts_of_a_mail_are_read(tmp_path: Path) -> None:
    enclosed = "Subject: x\nContent-Type: message/rfc822\n\nSubject: Inner\n\nIts text."
    digest = "Content-Type: multipart/digest; boundary=A\n\n--A\n\nSubject: One\n\nA.\n--A\n\nSubject: Two\n\nB.\n--A--"
    for mail, text in (
        (MIXED.format(plain="In words."), "In words.\n\nThe rest."),
        (MIXED.format(plain=" "), "In HTML.\n\nThe rest."),
        (enclosed, "Inner\n\nIts text."),
        (digest, "One\n\nA.\n\nTwo\n\nB."),
    ):
        (tmp_path / "a.eml").write_text(mail)
        (document,) = MailLoader(tmp_path / "a.eml").read()
        assert isinstance(document, Document)
        assert document.text == text


@pytest.mark.parametrize(
    ("name", "content", "state", "reason", "advice"),
    [
        ("a.json", b'{"text": "x",', "failed", "malformed file", "not JSON: "),
        ("a.json", b'{"text": "\xe9"}', "failed", "encoding", "UTF-8"),
        ("a.json", b'[\n{"text": "x"}\n]', "rejected", "format not read", "as JSONL"),
        ("a.csv", b"id,text\n1,x\n", "rejected", "format not read", "as a line of JSONL"),
        ("a.png", b"\x89PNG\r\n\0", "rejected", "format not read", "OCR"),
        ("a.svg", b"<svg><text>Lun</text></svg>", "rejected", "format not read", "plain text"),
        ("a.docx", b"PK\x03\x04\0", "rejected", "format not read", "save it as PDF"),
        ("a.yaml", b"a: b\n", "rejected", "format not read", "a name in .txt"),
        ("a.parquet", b"PAR1\0", "rejected", "format not read", "load parquet"),
    ],
)
def test_what_is_not_read_says_why_and_what_helps(
    tmp_path: Path, name: str, content: bytes, state: str, reason: str, advice: str
) -> None:
    (tmp_path / name).write_bytes(content)
    (found,) = AnyLoader(tmp_path).read()
    assert isinstance(found, Problem)
    assert (found.state, found.reason) == (state, reason)
    assert advice in found.detail


def test_a_picture_named_as_a_pdf_is_told_that_it_is_none(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (problem,) = AnyLoader(tmp_path).records()
    assert isinstance(problem, Problem)
    assert (problem.reason, problem.detail.partition(":")[0]) == ("format not read", "the content is no PDF")


def test_a_filing_is_recognised_behind_the_values_that_it_hides(tmp_path: Path) -> None:
    hidden = f"<ix:header><ix:hidden>{'<b>1</b>' * 50_000}</ix:hidden></ix:header>"
    page = FILING.format(ITEMS).replace("<body>", f"<body><div style='display:none'>{hidden}</div>")
    (tmp_path / "report.html").write_text(page)
    (found,) = AnyLoader(tmp_path).read()
    assert isinstance(found, Document)
    assert found.doc_type == "10-K"
