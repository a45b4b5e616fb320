"""Wikipedia dumps: what stays of wikitext, which pages are articles, and what a broken dump ends in."""

from __future__ import annotations

import bz2
from pathlib import Path

import pytest

from kgservice.core.records import Document
from loaders.wikipedia import WikipediaLoader
from loaders.wikitext import markdown
from tests.unit.loading import reasons, sorted_out

PAGE = "<page><title>{title}</title><ns>{ns}</ns>{more}<revision><timestamp>2031-05-06T07:08:09Z</timestamp><text>{text}</text></revision></page>"
HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><sitename>W</sitename></siteinfo>'

WIKITEXT = """{{Short description|A bridge}}
{{Infobox bridge
| name = Vellmar Bridge
| opened = {{start date|2009|5|1}}
| length = {{convert|4.1|km|mi}}<ref>{{cite web|url=https://example.org}}</ref>
| map =
}}
'''Vellmar Bridge''' is a [[Cable-stayed bridge|cable-stayed]] bridge in [[Norland]]&nbsp;West.<ref name="q">Not this</ref>
[[File:Bridge.jpg|thumb|The [[bridge]] at night]]
== History ==
Built by [https://example.org Kost].
* one
{| class="wikitable"
! Year !! Cars
|-
| 2009 || [[Car|1,200]]
|}
== References ==
{{reflist}}
[[Category:Bridges]]"""


TABLE = """{{|
{}! Year !! Port !! Ships
|-
| rowspan=2 | 2020 || Ambrel || 5
|-
| Kost || 7
|-
| colspan="2" | 2021 || 6
|}}"""
ROWS = """| Year | Port | Ships |
| --- | --- | --- |
| 2020 | Ambrel | 5 |
| 2020 | Kost | 7 |
| 2021 | | 6 |"""


def page(title: str, text: str = "Some text.", ns: int = 0, more: str = "") -> str:
    return PAGE.format(title=title, ns=ns, more=more, text=text)


def test_text_sections_and_tables_stay() -> None:
    assert markdown(WIKITEXT) == (
        "| | |\n| --- | --- |\n| name | Vellmar Bridge |\n| opened | 2009-05-01 |\n| length | 4.1 km |\n\n"
        "Vellmar Bridge is a cable-stayed bridge in Norland West.\n\n## History\n\nBuilt by Kost.\n- one\n\n"
        "| Year | Cars |\n| --- | --- |\n| 2009 | 1,200 |"
    )


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (TABLE.format(""), ROWS),
        (TABLE.format("|+ Ships by year\n"), f"Ships by year\n\n{ROWS}"),
        (TABLE.format('|+ class="big" | Ships by year\n|-\n'), f"Ships by year\n\n{ROWS}"),
        ("{|\n| A layout of [[text]].\n|}", "A layout of text."),
        ("{|\n! Name !! Post\n|-\n| || Mayor\n|-\n| || Clerk\n|}",
         "| Name | Post |\n| --- | --- |\n| | Mayor |\n| | Clerk |"),
    ],
)  # fmt: skip
def test_tables_keep_their_columns(said: str, shown: str) -> None:
    assert markdown(said) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("12 March 1931{{snd}}4 May 1999, 1990{{ndash}}1995, 5{{nbsp}}million", "12 March 1931 – 4 May 1999, 1990–1995, 5 million"),
        ("5×10<sup>6</sup>, 10<sup>−6</sup>, 10<sup>th</sup>", "5×10^6, 10^−6, 10th"),
        ("{{formatnum:5000}} for {{US$|5 billion|link=yes}} or {{USD|7}}", "5000 for US$5 billion or USD 7"),
        ("{{circa|1930}}, {{frac|1|2}}, {{val|5|e=6|u=kg}}", "c. 1930, 1/2, 5×10^6 kg"),
        ("{{convert|5|to|10|km|mi}}, {{convert|5|ft|10|in|m}}, {{convert|5|mi|km|0}}", "5 to 10 km, 5 ft 10 in, 5 mi"),
        ("{{ubl|A|B}} {{hlist|C|D}}", "A, B C, D"),
        ("{{Infobox x\n| a = {{plainlist|\n* [[B]]\n* C\n}}\n}}", "| | |\n| --- | --- |\n| a | B, C |"),
        ("He said:\n{{blockquote|It opens.|Ana}}\nHe left.", "He said:\nIt opens.\nHe left."),
        ("Born {{birth-date|12 March 1931}}. {{as of|2020|3}} it", "Born 12 March 1931. As of 2020-03 it"),
        # a template that is not known: words are shown, numbers are computed with, a blank stays between words
        ("in {{flagu|France}}, {{percentage|1|2}} of a{{foo|x=1}}b", "in France, of a b"),
        ("Big{{cn|date=May}}.{{sfn|Vell|1990|p=5}} Old{{efn|A note.}}{{rp|23}}.", "Big. Old."),
        ("{{Short description|A port}}\n{{main|Ports}}\n\nText.\n\n{{Commons category|X}}\n{{Ports of X|A}}", "Text."),
        ("== {{anchor|x}}Sea ==\nT.", "## Sea\n\nT."),
    ],
)  # fmt: skip
def test_templates_of_text_are_text_and_others_glue_no_words(said: str, shown: str) -> None:
    assert markdown(said) == shown


def test_a_section_of_sources_ends_at_the_next_of_its_level() -> None:
    said = "A.\n== Life ==\nB.\n=== Bibliography ===\n* C\n== Notes ==\nD.\n=== On E ===\nF.\n== Legacy ==\nG.\n== References ==\nH."
    assert markdown(said) == "A.\n\n## Life\n\nB.\n\n## Legacy\n\nG."


@pytest.mark.parametrize(
    "text",
    ["", "{{", "[[A|", "{| \n|", "<ref>open", "'''''", "==", "{{a|{{b|[[c]]}}", "\0\ufffe"]
    + [opening * 35 + "x" + closing * 35 for opening, closing in (("{{plainlist|", "}}"), ("{|\n|\n", "\n|}"))],
)
def test_broken_wikitext_is_text(text: str) -> None:
    assert isinstance(markdown(text), str)


@pytest.mark.parametrize("packed", [True, False])
def test_articles_come_one_by_one(tmp_path: Path, packed: bool) -> None:
    pages = [
        page("Vellmar Bridge", "It is long &amp; new."), page("Talk:Vellmar Bridge", ns=1), page("Empty", ""),
        page("Bridge at Vellmar", "#REDIRECT [[Vellmar Bridge]]", more='<redirect title="Vellmar Bridge" />'),
        page("C.F. Isvik/2030?"), page("Vellmar Bridge", "Again."),
    ]  # fmt: skip
    dump = (HEAD + "".join(pages) + "</mediawiki>").encode()
    path = tmp_path / ("dump.xml.bz2" if packed else "dump.xml")
    path.write_bytes(bz2.compress(dump) if packed else dump)
    found, problems = sorted_out(WikipediaLoader(path))
    assert [(one.source, one.text) for one in found] == [
        ("Vellmar Bridge", "It is long & new."), ("C.F. Isvik/2030?", "Some text."),
    ]  # fmt: skip
    assert problems == {("rejected", why): 1 for why in ("no article", "no text", "redirect", "duplicate id")}
    assert found[0].url == "https://en.wikipedia.org/wiki/Vellmar_Bridge"
    assert str(found[0].published) == "2031-05-06"
    assert found[1].url == "https://en.wikipedia.org/wiki/C.F._Isvik/2030%3F"


def test_a_dump_that_is_cut_short_gives_what_it_has(tmp_path: Path) -> None:
    dump = (HEAD + "".join(page(f"Page {n}", f"Text {n} " * 50) for n in range(500)) + "</mediawiki>").encode()
    packed = bz2.compress(dump, 1)
    (tmp_path / "cut.xml.bz2").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "cut.xml").write_bytes(dump[: len(dump) // 2])
    for name in ("cut.xml.bz2", "cut.xml"):
        found, problems = sorted_out(WikipediaLoader(tmp_path / name))
        assert problems == {("failed", "unreadable"): 1}
        assert all(isinstance(one, Document) for one in found)
    assert len(found) > 200
    (tmp_path / "none.xml").write_text("")
    assert reasons(WikipediaLoader(tmp_path / "none.xml")) == {"unreadable": 1}
