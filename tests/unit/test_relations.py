"""Relations that are one, and those that never are, with vectors that say they are all alike."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kgservice.extraction.phrasebook import words
from kgservice.resolution.relations import may_be_one, normalised


class Alike:
    """An embedder to which everything means the same."""

    name = "alike"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] for _ in texts]


def leaders(*relations: str) -> dict[str, str]:
    return {one.name: one.into for one in normalised(relations, Alike())}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [("was born in", "born in"), ("is the capital of", "capital of"), ("produces", "produced"), ("is in", "in"),
     ("has member", "have members")],
)  # fmt: skip
def test_tense_and_number_do_not_count(one: str, other: str) -> None:
    assert words(one) == words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("founder of", "founded by"), ("is directed", "directed"), ("father of", "son of"), ("born in", "born on"),
     ("located north of", "located south of"), ("ranked 1st in", "ranked 2nd in"), ("called", "calls"),
     ("wins", "loses"), ("is capital of", "has capital"), ("has members", "does not have members"),
     ("lieutenant governor of", "governor of"), ("owns", "owned by")],
)  # fmt: skip
def test_direction_opposites_and_numbers_are_kept(one: str, other: str) -> None:
    assert words(one) != words(other)
    assert not may_be_one(one, other) or not may_be_one(other, one)
    assert leaders(one, other) == {}


def test_the_shortest_of_those_that_are_one_stays() -> None:
    assert leaders("manufactures", "makes", "was born in", "born at", "born in", "owned by") == {
        "manufactures": "makes",
        "was born in": "born in",
        "born at": "born in",
    }


def test_relations_without_words_or_with_very_many_stay_as_they_are() -> None:
    assert leaders("is", "was", "😀", "→", "x " * 5_000) == {}
