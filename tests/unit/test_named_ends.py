"""How long the names of a text are, and whom or what a phrase names: what facts end with."""

from __future__ import annotations

import pytest

from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.syntax.proper_names import Names
from kgservice.extraction.text_facts import extract


def names(parser: Parser, text: str) -> list[str]:
    """Return the names of a text without a flaw, in its order; dates aside."""
    found: list[str] = []
    for doc in parser.parse(text):
        read = Names(doc[:], "")
        starts = (read.starting(at) for at in range(len(doc)))
        found += [one.label for one in starts if one is not None and one.kind == "entity" and not read.flaw(one)]
    return found


def facts(parser: Parser, text: str) -> set[tuple[str, str, str]]:
    return {
        (one.subject.label, one.relation, one.object.label)
        for doc in parser.parse(text)
        for one in extract(doc, "").triplets
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Angela Merkel was Chancellor of Germany from 2005 to 2021.", ["Angela Merkel", "Germany"]),
        ("Ada Orr is Governor of Victoria.", ["Ada Orr", "Victoria"]),
        ("Ada Orr was the 45th Mayor of Chicago.", ["Ada Orr", "Chicago"]),
        ("Ada Orr is Chairman of Ford.", ["Ada Orr", "Ford"]),
        ("Ada Orr was the Prime Minister of Togo from 29 June 2002 to 9 June 2005.", ["Ada Orr", "Togo"]),
        ("Ada Orr served as Lieutenant Governor of Guernsey.", ["Ada Orr", "Guernsey"]),
        # a department, a subject or a task is nobody's name
        ("Ada Orr is Director of Operations.", ["Ada Orr"]),
        ("Ada Orr was Secretary of Defense.", ["Ada Orr"]),
        ("Ada Orr is Professor of Physics at Yale.", ["Ada Orr", "Yale"]),
        ("Germans elected Ada Orr in 2010.", ["Ada Orr"]),
    ],
)
def test_an_office_is_no_part_of_the_name_behind_it(parser: Parser, text: str, found: list[str]) -> None:
    assert names(parser, text) == found


def test_an_office_of_a_country_is_stated(parser: Parser) -> None:
    assert ("Ada Orr", "is governor of", "Texas") in facts(parser, "Ada Orr is Governor of Texas.")
