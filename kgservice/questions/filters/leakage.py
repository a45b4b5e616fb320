"""What a question must not give away: its answer, or a bridge that it may only describe (RARE, section 3.4)."""

from __future__ import annotations

import re

from kgservice.core.records import Question, Subgraph
from kgservice.names.countries import country
from kgservice.questions.wording.russian import forms
from kgservice.text.inflection import base
from kgservice.text.matching import OPTION


def answer_told(row: Subgraph | Question, text: str) -> str:
    """Say so where an answer stands in the question, or its people ("Spanish" of Spain).

    A comparison names both things, and a question over years the first and the last.
    """
    named = row.pattern == "comparison" or row.asked in ("rose", "fell")
    told = not named and any(_contains(text, form) for answer in row.answers for form in forms(answer))
    return "answer in the question" if told or _people_named(row, text) or _option_told(row, text) else ""


def _option_told(row: Subgraph | Question, text: str) -> bool:
    """Whether the words of an option that is asked for stand in the question: "--add-file" adds a file."""
    words = {form for word in re.findall(r"[a-z]+", text.lower()) for form in (word, base(word))}
    return any(words.issuperset(flag[1].lower().split("-")) for one in row.answers if (flag := OPTION.fullmatch(one)))


def _people_named(row: Subgraph | Question, text: str) -> bool:
    """Whether a word of the question means a country that is asked for or its people: "French", "US"."""
    asked = {known.name for answer in row.answers if (known := country(answer)) is not None and known.how == "name"}
    words = re.findall(r"\w+", text) if asked else ()
    told = {known.name for word in words if (known := country(word)) and (known.how == "demonym" or word.isupper())}
    return not told.isdisjoint(asked)


def bridge_named(row: Subgraph, text: str) -> str:
    """Say so where a bridge is named."""
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    return "bridge named in the question" if any(_contains(text, pivot) for pivot in pivots) else ""


def _contains(text: str, name: str) -> bool:
    if name.casefold() not in text.casefold():  # most are not; a pattern a name is dear
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
