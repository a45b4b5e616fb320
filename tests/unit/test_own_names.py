"""How the first sentence of a document calls the thing of its title, and what it then states of it."""

from __future__ import annotations

import pytest

from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.names.identity import identify
from kgservice.names.own_names import own_name


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser()


@pytest.mark.parametrize(
    ("title", "name", "after"),
    [
        ("Kurt Halvorsen", "Kurtis Emil Halvorsen", " (March 28, 1958 – February 10, 2003) was a Norwegian wrestler."),
        ("Mike Voss", "Mikhail Sergeyevich Voss", ' (Lornian: Mi Vo; May 2, 1787 – 1845), also spelt "Mikhaïl Vohs", was a poet.'),
        ("Bill Okafor", "James William Okafor", " (born May 23, 1924), better known as Red Kite or Jo, is an American actor."),
        ("Bill Okafor", "James William Okafor", " (May 23, 1924 – January 9, 2002) was an American actor."),
        ("Orla Brandt", "Dame Orla Maria Edith Brandt", ", Lady Voss, DBE (née Lind; 15 September 1890) was a novelist."),
        ("Joe Voss", 'Joseph Emil "Joe" Voss', " (born April 25, 1969) is a sportscaster."),
        ("Al Lind", "Albert Arnold Lind, Jr.", " (born March 31, 1948) is a politician."),
        ("Ada Orr (singer)", "Ida Kovac", " (born 7 May 1980), better known by her stage name Ada Orr, is a singer."),
        ("Ada of Lun", "Ada Bohdanovna", " (1533 – 9 October 1569) was the last princess of Lun."),
        ("Bo VIII of Lorn", "Bo VIII", " (18 September 1786 – 20 January 1848) was the king of Lorn."),
        ("Michael Voss", "Michael L. Voss", " is a professor of economics."),
        ("1980 Lunsk dam failure", "Lunsk dam failure", " was an incident in Norway."),
        ("Karl's Incredible Bakery", "Karl’s Incredible Bakery", " is an American restaurant."),
        ("Order and Law (book)", "Order and Law: Atomic Power, the Lunsk Fire, and the Illusion of Calm", " is a 2013 book."),
        ("Lunsk Airport", "Lunsk Gardemo Airport", " is the airport of Lunsk."),
        ("The Long Road", "The Long Road: The Lunsk Years", " is an album by Ada Orr."),
        ("Sword Beach", "Sword", ", commonly known as Sword Beach, was a beach."),
    ],
)  # fmt: skip
def test_the_first_sentence_calls_the_titles_thing_otherwise(title: str, name: str, after: str) -> None:
    for before in ("", f"{title}\n\n", "The " if name.startswith("Lunsk dam") else ""):
        found = own_name(title, before + name + after)
        assert found is not None
        assert (before + name + after)[found.start : found.end] == name


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("Karl E. Orr Jr.", "Karl Emil Orr Jr. (25 May 1960 – 1999), often referred to as KEO Jr. or Red Kite, was a lawyer.", ["KEO Jr.", "Red Kite"]),
        ("Ada Orr", "Ada Orr (born 1950; sometimes referred to by English writers as Ida Or) is a poet.", ["Ida Or"]),
        ("Bo Lind", "Bo Lind (born Emil Voss on October 6, 1986) is an actor.", ["Emil Voss"]),
        ("Ada Orr, Duchess of Lun", "Ada Orr, Duchess of Lun DBE (1911 – 1990), styled Lady Voss and known as The Rose of Lun from 1950 to 1960, was a "
         "writer.", ["Lady Voss", "The Rose of Lun"]),
        ("Ada Orr", "Ada Orr (1911 – 1990), who wrote under the pen name Cora Vale, was a novelist.", ["Cora Vale"]),
        ("Ada Orr", "Ida Kovac (born 1950), known by the pseudonym Ada Orr, is a poet.", ["Ida Kovac"]),
        ("Bo III", "Bo III (Lornian: Bojar; also Karl IV of Lun; 23 April 1238 – 1 July 1287) was the last king.", ["Karl IV of Lun"]),
        ("Ada Orr", "Ada Orr (born 1963), also known under her stage names of Ida Voss and Eva Lind, is an actress.", ["Ida Voss", "Eva Lind"]),
        ("Ada Orr", 'Ida Kovac Orr (1911 – 1990), also spelt "Idda Ohr", was a poet.', ["Ida Kovac Orr", "Idda Ohr"]),
        ("Les Sonnes", 'Les Sonnes (English: ""Songs of Lorn"") is an album.', ["Songs of Lorn"]),
        ("Lunsk Airport", "Lunsk Airport (IATA: LSK, ICAO: KLSK) is an airport.", ["LSK", "KLSK"]),
        ("The Lind Songs", "The Lind Songs, originally titled Gold Dust, is an album.", ["Gold Dust"]),
    ],
)  # fmt: skip
def test_the_first_sentence_introduces_other_names(title: str, text: str, names: list[str]) -> None:
    meant = identify(title, [f"{text} It is well known."], names)
    assert {name: meant.get(name) for name in names} == dict.fromkeys(names, title)


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("Ada Orr", "Ada Orr (born in Lunsk), the wife of Bo Lind, known as Red Kite, is a singer.", ["Bo Lind", "Red Kite"]),
        ("The Red Kites", "The Red Kites, named after the Lun River, are a band.", ["Lun River"]),
        ("Ada Orr", "Ada Orr, born in Oslo and raised in Bergen, is a poet.", ["Oslo", "Bergen"]),
        ("Kite Songs", "Kite Songs, also known as Lorn Kids: The Musical, is a musical.", ["Lorn Kids"]),
        ("Old Kite", "Old Kite, also known as Ada Orr's New Groove 2, is a film.", ["Ada Orr"]),
        ("University of Lorn", "The University of Lorn, often called Lorn, is a university.", ["Lorn"]),
        ("Ada Orr", "Ada Orr (born Lorn New City, 4 May 1950) is a poet.", ["Lorn New City"]),
        ("Acme", "Acme Inc. (NYSE: ACM), known for its Red Kite phones, is a company.", ["Red Kite"]),
    ],
)  # fmt: skip
def test_what_the_first_sentence_says_of_others_is_no_name_of_the_title(
    title: str, text: str, names: list[str]
) -> None:
    kinds = {"Lorn New City": "LOC", "Ada Orr": "PER"}
    assert identify(title, [f"{text} She sang."], names, kinds).keys().isdisjoint(names)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Kurt Halvorsen", "Kurt Halvorsen is a wrestler."),  # as the title does
        ("Kurt Halvorsen", "Lars Halvorsen (1936 – 2018) was the father of Kurt Halvorsen."),
        ("Kurt Halvorsen", "Lars Halvorsen was a wrestler. His son was Kurt Halvorsen."),
        ("Karl Voss Jr.", "Karl Voss Sr. (1901 – 1950) was a farmer."),
        ("Karl H. Voss", "Karl L. Voss (1901 – 1950) was a farmer."),
        ("Ada Orr", "Bo Lind, known as the enemy of Ada Orr, was a spy."),
        ("Oslo", "Oslo Airport is an airport."),
        ("History of Oslo", "Oslo is a city."),
        ("Ada Orr wins", "Ada Orr (born 1990) is a runner."),
        ("", "Ada Orr (born 1990) is a runner."),
        ("Red Lodge, Montana", "Red Lodge is a city."),
        ("Bo VIII of Lorn", "Bo VII (18 September 1706 – 20 January 1748) was the king before."),
        ("Ada and Bo Orr", "Ada Lind (1802 – 1869) was a singer."),
        ("Ada of Lun", "Ada Bohdanovna was a princess."),
    ],
)
def test_another_name_is_not_the_titles(title: str, text: str) -> None:
    assert own_name(title, text) is None


@pytest.mark.parametrize(
    ("title", "text", "fact"),
    [
        ("Curt Hennig", "Curt Hennig\n\nCurtis Michael Hennig (March 28, 1958 – February 10, 2003) was an American wrestler.",
         ("Curt Hennig", "February 10, 2003")),
        ("John's Incredible Pizza Company", "John’s Incredible Pizza Company is an American restaurant founded by Ada Orr.",
         ("John's Incredible Pizza Company", "Ada Orr")),
        ("Command and Control (book)", "Command and Control: Nuclear Weapons, the Damascus Accident, and the Illusion of "
         "Safety is a 2013 nonfiction book by Eric Schlosser.", ("Command and Control", "Eric Schlosser")),
        ("1980 Damascus Titan missile explosion", "The Damascus Titan missile explosion was an incident in Norway.",
         ("1980 Damascus Titan missile explosion", "Norway")),
    ],
)  # fmt: skip
def test_facts_of_the_first_sentence_are_of_the_title(
    parser: Parser, title: str, text: str, fact: tuple[str, str]
) -> None:
    stated = [one for doc in parser.parse(text, title) for one in extract(doc, title).triplets]
    assert fact in [(one.subject.label, one.object.label) for one in stated]
    assert {one.subject.label for one in stated} == {fact[0]}


def test_only_the_first_text_of_a_document_has_its_own_name(parser: Parser) -> None:
    text = "James William Okafor (May 23, 1924 – January 9, 2002) was an American actor."
    first, later = parser.parse_all([(text, "Bill Okafor")] * 2, later=(1,))
    subjects = [
        {one.subject.label for one in extract(doc, "Bill Okafor").triplets} for docs in (first, later) for doc in docs
    ]
    assert subjects == [{"Bill Okafor"}, {"James William Okafor"}]


def test_the_own_name_means_the_title_in_the_whole_document() -> None:
    texts = ["James William Okafor (1924 – 2002) was an actor.", "James William Okafor died. Lars William Okafor wept."]
    assert identify("Bill Okafor", texts) == {"James William Okafor": "Bill Okafor"}


def test_two_of_one_surname_stay_two() -> None:
    text = "Steve Bauer (born 1959) is a cyclist. He rode with Steven Michael Bauer, and Lars Bauer won."
    found = identify("Steve Bauer", [text], kinds=dict.fromkeys(("Steve Bauer", "Steven Michael Bauer"), "PER"))
    assert not {"Steven Michael Bauer", "Lars Bauer"} & found.keys()


@pytest.mark.parametrize(
    "name",
    [
        "Command and Control: Nuclear Weapons, the Damascus Accident, and the Illusion of Safety",
        "Salt and Iron: Trade, Empire and the Fall of Lunsk",
        "Lilo & Stitch: The Series",
    ],
)
def test_a_subtitle_is_of_the_name(parser: Parser, name: str) -> None:
    text = f"{name} is a book by Ada Orr."
    assert {one.subject.label for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged()).triplets} == {
        name
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The Damascus Titan missile explosion was an incident in the United States.", "Damascus Titan"),
        ("The Oslo Stock Exchange crash was an event in Norway.", "Oslo Stock Exchange"),
        ("The Acme Foods factory is a plant in Norway.", "Acme Foods"),
    ],
)
def test_a_name_before_the_thing_is_not_the_thing(parser: Parser, text: str, name: str) -> None:
    stated = [one for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged()).triplets]
    assert not [one for one in stated if name in one.subject.label]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('The football movie "Goal!" was directed by Danny Cannon.', "Goal!"),
        ('The song "Why?" was written by Bo Lind.', "Why?"),
        ("Airplane! is a 1980 American film directed by Jim Abrahams.", "Airplane!"),
        ('"Mamma Mia!" was directed by Phyllida Lloyd.', "Mamma Mia!"),
    ],
)
def test_a_mark_is_of_the_title(parser: Parser, text: str, name: str) -> None:
    found = {one.subject.label for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged()).triplets}
    assert {identify("News", [text], found).get(one, one) for one in found} == {name}


def test_a_cry_is_no_title(parser: Parser) -> None:
    text = 'The fans of the film cried "Shame!" when Bo Lind left Acme Inc.'
    found = [one for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged()).triplets]
    assert not [one for one in found if "Shame" in one.subject.label + one.object.label]


@pytest.mark.parametrize(
    ("title", "text", "kin"),
    [
        ("Murder trial", "Carlos Gomez was shot. Gomez's eldest son, OJ, was born in 2001.", "OJ"),
        ("Murder trial", "Carlos Gomez is the father of OJ.", "OJ"),
        ("Bolsonaro's son Eduardo quits", "Jair Bolsonaro spoke. Jair Bolsonaro is the father of Eduardo.", "Eduardo"),
    ],
)
def test_kin_of_one_name_identifies_nobody(parser: Parser, title: str, text: str, kin: str) -> None:
    stated = [one for doc in parser.parse(text, title) for one in extract(doc, title, pairs=packaged()).triplets]
    assert not [one for one in stated if kin in (one.subject.label, one.object.label)]


def test_kin_of_one_name_is_no_end_of_a_fact(parser: Parser) -> None:
    text = "Jair Bolsonaro is the father of Eduardo. Later Eduardo Bolsonaro founded Acme Foods."
    stated = [one for doc in parser.parse(text, "News") for one in extract(doc, "News", pairs=packaged()).triplets]
    assert [{one.subject.label, one.object.label} for one in stated] == [{"Eduardo Bolsonaro", "Acme Foods"}]
    assert not [one for one in stated if "Eduardo" in (one.subject.label, one.object.label)]
