"""Which figure of a thing is the answer where its facts are of several periods."""

from __future__ import annotations

from typing import Any

import pytest

from kgservice.answering import fact_answer
from kgservice.answering.fact_answer import _named
from kgservice.answering.figure_answer import figure_of_year
from kgservice.core.keys import KEY


def row(period: str, answer: str) -> dict[str, Any]:
    return {
        "period": period,
        "answer": answer,
        "key": answer,
        "chunks": ["c"],
        "sentences": [answer],
        "said": ["is"],
        "confidence": None,
    }


YEAR, QUARTER = row("2031", "$100 million"), row("the three months ended June 30, 2031", "$25 million")
FIRST = row("the three months ended March 31, 2031", "$20 million")
BEFORE = row("2030", "$90 million")
ENDS = ("Bo Falk", "Ada Orr", "1,200", "9,400", "300 workers", "400 workers")


@pytest.mark.parametrize(
    ("rows", "year", "answer"),
    [
        ((QUARTER, YEAR, BEFORE), "", "$100 million"),
        ((BEFORE, YEAR, QUARTER), "2031", "$100 million"),
        ((BEFORE, QUARTER), "", "$25 million"),
        ((BEFORE, QUARTER, FIRST), "", None),
        ((BEFORE, QUARTER), "2030", "$90 million"),
        ((row("", "$7"),), "", "$7"),
        ((row("2030-12-31", "$6"), row("2031-12-31", "$7")), "", "$7"),
        ((row("2031", "$51.4 billion"), row("2031", "$51,362 million")), "", "$51,362 million"),
        ((row("2031", "$51.3 billion"), row("2031", "$51,362 million")), "", None),
        ((row("2031", "$51 billion"), row("2031", "$51.4 billion"), row("2031", "$45 million")), "", "$51.4 billion"),
        ((row("2031", "51.4 %"), row("2031", "51.36 %")), "2031", "51.36 %"),
        ((row("2031", "51.4 %"), row("2031", "$51.4")), "2031", None),
        ((), "", None),
        ((), "2031", None),
    ],
)
def test_the_figure_of_the_whole_year(rows: tuple[dict[str, Any], ...], year: str, answer: str | None) -> None:
    found = figure_of_year(rows, year)
    assert (found.answer if found else None) == answer


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("January 28, 2023", "February 3, 2024"), ("fiscal 2023", "2024"), ("", "fiscal 2023"),
        ("June 30, 2031", "September 30, 2031"), ("2030-12-31", "the three months ended March 31, 2031"),
    ],
)  # fmt: skip
def test_the_newest_period_is_the_latest_in_time(old: str, new: str) -> None:
    found = _named([row(old, "11,000"), row(old, "11,000"), row(new, "12,000")], one=True)
    assert found
    assert found.answer == "12,000"


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ([("a", "Ada Lind"), ("b", "Bo Falk")], "Ada Lind or Bo Falk"),
        ([("a", "Ada Lind"), ("b", "Bo Falk"), ("c", "Bo Falk")], "Bo Falk or Ada Lind"),
        ([("a", "Ada Lind"), ("a 2031", "Bo Falk")], "Ada Lind or Bo Falk"),
        ([("a 2031", "Ada Lind"), ("b 2031", "Bo Falk")], "Ada Lind or Bo Falk"),
        ([("a 2030", "Ada Lind"), ("b 2031", "Bo Falk")], "Bo Falk"),
        ([("a 2030", "Ada Lind"), ("b 2031", "Bo Falk"), ("c 2032", "Ada Lind")], "Ada Lind"),
        ([("a", "Ada Lind"), ("b", "Lind")], "Ada Lind"),
        ([("a", "12 March 2012"), ("b", "2012")], "12 March 2012"),
        ([("a", "2012"), ("b", "2013")], "2012 or 2013"),
    ],
)
def test_documents_that_disagree_are_both_heard(said: list[tuple[str, str]], answer: str) -> None:
    rows = [row("", value) | {"chunks": [document.split()[0].ljust(KEY)]} for document, value in said]
    dated = (document.split() for document, _ in said if " " in document)
    found = _named(rows, one=True, published={document.ljust(KEY): year for document, year in dated})
    assert found
    assert found.answer == answer
    assert len(found.places) == 1 + found.answer.count(" or ")


@pytest.mark.parametrize(
    ("told", "now", "then"),
    [
        (("was mayor of", "Bo Falk was the mayor of Lunsk.", "is mayor of", "Ada Orr is the mayor of Lunsk."),
         "Ada Orr", "Bo Falk or Ada Orr"),
        (("was chairman of", "Bo Falk was chairman.", "is chairman of", "Ada Orr has been chairman since 2014."),
         "Ada Orr", "Bo Falk or Ada Orr"),
        (("has population", "In 1801 the population of Lunsk was 1,200.", "has population", "In 2011 it was 9,400."),
         "9,400", "9,400"),
        (("had", "Acme had 300 workers.", "has", "Acme has 400 workers."), "400 workers", "300 workers or 400 workers"),
        (("was mayor of", "Bo Falk was the mayor.", "was mayor of", "Ada Orr was the mayor."),
         "Bo Falk or Ada Orr", "Bo Falk or Ada Orr"),
        (("is mayor of", "Bo Falk is the mayor.", "was elected mayor of", "Ada Orr was elected mayor of Lunsk."),
         "Bo Falk or Ada Orr", "Bo Falk or Ada Orr"),
        (("was elected mayor of", "Bo Falk was elected mayor in 2001.", "was elected mayor of", "In 2014 Ada Orr was."),
         "Ada Orr", "Ada Orr"),
        (("is mayor of", "Bo Falk (born 3 May 1970) is the mayor.", "is mayor of", "Ada Orr, born in 1980, is the mayor."),
         "Bo Falk or Ada Orr", "Bo Falk or Ada Orr"),
    ],
)  # fmt: skip
def test_who_holds_a_post_now_is_answered_where_past_holders_are_told(
    told: tuple[str, str, str, str], now: str, then: str
) -> None:
    rows = [
        row("", next(end for end in ENDS if end in sentence)) | {"sentences": [sentence], "said": [words]}
        for words, sentence in (told[:2], told[2:])
    ]
    for of_now, answer in ((True, now), (False, then)):
        found = _named(rows, one=True, follow=True, of_now=of_now)
        assert found
        assert found.answer == answer
    found = _named(rows, one=True)  # of a thing that stays, two birthplaces, the statements differ
    assert found
    assert " or " in found.answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the mayor of Tessaly?", ""),
        ("Who was the mayor of Tessaly?", "Bo Falk"),
        ("Who is the mayor of Lun?", "Ada Lind"),
    ],
)
def test_a_sentence_that_ends_a_post_does_not_say_who_holds_it(
    question: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {
        "Tessaly": ("Bo Falk", "Bo Falk was elected mayor of Tessaly in 2014 and was replaced in 2018."),
        "Lun": ("Ada Lind", "Ada Lind was elected mayor of Lun in 2014, when Bo Falk was replaced."),
    }

    def facts(_: object, entities: list[str], *_more: object, figures: bool) -> list[dict[str, Any]]:
        holder, sentence = said[entities[0]]
        told = {"sentences": [sentence], "said": ["was elected mayor of"], "relation": "P6", "of_subject": True}
        return [] if figures else [row("", holder) | told | {"type": "person", "kind": "entity"}]

    monkeypatch.setattr(fact_answer, "_facts", facts)
    monkeypatch.setattr(fact_answer, "entities_called", lambda _, __, name: [name] if name in said else [])
    monkeypatch.setattr(fact_answer, "_published", lambda *_: {})
    found = fact_answer.fact_answer(None, "c", question)  # type: ignore[arg-type]
    assert found is not None and found.answer == answer
