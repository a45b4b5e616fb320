"""What kind of thing a question asks for, by the words that it asks with."""

from __future__ import annotations

import pytest

from kgservice.answering.reader.answer_type import answer_types, asked_noun


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
        ("Which country's capital is the city in which Acme is headquartered?", {"place"}),
        ("What?", set()),
        ("Name the mayor of the town in which the person who drew the bridge was born.", {"person"}),
        ("Name every organization that is audited by Acme.", {"organization"}),
        ("Name everyone who founded Acme.", {"person"}),
        ("Name every place where Ada Orr studied.", {"place"}),
        ("Name every team that Ada Orr coached.", {"organization"}),
        ("Which bridge is in the town in which the person lives?", set()),
        ("What instrument does the person who drew the bridge play?", set()),
        ("Which film did the person who drew the bridge direct?", set()),
    ],
)
def test_the_noun_says_what_is_asked_for(question: str, kinds: set[str]) -> None:
    assert answer_types(question) == kinds


def test_the_noun_itself() -> None:
    assert asked_noun("In what year did the ecologist die?") == "year"
    assert asked_noun("Which country's capital is Lun?") == "country"
    assert asked_noun("What is the programme administered by?") == ""
    assert asked_noun("Who edits the journal which Acme owns?") == "", "it is asked by who"
