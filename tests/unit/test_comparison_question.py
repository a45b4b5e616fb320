from __future__ import annotations

import pytest

from kgservice.answering.reader.comparison import comparisons


@pytest.mark.parametrize(
    ("question", "names", "asked", "greatest"),
    [
        ("Who was born first, Ada Orr or Bo Lind?", ("Ada Orr", "Bo Lind"), "When was {} born?", False),
        ("Who died later, Ada Orr, Jr. or Bo Lind?", ("Ada Orr, Jr.", "Bo Lind"), "When did {} die?", True),
        ("Who is older: Ada Orr or Bo Lind?", ("Ada Orr", "Bo Lind"), "When was {} born?", False),
        ("Which film came out first, Low Water or Solaris?", ("Low Water", "Solaris"), "When did {} come out?", False),
        ("Which film premiered last, Low Water or Mirror?", ("Low Water", "Mirror"), "When did {} premiere?", True),
        ("Which town has the larger population, Lun or Ost?", ("Lun", "Ost"), "What is the population of {}?", True),
        ("Which firm has fewer employees, Acme or Bolt?", ("Acme", "Bolt"), "How many employees does {} have?", False),
        ("In fiscal 2031, which company had the smaller net income, Acme or Bolt?", ("Acme", "Bolt"),
         "What was {}'s net income in fiscal 2031?", False),
        ("Which has the earlier completion, Lun Span or Ost Span?", ("Lun Span", "Ost Span"), "What is the completion of {}?", False),
        ("Which bridge is longer, Lun Span or Ost Span?", ("Lun Span", "Ost Span"), "What is the length of {}?", True),
    ],
)  # fmt: skip
def test_a_comparison_is_taken_apart(question: str, names: tuple[str, str], asked: str, *, greatest: bool) -> None:
    found = next(comparisons(question))
    assert (found.names, found.greatest) == (names, greatest)
    assert asked in found.questions


def test_a_name_with_or_in_it_is_tried_as_a_whole() -> None:
    found = comparisons("Which film was released later, Trick or Treat or Solaris?")
    assert [one.names for one in found] == [("Trick", "Treat or Solaris"), ("Trick or Treat", "Solaris")]


@pytest.mark.parametrize(
    "question", ["Where was Ada Orr born, in Lun or in Ost?", "Who was born first?", "Is Lun larger, or Ost?"]
)
def test_other_questions_compare_nothing(question: str) -> None:
    assert not list(comparisons(question))


def test_a_row_of_a_table_is_meant_by_its_place() -> None:
    (found,) = comparisons(
        "Which had the larger sales in 2031, the product Cement in “Acme” or the product Sand in “Acme”?"
    )
    assert "Sand (product) of “Acme”" in found.titles(found.names[1])
