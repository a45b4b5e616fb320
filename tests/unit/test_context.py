"""Words around a name that fit a question."""

from __future__ import annotations

import pytest

from kgservice.retrieval.walk.context_fit import ContextFit, around, similar_words, sought_names


@pytest.mark.parametrize(
    ("word", "other"), [("director", "directed"), ("founder", "founded"), ("award", "awards"), ("a", "a")]
)
def test_forms_of_one_word(word: str, other: str) -> None:
    assert similar_words(word, other)
    assert similar_words(other, word)


@pytest.mark.parametrize(("word", "other"), [("born", "bore"), ("mother", "monday"), ("art", "article"), ("", "a")])
def test_other_words(word: str, other: str) -> None:
    assert not similar_words(word, other)


def test_what_is_asked_is_neither_plain_nor_a_name() -> None:
    query = "Who is the spouse of the director of film Polish-Russian War?"
    assert sought_names(query, ["Polish-Russian War"]) == ("spouse", "director")


def test_the_nearer_word_fits_more() -> None:
    text = "Polish-Russian War is a 2009 film directed by Xawery Żuławski, starring Borys Szyc."
    director, actor = (
        around(text, text.index(name), text.index(name) + len(name)) for name in ("Xawery Żuławski", "Borys Szyc")
    )
    assert director == (["by", "directed", "film", "a", "is", "war"], ["starring", "borys", "szyc"])
    assert ContextFit(("director",)).fit(*director) == pytest.approx(1 / 1.2)
    assert ContextFit(("director",)).fit(*actor) == pytest.approx(1 / 1.8)
    assert ContextFit(("star",)).fit(*actor) == 1
    assert ContextFit(("spouse",)).fit(*actor) == 0
    assert ContextFit(("star",)).fit(*director) == 0.5
