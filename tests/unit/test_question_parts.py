"""Which things a question describes, and which conditions it joins."""

from __future__ import annotations

import pytest

from kgservice.answering.reader.question_parts import conditions, described_things


@pytest.mark.parametrize(
    ("question", "written", "asked"),
    [
        ("Who is the mayor of the town where Acme is based?", "the town where Acme is based", "Where Acme is based?"),
        ("When was the firm that audits Acme founded?", "the firm that audits Acme", "Which firm audits Acme?"),
        ("When was the firm audited by Acme founded?", "the firm audited by Acme", "Which firm audited by Acme?"),
        ("Where was the head of Acme born?", "the head of Acme", "Which head of Acme?"),
        (
            "What is the capital of the country whose minister is Ada Orr?", "the country whose minister is Ada Orr",
            "Which country has Ada Orr as its minister?",
        ),
        ("Who leads the town in which Ada Orr was born?", "the town in which Ada Orr was born", "What Ada Orr was born in?"),
        ("Who wrote the film that Ada Orr directed?", "the film that Ada Orr directed", "What Ada Orr directed?"),
    ],
)  # fmt: skip
def test_a_thing_is_described(question: str, written: str, asked: str) -> None:
    assert (written, asked) in list(described_things(question))


def test_the_innermost_thing_is_first() -> None:
    written = [one.written for one in described_things("Where was the head of the firm that audits Acme born?")]
    assert written.index("the firm that audits Acme") < written.index("the head of the firm that audits Acme")


@pytest.mark.parametrize(
    "question", ["Who audits Acme?", "Who is the mayor of the town?", "Who is " + "the friend of Ada and " * 9 + "Bo?"]
)
def test_nothing_is_described(question: str) -> None:
    assert not list(described_things(question))


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Which Danish firm is based in Lun and audits Acme?", ["Which Danish firm is based in Lun?", "Which Danish firm audits Acme?"]),
        ("Who was born in Lun and leads Acme?", ["Who was born in Lun?", "Who leads Acme?"]),
        ("What is run by Acme and paid by Borea?", ["What is run by Acme?", "What paid by Borea?"]),
        ("In which town is Acme based and was Ada Orr born?", ["In which town is Acme based?", "In which town was Ada Orr born?"]),
        ("Who founded Crosby and Nash?", []),
        ("Who founded Acme?", []),
    ],
)  # fmt: skip
def test_two_conditions_are_two_questions(question: str, parts: list[str]) -> None:
    assert conditions(question) == parts
