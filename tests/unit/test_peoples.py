"""What a noun's own words tell: whose citizen somebody is, of which party, which office; and when a life ended."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract


def read(parser: Parser, text: str, title: str = "") -> set[tuple[str, str, str]]:
    return {
        (one.subject.label, one.relation, one.object.label)
        for doc in parser.parse(text, title)
        for one in extract(doc, title).triplets
    }


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Anna Orr (born 1 April 1947) is a Danish handball player.", ("Anna Orr", "is citizen of", "Denmark")),
        ("Will Orr is a Danish poet.", ("Will Orr", "is citizen of", "Denmark")),
        ("Brazilian journalist Anna Orr released a book.", ("Anna Orr", "is citizen of", "Brazil")),
        ("Tim Orr is a Norwegian engineer and politician for the Conservative Party.",
         ("Tim Orr", "is politician for", "Conservative Party")),
        ("Acme is a German company based in Munich.", ("Acme", "is in", "Germany")),
        ("Harry Orr is Chairman of Lunsk Refining Group.", ("Harry Orr", "is chairman of", "Lunsk Refining Group")),
        ("Anna Orr served as president of Lund University.", ("Anna Orr", "served as president of", "Lund University")),
        ("Tim Orr is Professor of Physics at Princeton University.",
         ("Tim Orr", "works at", "Princeton University")),
        ("Tim Orr, director of the law programme at Lund University, left.", ("Tim Orr", "works at", "Lund University")),
        ("Anna Orr chaired the board until her death in 2007.", ("Anna Orr", "died in", "2007")),
        ("The firm grew after Anna Orr's death in 2007.", ("Anna Orr", "died in", "2007")),
        ("Sam Orr died February 9, 2016, of cancer.", ("Sam Orr", "died on", "February 9, 2016")),
        ("Carl Orr (died 1590) was a composer.", ("Carl Orr", "died in", "1590")),
        ("Cor Orr (born 6 April 1939 in Rotterdam, died 11 October 2005) was a player.",
         ("Cor Orr", "died on", "11 October 2005")),
        ("He was the son of John Orr (1801–1870) and his wife Anna Lind.", ("Anna Lind", "is wife of", "John Orr")),
    ],
)  # fmt: skip
def test_what_a_noun_tells(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in read(parser, text)


@pytest.mark.parametrize(
    "text",
    [
        "Tim Orr is an American football player.",
        "Anna Orr is a Swiss-born actress.",
        "US ambassador Tim Orr left.",
        "Chief executive Anna Orr left.",
        "Anna Orr is not a Danish writer.",
    ],
)
def test_what_tells_of_no_country_and_no_company(parser: Parser, text: str) -> None:
    assert not {relation for _, relation, _ in read(parser, text)} & {"is citizen of", "is chief executive of"}


def test_a_film_is_of_a_country_and_a_year(parser: Parser) -> None:
    told = read(parser, "Gloria is a 1980 American crime film directed by John Orr.", "Gloria")
    assert {("Gloria", "came out in", "1980"), ("Gloria", "is from", "United States")} <= told


def test_a_war_is_not_born(parser: Parser) -> None:
    text = "The War of the Quadruple Alliance (1717–1720) was a result of ambitions."
    assert not read(parser, text, "War of the Quadruple Alliance")
