"""10-K filings: Items, cover, pages; the hand check of eight real ones; no broken file hangs or crashes."""

from __future__ import annotations

import gzip
import json
import re
import time
from datetime import date
from itertools import groupby
from pathlib import Path

import pytest

from kgservice.core.records import Document, Problem
from kgservice.text.chunking import chunks
from loaders.html import parsed_page
from loaders.sec.filings_10k import Filing10kLoader, read_page
from loaders.sec.sections import ITEMS, FilingLine, sections

CHECKED = Path(__file__).parents[1] / "data" / "items_10k.jsonl"
BACK_LINK = re.compile(
    r"<a\b[^>]*>(?:\s|<[^>]{0,999}>|&#160;|&nbsp;)*(?:table\s+of\s+)?contents\s*</a\s*>", re.IGNORECASE
)  # back to the contents: the published counts leave such links out
RULE = "<hr style='page-break-after:always'>"
EXPECTED = [item for item in ITEMS if item not in ("1C", "9C", "16")]
COVER = """<p>FORM 10-K</p><p>For the fiscal year ended June 30, 2031</p><p>ACME CORP.</p>
<p>(Exact name of registrant as specified in its charter)</p>"""
TITLES = {
    "1": "Business", "1A": "Risk Factors", "2": "Properties", "7": "Management’s Discussion and Analysis",
    "8": "Financial Statements", "10": "Directors", "15": "Exhibits",
}  # fmt: skip


def filing(body: str = "", cover: str = COVER) -> str:
    contents = "".join(f"<tr><td>Item {item}.</td><td>{title}</td><td>9</td></tr>" for item, title in TITLES.items())
    text = "".join(
        f"<p>Item {item}. {title}</p><p>{'Acme Corp. says much here. ' * 9}See Item 1A. Risk Factors.</p>"
        for item, title in TITLES.items()
    )
    return f"<html><body>{cover}<table>{contents}</table><p>PART I</p>{text}{body}</body></html>"


def one(tmp_path: Path, content: str | bytes, name: str = "a.htm") -> Document | Problem:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (found,) = Filing10kLoader(path).read()
    return found


def good(tmp_path: Path, content: str | bytes, name: str = "a.htm") -> Document:
    found = one(tmp_path, content, name)
    assert isinstance(found, Document), found
    return found


def test_a_raised_number_is_a_note(tmp_path: Path) -> None:
    raised = "<span style='font-size:5pt;position:relative;top:-3.15pt'>2</span>"
    table = f"<table><tr><td>Item</td><td>2031</td></tr><tr><td>Loans{raised}</td><td>1,328{raised}</td></tr></table>"
    assert "| Loans² | 1,328² |" in good(tmp_path, filing(table)).text


@pytest.mark.parametrize("name", ["LUN ORR CO", "THE LUN-ORR COMPANY"])
def test_a_company_is_called_as_the_text_mostly_calls_it(tmp_path: Path, name: str) -> None:
    body = "<p>The Lun-Orr Company sells pumps. Shares of The Lun-Orr Company rose. The Lun-Orr Co fell.</p>"
    document = good(tmp_path, filing(body, COVER.replace("ACME CORP.", name)))
    assert document.metadata["company"] == "The Lun-Orr Company"


def checked() -> list[tuple[str, list[dict[str, object]]]]:
    rows = [json.loads(line) for line in CHECKED.read_text("utf-8").splitlines()]
    return [(name, list(group)) for name, group in groupby(rows, key=lambda row: row["filing"])]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        pytest.param(*filing, id=filing[0], marks=[pytest.mark.whole] if at > 1 else [])
        for at, filing in enumerate(checked())
    ],
)
def test_items_of_real_filings_are_where_a_reader_found_them(
    shared_data: Path, name: str, rows: list[dict[str, object]]
) -> None:
    (path,) = (shared_data / "sec-10k").glob(f"{name}_*.html.gz")
    page = parsed_page(gzip.decompress(path.read_bytes()))
    items = read_page(page)
    assert [(i.item, i.start, i.end, i.by_reference) for i in items] == [
        (row["item"], row["start"], row["end"], row["by_reference"]) for row in rows
    ]
    published = json.loads(gzip.decompress(path.with_name(path.name.replace(".html", ".sections.json")).read_bytes()))
    assert [section["identifier"] for section in published] == EXPECTED == [i.item for i in items if i.item in EXPECTED]
    texts = {i.item: page.source[i.start : len(page.source) if i.item == "15" else i.end] for i in items}
    sizes = {item: len(BACK_LINK.sub("", text)) for item, text in texts.items()}
    for section in published:
        assert sizes[section["identifier"]] == pytest.approx(section["character_count"], rel=0.1), section


def test_items_become_headings_and_metadata(tmp_path: Path) -> None:
    found = good(tmp_path, filing("<p>SIGNATURES</p><p>Date: August 12, 2031</p>"))
    assert found.metadata["items"] == "1 1A 2 7 8 10 15"
    assert found.metadata["company"] == "Acme Corp."
    assert (found.metadata["fiscal_year"], found.metadata["period"]) == (2031, "2031-06-30")
    assert (found.title, found.doc_type, found.published) == ("Acme Corp. 10-K 2031", "10-K", date(2031, 8, 12))
    assert [line for line in found.text.split("\n") if line.startswith("#")] == [
        "# Part I", *(f"## Item {item}. {title}" for item, title in TITLES.items())
    ]  # fmt: skip
    assert "| Item 1A. |" not in found.text  # the table of contents


def test_inline_xbrl_names_what_the_cover_does_not(tmp_path: Path) -> None:
    tags = {"TradingSymbol": "ACME", "EntityCentralIndexKey": "0000012345", "DocumentFiscalYearFocus": "2030"}
    hidden = "".join(f'<ix:nonNumeric name="dei:{name}">{value}</ix:nonNumeric>' for name, value in tags.items())
    known = good(tmp_path, filing(cover=f"<div style='display:none'>{hidden}</div>{COVER}")).metadata
    assert (known["ticker"], known["cik"], known["fiscal_year"]) == ("ACME", "0000012345", 2030)


def test_pages_without_their_furniture(tmp_path: Path) -> None:
    rule = "<hr style='page-break-after:always'>"
    pages = [f"<p>Acme 10-K {at}</p><p>Paragraph {at} ends here.</p><p>{at}</p>{rule}" for at in range(20, 40)]
    cut = f"<p>a sentence that</p><p>40</p>{rule}<p>Acme 10-K 40</p><p>goes on over the page.</p>"
    found = good(tmp_path, filing("".join(pages) + cut))
    assert found.text.count("\f") == 21
    assert "Acme 10-K" not in found.text
    assert "\n39\n" not in found.text
    assert "a sentence that goes on over the page." in found.text
    assert chunks(found, "page")[-1].page == 21


@pytest.mark.parametrize(
    ("before", "after"),
    [("<a href='#toc'>Table of Contents</a>", ""), ("", "17"), ("<span>Table of Contents</span>", "<p>17</p>")],
)
def test_furniture_bare_in_the_element_of_its_page_goes_alone(tmp_path: Path, before: str, after: str) -> None:
    text = "We say much here. " * 9
    pages = "".join(f"<div>{before}{6 * f'<p>{text}</p>'}{after}</div>{RULE}" for _ in range(9))
    found = good(tmp_path, filing(RULE + pages))
    assert found.text.count("We say much here.") == 9 * 6 * 9
    assert "Table of Contents" not in found.text
    assert "17" not in found.text


def test_a_heading_bare_in_the_element_of_its_page_replaces_no_other_line(tmp_path: Path) -> None:
    text = "We say much here. " * 9
    body = "".join(
        f"<div><p>Above {item}.</p>Item {item}. {title}<p>{text}</p></div>" for item, title in TITLES.items()
    )
    found = good(tmp_path, f"<html><body>{COVER}{body}</body></html>")
    assert found.text.count("We say much here.") == 9 * len(TITLES)
    assert "Above 7.\n\n## Item 7. Management’s Discussion and Analysis\n\nWe say" in found.text
    twins = good(tmp_path, filing("<p>Yes</p><p>Yes</p>"))
    assert "Yes\n\nYes" in twins.text


def test_incorporated_by_reference(tmp_path: Path) -> None:
    away = "<p>Item 11. Executive Compensation</p><p>The information is incorporated herein by reference.</p>"
    found = good(tmp_path, filing(away))
    assert "11" not in str(found.metadata["items"]).split()  # out of order: after Item 15
    body = filing().replace("<p>Item 15. Exhibits</p>", away + "<p>Item 15. Exhibits</p>")
    found = good(tmp_path, body)
    assert found.metadata["items_by_reference"] == "11"
    assert "## Item 11. Executive Compensation (incorporated by reference)" in found.text


@pytest.mark.parametrize(
    ("said", "away"),
    [
        ("It will be set forth in our Proxy Statement and is incorporated in this Annual Report on Form 10-K by reference.", True),
        ("The information will be provided in our 2024 Proxy Statement.", True),
        ("See “Executive Compensation” in our definitive proxy statement.", True),
        ("It is contained in the Annual Report to Shareholders, filed as Exhibit 13.", True),
        ("The information will be filed by an amendment to this Form 10-K within 120 days.", True),
        ("In our information statement, this appears under Directors.", True),
        ("We lease 12 stores. See Note 12 for more.", False), ("Not applicable.", False),
    ],
)  # fmt: skip
def test_items_that_other_documents_have_say_so_in_many_words(said: str, away: bool) -> None:
    for item, title in (("3", "Legal Proceedings"), ("11", "Executive Compensation")):
        lines = [FilingLine("Item 1. Business", 0), FilingLine(f"Item {item}. {title}", 20), FilingLine(said, 60)]
        assert sections(lines, 300)[-1].by_reference is away


def test_financial_statements_behind_the_items_stand_under_item_8(tmp_path: Path) -> None:
    rows = "".join(f"<tr><td>Assets {at}</td><td>${at},500</td></tr>" for at in range(12))
    listed = "<p>Report of Independent Registered Public Accounting Firm</p><p>Consolidated Balance Sheets</p>"
    behind = f"<p>SIGNATURES</p><p>Ann Lee</p><p>Consolidated Balance Sheets</p><table>{rows}</table><p>Note 1</p>"
    found = good(tmp_path, filing(f"{listed}<p>Item 16. Form 10-K Summary</p><p>None.</p>{behind}"))
    headings = [line for line in found.text.split("\n") if line.startswith("## ")]
    assert headings[-2:] == ["## Item 16. Form 10-K Summary", f"## Item 8. {TITLES['8']}"]
    assert found.text.index("Ann Lee") < found.text.rindex("## Item 8.") < found.text.index("Assets 0")
    assert found.metadata["items"] == "1 1A 2 7 8 10 15 16"
    proper = filing(f"<p>SIGNATURES</p>{behind}").replace(
        f"Item 8. {TITLES['8']}</p>", f"Item 8. {TITLES['8']}</p><table>{rows}</table>"
    )
    assert good(tmp_path, proper).text.count("## Item 8.") == 1


def test_headings_in_other_clothes() -> None:
    said = ["ITEM 1.", "Business", "text", "Items 2 and 3. Properties and Legal Proceedings", "text",
            "Part II, Item 7A — Quantitative and qualitative disclosures", "text", "Item 9A(T). Controls and Procedures",
            "text", "Item 16 is a reference"]  # fmt: skip
    found = sections([FilingLine(text, at * 10) for at, text in enumerate(said)], 100)
    assert [(item.item, item.start) for item in found] == [("1", 0), ("2", 30), ("3", 30), ("7A", 50), ("9A", 70)]
    assert found[0].title == "ITEM 1. Business"
    assert sections([], 0) == []


def test_text_and_a_complete_submission(tmp_path: Path) -> None:
    plain = "FORM 10-K\n\n" + "".join(f"Item {item}. {title}\n\nText of it.\n\n" for item, title in TITLES.items())
    found = good(tmp_path, plain, "a.txt")
    assert "## Item 7. Management’s Discussion and Analysis\n\nText of it." in found.text
    wrapped = f"<SEC-DOCUMENT>\n<TYPE>10-K\n<TEXT>{filing()}</TEXT>\n<TYPE>EX-99\n<TEXT>gone</TEXT>"
    assert "gone" not in good(tmp_path, wrapped, "b.txt").text


SPACED = "<TABLE>\n<S>  <C>\n</TABLE>\n\n" + re.sub("<[^>]+>", "\n", filing())


@pytest.mark.parametrize(("name", "body"), [("a.htm", filing()), ("a.txt", filing()), ("a.txt", SPACED)])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_of_a_complete_submission_the_filing_alone_is_read(tmp_path: Path, name: str, body: str, line_end: str) -> None:
    header = f"<SEC-DOCUMENT>0-31.txt\n<SEC-HEADER>\n{'FILER: one of many' * 99}\nCENTRAL INDEX KEY:\t\t0000012345\n"
    others = {"EX-21": "<p>Zed Holdings</p>", "GRAPHIC": "begin 644 a.jpg\nM_]C_X\nend", "XML": "<p>Zed</p>"}
    documents = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n" for kind, text in others.items()
    )
    own = f"<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<DESCRIPTION>10-K\n<TEXT>\n{body}\n</TEXT>\n</DOCUMENT>\n"
    for before, cik in (
        (f"-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n\n{header}</SEC-HEADER>\n", "0000012345"),
        ("", None),
    ):
        found = good(tmp_path, (before + own + documents).replace("\n", line_end), name)
        assert (found.metadata["items"], found.metadata.get("cik")) == ("1 1A 2 7 8 10 15", cik)
        assert found.text.count("Acme Corp. says much here.") == 9 * len(TITLES)
        assert not any(gone in found.text for gone in ("FILER", "Zed", "M_]", "SEC-H", "<TYPE>", "SEQUENCE", "PRIVACY"))


def test_exhibits_behind_the_signatures_are_left_out_but_for_the_annual_report(tmp_path: Path) -> None:
    items = "".join(f"Item {item}. {title}\n\nText of it.\n\n" for item, title in TITLES.items())
    index = "\f\nExhibit 10.1 is a plan.\n"
    signed = "SIGNATURES\n\nPursuant to the requirements of Section 13 or 15(d), signed.\n"
    behind = "\f\nExhibit 10.1\n\nThe Holder shall pay.\n\f\nThe Holder may pay.\n\f\nEXHIBIT 13.1\n\nWe grew.\n\f\nExhibit 31.1\n\nI certify.\n"
    found = good(tmp_path, f"FORM 10-K\n\n{items}{index}{signed}{behind}", "a.txt")
    assert all(kept in found.text for kept in ("is a plan", "signed", "We grew"))
    assert not any(gone in found.text for gone in ("Holder", "certify"))
    assert found.metadata["exhibits_left_out"] == "10.1 31.1"
    assert "exhibits_left_out" not in good(tmp_path, f"FORM 10-K\n\n{items}{index}{signed}", "a.txt").metadata


def test_a_company_that_a_cover_shows_in_a_picture_signs_by_its_name(tmp_path: Path) -> None:
    plain = (
        "FORM 10-K\n\nCommission File No. 1-9\n\n(Exact name of registrant as specified in its charter)\n\n"
        + "".join(f"Item {item}. {title}\n\nWe are Acme Corp. and sell boats.\n\n" for item, title in TITLES.items())
    )
    assert "company" not in good(tmp_path, plain, "a.txt").metadata
    signed = f"{plain}SIGNATURES\n\nthe undersigned, thereunto duly authorized.\n\nACME CORP. (Registrant)\nBy: /s/ Ada Lun\n"
    assert good(tmp_path, signed, "a.txt").metadata["company"] == "Acme Corp."
    on_one_line = signed.replace("\nBy: /s/ Ada Lun", " By: /s/ Ada Lun")
    assert on_one_line != signed
    assert good(tmp_path, on_one_line, "a.txt").metadata["company"] == "Acme Corp."


@pytest.mark.parametrize(
    ("cover", "company"),
    [
        ("Commission file number 1-3285\n\n9L COMPANY\n\nState of Incorporation: Delaware", "9L Company"),
        ("Commission File Number 001-37845\nACME CORP.\nWASHINGTON 91-1144442\n(STATE OF INCORPORATION)", "Acme Corp."),
        (
            "Commission file number 001-9\n\nACME CORP. (Exact name of registrant as specified in its charter)",
            "Acme Corp.",
        ),
        ("Commission file number 001-9\nDelaware\n(State or other jurisdiction of incorporation)", None),
        ("Commission file number 001-9\nDelaware\n(Jurisdiction of incorporation)", None),
        ("Commission file number 001-9\nIndicate by check mark if the registrant is one\nYes", None),
        ("Commission file number 001-9\nDelaware 91-1144442\n(State of incorporation)", None),
        ("For the transition period from to Commission File Number 001-9\n\n(Exact name of Registrant)\nOhio", None),
    ],
)
def test_a_cover_without_the_label_of_the_name(tmp_path: Path, cover: str, company: str | None) -> None:
    plain = f"FORM 10-K\n\n{cover}\n\n" + "".join(
        f"Item {item}. {title}\n\nWe are Acme Corp., once 9L Company.\n\n" for item, title in TITLES.items()
    )
    assert good(tmp_path, plain, "a.txt").metadata.get("company") == company


def reason(tmp_path: Path, content: bytes, name: str = "bad.htm") -> str:
    found = one(tmp_path, content, name)
    assert isinstance(found, Problem), found.text[:100]
    return found.reason


def test_broken_and_hostile_files_end_with_a_reason(tmp_path: Path) -> None:
    started = time.process_time()
    page = filing().encode()
    assert reason(tmp_path, page, "page.pdf") == "unreadable"
    assert reason(tmp_path, b"%PDF-1.7\n" + page) == "binary"
    assert reason(tmp_path, b"<p>A letter to shareholders.") == "no 10-K"
    assert reason(tmp_path, b"<div>" * 100_000 + page) == "nested too deeply"
    assert reason(tmp_path, gzip.compress(page)[:-20], "cut.htm.gz") == "unreadable"
    assert reason(tmp_path, gzip.compress(b"<p>" + b"0" * 60_000_000), "bomb.htm.gz") == "too large"
    assert time.process_time() - started < 30


def test_entities_that_define_entities_are_not_expanded(tmp_path: Path) -> None:
    lols = "".join(f'<!ENTITY a{at} "{f"&a{at - 1};" * 10}">' for at in range(1, 10))
    found = good(tmp_path, f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "lol">{lols}]>{filing("<p>&a9;</p>")}')
    assert len(found.text) < 10_000


def test_a_filing_cut_off_keeps_what_it_has(tmp_path: Path) -> None:
    whole = filing()
    found = good(tmp_path, whole[: whole.index("Item 10. Directors</p>")])
    assert found.metadata["items"] == "1 1A 2 7 8"


@pytest.mark.whole
def test_a_million_headings_take_linear_time() -> None:
    started = time.process_time()
    found = sections([FilingLine(f"Item {ITEMS[at % 9]}. Business", at) for at in range(200_000)], 200_000)
    assert len(found) <= 1
    assert time.process_time() - started < 20
