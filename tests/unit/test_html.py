"""Web pages: what text is read from them, and that no page can crash or hang the loader."""

from __future__ import annotations

import gzip
import time
from datetime import date
from pathlib import Path

import pytest

from kgservice.core.records import Document
from kgservice.text.chunking import tables
from loaders import html
from loaders.html import HtmlLoader
from tests.unit.loading import reasons, sorted_out


def page(tmp_path: Path, markup: str | bytes, name: str = "page.html") -> Document:
    (tmp_path / name).write_bytes(markup.encode() if isinstance(markup, str) else markup)
    documents, problems = sorted_out(HtmlLoader(tmp_path / name))
    assert problems == {}
    return documents[0]


def text(tmp_path: Path, markup: str) -> str:
    return page(tmp_path, markup).text


def reason(tmp_path: Path, markup: bytes) -> dict[str, int]:
    (tmp_path / "bad.html").write_bytes(markup)
    return reasons(HtmlLoader(tmp_path / "bad.html"))


def test_files_of_a_folder(tmp_path: Path) -> None:
    for name in ("a.html", "b.HTM", "c.xhtml", "d.txt"):
        (tmp_path / name).write_text(f"<p>{name}")
    (tmp_path / "e.html.gz").write_bytes(gzip.compress(b"<p>packed"))
    found = [document.text for document in sorted_out(HtmlLoader(tmp_path))[0]]
    assert found == ["a.html", "b.HTM", "c.xhtml", "packed"]


def test_text_is_plain_markdown(tmp_path: Path) -> None:
    markup = """<h1>A <em>B</em></h1><h3>C</h3><p>one <b>two</b> <a href="https://x.org">three</a>
      four_five*six [7] <code>x</code></p>eight<img src="i.png" alt="picture"><br>nine<header>ten</header>
      <p>10<sup>6</sup> 10<sup>−6</sup> a&nbsp;b\fc&#12;d so&shy;ft <!-- gone --> <?php gone ?> <![CDATA[gone]]></p>
      <ul><li>one<li>two</ul><ol start="²"><li>first</ol><dl><dt>Term<dd>Meaning</dl>"""
    wanted = ["# A B", "### C", "one two three four_five*six [7] x", "eight\nnine", "ten", "10^6 10^−6 a b c d soft"]
    assert text(tmp_path, markup).split("\n\n") == [*wanted, "- one\n- two", "1. first", "Term", "Meaning"]


def test_what_is_not_the_text_is_left_out(tmp_path: Path) -> None:
    names = "script style nav footer aside form noscript template svg button".split()
    markup = "".join(f"<{name}><p>{name} gone</p></{name}>" for name in names)
    markup += "<p hidden>gone</p><div style='color:red; DISPLAY : none'>gone<div>gone</div>gone</div><b hidden>gone</b>"
    assert text(tmp_path, f"<html><body>{markup}<p>The text that stays here.</p></body></html>") == (
        "The text that stays here."
    )
    assert text(tmp_path, "<form><p>A page of a server that puts all into a form.</p></form>").startswith("A page")


def test_inline_xbrl(tmp_path: Path) -> None:
    markup = """<div style="display:none"><ix:header><ix:hidden>gone</ix:hidden></ix:header></div><ix:header>gone
      </ix:header><p>Sales of $<ix:nonFraction name="us-gaap:Sales" scale="6">1,234</ix:nonFraction> million</p>"""
    assert text(tmp_path, markup) == "Sales of $1,234 million"


@pytest.mark.parametrize("name", ["main", "article"])
def test_the_main_part_is_used_where_it_holds_most(tmp_path: Path, name: str) -> None:
    part = f"<{name}>The long text of this page.</{name}>"
    assert text(tmp_path, f"<div>short</div>{part}") == "The long text of this page."
    assert text(tmp_path, f"<div>{'More text than there. ' * 3}</div>{part}").startswith("More text")
    assert text(tmp_path, "<div>short</div><article>The first.</article><article>The second.</article>") == (
        "short\n\nThe first.\n\nThe second."
    )


def test_tables(tmp_path: Path) -> None:
    rows = "<tr><td>Item<td>Cost|unit</tr><tr><td>a<br>b<td>5</tr>"
    assert (
        text(tmp_path, f"<p>x<table>{rows}</table>y") == "x\n\n| Item | Cost\\|unit |\n| --- | --- |\n| a b | 5 |\n\ny"
    )
    headed = "<caption>Cap</caption><thead><tr><th>A<th>B</thead><tr><td rowspan=2>x<td>1<tr><td>2"
    wanted = "Cap\n\n| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |"
    assert text(tmp_path, f"<table>{headed}</table>") == wanted
    assert text(tmp_path, f"<table><tr><td><h2>Layout</h2><table>{headed}</table></table>") == f"## Layout\n\n{wanted}"
    assert text(tmp_path, "<table><tr><td>one</td><td>row</td></tr></table>") == "one\n\nrow"
    assert text(tmp_path, "<table><tr><td>a<td>\u200b<tr><td>\u200b<td>\u200b</table>") == "| a |\n| --- |"
    assert len(tables(text(tmp_path, f"<table>{rows}</table><table>{headed}</table>"))) == 2


def test_tables_of_financial_reports(tmp_path: Path) -> None:
    markup = """<table><tr><td colspan=7>Statement</td></tr><tr><td></td><td colspan=3>2023</td><td colspan=3>2022</td>
      </tr><tr><td>Income</td><td>$</td><td>1,234</td><td></td><td>$</td><td>(5</td><td>)</td></tr><tr><td colspan=7>
      </td></tr><tr><td>Share</td><td colspan=2>12</td><td>%</td><td colspan=2>11</td><td>%</td></tr></table>"""
    assert text(tmp_path, markup) == (
        "Statement\n\n|  | 2023 | 2022 |\n| --- | --- | --- |\n| Income | $1,234 | $(5) |\n| Share | 12% | 11% |"
    )


@pytest.mark.parametrize(
    ("head", "title", "url", "published"),
    [
        ('<meta property="og:title" content="Og &amp; co"><title>T</title>', "Og & co", None, None),
        ("<title> A\n b </title>", "A b", None, None),
        ("", "Head", None, None),
        ('<link rel="canonical" href="https://a.org/x"><meta property="og:url" content="https://b.org">',
         "Head", "https://a.org/x", None),
        ('<link rel=canonical href="/x"><meta property="og:url" content="https://b.org">', "Head", "https://b.org", None),
        ('<meta property="article:published_time" content="2023-01-05T10:00:00+0200"><meta name=date content="2020-01-01">',
         "Head", None, date(2023, 1, 5)),
        ('<meta name="date" content="2020-01-02">', "Head", None, date(2020, 1, 2)),
        ('<meta name="date" content="last week">', "Head", None, None),
    ],
)  # fmt: skip
def test_what_the_page_says_of_itself(
    tmp_path: Path, head: str, title: str, url: str | None, published: date | None
) -> None:
    found = page(tmp_path, f"<html><head>{head}</head><body><h1>Head</h1>Text.</body></html>")
    assert (found.title, found.url, found.published) == (title, url, published)
    assert found.text == "# Head\n\nText."


def test_the_date_of_an_article(tmp_path: Path) -> None:
    said = '<time datetime="2021-02-03">3 Feb</time>'
    assert page(tmp_path, f"<article>Text. {said}</article>").published == date(2021, 2, 3)
    assert page(tmp_path, f"<p>Text. {said}").published is None
    bad = '<meta property="article:published_time" content="soon">'
    assert page(tmp_path, f"{bad}<article>Text. {said}</article>").published == date(2021, 2, 3)


DATED = '<time datetime="2032-06-01">1 June</time>'
LINKED = '<script type="application/ld+json">{}</script>'


@pytest.mark.parametrize(
    ("head", "published"),
    [
        ('<meta name="dcterms.date" content="2031-03-14">', date(2031, 3, 14)),  # the time is that of an event
        ('<meta name="date" content="14 March 2031">', date(2031, 3, 14)),
        ('<meta itemprop="datePublished" content="2031-03-14">', date(2031, 3, 14)),
        (LINKED.format('{"@type": "NewsArticle", "datePublished": "2031-03-14T09:30:00Z"}'), date(2031, 3, 14)),
        (LINKED.format('{"@graph": [{"@type": "Person"}, {"datePublished": "2031-03-14"}]}'), date(2031, 3, 14)),
        (LINKED.format('[{"item": {"datePublished": "2020-01-01"}}]'), date(2032, 6, 1)),  # of another thing
        (LINKED.format("[" * 100_000), date(2032, 6, 1)),
        ("", date(2032, 6, 1)),
    ],
)
def test_a_page_states_its_date_before_its_text_does(tmp_path: Path, head: str, published: date) -> None:
    assert page(tmp_path, f"<head>{head}</head><article>It opens on {DATED}.</article>").published == published


def test_headings_in_buttons_are_text_and_deletions_are_none(tmp_path: Path) -> None:
    markup = "<h2><button>How long?</button></h2><p>Five days.</p><button><h3>Cost</h3></button><p>It is <del>$5</del><ins>$6</ins>.</p>"
    markup += "<h2>Terms <button>Copy</button></h2><button><h3>Menu</h3>of more</button>"
    assert text(tmp_path, markup) == "## How long?\n\nFive days.\n\n### Cost\n\nIt is $6.\n\n## Terms"


def test_encodings(tmp_path: Path) -> None:
    said = '<meta charset="{0}"><p>Zürich – €'
    equiv = '<meta http-equiv="Content-Type" content="text/html; charset={0}"><p>Zürich – €'
    wanted = "Zürich – €"
    assert page(tmp_path, said.format("ISO-8859-1").encode("cp1252")).text == wanted
    assert page(tmp_path, equiv.format("windows-1252").encode("cp1252")).text == wanted
    assert page(tmp_path, said.format("utf-16")).text == wanted
    assert page(tmp_path, said.format("zip")).text == wanted
    assert page(tmp_path, said.format("latin1").encode("utf-8-sig")).text == wanted
    assert page(tmp_path, said.format("latin1").encode("utf-16")).text == wanted
    assert page(tmp_path, "<p>Zürich – €").text == wanted
    assert page(tmp_path, '<?xml version="1.0" encoding="shift_jis"?><p>日本①'.encode("cp932")).text == "日本①"
    assert reason(tmp_path, "<p>Zürich".encode("cp1252")) == {"encoding": 1}
    assert reason(tmp_path, said.format("utf-8").encode("cp1252")) == {"encoding": 1}
    damaged = page(tmp_path, b"<meta charset=utf-8><p>" + b"word " * 1000 + b"\xff")
    assert damaged.text.endswith("word \ufffd")


def test_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason(tmp_path, b"") == {"empty": 1}
    assert reason(tmp_path, b" \n") == {"empty": 1}
    assert reason(tmp_path, b"%PDF-1.7") == {"binary": 1}
    assert reason(tmp_path, b"<p>a\0b") == {"binary": 1}
    assert reason(tmp_path, b"<script>only()</script>") == {"no text": 1}
    (tmp_path / "bad.html.gz").write_bytes(gzip.compress(b"<p>text")[:-4])
    assert reasons(HtmlLoader(tmp_path / "bad.html.gz")) == {"unreadable": 1}
    cells = b"<td colspan=100 rowspan=9999>" * 200
    assert reason(tmp_path, b"<table>" + b"<tr><td>a<td>b" * 100 + b"<tr>" + cells + b"<tr>" * 100) == {"too large": 1}
    monkeypatch.setattr(html, "MAX_DOCUMENT", 100)
    assert reason(tmp_path, b"<p>" + b"x" * 98) == {"too large": 1}


def test_deep_nesting(tmp_path: Path) -> None:
    for tag in (b"div", b"span", b"blockquote", b"table><tr><td"):
        assert reason(tmp_path, b"<%b>" % tag * 100_000 + b"text") == {"nested too deeply": 1}
    depth = html.MAX_DEPTH - 1
    assert text(tmp_path, "<div>" * depth + "text" + "</div>" * depth) == "text"


def test_tag_soup_is_read_as_browsers_read_it(tmp_path: Path) -> None:
    for tag in ("p", "li", "font", "a name=x", "b", "dd", "tr><td"):
        assert text(tmp_path, f"<{tag}>word " * 1000).count("word") == 1000
    assert text(tmp_path, "<html><head><title>t<body>a</title><p>b</b></div><p>c</body></html>d < e & f <3") == (
        "b\n\nc\n\nd < e & f <3"
    )
    assert text(tmp_path, "text <!-- never closed").startswith("text")
    assert text(tmp_path, "text <![if x]>more <![ <! end <").startswith("text more")


@pytest.mark.whole
def test_slow_pages_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "MAX_SECONDS", 1)
    monkeypatch.setattr(html, "SECONDS_PER_MB", 0)
    started = time.process_time()
    reason(tmp_path, b"text" + b"<!--" * 1_000_000)  # takes minutes where Python's parser starts over at each
    assert time.process_time() - started < 30
    assert reason(tmp_path, b"<ol>" + b"<li>x" * 20_000) == {"too slow": 1}
