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


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("China's president, Xi Jinping, visited Berlin in 2014.", ("Xi Jinping", "visited", "Berlin")),
        ("China's president, Xi Jinping, visited Berlin in 2014.", ("Xi Jinping", "is president of", "China")),
        ("Her husband, Prince Philip, died in London in 2021.", ("Prince Philip", "died in", "London")),
        ("The singer Ada Orr was born in Leeds.", ("Ada Orr", "was born in", "Leeds")),
        ("Bo Lind married the actress Ada Orr in 1990.", ("Bo Lind", "married", "Ada Orr")),
    ],
)
def test_a_noun_with_a_name_beside_it_is_that_name(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts(parser, text)


@pytest.mark.parametrize(
    "text",
    [
        "The chairman, Ada Orr said, was born in Leeds.",
        "The film, a remake of Solaris, was shown in Leeds.",
        "The teacher, Ada Orr's mother, was born in Leeds.",
        "His sons, Tim Orr and Bo Orr, were born in Leeds.",
    ],
)
def test_a_noun_beside_another_name_is_not_named(parser: Parser, text: str) -> None:
    assert not any(subject in ("Ada Orr", "Tim Orr", "Solaris") for subject, _, _ in facts(parser, text))
