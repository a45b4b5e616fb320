"""What stands at a fact's ends where it is no name, and facts that no verb states."""

from __future__ import annotations

import pytest

from kgservice.extraction.readers.relation_reader import packaged
from kgservice.extraction.syntax.parser import Parser
from kgservice.extraction.syntax.reported_figures import figures, period_of
from kgservice.extraction.text_facts import extract
from kgservice.text.periods import Calendar, when

Facts = set[tuple[str, str, str]]
YEARS = Calendar(True, 0, 2031)


def facts(parser: Parser, text: str, company: str = "") -> Facts:
    return {
        (f"{one.subject.label} {when(one.period)}".strip(), one.relation, one.object.label)
        for doc in parser.parse(text)
        for one in extract(doc, "", company, YEARS, pairs=packaged(), way="rules").triplets
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OpenAI CEO Sam Altman met reporters.", ("Sam Altman", "is CEO of", "OpenAI")),
        ("MYB's CEO, Karen Caruso, was named here.", ("Karen Caruso", "is CEO of", "MYB")),
        ("He grew up in Oslo, Norway.", ("Oslo", "is in", "Norway")),
        (
            "Microsoft completed its acquisition of Activision Blizzard.",
            ("Microsoft", "completed acquisition of", "Activision Blizzard"),
        ),
        ("The mayor of Lunford is Dagny Holt.", ("Dagny Holt", "is mayor of", "Lunford")),
        ("The founders of Acme Corp. are Ada Orr and Bo Lind.", ("Bo Lind", "is founder of", "Acme Corp.")),
        ("The median rent in Oslo is 310 USD.", ("Oslo", "has median rent", "310 USD")),
        ("Charles II was crowned in Scotland.", ("Charles II", "was crowned in", "Scotland")),
        (
            "Georg Jochmann (11 October 1874, in Liegnitz – 6 January 1915, in Berlin) was an internist.",
            ("Georg Jochmann", "died in", "Berlin"),
        ),
        (
            "Robert Crawford was an Ulster Unionist Party politician.",
            ("Robert Crawford", "was politician of", "Ulster Unionist Party"),
        ),
    ],
)
def test_what_is_told_without_a_clause_of_two_names(parser: Parser, text: str, expected: tuple[str, str, str]) -> None:
    assert expected in facts(parser, text)


def test_a_list_of_places_is_no_nest(parser: Parser) -> None:
    found = facts(parser, "The shops are in France, Germany and Japan. He spoke in Paris, London, Rome and Madrid.")
    assert not [fact for fact in found if fact[1] == "is in"]


def test_where_somebody_is_from_is_not_who_somebody_is(parser: Parser) -> None:
    assert facts(parser, "The author of Solaris is from Poland.") == set()


def test_a_heading_and_a_cut_phrase_state_nothing(parser: Parser) -> None:
    assert facts(parser, "Google Is Exposed to Risks That Harm Apple.") == set()
    assert facts(parser, "Acme leased 12 office and distribution sites.") <= {
        ("Acme", "leased", "12 office and distribution sites")
    }


def test_a_reports_numbers_have_their_period(parser: Parser) -> None:
    doc = parser.parse("In fiscal 2031, we repurchased $9.5 billion of our common stock.")[0]
    found = [(one.period, one.relation, one.object.label) for one in extract(doc, "", "Acme Corp.", YEARS).triplets]
    assert ("fiscal 2031", "repurchased", "$9.5 billion of common stock") in found


@pytest.mark.xfail(
    strict=True, reason="the statement reader of reports doubts it, as most amounts paid do not say of what"
)
def test_a_plain_amount_paid_is_kept_by_default(parser: Parser) -> None:
    found = facts(parser, "In fiscal 2031, we repurchased $9.5 billion of our common stock.", "Acme Corp.")
    assert ("Acme Corp. in fiscal 2031", "repurchased", "$9.5 billion of common stock") in found


def said(text: str) -> list[tuple[str, str, str]]:
    found = figures(text, "Acme Corp.", YEARS)
    return [(f"{one.subject.label} {when(one.period)}", one.relation, one.object.label) for one in found]


def test_measures_are_read_with_each_of_their_periods() -> None:
    assert said("Our net sales were $3.1 billion and $2.9 billion in fiscal 2031 and 2030, respectively.") == [
        ("Acme Corp. in fiscal 2031", "net sales", "$3.1 billion"),
        ("Acme Corp. in fiscal 2030", "net sales", "$2.9 billion"),
    ]
    assert said("As of May 31, 2031 and 2030, total collateral was $7.7 billion and $6.2 billion, respectively.") == [
        ("Acme Corp. on May 31, 2031", "total collateral", "$7.7 billion"),
        ("Acme Corp. on May 31, 2030", "total collateral", "$6.2 billion"),
    ]
    assert said("Gross margin increased to 72.7% in fiscal 2031 from 56.9% in fiscal 2030.")[1][2] == "56.9%"


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Net sales increased by $93 million, or 3.2%, to $2.8 billion for fiscal year 2031, from $2.7 billion for 2030.",
         [("net sales", "$2.8 billion"), ("net sales", "$2.7 billion")]),
        ("Income rose $5 million, or 3%, in fiscal 2031.", [("income rose by", "$5 million")]),
        ("Contract liabilities were $19 million and $8 million at May 31, 2031 , and May 31, 2030 , respectively.",
         [("contract liabilities", "$19 million"), ("contract liabilities", "$8 million")]),
    ],
)  # fmt: skip
def test_how_much_something_rose_and_to_what(text: str, stated: list[tuple[str, str]]) -> None:
    assert [one[1:] for one in said(text)] == stated


@pytest.mark.parametrize(
    "text",
    [
        "In Europe, net sales were $3.1 billion in 2031.",  # not the company's
        "Net sales were $3.1 billion and $2.9 billion in 2031 and 2030.",  # which is which is not said
        "Net sales were $163 in 2031.",  # a scale is missing
        "Sales that we expect were $3.1 billion in 2031.",
        "Net sales were $20.2 billion.",  # no period
        "The rate was 5% or 6% in 2031.",
    ],
)
def test_a_measure_that_is_not_told_in_full_is_left(text: str) -> None:
    assert said(text) == []


def test_a_sentence_has_a_period_if_it_names_one_only() -> None:
    assert period_of("As of December 31, 2031, we had 7,600 employees.", YEARS) == "on December 31, 2031"
    assert period_of("In November 2031 we bought it.", YEARS) == ""
    assert period_of("In 2031 we paid more than in 2030.", YEARS) == ""
