"""Questions about figures of reports: cells of tables, and sentences of numbers."""

import pytest

from kgservice.filters.cascade import fault
from kgservice.filters.correspondence import presence
from kgservice.model import Fact, Kind, Reading, Source, Subgraph
from kgservice.questions.measures import measure, parts
from kgservice.questions.templated import worded

ACME, BOLT = "Acme Inc. in fiscal 2031", "Bolt Corp. in fiscal 2031"


def figure(
    subject: str, relation: str, value: str, *, cell: str = "row 1, column 1", sentence: str = "", kind: Kind = "number"
) -> Fact:
    source = Source(chunk="c", document="d", sentence=sentence or f"| {relation} | {value} |", cell=cell)
    return Fact(
        key=f"{subject} {relation}", subject=subject, relation=relation, object=value, statements=(source,),
        object_kind=kind,
    )  # fmt: skip


def row(pattern: str, asked: str, answers: tuple[str, ...], *facts: Fact, named: tuple[str, ...] = ()) -> Subgraph:
    given = named or tuple(fact.subject for fact in facts)
    return Subgraph(
        id="x", pattern=pattern, asked=asked, relations=(facts[0].relation,), named=given, answers=answers,
        readings=(Reading(pivots=(), facts=facts),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "relation", "value", "question"),
    [
        (ACME, "deferred revenue", "$12 million", "What was Acme Inc.'s deferred revenue in fiscal 2031?"),
        (ACME, "total assets", "$12 million", "What were Acme Inc.'s total assets in fiscal 2031?"),
        (ACME, "basic earnings per share", "$6", "What were Acme Inc.'s basic earnings per share in fiscal 2031?"),
        (ACME, "employees", "164,000", "How many employees did Acme Inc. have in fiscal 2031?"),
        (ACME, "net sales grew by", "2 %", "By how much did Acme Inc.'s net sales grow in fiscal 2031?"),
        ("Acme Inc.", "goodwill", "$3 million", "What is Acme Inc.'s goodwill?"),
        (ACME, "spent", "15 %", "What was Acme Inc.'s “spent” in fiscal 2031?"),
        ("Acme in Oslo in fiscal 2031", "homes delivered", "15", "What were the homes delivered of Acme in Oslo in fiscal 2031?"),
        (ACME, "accounts payable", "$15", "What were Acme Inc.'s accounts payable in fiscal 2031?"),
        (ACME, "under way", "15", "What was Acme Inc.'s “under way” in fiscal 2031?"),
        (ACME, "cost", "$15", "What was Acme Inc.'s cost in fiscal 2031?"),
        ("Acme Systems on March 31, 2031", "goodwill", "$3", "What was Acme Systems' goodwill on March 31, 2031?"),
        ("Europe segment of Acme Inc. in fiscal 2031", "net sales", "$3",
         "What were the net sales of the Europe segment of Acme Inc. in fiscal 2031?"),
        (ACME, "changes in assets and liabilities –, Inventories", "$1",
         "What was Acme Inc.'s “changes in assets and liabilities, Inventories” in fiscal 2031?"),
        (ACME, "net cash provided by operations", "$1", "What was Acme Inc.'s “net cash provided by operations” in fiscal 2031?"),
    ],
)  # fmt: skip
def test_the_figure_is_asked_for(subject: str, relation: str, value: str, question: str) -> None:
    given = row("single", "object", (value,), figure(subject, relation, value))
    assert worded(given) == question
    assert fault(given, question) == ""


@pytest.mark.parametrize(
    ("other", "word", "question"),
    [
        (BOLT, "larger", "Which had the larger net sales in fiscal 2031, Acme Inc. or Bolt Corp.?"),
        ("Acme Inc. in fiscal 2030", "smaller", "When were Acme Inc.'s net sales smaller, in fiscal 2031 or in fiscal 2030?"),
        ("Bolt Corp. in fiscal 2030", "larger",
         "Which were larger, Acme Inc.'s net sales in fiscal 2031 or Bolt Corp.'s net sales in fiscal 2030?"),
    ],
)  # fmt: skip
def test_figures_are_compared(other: str, word: str, question: str) -> None:
    given = row("comparison", word, (other,), figure(ACME, "net sales", "$5"), figure(other, "net sales", "$4"))
    assert worded(given) == question
    assert fault(given, question) == ""
    below = row("comparison", word, (other,), figure(ACME, "net sales", "$5"), figure(other, "net sales", "-$4"))
    assert fault(below, worded(below)) == "figures below zero compared"


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("list", "What were the total assets of each company or part of one in each period"),
        ("count", "For how many pairs of a company and a period are total assets reported"),
        ("max", "Of which company or part of one, and when, were the total assets the largest"),
    ],
)
def test_documents_of_a_kind_are_asked_for_companies_and_periods(asked: str, question: str) -> None:
    facts = (figure(ACME, "total assets", "$5"), figure(BOLT, "total assets", "$4"))
    given = row("pluri_hop", asked, (ACME,), *facts, named=("10-K", "fiscal_year", "2031"))
    assert worded(given) == f"{question}, going by all 10-Ks whose fiscal year is 2031?"


def test_what_is_counted_is_more_or_fewer() -> None:
    given = row("comparison", "smaller", (ACME,), figure(ACME, "homes", "5"), figure(BOLT, "homes", "6"))
    assert worded(given) == "Which had fewer homes in fiscal 2031, Acme Inc. or Bolt Corp.?"


def test_a_label_that_says_nothing_or_too_much_is_left() -> None:
    for label, reason in (("other", "relation too vague"), ("a " * 17 + "b", "relation too long")):
        given = row("single", "object", ("$5",), figure(ACME, label, "$5"))
        assert fault(given, worded(given)) == reason


def test_what_is_no_figure_is_asked_as_before() -> None:
    """A number that a sentence writes so, whose subject happens to end with a year, is no cell of a table."""
    said = "The population in 2010 was 12,000 people."
    assert measure(figure("population in 2010", "was", "12,000", cell="", sentence=said)) is None
    assert measure(figure("Lun in 2010", "population", "12,000", cell="", sentence="Lun in 2010 had 12,000.")) is None
    assert measure(figure("Acme", "auditor", "Kell", kind="entity")) is None
    assert (
        measure(figure(ACME, "deferred revenue", "$1", cell="", sentence="Deferred revenue was $1 in 2031."))
        is not None
    )


def test_a_question_may_part_the_company_from_the_period() -> None:
    assert parts(ACME) == ("Acme Inc.", "in fiscal 2031")
    assert parts("Acme Inc.") == ("Acme Inc.",)
    assert parts("Acme in Oslo in fiscal 2031") == ("Acme in Oslo", "in fiscal 2031")
    assert parts("Acme on March 31, 2031") == ("Acme", "on March 31, 2031")
    assert parts("Acme in the three months ended March 31, 2031") == (
        "Acme",
        "in the three months ended March 31, 2031",
    )
    assert presence(ACME, "What was Acme Inc.'s revenue in fiscal 2031?") > 0.95
    assert presence(ACME, "What was Acme Inc.'s revenue in fiscal 2029?") < 0.8
    assert presence(BOLT, "What was Acme Inc.'s revenue in fiscal 2031?") < 0.8


def test_several_owners_of_one_value_are_no_question() -> None:
    facts = (figure(ACME, "net sales", "$5"), figure(BOLT, "net sales", "$5"))
    given = row("set_of_subjects", "members", (ACME, BOLT), *facts, named=("$5",))
    assert fault(given, worded(given)) == "asked by a value alone"
