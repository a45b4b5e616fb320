"""How a question is read: without what stands beside it, spelt as its passages, and the words it asks by."""

from __future__ import annotations

import pytest

from kgservice.answering.reader.naming import FAR, THING, NamedSentence, sentence
from kgservice.answering.reader.passage_statements import stems
from kgservice.answering.reader.question_words import asking, focus, respelt
from kgservice.extraction.syntax.parser import Parser

WORDS = frozenset("the mayor of lunford was headquartered in harbour street vellmar".split())


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Timber prices rose in the spring. Who is the mayor of Lunford?", "Who is the mayor of Lunford?"),
        ("Lunford has a harbour. Who opened it?", "Lunford has a harbour. Who opened it?"),
        ("Rents rose. Which programme has Acme as its contractor?", "Which programme has Acme as its contractor?"),
        ("Lunford has a harbour. Who was its founder?", "Lunford has a harbour. Who was its founder?"),
        ("Irena Kost drew a bridge. Where was Irena Kost born?", "Irena Kost drew a bridge. Where was Irena Kost born?"),
        ("Name the mayor of Lunford.", "Name the mayor of Lunford."),
        ("What is the auditor of each company, going by all annual reports whose fiscal year is 2030?",
         "What is the auditor of each company?"),
        ("Which film based on a novel by Irena Kost was shot in Isvik?",
         "Which film based on a novel by Irena Kost was shot in Isvik?"),
        ("Please answer this: who is the mayor of Lunford?", "who is the mayor of Lunford?"),
        ("Please say which town is the one in which Acme is based.", "which town is the one in which Acme is based."),
        ("Who leads Acme, given that in 1634, when it rained, the road was closed?", "Who leads Acme?"),
        ("Where is Acme based, although rents rose, going by all reports?", "Where is Acme based?"),
        ("Given that Acme moved, where is it based?", "Given that Acme moved, where is it based?"),
        ("Acme, though it lost money, bought what?", "Acme, though it lost money, bought what?"),
        ("", ""),
    ],
)  # fmt: skip
def test_what_stands_beside_the_question_is_left_out(question: str, asks: str) -> None:
    assert asking(question) == asks


@pytest.mark.parametrize(
    ("question", "spelt"),
    [
        ("Who is the mayir of Lunford?", "Who is the mayor of Lunford?"),
        ("Where is Acme hedquartered?", "Where is Acme headquartered?"),
        ("Which streat is it?", "Which street is it?"),
        ("Who drew the Velmar Bridge?", "Who drew the Vellmar Bridge?"),
        ("Who is the major of it?", "Who is the major of it?"),  # a word of the dictionary is meant
        ("Was it hwadquareered there?", "Was it headquartered there?"),
        ("Was Hwadquareered there?", "Was Hwadquareered there?"),  # a name is taken as it is, but for one letter
        ("Which stxext is it?", "Which street is it?"),
        ("Was it in 2031?", "Was it in 2031?"),
    ],
)
def test_a_misspelt_word_is_read_as_the_passages_write_it(question: str, spelt: str) -> None:
    assert respelt(question, WORDS) == spelt


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What is the currency of the country whose finance minister is Jorund Haalvik?", "currency"),
        ("Who was the first president of the association which published the journal?", "first president"),
        ("When was Acme founded?", "Acme founded"),
        ("Which company is it that acquired Acme?", "company acquired Acme"),
    ],
)
def test_what_is_asked_is_told_from_what_it_is_asked_of(parser: Parser, question: str, asks: str) -> None:
    assert focus(parser.sentence(question)) == stems(asks)


def kinds(read: NamedSentence) -> dict[str, str]:
    return {one.label: one.kind for one in read.names}


def test_a_sentence_names_names_values_and_things(parser: Parser) -> None:
    text = "The median rent in Lunford has reached 940 USD a month."
    read = sentence(parser.sentence(text))
    assert kinds(read)["940 USD"] == "number"
    assert kinds(read)["median rent"] == THING
    steps = {one.label: read.apart(one.at, stems("rent")) for one in read.names}
    assert steps["median rent"] == 0
    assert 0 < steps["940 USD"] < FAR
    assert read.apart(0, stems("zebra")) == FAR
    shop = sentence(parser.sentence("Timber is sold with the largest export, frozen shrimp."))
    assert kinds(shop).get("Timber", THING) == THING  # no name
    assert "frozen shrimp" in kinds(shop)
    assert kinds(sentence(parser.sentence("The group consists of seven members.")))["seven members"] == "number"
    caption = sentence(parser.sentence("Revenue of Acme by product, fiscal years 2029 and 2030 (million USD)"))
    assert not [one.label for one in caption.names if "2030 million" in one.label]
    assert "" not in kinds(sentence(parser.sentence("–")))
