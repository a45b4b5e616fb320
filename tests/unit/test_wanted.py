"""What kind of thing a question asks for, by the words that it asks with."""

from __future__ import annotations

import pytest

from kgservice.generation.wanted import bare_question, wanted


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("How many members does Tolvane have?", {"number"}),
        ("When was the bridge opened?", {"date"}),
        ("In what year did the Danish plant ecologist die?", {"date"}),
        ("Where is the magazine headquartered?", {"place"}),
        ("What country is the mayor of Lunford from?", {"place"}),
        ("Who drew the Vellmar Bridge?", {"person"}),
        ("Which Mexican-American dog behaviorist owned Daddy?", {"person"}),
        ("What is the name of the executive producer of the film?", {"person"}),
        ("Which Danish professional football club won three championships?", {"organization"}),
        ("Which American-born actress starred in the film?", {"person"}),
        ("Lorenzo was influenced by which Italian painter and architect?", {"person"}),
        ("In which United States city is the harbour?", {"place"}),
        ("What?", set()),
        ("Name the mayor of the town in which the person who drew the bridge was born.", set()),
        ("Which bridge is in the town in which the person lives?", set()),
        ("What instrument does the person who drew the bridge play?", set()),
        ("Which film did the person who drew the bridge direct?", set()),
    ],
)
def test_the_noun_says_what_is_asked_for(question: str, kinds: set[str]) -> None:
    assert wanted(question) == kinds


def test_where_to_look_is_no_part_of_what_is_asked() -> None:
    told = "What is the auditor of each company, going by all annual reports whose fiscal year is 2030?"
    assert bare_question(told) == "What is the auditor of each company?"
    plain = "Which film based on a novel by Irena Kost was shot in Isvik?"
    assert bare_question(plain) == plain
