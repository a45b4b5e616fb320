"""Whole names in texts, beside the pattern that says the same."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kgservice.text import whole_words

TEXTS = st.text("aA_1 -.éß²", max_size=12)


@given(TEXTS, TEXTS.filter(bool))
def test_whole_names_are_those_of_the_pattern(text: str, name: str) -> None:
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    assert list(whole_words.spans(text, name)) == [found.span() for found in pattern.finditer(text)]
    assert whole_words.replaced(text, name, "Name") == pattern.sub("Name", text)


def test_no_name_stands_nowhere() -> None:
    assert not list(whole_words.spans("Ada", ""))
