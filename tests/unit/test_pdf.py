"""PDF files: what text is read from them, and that no file costs more than itself."""

from __future__ import annotations

import signal
import sys
import zlib
from contextlib import closing
from datetime import date
from pathlib import Path
from threading import Timer

import pytest

from kgservice.core.records import Document, Problem
from kgservice.text.chunking import chunks
from loaders import pdf
from loaders.pdf import PdfLoader
from tests.unit.loading import reasons, sorted_out

Place = tuple[float, float, str]


def stream(data: bytes, extra: bytes = b"") -> bytes:
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(data), extra, data)


def made(*contents: bytes, info: bytes = b"", trailer: bytes = b"") -> bytes:
    """A PDF of so many pages, each with the object of its content."""
    kids = b" ".join(b"%d 0 R" % (5 + 2 * at) for at in range(len(contents)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count %d /Kids [%b] >>" % (len(contents), kids)]
    objects += [b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", b"<< %b >>" % info]
    for at, content in enumerate(contents):
        resources = b"/Resources << /Font << /F 3 0 R >> >> /MediaBox [0 0 600 800] /Contents %d 0 R" % (6 + 2 * at)
        objects += [b"<< /Type /Page /Parent 2 0 R %b >>" % resources, content]
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R /Info 4 0 R %b >>\n" % (len(objects) + 1, trailer)
    xref = b"xref\n0 %d\n0000000000 65535 f \n%b" % (len(objects) + 1, table)
    return data + xref + end + b"startxref\n%d\n%%%%EOF\n" % len(data)


def written(*places: Place, rules: str = "") -> bytes:
    """A page's content: texts at places (from the left, from the bottom), and ruling lines."""
    texts = "".join(f"BT /F 12 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in places)
    return stream((texts + rules).encode("latin-1"))


def grid(columns: list[int], rows: list[int]) -> str:
    down = "".join(f"{x} {rows[0]} m {x} {rows[-1]} l S\n" for x in columns)
    return down + "".join(f"{columns[0]} {y} m {columns[-1]} {y} l S\n" for y in rows)


def one(tmp_path: Path, data: bytes, name: str = "report.pdf") -> Document:
    (tmp_path / name).write_bytes(data)
    (document,) = sorted_out(PdfLoader(tmp_path / name))[0]
    return document


def texts(tmp_path: Path, *files: bytes) -> list[str]:
    """Return the texts of several files, read by one process."""
    for at, data in enumerate(files):
        (tmp_path / f"{at}.pdf").write_bytes(data)
    documents, problems = sorted_out(PdfLoader(tmp_path))
    assert not problems
    return [document.text for document in documents]


PLAIN = made(written((50, 700, "Plain text.")))


def test_tables_stand_where_they_are_and_pages_are_kept(tmp_path: Path) -> None:
    cells = [(60, 605, "Item"), (160, 605, "2023"), (60, 585, "Sales | net"), (160, 585, "1,234")]
    first = written((50, 700, "Above it."), *cells, (50, 500, "Below it."), rules=grid([50, 150, 250], [620, 600, 580]))
    second = written((50, 700, "Second page."), (60, 605, "A"), (160, 605, "B"), rules=grid([50, 150, 250], [620, 600]))
    document = one(tmp_path, made(first, written(), second))
    table = "| Item | 2023 |\n| --- | --- |\n| Sales \\| net | 1,234 |"
    assert document.text == f"Above it.\n\n{table}\n\nBelow it.\f\fSecond page.\n\nA B"
    assert {chunk.page for chunk in chunks(document, "page")} == {1, 3}


def test_a_table_that_goes_on_keeps_its_header(tmp_path: Path) -> None:
    columns, rows = [50, 150, 250], [620, 600, 580]

    def page(*cells: str, left: int = 0) -> bytes:
        places = [(60 + 100 * (at % 2) + left, 605 - 20 * (at // 2), cell) for at, cell in enumerate(cells)]
        return written(*places, rules=grid([x + left for x in columns], rows))

    begun = page("Code", "Language", "da", "Danish")
    others = [
        page("Item", "2023", "Sales", "5"),  # a header of its own: words above numbers
        page("Code", "Language", "fr", "French"),  # repeated by the program that printed it
        page("es", "Spanish", "fr", "French", left=40),  # a table that stands elsewhere
    ]
    after, alone = ([made(begun, other) for other in others], [made(other) for other in others])
    whole, *found = texts(tmp_path, made(begun, page("es", "Spanish", "fr", "French")), *after, *alone)
    assert whole.split("\f")[1] == "| Code | Language |\n| --- | --- |\n| es | Spanish |\n| fr | French |"
    assert [text.split("\f")[1] for text in found[:3]] == found[3:]


def test_mostly_empty_grids_are_no_tables(tmp_path: Path) -> None:
    columns, rows = [50, 150, 250, 350], [620, 600, 580, 560]
    document = one(tmp_path, made(written((60, 605, "Name"), (160, 585, "Date"), rules=grid(columns, rows))))
    assert "|" not in document.text
    assert document.text.split() == ["Name", "Date"]


def test_lines_become_paragraphs(tmp_path: Path) -> None:
    lines = ["The company sold its inter-", "national business, a long-", "Term plan of the board of", "directors."]
    lines += ["Another paragraph starts here after a full", "line and ends."]
    ys = [700, 686, 672, 658, 620, 606]
    document = one(tmp_path, made(written(*((50, y, line) for y, line in zip(ys, lines, strict=True)))))
    assert document.text == (
        "The company sold its international business, a long- Term plan of the board of directors.\n\n"
        "Another paragraph starts here after a full line and ends."
    )


def test_a_hyphen_at_the_end_of_a_line_stays_where_it_is_the_words_own(tmp_path: Path) -> None:
    lines = [
        "The long-term debt and the company grew in the long-",
        "term and so did the com-",
        "pany in the short- and",
    ]
    lines += ["the long-term. Of the state-of-the-", "art yard and of the state-of-the-art harbour, the well-"]
    lines += ["known one, the mid-", "and long-term plan are all of the same year and port"]
    document = one(tmp_path, made(written(*((50, 700 - 14 * at, line) for at, line in enumerate(lines)))))
    assert document.text == (
        "The long-term debt and the company grew in the long-term and so did the company in the short- and the long-term. "
        "Of the state-of-the-art yard and of the state-of-the-art harbour, the well-known one, the mid- and long-term plan "
        "are all of the same year and port"
    )


def test_notes_with_hanging_numbers_are_paragraphs(tmp_path: Path) -> None:
    lines = [(50, 700, "\\(1\\)"), (90, 700, "A note that goes on for long"), (90, 686, "in its second line")]
    rows = [(50, 600, "Sales"), (250, 600, "12"), (50, 586, "costs"), (250, 586, "10")]
    text = one(tmp_path, made(written(*lines, *rows))).text
    assert text == "(1) A note that goes on for long in its second line\n\nSales 12\ncosts 10"


def test_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    left = [(50, 700 - 14 * at, f"left line {at} with words") for at in range(5)]
    right = [(320, 700 - 14 * at, f"right line {at} with words") for at in range(5)]
    scattered = [line for pair in zip(reversed(left), right, strict=True) for line in pair]
    upward = [(50, 300 + 40 * at, f"Line {9 - at}.") for at in range(10)]
    columns, lines, apart = texts(
        tmp_path, *(made(written(*places)) for places in ([*left, *right], upward, scattered))
    )
    assert columns.index("left line 4") < columns.index("right line 0")
    assert lines.split("\n\n") == [f"Line {at}." for at in range(10)]
    assert len(apart.split()) == 50


def test_running_headers_and_footers_go(tmp_path: Path) -> None:
    def page(at: int) -> bytes:
        words = "alpha beta gamma delta".split()
        return written((50, 780, f"Report 20{at}"), (50, 500, f"Body {words[at]}."), (300, 20, f"- {at} -"))

    titles = (written((50, 700, f"Slide {at}")) for at in range(4))
    long, short, slides = texts(tmp_path, made(*map(page, range(4))), made(*map(page, range(3))), made(*titles))
    assert long == "Body alpha.\fBody beta.\fBody gamma.\fBody delta."
    assert short.count("Report") == 3
    assert slides == "Slide 0\fSlide 1\fSlide 2\fSlide 3"


def test_lines_that_end_pages_alike_but_for_their_digits_stay(tmp_path: Path) -> None:
    def page(at: int) -> bytes:
        body = (
            (50, 600, f"Body {'abcd'[at]}."),
            (50, 500 - 50 * at, f"Total: {7 * at}"),
            (300, 300 + 9 * at, f"Acme report {at + 17}"),
        )
        return written((50, 640, f"Chapter {at}"), *body)

    def sums(at: int) -> bytes:
        return written((50, 640, f"Body {'abcd'[at]}."), (50, 500, f"{at * at},234"))

    chapters, columns = texts(tmp_path, made(*map(page, range(4))), made(*map(sums, range(4))))
    assert chapters.split("\f")[3] == "Chapter 3\n\nBody d.\n\nTotal: 21"  # the footer is gone
    assert columns.count(",234") == 4


def test_title_and_date(tmp_path: Path) -> None:
    infos = [
        b"/Title (A good  title) /CreationDate (D:20230105093000+01'00')",
        b"/Title (Microsoft Word - draft 3.docx) /CreationDate (yesterday)",
        b"/Title (untitled) /CreationDate (D:20231399)",
        b"/Title <FEFF00C90074006100740020003200300032> /CreationDate (20230105)",
        b"/Title (Q1/Q2 results)",
    ]
    for at, info in enumerate(infos):
        (tmp_path / f"file {at}.pdf").write_bytes(made(written((50, 700, "Text.")), info=info))
    documents, _ = sorted_out(PdfLoader(tmp_path))
    assert [document.title for document in documents] == [
        "A good title",
        "file 1",
        "file 2",
        "État 202",
        "Q1/Q2 results",
    ]
    day = date(2023, 1, 5)
    assert [document.published for document in documents] == [day, None, None, day, None]


def test_reasons(tmp_path: Path) -> None:
    locked = b"/Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b>" % (b"41" * 32, b"42" * 32)
    picture = stream(b"q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q")
    cases = {
        "empty": b"",
        "scanned": made(picture, picture),
        "encrypted": made(written((50, 700, "x")), trailer=b"/Encrypt << %b >> /ID [<00> <00>]" % locked),
        "unreadable": b"%PDF-1.4\n" + bytes(range(256)) * 40,
        "unreadable page": b"<html>",
        "unreadable part": PLAIN[: len(PLAIN) // 3],
    }
    for name, data in cases.items():
        (tmp_path / f"{name}.pdf").write_bytes(data)
    found = {Path(item.source).stem: item.reason for item in PdfLoader(tmp_path).read() if isinstance(item, Problem)}
    assert found == {name: name.split()[0] for name in cases}


@pytest.mark.whole
def test_more_pages_than_the_limit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "long.pdf").write_bytes(made(*[written()] * 5_001))
    assert reasons(PdfLoader(tmp_path)) == {"too large": 1}


@pytest.mark.whole
def test_bombs_cost_only_themselves(tmp_path: Path) -> None:
    packer = zlib.compressobj(9)
    head, zeros = packer.compress(b"") + packer.flush(zlib.Z_FULL_FLUSH), bytes(10_000_000)
    block = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)
    bomb = zlib.compress(head + block * 400)  # 4 GB
    (tmp_path / "a.pdf").write_bytes(made(stream(bomb, b"/Filter [/FlateDecode /FlateDecode]")))
    (tmp_path / "b.pdf").write_bytes(PLAIN)
    documents, problems = sorted_out(PdfLoader(tmp_path))
    assert (tmp_path / "a.pdf").stat().st_size < 50_000
    assert [document.text for document in documents] == ["Plain text."]
    assert problems == {("rejected", "too large"): 1}


@pytest.mark.whole
def test_slow_files_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "OPENING", 2)
    monkeypatch.setattr(pdf, "PER_PAGE", 0)
    endless = zlib.compress(b"BT /F 12 Tf 50 700 Td (x) Tj ET\n" * 2_000_000)
    (tmp_path / "a.pdf").write_bytes(made(stream(endless, b"/Filter /FlateDecode")))
    (tmp_path / "b.pdf").write_bytes(PLAIN)
    documents, problems = sorted_out(PdfLoader(tmp_path))
    assert [document.text for document in documents] == ["Plain text."]
    assert problems == {("rejected", "too slow"): 1}


def test_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.pdf").write_bytes(PLAIN)
    child = pdf.PdfReader()
    found = []
    for name in "abc":
        found.append(child.document(pdf.File(tmp_path / f"{name}.pdf", name)))
        if name == "a" and child.process:
            child.process.kill()
            child.process.wait()
    child.close()
    assert [isinstance(item, Document) for item in found] == [True, False, True]


def test_nothing_in_the_working_directory_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert one(tmp_path, PLAIN).text == "Plain text."


def test_words_without_blanks_between_them_stay_apart(tmp_path: Path) -> None:
    words = [b"Some", b"programs", b"draw", b"no", b"blank", b"at", b"all."]
    array = b" -333 ".join(b"(%b)" % word for word in words)  # a third of an em, as TeX sets it
    for size in (6, 10, 24):
        page = stream(b"BT /F %d Tf 20 700 Td [%b] TJ ET" % (size, array))
        (tmp_path / f"{size}.pdf").write_bytes(made(page))
    kerned = stream(b"BT /F 10 Tf 20 700 Td [(K) 80 (er) -60 (n) -50 (ing)] TJ ET")
    (tmp_path / "kerned.pdf").write_bytes(made(kerned))
    texts = [document.text for document in sorted_out(PdfLoader(tmp_path))[0]]
    assert texts == ["Some programs draw no blank at all."] * 3 + ["Kerning"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no signal that stops a process")
def test_a_busy_machine_makes_no_file_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.pdf").write_bytes(PLAIN)
    file = pdf.File(tmp_path / "a.pdf", "a.pdf")
    with closing(pdf.PdfReader()) as child:
        assert isinstance(child.document(file), Document)
        monkeypatch.setattr(pdf, "OPENING", 1)
        monkeypatch.setattr(pdf, "PER_PAGE", 0)
        assert child.process
        child.process.send_signal(signal.SIGSTOP)  # as where others have the processor
        wake = Timer(2.5, child.process.send_signal, (signal.SIGCONT,))
        wake.start()
        assert isinstance(child.document(file), Document)
        wake.join()


def test_words_in_small_capitals_are_whole(tmp_path: Path) -> None:
    small = (
        b"BT /F 18 Tf 100 700 Td (A) Tj /F 12 Tf 18 0 Td (CME) Tj /F 18 Tf 44 0 Td (L) Tj /F 12 Tf 16 0 Td (UN) Tj ET\n"
    )
    same = b"BT /F 12 Tf 100 600 Td (A) Tj 14 0 Td (PLAN) Tj ET\n"
    assert one(tmp_path, made(stream(small + same))).text.split("\n\n") == ["ACME LUN", "A PLAN"]
