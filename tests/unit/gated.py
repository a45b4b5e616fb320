"""A small town's documents and questions for tests of the gate, without a database, and systems that answer them."""

from __future__ import annotations

from typing import Any

from kgservice.gate.cases import Case, Cases
from kgservice.gold.gold_places import Documents, Gold, Piece
from kgservice.gold.question_gold import place_of

TOWNS = [f"Town{chr(65 + number // 26)}{chr(97 + number % 26)}" for number in range(60)]
SENTENCES = {town: f"The mayor of {town} is {town[::-1].title()} Lindqvist, elected by the council." for town in TOWNS}
TEXT = {f"{town}.md": f"# {town}\n\nIt lies by the sea.\n\n{said}" for town, said in SENTENCES.items()}


def cases(number: int = 60) -> Cases:
    """Return a question a town; the answer was "Old Name" once."""
    pieces = {name: [Piece(name, 0, text)] for name, text in TEXT.items()}
    found = tuple(
        Case(id=f"q{at:02}", question=f"Who is the mayor of {town}?", answers=(f"{town[::-1].title()} Lindqvist",),
             facts=(f"f{at}",), gold=Gold(facts=((place_of(f"{town}.md", pieces[f"{town}.md"][0], SENTENCES[town]),),)),
             former=("Old Name",))
        for at, town in enumerate(TOWNS[:number])
    )  # fmt: skip
    return Cases(found, Documents(pieces, {name: name for name in TEXT}))


def town_of(question: str) -> str:
    return question.removesuffix("?").split()[-1]


def answer(question: str) -> dict[str, Any]:
    """Answer every question well."""
    town = town_of(question)
    return {"answer": f"{town[::-1].title()} Lindqvist", "passages": [SENTENCES[town]]}


def finder(question: str) -> list[str]:
    """Find the passage, and answer nothing."""
    return [SENTENCES[town_of(question)]]
