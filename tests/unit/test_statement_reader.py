"""The statement reader: what it is given, of which statements it is asked, and what it makes of plain ones."""

from __future__ import annotations

import math

import pytest

from kgservice.extraction.readers import relation_reader
from kgservice.extraction.readers.sentence_encoder import MAX_PIECES, vocabulary
from kgservice.extraction.readers.statement_reader import FARTHEST, belief, reader_input
from kgservice.extraction.rules import Reader, Stated
from kgservice.extraction.syntax.confidence import probability, weights
from kgservice.extraction.syntax.fact_ends import StatementPlaces
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.text_facts import extract, reader_features
from kgservice.text.periods import NO_CALENDAR

BETTER_AND_WORSE = (
    ("The airline ordered 40 jets from Airbus, and Qatar Airways entered the cargo market.", "Qatar Airways",
     "Shares of Qatar Airways climbed 3 percent on Friday.", "Qatar Airways"),
    ("Harriet Boyle joined the board of Lunmark Bank in 2011.", "Harriet Boyle",
     "Harriet Boyle was dismissed on Tuesday.", "Harriet Boyle"),
)  # fmt: skip


def stated(parser: Parser, text: str, title: str = "") -> tuple[Reader, list[Stated]]:
    reader = Reader(parser.parse(text, title)[0], title, "", NO_CALENDAR, ends=True)
    return reader, list(reader.weighed())


def said(reader: Reader, places: StatementPlaces) -> tuple[str, str, str]:
    """Return the words at the places of a statement."""
    text = next(met.text for met in reader.met if met.start == places.start)
    own = (places.subject, places.predicate or (0, 0), places.object)
    return tuple(text[start:end] for start, end in own)  # type: ignore[return-value]


def test_places_are_those_of_the_words(parser: Parser) -> None:
    reader, found = stated(parser, "Ada Orr is a singer. She admired Bo Lind. In Lun, Bo Lind met Ada Orr.")
    places = [said(reader, one.places) for one in found if one.places is not None]
    assert ("She", "admired", "Bo Lind") in places
    assert ("Bo Lind", "met", "Ada Orr") in places


def test_only_what_the_relation_reader_has_no_opinion_of_is_asked(parser: Parser) -> None:
    reader, found = stated(parser, "Ada Orr was born in Oslo. Ada Orr admired Bo Lind.")
    about = {one.triplet.relation: one for one in found}
    born, admired = (
        reader_features(relation_reader.packaged(), reader.met, about[name].triplet, about[name].places)[0]
        for name in ("was born in", "admired")
    )
    assert "belief by people" in born
    assert "statement's belief" not in born
    assert set(admired) == {"statement's belief"}
    assert abs(admired["statement's belief"]) <= FARTHEST


@pytest.mark.parametrize(("better", "one", "worse", "other"), BETTER_AND_WORSE)
def test_plain_statements_are_believed_more(parser: Parser, better: str, one: str, worse: str, other: str) -> None:
    odds = []
    for text, subject in ((better, one), (worse, other)):
        reader, found = stated(parser, text)
        own = [
            belief(reader_input(reader.met, each.places))["statement's belief"]
            for each in found
            if each.places is not None and each.triplet.subject.label == subject
        ]
        odds.append(max(own, default=-math.inf))
    assert odds[0] > odds[1]


def test_what_is_cut_off_is_not_asked(parser: Parser) -> None:
    text = f"Ada Orr, who sang {'antidisestablishmentarianism ' * 60}, admired Bo Lind."
    reader, _ = stated(parser, text)
    (met,) = reader.met
    places = StatementPlaces(met.start, (0, 7), (text.index("Bo Lind"), len(text) - 1), None)
    assert len(vocabulary()[0].encode(met.text).ids) > MAX_PIECES
    assert reader_input(reader.met, places) is None
    assert belief(None) == {}


def test_a_rise_whose_time_is_lost_is_left_to_rules_alone(parser: Parser) -> None:
    doc = parser.parse("Apple's revenue rose 12% in 2031.")[0]
    alone, asked = (extract(doc, "", pairs=pairs) for pairs in (None, relation_reader.packaged()))
    assert [(one.relation, one.object.label) for one in alone.triplets] == [("revenue rose", "12%")]
    assert asked.triplets == ()
    assert asked.dropped["low confidence"] == 1


def test_a_companys_report_has_a_reader_of_its_own(parser: Parser) -> None:
    text = "We recorded a charge of $5 million in 2031."
    doc = parser.parse(text)[0]
    reader = Reader(doc, "", "Acme Corp.", NO_CALENDAR, ends=True)
    (one,) = [each for each in reader.weighed() if each.places is not None]
    assert one.triplet.subject.label == "Acme Corp."
    asked = belief(reader_input(reader.met, one.places), report=True)
    assert set(asked) == {"report statement's belief"}
    assert probability(one.features | asked) < weights().threshold <= probability(one.features)


def test_rules_alone_ask_nobody(parser: Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kgservice.extraction.readers.statement_reader.packaged", None)
    doc = parser.parse("Ada Orr admired Bo Lind.")[0]
    assert extract(doc, "").triplets
    with pytest.raises(TypeError):
        extract(doc, "", pairs=relation_reader.packaged())
