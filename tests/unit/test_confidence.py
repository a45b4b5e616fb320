"""How likely a statement is usable: what decides is how it was read, and what is left for it is counted."""

from __future__ import annotations

import pytest

from kgservice.extraction import text_facts
from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.rules import Reader
from kgservice.extraction.syntax.confidence import Way, confidence, least_likely, probability, way_of, weights
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract
from kgservice.text.periods import NO_CALENDAR

PLAIN = "Casablanca was directed by Michael Curtiz."
TANGLED = (
    "After the fall of Oslo, where Ada Orr, who had met Bo Lind in Paris, was said to have been seen, Carl Moe joined the "
    "Lumen Group, which Dag Holm led, in Bergen."
)
WEIGHED = {"genre", "news", "filings", "encyclopaedia"}


def likely(parser: Parser, text: str, title: str = "") -> dict[tuple[str, str, str], float]:
    return {
        (one.subject.label, one.relation, one.object.label): probability(told)
        for doc in parser.parse(text, title)
        for one, told, _ in Reader(doc, title, "", NO_CALENDAR).weighed()
    }


def test_a_plain_sentence_is_likelier_than_a_tangled_one(parser: Parser) -> None:
    (plain,), tangled = likely(parser, PLAIN).values(), likely(parser, TANGLED).values()
    assert plain > 0.8
    assert tangled
    assert max(tangled) < plain


def test_what_is_left_is_counted(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    (doc,) = parser.parse(PLAIN)
    assert len(extract(doc, "").triplets) == 1
    monkeypatch.setattr(text_facts, "weights", lambda: weights().model_copy(update={"threshold": 1.0}))
    left = extract(doc, "")
    assert not left.triplets
    assert left.dropped["low confidence"] == 1


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Ada Orr founded Orr Mills in 1990.", ("Ada Orr", "founded", "Orr Mills")),
        ("Orr Mills is based in Lunsk.", ("Orr Mills", "is based in", "Lunsk")),
        ("Ada Orr joined Globex in 2003.", ("Ada Orr", "joined", "Globex")),
        ("Bo Lind moved to Lunsk in 1988.", ("Bo Lind", "moved to", "Lunsk")),
        ("Globex sued Orr Mills in 2011.", ("Globex", "sued", "Orr Mills")),
        ("Ada Orr admired Bo Lind.", ("Ada Orr", "admired", "Bo Lind")),
        ("Orr Mills was audited by Lind and Lund.", ("Orr Mills", "was audited by", "Lind and Lund")),
        ("The Lun Bridge crosses the Orr River.", ("Lun Bridge", "crosses", "Orr River")),
    ],
)
def test_what_is_plainly_stated_is_kept(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    found = [one for doc in parser.parse(text) for one in extract(doc, "", pairs=packaged()).triplets]
    assert fact in {(one.subject.label, one.relation, one.object.label) for one in found}
    assert all(one.confidence >= min(weights().bars.values()) for one in found)


@pytest.mark.parametrize("way", ["schema", "open", "reader"])
def test_the_bar_is_where_a_confidence_reaches_it(way: Way) -> None:
    for told in ({}, {"rule clause": 1.0}, {"rule post": 1.0}):
        assert confidence(least_likely(told, way), told, way) == pytest.approx(weights().bars[way])


def test_a_report_is_kept_by_the_score_itself() -> None:
    assert least_likely({"rule clause": 1.0}, "report") == weights().threshold


def test_weights_know_no_kind_of_text_and_no_word(parser: Parser) -> None:
    known = weights()
    assert all(0.5 < bar < known.threshold < 1 for bar in known.bars.values())
    assert "confidence_fit.py" in known.how
    told = {
        name
        for doc in parser.parse(PLAIN)
        for _, told, _ in Reader(doc, "", "", NO_CALENDAR).weighed()
        for name in told
    }
    assert told & set(known.weights)
    assert not {word.lower() for word in ("Casablanca", "directed", "Michael")} & set(" ".join(known.weights).split())
    assert not WEIGHED & set(" ".join(known.weights).lower().split())


@pytest.mark.parametrize(
    ("told", "doubted", "report", "way"),
    [
        ({"rule clause": 1.0}, False, False, "schema"),
        ({"rule clause": 1.0, "words of no relation": 1.0}, False, False, "open"),
        ({"rule clause": 1.0, "object of another class": 1.0}, False, False, "open"),
        ({"rule post": 1.0}, True, False, "open"),
        ({"rule pair": 1.0}, False, False, "reader"),
        ({"rule pair": 1.0}, False, True, "report"),
    ],
)
def test_a_statement_is_read_in_one_way(told: dict[str, float], doubted: bool, report: bool, way: Way) -> None:
    assert way_of(told, doubted=doubted, report=report) == way


@pytest.mark.parametrize("way", ["schema", "open", "reader", "report"])
def test_a_likelier_statement_is_surer_and_none_is_surer_than_readers_found(way: Way) -> None:
    told = {"rule pair" if way == "reader" else "rule clause": 1.0}
    sure = [confidence(likely, told, way) for likely in (0.0, 0.7, 0.8, 0.9, 0.97, 1.0)]
    assert sure == sorted(sure)
    assert (sure[0], sure[-1]) == (0, 1)
    assert sure[3] < 0.8  # of those from .85 to .95 three of four are usable


def test_a_post_is_surer_than_a_clause_that_is_as_likely() -> None:
    assert confidence(0.9, {"rule post": 1.0}, "schema") > confidence(0.9, {"rule clause": 1.0}, "schema") + 0.1


def test_a_fact_has_the_confidence_that_its_probability_is_worth(parser: Parser) -> None:
    (doc,) = parser.parse(PLAIN)
    (one,) = extract(doc, "").triplets
    ((_, told, _),) = Reader(doc, "", "", NO_CALENDAR).weighed()
    assert one.confidence == round(confidence(probability(told), told, "schema"), 3) < probability(told)


LIFE = "Ting-Xing Ye (born 1952 in Shanghai) is a Chinese-Canadian author. The Silk Press went on. She founded Birch House."


def test_a_life_is_a_persons_whatever_the_recogniser_sees(parser: Parser) -> None:
    assert ("Ting-Xing Ye", "founded", "Birch House") in likely(parser, LIFE, "Ting-Xing Ye")
    assert ("Silk Press", "founded", "Birch House") not in likely(parser, LIFE, "Ting-Xing Ye")
    assert all(subject and said and other for subject, said, other in likely(parser, LIFE))  # of whom, no title says


def test_who_is_joined_to_a_name_is_no_relative_of_the_titles(parser: Parser) -> None:
    text = "Margaret of Brieg was a daughter of Ludwik Berg and his wife, Agnes Sagan."
    assert ("Agnes Sagan", "is wife of", "Ludwik Berg") in likely(parser, text, "Margaret of Brieg")
    text = "Prince Boris is the elder son of Prince Karl of Lund and of his wife, Princess Marie Berg."
    assert not any(owner == "Prince Boris" for _, said, owner in likely(parser, text, "Prince Boris") if "wife" in said)


@pytest.mark.parametrize("text", ["Anna Berg was promoted in March 2002.", "Anna Berg served from 2002 to 2004."])
def test_when_without_to_what_is_vague(parser: Parser, text: str) -> None:
    assert not likely(parser, text)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Harbour Song was written by Anna Berg.", ("Harbour Song", "was written by", "Anna Berg")),
        ("Oslo was known as Christiania.", ("Oslo", "was known as", "Christiania")),
        ("On Monday, former Tesla executive Anna Berg left.", ("Anna Berg", "was formerly executive of", "Tesla")),
        ("Anna Berg, the former chairman of Acme, left.", ("Anna Berg", "was formerly chairman of", "Acme")),
        ("Anna Berg, the chairman of Acme until May, left.", ("Anna Berg", "was formerly chairman of", "Acme")),
        ("Anna Berg was the chairman of Acme until 2004.", ("Anna Berg", "was formerly chairman of", "Acme")),
        ("Anna Berg previously served as chairman of Acme.", ("Anna Berg", "was formerly chairman of", "Acme")),
        ("Before joining Lun, Anna Berg served as mayor of Oslo.", ("Anna Berg", "was formerly mayor of", "Oslo")),
        ("Anna Berg served as mayor of Oslo until 2004.", ("Anna Berg", "was formerly mayor of", "Oslo")),
        ("Anna Berg was mayor of Oslo from May 1998 to 2 June 2004.", ("Anna Berg", "was formerly mayor of", "Oslo")),
        ("Anna Berg has been mayor of Oslo from 1998 to this day.", ("Anna Berg", "was mayor of", "Oslo")),
        ("Anna Berg has served as mayor of Oslo since 2004.", ("Anna Berg", "served as mayor of", "Oslo")),
        ("On Monday, Tesla executive Anna Berg left.", ("Anna Berg", "is executive of", "Tesla")),
        ("Since Monday Acme Homes has owned Bolt Panels.", ("Acme Homes", "owned", "Bolt Panels")),
    ],
)
def test_what_is_written_known_and_over(parser: Parser, text: str, fact: tuple[str, str, str]) -> None:
    assert fact in likely(parser, text)


@pytest.mark.parametrize(
    ("text", "named"),
    [  # of the first the tree takes "French" for the subject, and nothing is read
        ("The War Is Over (French: La Guerre est finie) is a drama film directed by Anna Berg.", set[str]()),
        ('The Year of the Dog (Russian: "God sobaki") is a drama film directed by Anna Berg.', {"Anna Berg"}),
    ],
)
def test_a_title_is_not_cut(parser: Parser, text: str, named: set[str]) -> None:
    found = {end for subject, _, other in likely(parser, text) for end in (subject, other)}
    assert found.isdisjoint({"La Guerre", "God", "French", "Russian"})
    assert named <= found


def test_no_place_is_in_itself(parser: Parser) -> None:
    assert ("New York", "is in", "New York") not in likely(parser, "He died in New York, New York.")
