"""Questions about figures of reports: cells of tables, and sentences of numbers."""

import pytest

from kgservice.answering.reader.comparison import comparisons
from kgservice.core.records import Fact, Kind, Reading, Source, Subgraph
from kgservice.questions.filters.cascade import rejection_reason
from kgservice.questions.filters.correspondence import coefficient
from kgservice.questions.wording.figure_phrases import measure
from kgservice.questions.wording.templates import worded

ACME, BOLT, YEAR, CEMENT = "Acme Inc.", "Bolt Corp.", "fiscal 2031", "Cement (product) of Acme"


def figure(
    subject: str, relation: str, value: str, *, period: str = YEAR, cell: str = "row 1, column 1", sentence: str = "",
    kind: Kind = "number",
) -> Fact:  # fmt: skip
    source = Source(chunk="c", document="d", sentence=sentence or f"| {relation} | {value} |", cell=cell)
    return Fact(
        key=f"{subject} {relation}", subject=subject, relation=relation, object=value, statements=(source,),
        object_kind=kind, period=period,
    )  # fmt: skip


def row(pattern: str, asked: str, answers: tuple[str, ...], *facts: Fact, named: tuple[str, ...] = ()) -> Subgraph:
    given = named or tuple(fact.subject for fact in facts)
    return Subgraph(
        id="x", pattern=pattern, asked=asked, relations=(facts[0].relation,), named=given, answers=answers,
        readings=(Reading(pivots=(), facts=facts),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "period", "relation", "value", "question"),
    [
        (ACME, YEAR, "deferred revenue", "$12 million", "What was Acme Inc.'s deferred revenue in fiscal 2031?"),
        (ACME, YEAR, "total assets", "$12 million", "What were Acme Inc.'s total assets in fiscal 2031?"),
        (ACME, YEAR, "basic earnings per share", "$6", "What were Acme Inc.'s basic earnings per share in fiscal 2031?"),
        (ACME, YEAR, "employees", "164,000", "How many employees did Acme Inc. have in fiscal 2031?"),
        (ACME, YEAR, "ships", "7", "How many ships did Acme Inc. have in fiscal 2031?"),
        (ACME, "", "new homes", "2,140", "How many new homes does Acme Inc. have?"),
        (ACME, YEAR, "ships", "7 t", "What were Acme Inc.'s ships in fiscal 2031?"),
        (ACME, YEAR, "carbon emissions", "39,800", "What were Acme Inc.'s carbon emissions in fiscal 2031?"),
        (ACME, YEAR, "revenues", "39,800", "What were Acme Inc.'s revenues in fiscal 2031?"),
        (ACME, YEAR, "net sales grew by", "2 %", "By how much did Acme Inc.'s net sales grow in fiscal 2031?"),
        (ACME, "", "goodwill", "$3 million", "What is Acme Inc.'s goodwill?"),
        (ACME, YEAR, "spent", "15 %", "What was Acme Inc.'s figure for “spent” in fiscal 2031?"),
        ("Acme in Oslo", YEAR, "homes delivered", "15", "What were the homes delivered of Acme in Oslo in fiscal 2031?"),
        (ACME, YEAR, "accounts payable", "$15", "What were Acme Inc.'s accounts payable in fiscal 2031?"),
        (CEMENT, YEAR, "revenue growth", "15 %", "What was Acme's revenue growth for the product Cement in fiscal 2031?"),
        (CEMENT, YEAR, "homes", "15", "How many homes of the product Cement did Acme have in fiscal 2031?"),
        ("Sand (name) of the Lun Fund", "", "net sales", "$5", "What are the Lun Fund's net sales for Sand?"),
        (ACME, YEAR, "under way", "15", "What was Acme Inc.'s figure for “under way” in fiscal 2031?"),
        (ACME, YEAR, "cost", "$15", "What was Acme Inc.'s cost in fiscal 2031?"),
        ("Acme Systems", "March 31, 2031", "goodwill", "$3", "What was Acme Systems' goodwill on March 31, 2031?"),
        ("Europe segment of Acme Inc.", YEAR, "net sales", "$3",
         "What were the net sales of the Europe segment of Acme Inc. in fiscal 2031?"),
        (ACME, YEAR, "loans, long-term", "$1", "What were Acme Inc.'s loans, long-term in fiscal 2031?"),
        (ACME, YEAR, "property, plant and equipment", "$1",
         "What was Acme Inc.'s property, plant and equipment in fiscal 2031?"),
        (ACME, YEAR, "net cash provided by operations", "$1", "What was Acme Inc.'s “net cash provided by operations” in fiscal 2031?"),
    ],
)  # fmt: skip
def test_the_figure_is_asked_for(subject: str, period: str, relation: str, value: str, question: str) -> None:
    given = row("single", "object", (value,), figure(subject, relation, value, period=period))
    assert worded(given) == question
    assert rejection_reason(given, question) == ""


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("net sales", "Which had the higher net sales in fiscal 2031, Acme Inc. or Bolt Corp.?"),
        ("net sales increased by",
         "Which increase was larger in fiscal 2031, that of Acme Inc.'s net sales or that of Bolt Corp.'s net sales?"),
    ],
)  # fmt: skip
def test_figures_are_compared(relation: str, question: str) -> None:
    given = row("comparison", "larger", (BOLT,), figure(ACME, relation, "$5"), figure(BOLT, relation, "$4"))
    assert worded(given) == question
    assert rejection_reason(given, question) == ""
    below = row("comparison", "larger", (BOLT,), figure(ACME, relation, "$5"), figure(BOLT, relation, "-$4"))
    assert rejection_reason(below, worded(below)) == "figures below zero compared"


@pytest.mark.parametrize(
    ("relation", "asked", "question"),
    [
        ("net sales", "larger", "For which product were Acme's net sales higher in fiscal 2031, Cement or Sand?"),
        ("homes", "smaller", "Of which product did Acme have fewer homes in fiscal 2031, Cement or Sand?"),
    ],
)
def test_parts_of_one_thing_are_compared(relation: str, asked: str, question: str) -> None:
    sand = CEMENT.replace("Cement", "Sand")
    given = row("comparison", asked, (CEMENT,), figure(CEMENT, relation, "5"), figure(sand, relation, "4"))
    assert worded(given) == question
    assert rejection_reason(given, question) == ""
    (found,) = comparisons(question)
    assert found.names == ("Cement", "Sand")
    assert found.questions[0].replace("{}", "Cement") == worded(
        row("single", "object", ("5",), given.readings[0].facts[0])
    )


@pytest.mark.parametrize("part", ["Europe segment of Acme Inc.", "Net sales, Total segment of Bolt Corp."])
def test_a_whole_is_not_compared_with_its_part(part: str) -> None:
    given = row("comparison", "larger", (ACME,), figure(ACME, "net sales", "$5"), figure(part, "net sales", "$4"))
    assert rejection_reason(given, worded(given)) == "whole and part compared"
    two = [
        figure(f"{place} segment of Acme Inc.", "net sales", value)
        for place, value in (("Asia", "$5"), ("Europe", "$4"))
    ]
    given = row("comparison", "larger", (two[0].subject,), *two)
    assert rejection_reason(given, worded(given)) == ""


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("list", "What were the total assets of each company or part of one in fiscal 2031"),
        ("count", "For how many companies or parts of one are the total assets in fiscal 2031 reported"),
        ("max", "Of which company or part of one were the total assets in fiscal 2031 the largest"),
    ],
)
def test_documents_of_a_kind_are_asked_for_companies(asked: str, question: str) -> None:
    facts = (figure(ACME, "total assets", "$5"), figure(BOLT, "total assets", "$4"))
    given = row("pluri_hop", asked, (ACME,), *facts, named=("10-K", "fiscal_year", "2031"))
    assert worded(given) == f"{question}, going by all 10-Ks whose fiscal year is 2031?"


def test_what_is_counted_is_more_or_fewer() -> None:
    given = row("comparison", "smaller", (ACME,), figure(ACME, "homes", "5"), figure(BOLT, "homes", "6"))
    assert worded(given) == "Which had fewer homes in fiscal 2031, Acme Inc. or Bolt Corp.?"


def test_a_label_that_says_nothing_or_too_much_is_left() -> None:
    cut, long = ("budget spent to", "relation too vague"), ("a " * 17 + "b", "relation too long")
    vague = [(label, "relation too vague") for label in ("other", "japanese yen", "balance at the beginning of year")]
    for label, reason in (*vague, cut, long):
        given = row("single", "object", ("$5",), figure(ACME, label, "$5"))
        assert rejection_reason(given, worded(given)) == reason


@pytest.mark.parametrize(
    ("label", "value", "reason"),
    [
        ("repayments of loans", "-$5", "sign in doubt"), ("repayments of loans", "$5", ""), ("net income (loss)", "-$5", ""),
        ("net loss", "-$5", "sign in doubt"), ("changes in expenses", "-$5", ""), ("total comprehensive income", "-$5", ""),
    ],
)  # fmt: skip
def test_what_was_spent_is_no_minus(label: str, value: str, reason: str) -> None:
    given = row("single", "object", (value,), figure(ACME, label, value))
    assert rejection_reason(given, worded(given)) == reason


def test_a_label_that_joins_headings_is_left() -> None:
    for line, reason in (("| Plant and tools, net | 5 |", ""), ("| Net | 5 |", "several headings in one")):
        fact = figure(ACME, "plant and tools, net", "$5", sentence=line)
        given = row("single", "object", ("$5",), fact)
        assert rejection_reason(given, worded(given)) == reason


def test_what_is_no_figure_is_asked_as_before() -> None:
    """A number that a sentence says with a verb, or of no period, is no cell of a table."""
    said = "The population in 2010 was 12,000 people."
    assert measure(figure("population in 2010", "was", "12,000", cell="", sentence=said)) is None
    assert measure(figure("Lun", "population", "12,000", period="", cell="", sentence="Lun had 12,000.")) is None
    assert measure(figure("Acme", "auditor", "Kell", kind="entity")) is None
    assert (
        measure(figure(ACME, "deferred revenue", "$1", cell="", sentence="Deferred revenue was $1 in 2031."))
        is not None
    )


def test_a_question_needs_the_period() -> None:
    given = row("single", "object", ("$5",), figure(ACME, "revenue", "$5"))
    assert coefficient(given, "What was Acme Inc.'s revenue in fiscal 2031?") > 0.95
    assert coefficient(given, "What was Acme Inc.'s revenue in fiscal 2029?") < 0.8
    assert coefficient(given, "What was Bolt Corp.'s revenue in fiscal 2031?") < 0.8


def test_a_clause_says_its_period_last() -> None:
    bought = figure(ACME, "repurchased", "3 million shares", kind="entity")
    assert worded(row("single", "object", (bought.object,), bought)) == "What did Acme Inc. repurchase in fiscal 2031?"
    chained = figure(BOLT, "is audited by", ACME, kind="entity", period="")
    given = row("chain", "first", (BOLT,), chained, bought, named=(bought.object,))
    assert worded(given).endswith("that repurchased 3 million shares in fiscal 2031?")


def test_several_owners_of_one_value_are_no_question() -> None:
    facts = (figure(ACME, "net sales", "$5"), figure(BOLT, "net sales", "$5"))
    given = row("set_of_subjects", "members", (ACME, BOLT), *facts, named=("$5",))
    assert rejection_reason(given, worded(given)) == "asked by a value alone"
