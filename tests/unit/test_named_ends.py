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
        ("Catholics elected Ada Orr in 2010.", ["Ada Orr"]),
        ("Londoners elected Ada Orr in 2010.", ["Ada Orr"]),
        ("Globex was founded by Buddhist Monk Ada Orr.", ["Globex", "Ada Orr"]),
    ],
)
def test_an_office_is_no_part_of_the_name_behind_it(parser: Parser, text: str, found: list[str]) -> None:
    assert names(parser, text) == found


def test_an_office_of_a_country_is_stated(parser: Parser) -> None:
    assert ("Ada Orr", "is governor of", "Texas") in facts(parser, "Ada Orr is Governor of Texas.")
    read = facts(parser, "Ada Orr was Governor of Texas for the Labour Party.")
    assert ("Ada Orr", "was governor of", "Texas") in read


@pytest.mark.parametrize("post", ["CEO", "Director", "chief executive"])
def test_a_company_s_office_is_of_no_country(parser: Parser, post: str) -> None:
    assert not facts(parser, f"Ada Orr is {post} of Germany.")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("China's president, Xi Jinping, visited Berlin in 2014.", ("Xi Jinping", "visited", "Berlin")),
        ("China's president, Xi Jinping, visited Berlin in 2014.", ("Xi Jinping", "is president of", "China")),
        ("Her husband, Prince Philip, died in London in 2021.", ("Prince Philip", "died in", "London")),
        ("The singer Ada Orr was born in Leeds.", ("Ada Orr", "was born in", "Leeds")),
        ("Bo Lind married the actress Ada Orr in 1990.", ("Bo Lind", "married", "Ada Orr")),
        ("Bo Lind played the chef Ada Orr in Lunsk Nights.", ("Bo Lind", "played chef in", "Lunsk Nights")),
    ],
)
def test_a_noun_with_a_name_beside_it_is_that_name(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts(parser, text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "Ada Orr is a director. Her husband, Bo Lind, founded Initech. She was born in Leeds.",
            ("Ada Orr", "was born in", "Leeds"),
        ),
        ("The singer Ada Orr came. She was born in Leeds.", ("Ada Orr", "was born in", "Leeds")),
        # one is a person and the other is not: it is clear who is "he"
        (
            "Globex is a company. Its chairman, Bo Lind, founded Initech. He was born in Leeds.",
            ("Bo Lind", "was born in", "Leeds"),
        ),
        (
            "Ada Orr is a director. Her first film, Zap, was shown in Leeds. It was bought by Acme.",
            ("Zap", "was bought by", "Acme"),
        ),
        (
            "Ada Orr is a director. Her first film, Zap, was shown in Leeds. It won a prize in Rome. It was bought by Acme.",
            ("Zap", "was bought by", "Acme"),
        ),
        (
            "Ada Orr is a director. Her first film, Zap, was shown in Leeds. It won a prize in Rome. She lives in Oslo.",
            ("Ada Orr", "lives in", "Oslo"),
        ),
    ],
)
def test_a_text_goes_on_about_whose_husband_it_named(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in facts(parser, text)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("", "Globex is a company. Its first product, Zap, failed. It was acquired by Acme."),
        ("", "Globex is a company. Its subsidiary, DeepMint, failed. It was sold in 2014. It was acquired by Acme."),
        ("", "Globex is a company. Its owner, Lind Holdings, was founded in Oslo. It was acquired by Acme."),
        # a director whom the text calls "her" is no "it"
        ("Ada Orr", "Ada Orr is a director. Her husband, Bo Lind, left in 1999. It was acquired by Acme."),
    ],
)
def test_it_is_nobody_where_it_may_be_either(parser: Parser, title: str, text: str) -> None:
    assert not any(
        one.object.label == "Acme" for doc in parser.parse(text, title) for one in extract(doc, title).triplets
    )


@pytest.mark.parametrize(
    "text",
    [
        "The chairman, Ada Orr said, was born in Leeds.",
        "The film, a remake of Solaris, was shown in Leeds.",
        "The teacher, Ada Orr's mother, was born in Leeds.",
        "His sons, Tim Orr and Bo Orr, were born in Leeds.",
        # nor is a word what it means
        "The surname Orr was recorded in Norway.",
        "Bo Lind founded a company under the name Orr.",
    ],
)
def test_a_noun_beside_another_name_is_not_named(parser: Parser, text: str) -> None:
    named = {end for subject, _, obj in facts(parser, text) for end in (subject, obj)}
    assert named.isdisjoint(("Ada Orr", "Tim Orr", "Solaris", "Orr"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Maria do Rosario was born in Rio Grande do Sul.", ["Maria do Rosario", "Rio Grande do Sul"]),
        ("Josep Puig i Cadafalch was born in Spain.", ["Josep Puig i Cadafalch", "Spain"]),
        ("Jose Ortega y Gasset was born in Madrid.", ["Jose Ortega y Gasset", "Madrid"]),
        # whoever has kin is no shop with a genitive
        ("It was hers, Garbo’s great-nephew Derek Reisfield told Oslo.", ["Garbo", "Derek Reisfield", "Oslo"]),
        ("It was hers, Lind’s late wife Ada Orr told Oslo.", ["Lind", "Ada Orr", "Oslo"]),
        # a short title is no part of a name, nor is whose it is
        ("Florida Gov. Ron DeSantis left Oslo.", ["Florida", "Ron DeSantis", "Oslo"]),
        ("South Carolina Sen. Lindsey Graham left Oslo.", ["South Carolina", "Lindsey Graham", "Oslo"]),
        ("Gen. Joseph Dunford left Oslo.", ["Joseph Dunford", "Oslo"]),
        ("Lt. Gov. Dan Patrick left Oslo.", ["Dan Patrick", "Oslo"]),
        ("What do Google and Apple sell in Oslo?", ["Google", "Apple", "Oslo"]),
        # the stop is the sentence's
        ("He was succeeded by Charles V.", ["Charles V"]),
        ("She is known for her work on Hepatitis B.", ["Hepatitis B"]),
        # or the name's, which is the same everywhere in a text
        (
            "Stephan E. met Bo Lind. Bo Lind was killed by Stephan E.",
            ["Stephan E.", "Bo Lind", "Bo Lind", "Stephan E."],
        ),
        (
            "Malcolm X. met Bo Lind. Bo Lind was killed by Malcolm X.",
            ["Malcolm X.", "Bo Lind", "Bo Lind", "Malcolm X."],
        ),
        ("Stephan E fled. Bo Lind was killed by Stephan E.", ["Stephan E", "Bo Lind", "Stephan E"]),
        ("Ada Orr works for Acme Inc.", ["Ada Orr", "Acme Inc."]),
        ("Ada Orr lives in the U.S.", ["Ada Orr", "U.S."]),
        ("He met John F. Kennedy in 1960.", ["John F. Kennedy"]),
        # the score is the match's
        ("Leeds United beat Arsenal 3–0 in the final.", ["Leeds United", "Arsenal"]),
        ("Leeds United defeated Arsenal 2-1 at Elland Road.", ["Leeds United", "Arsenal", "Elland Road"]),
        ("Apollo 11 landed in 1969.", ["Apollo 11"]),
        ("The Boeing 747-400 was built by Boeing.", ["Boeing"]),
        ("Chelsea's victory over Leeds 3–0 in Lunsk was its last.", ["Chelsea", "Leeds", "Lunsk"]),
        # nor is a model cut to its maker
        ("Ada Orr owns a Saab 9-3 and lives in Oslo.", ["Ada Orr", "Oslo"]),
        ("Ada Orr won a Saab 9-3 in Oslo.", ["Ada Orr", "Oslo"]),
        ("The Saab 9-3 beat the Volvo in Oslo.", ["Volvo", "Oslo"]),
        ("Apollo 11–12 launched in Florida.", ["Florida"]),
    ],
)
def test_a_name_is_as_long_as_it_is_meant(parser: Parser, text: str, found: list[str]) -> None:
    assert names(parser, text) == found


def test_an_opponent_has_no_score(parser: Parser) -> None:
    read = facts(parser, "Leeds United defeated Arsenal 3–0 in Leeds on 4 May 1972.")
    assert ("Arsenal", "was defeated in", "Leeds") in read
    assert not any("3–0" in end for one in read for end in one)


@pytest.mark.parametrize(
    "text",
    [
        "Ada\u00a0Orr was born in\u2009Leeds on 3\u202fMay 1990.",
        "\u202eAda Orr\u202c was born in Leeds\u200b on 3 May 1990.",
        "Ada Orr\x00 was born in Leeds on 3 May 1990.",
        "Ada Orr was born in Leeds on 3 May 1990. She likes \ud800.",
    ],
)
def test_marks_and_blanks_that_nobody_sees_are_in_no_name(parser: Parser, text: str) -> None:
    found = [one for doc in parser.parse(text) for one in extract(doc, "").triplets]
    ends = {(one.subject.label, one.object.label) for one in found}
    assert ends == {("Ada Orr", "Leeds"), ("Ada Orr", "3 May 1990")}
    assert all(one.sentence in text for one in found)
