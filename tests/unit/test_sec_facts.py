"""What a filing's cover, its auditor's signature and its signatures state: each fact with the lines that say so."""

from __future__ import annotations

import time
from pathlib import Path

from kgservice.core.records import Document, Triplet
from kgservice.text.chunking import chunks
from kgservice.text.placement import place_stated
from loaders.sec.facts import cover_triplets
from loaders.sec.filings_10k import Filing10kLoader
from loaders.sec.signers import signers
from tests.unit.test_pdf import made, written

ITEMS = "".join(
    f"<p>Item {item}. {title}</p><p>{'Acme Corp. says much here. ' * 30}</p>"
    for item, title in {"1": "Business", "1A": "Risk Factors", "2": "Properties", "8": "Financial Statements"}.items()
)
COVER = """<p>FORM 10-K</p><p>For the fiscal year ended June 30, 2031</p><p>ACME CORP.</p>
<p>(Exact name of registrant as specified in its charter)</p><table>
<tr><td>DE</td><td></td><td>12-3456789</td></tr>
<tr><td>(State or other jurisdiction of incorporation)</td><td></td><td>(I.R.S. Employer No.)</td></tr>
<tr><td>12 Long Quay Drive</td><td>Lunport,</td><td>OR 97005</td></tr>
<tr><td>(Address of principal executive offices)</td><td></td><td>(Zip Code)</td></tr></table>
<p>Securities registered pursuant to Section 12(b) of the Act:</p><table>
<tr><td>Title of each class</td><td>Trading symbol</td><td>Name of each exchange on which registered</td></tr>
<tr><td>Common Stock</td><td><ix:nonNumeric name="dei:TradingSymbol">ACME</ix:nonNumeric></td><td>NYSE</td></tr>
<tr><td>Notes due 2040</td><td>ACME40</td><td>Nasdaq Global Market</td></tr></table>
<p>Securities registered pursuant to Section 12(g) of the Act: None</p>
<p>Indicate by check mark if the registrant is listed on NYSE Arca.</p>"""
REPORT = """<p>/s/ SMITH &amp; JONES LLP</p><p>Portland, Oregon</p><p>August 2, 2031</p>
<p>We have served as the Company's auditor since 1999.</p><p>Consent of Smith &amp; Jones LLP is enclosed.</p>"""
SIGNED = """<p>SIGNATURES</p><table><tr><td>Name</td><td>Title</td><td>Date</td></tr>
<tr><td>/s/ ADA LUN</td><td>Chair and Chief Executive Officer</td><td>August 2, 2031</td></tr>
<tr><td>Dr. Ada Lun</td><td>(Principal Executive Officer)</td><td></td></tr>
<tr><td>/s/ BO QUAY, JR. Bo Quay, Jr.</td><td>Director</td><td>August 2, 2031</td></tr>
<tr><td>/s/ Cy Holt</td><td>Vice President and Senior Director of Tax</td><td>August 2, 2031</td></tr>
<tr><td>*</td><td>Director</td><td>August 2, 2031</td></tr><tr><td>Di Marsh, M.D.</td><td></td><td></td></tr></table>"""


def filing(tmp_path: Path, html: str, name: str = "a.htm") -> Document:
    (tmp_path / name).write_text(html, encoding="utf-8")
    (found,) = Filing10kLoader(tmp_path / name).read()
    assert isinstance(found, Document), found
    return found


def said(triplets: tuple[Triplet, ...]) -> list[tuple[str, str, str]]:
    return [(one.subject.label, one.relation, one.object.label) for one in triplets]


def test_cover_report_and_signatures_of_a_filing(tmp_path: Path) -> None:
    found = filing(tmp_path, f"<html><body>{COVER}{ITEMS}{REPORT}{SIGNED}</body></html>")
    assert said(found.stated) == [
        ("Acme Corp.", "is incorporated in", "Delaware"),
        ("Acme Corp.", "is headquartered in", "Lunport"),
        ("Acme Corp.", "is listed on", "New York Stock Exchange"),
        ("Acme Corp.", "ticker symbol", "ACME"),
        ("Acme Corp.", "is listed on", "The Nasdaq Stock Market LLC"),
        ("Acme Corp.", "is audited by", "Smith & Jones LLP"),
        ("Smith & Jones LLP", "has an office in", "Portland"),
        ("Ada Lun", "sits on", "Board of Directors of Acme Corp."),
        ("Ada Lun", "is chair of", "Acme Corp."),
        ("Ada Lun", "is chief executive officer of", "Acme Corp."),
        ("Bo Quay, Jr.", "sits on", "Board of Directors of Acme Corp."),
        ("Di Marsh", "sits on", "Board of Directors of Acme Corp."),
    ]
    types = {end.label: end.type for one in found.stated for end in (one.subject, one.object)}
    assert (types["Delaware"], types["Lunport"], types["Acme Corp."], types["Ada Lun"]) == (
        "state",
        "city",
        "company",
        "person",
    )
    whole = " ".join(found.text.split())
    for one in found.stated:
        assert " ".join(one.sentence.split()) in whole
    assert found.stated[0].sentence.split("\n")[-1].startswith("| (State or other jurisdiction")
    assert found.stated[5].sentence.endswith("auditor since 1999.")
    assert found.triplets is None  # the text is read, too


def test_a_tag_says_what_a_layout_leaves_open(tmp_path: Path) -> None:
    where = "<tr><td>One Lun Plaza <ix:nonNumeric name='dei:EntityAddressCityOrTown'>Great Marsh</ix:nonNumeric>, Quebec</td></tr>"
    cover = COVER.replace("<tr><td>12 Long Quay Drive</td><td>Lunport,</td><td>OR 97005</td></tr>", where)
    assert ("Acme Corp.", "is headquartered in", "Great Marsh") in said(filing(tmp_path, cover + ITEMS).stated)
    untagged = cover.replace("dei:EntityAddressCityOrTown", "dei:Other")
    relations = [one.relation for one in filing(tmp_path, untagged + ITEMS, "b.htm").stated]
    assert "is headquartered in" not in relations
    assert "is incorporated in" in relations


def test_a_cover_that_is_plain_text() -> None:
    text = (
        "ACME CORP.\n(Exact name of registrant as specified in its charter)\n\n"
        "      New York                                  12-3456789\n"
        "(State of incorporation)               (I.R.S. Employer Identification No.)\n\n"
        "  1 Quay Street, New York, New York   10001\n  (Address of principal executive offices)   (Zip Code)\n"
        "Securities registered pursuant to Section 12(b) of the Act:\n"
        "   Common Stock, $1 par value            The New York Stock Exchange, Inc.\n"
        "Securities registered pursuant to Section 12(g) of the Act: Nasdaq\n"
    )
    assert said(cover_triplets(text, {"company": "Acme Corp."}, {})) == [
        ("Acme Corp.", "is incorporated in", "New York"),
        ("Acme Corp.", "is headquartered in", "New York, New York"),
        ("Acme Corp.", "is listed on", "New York Stock Exchange"),
    ]
    assert cover_triplets(text, {}, {}) == ()


def test_a_value_and_its_label_in_one_cell() -> None:
    text = (
        "| Ohio (State of Incorporation) | 1-2 |\n| 9 Elm Road Dale, OH (Address of principal executive offices) | 4 |"
    )
    facts = cover_triplets(text, {"company": "Acme"}, {})
    assert [(one.object.label, one.sentence) for one in facts] == list(
        zip(("Ohio", "Dale"), text.split("\n"), strict=True)
    )


def test_lines_that_a_pdf_makes_one() -> None:
    text = "ACME (Exact name of registrant) Ohio 12-3456789 (State or other jurisdiction of incorporation) (I.R.S. No.)"
    assert said(cover_triplets(text, {"company": "Acme"}, {})) == [("Acme", "is incorporated in", "Ohio")]
    text = "Ohio 12-3456789\n(State or other jurisdiction of incorporation) (I.R.S. Employer Identification Number)"
    assert said(cover_triplets(text, {"company": "Acme"}, {})) == [("Acme", "is incorporated in", "Ohio")]


def test_an_auditor_is_one_who_reports() -> None:
    known = {"company": "Acme"}
    consent = "23.1 Consent of Smith LLP\n\n/s/ Smith LLP\n\nLunport, Ohio\n\nnothing else"
    assert cover_triplets(consent, known, {}) == ()
    assert said(cover_triplets(consent, known, {"auditor": "SMITH LLP"})) == [
        ("Acme", "is audited by", "Smith LLP"),
        ("Smith LLP", "has an office in", "Lunport"),
    ]


def test_a_report_in_plain_text_and_in_a_pdf(tmp_path: Path) -> None:
    audit = ("We have audited the balance sheets of Acme Corp.", "In our opinion they are fair.")
    items = [
        f"Item {item}. {title}" for item, title in (("1", "Business"), ("2", "Properties"), ("3", "Legal Proceedings"))
    ]
    cover = ("FORM 10-K", "ACME CORP.", "(Exact name of registrant as specified in its charter)")
    signed = "                        SMITH & JONES L.L.P.\n\n  Lunport, Ohio,\n  August 2, 1997\n"
    consent = "We consent to the use of our report.\n\n  /s/ Other & Co LLP\n"
    text = "\n\n".join((*cover, *items, consent, *audit, signed, "Smith & Jones L.L.P. serve us.", consent))
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    page = (*cover, *items, consent.partition("\n")[0], "/s/ Other & Co LLP", *audit, "Lunport, Ohio August 2, 1997")
    first = written(
        *((50, 780 - 60 * at, line.replace("(", r"\(").replace(")", r"\)")) for at, line in enumerate(page))
    )
    second = written((50, 780, "/s/ Smith & Jones LLP"), (50, 400, "Consolidated balance sheets"))
    (tmp_path / "a.pdf").write_bytes(made(first, second))
    for name, auditor in (("a.txt", "Smith & Jones L.L.P."), ("a.pdf", "Smith & Jones LLP")):
        (found,) = Filing10kLoader(tmp_path / name).read()
        assert isinstance(found, Document), found
        assert said(found.stated) == [
            ("Acme Corp.", "is audited by", auditor),
            (auditor, "has an office in", "Lunport"),
        ]
        assert all(" ".join(one.sentence.split()) in " ".join(found.text.split()) for one in found.stated)


def test_signatures_side_by_side_with_the_post_below() -> None:
    text = (
        "x\n" * 200 + "Signatures\n\n| /s/ Ada Lun | /s/ Bo Quay |\n| --- | --- |\n"
        "| Ada Lun – President and Director | Bo Quay – Executive Vice President |\n"
        "| /s/ Cy Holt | /s/ Di Marsh |\n| Somebody Else – Director | Di Marsh – Chair of the Board |\n"
    )
    assert said(signers(text, {"company": "Acme"})) == [
        ("Ada Lun", "sits on", "Board of Directors of Acme"),
        ("Ada Lun", "is president of", "Acme"),
        ("Di Marsh", "sits on", "Board of Directors of Acme"),
        ("Di Marsh", "is chair of", "Acme"),
    ]
    assert signers(text, {}) == ()
    rows = (
        "x\n" * 400 + "Signatures\n\n| By | /s/ Ada Lun | By | /s/ BO QUAY |\n| --- | --- | --- | --- |\n"
        "|  | Ada Lun |  | Bo Quay President and Chief Executive Officer |\n|  | Director |  | August 2, 2031 |\n"
        "| * | /s/ Cy Holt Cy Holt Chief Financial Officer |  |  |\n| Di Marsh Director |  |  |  |\n"
        "| /s/ FAY ORR |  | August 2, 2031 |\n| Fay Orr | Board Chair |  |\n\n/s/ Gus Pell\n\nGus Pell\n\nTreasurer\n"
        "| PRINCIPAL FINANCIAL OFFICER AND DIRECTOR: |  |\n| /s/ Hal Ives | Treasurer |\n"
        "| DIRECTORS: |  |\n| /s/ Ira Judd | Vice President |\n"
    )
    assert said(signers(rows, {"company": "Acme"})) == [
        ("Ada Lun", "sits on", "Board of Directors of Acme"),
        ("Bo Quay", "is chief executive officer of", "Acme"),
        ("Bo Quay", "is president of", "Acme"),
        ("Di Marsh", "sits on", "Board of Directors of Acme"),
        ("Cy Holt", "is chief financial officer of", "Acme"),
        ("Fay Orr", "sits on", "Board of Directors of Acme"),
        ("Fay Orr", "is chair of", "Acme"),
        ("Hal Ives", "sits on", "Board of Directors of Acme"),
    ]


def test_a_fact_goes_to_the_chunk_that_holds_its_lines(tmp_path: Path) -> None:
    found = filing(tmp_path, f"<html><body>{COVER}{ITEMS}{REPORT}{SIGNED}</body></html>")
    cut = chunks(found)
    placed, lost = place_stated(found, cut)
    assert sum(map(len, placed)) == len(found.stated)
    assert lost == []
    assert all(one.sentence in chunk.text for chunk, here in zip(cut, placed, strict=True) for one in here)
    placed, lost = place_stated(found, chunks(found, "chars:60:0"))
    assert sum(map(len, placed)) + len(lost) == len(found.stated)
    assert {problem.reason for problem in lost} == {"lines in no one chunk"}


def test_a_hostile_cover_takes_linear_time() -> None:
    started = time.process_time()
    for line in (
        "-\n",
        "/s/ ",
        "We have audited\nAb LLP\nWe consent\n/s/ Ab LLP\n",
        "A ",
        "Lun, ",
        "(Address of principal executive offices)\n",
    ):
        text = line * (1_000_000 // len(line)) + "\nSignatures\n" + "/s/ " + line * 5_000
        cover_triplets(text, {"company": "Acme", "ticker": "A"}, {})
        signers(text, {"company": "Acme"})
    assert time.process_time() - started < 20
