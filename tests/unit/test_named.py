"""Names of a query that are misspelt, in lower case or without their marks, and words that are no names."""

from __future__ import annotations

from typing import Any

import pytest

from kgservice.core import keys
from kgservice.names.mentions import form
from kgservice.retrieval.walk.query_names import FUZZY, PLAIN, QueryName, corrected, query_names, respelt

LABELS = (
    "Harbour Lights", "Orla P. Brandt", "Zürich", "Seattle", "Beatrice I, Countess of Burgundy", "Burgundy", "Actor",
    "The Romantic Age", "Place 3", "Place 31",
)  # fmt: skip


class Known:
    """A graph that knows some names; every name is one of a passage near the query."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def read(self, statement: str, **parameters: Any) -> list[Any]:
        self.asked.append(statement)
        rows = [{"form": keys.form_key("c", form(label)), "label": label, "mentions": 2} for label in LABELS]
        if statement == "retrieve/entities_by_form":
            return [row for row in rows if row["form"] in parameters["forms"]]
        return [Row(row) for row in rows]


class Row(dict[str, Any]):
    def data(self) -> dict[str, Any]:
        return dict(self)


def test_only_so_many_words_are_searched_with_typos_as_the_index_takes() -> None:
    asked: list[str] = []

    class Graph(Known):
        def read(self, statement: str, **parameters: Any) -> list[Any]:
            if statement == "retrieve/names_like":
                asked.append(parameters["text"])
            return super().read(statement, **parameters)

    strange = [f"Qz{'abcdefghijklmnopqrst'[at]}x" + "qz" * (at % 3) for at in range(20)]
    query_names(Graph(), "c", " ".join(strange))  # type: ignore[arg-type]
    assert [text.count("~2") for text in asked] == [2 * FUZZY]


def found(query: str) -> tuple[QueryName, ...]:
    return query_names(Known(), "c", query)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ("Who directed Harbour Lights?", ["Harbour Lights"]),
        ("who directed harbour lights?", ["Harbour Lights"]),
        ("Who directed Habrour Lights?", ["Harbour Lights"]),
        ("who directed habrour lihgts?", ["Harbour Lights"]),
        ("Where was Orla Brnadt born?", ["Orla P. Brandt"]),
        ("rain in zurich", ["Zürich"]),
        ("rain in seattle", ["Seattle"]),
        ("how did the actor die", []),
        ("When did Beatrcie I, Countess of Burgundy die?", ["Beatrice I, Countess of Burgundy"]),
        ("the romantic age", ["The Romantic Age"]),
        ("Who lives in Place 4?", []),
    ],
)
def test_names_are_found_however_they_are_written(query: str, labels: list[str]) -> None:
    assert [name.label for name in found(query)] == labels


def test_a_name_says_how_sure_it_is() -> None:
    assert found("Who directed Harbour Lights?")[0].sure == 1
    assert 0.8 < found("Who directed Habrour Lights?")[0].sure < 1
    assert found("the romantic age")[0].sure == PLAIN


def test_a_query_without_doubtful_words_costs_one_statement() -> None:
    graph = Known()
    query_names(graph, "c", "Who directed Harbour Lights?")  # type: ignore[arg-type]
    assert graph.asked == ["retrieve/entities_by_form"]


def test_a_misspelt_name_is_put_right() -> None:
    query = "Who directed Habrour Lights, and when?"
    assert corrected(query, found(query)) == "Who directed Harbour Lights, and when?"
    assert corrected("Who directed Harbour Lights?", found("Who directed Harbour Lights?")) == (
        "Who directed Harbour Lights?"
    )


@pytest.mark.parametrize(
    ("query", "spelt"),
    [
        ("Who dierctde Harbour Lights in the conutry?", "Who dierctde Harbour Lights in the country?"),
        ("the isntitution of gloeb", "the institution of globe"),
        ("Which contry is Seattle in?", "Which contry is Seattle in?"),  # "entry" and "country" are as near
        ("Which counntry is Seattle in?", "Which country is Seattle in?"),
        ("Who led the Conutry?", "Who led the Conutry?"),  # a capital may be a name
        ("a knonw word", "a knonw word"),  # the corpus has it
        ("rain in seatlte", "rain in seatlte"),  # a name's place is its neighbours' (query_names)
    ],
)
def test_a_misspelt_word_of_the_dictionary_is_put_right(query: str, spelt: str) -> None:
    assert respelt("c", query, [], "knonw".__eq__) == spelt
