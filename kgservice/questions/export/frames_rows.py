"""Questions in FRAMES' layout: the articles that they need and the reasoning that they take (FRAMES, table 2).

No model is needed: what a pattern and its facts are tells the reasoning. The answers of post-processing are computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kgservice.core.records import Question
from kgservice.questions.patterns import DIAGNOSTIC
from kgservice.text.values import read_value

NUMERICAL, TABULAR, CONSTRAINTS, TEMPORAL, PROCESSED = REASONING = (  # as test.tsv spells them
    "Numerical reasoning", "Tabular reasoning", "Multiple constraints", "Temporal reasoning", "Post processing",
)  # fmt: skip
_NUMERALS = {
    1000: "M", 900: "CM", 500: "D", 400: "CD", 100: "C", 90: "XC", 50: "L", 40: "XL", 10: "X", 9: "IX", 5: "V", 4: "IV",
    1: "I",
}  # fmt: skip


def frames_rows(questions: Iterable[Question], sources: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield rows with FRAMES' fields for the questions that need several articles.

    `sources` names the documents by key. A question whose one answer is a date is followed by one that asks for its
    year in Roman numerals.
    """
    for item in filter(needs_several, questions):
        links = [sources[key] for key in item.document_keys if key in sources]
        yield _row(item.id, item.question, "; ".join(item.answers), reasoning(item), links)
        year = _year(item)
        if year is not None:
            asked = f"{item.question} Give the year in Roman numerals."
            yield _row(f"{item.id}-roman", asked, roman(year), (*reasoning(item), PROCESSED), links)


def needs_several(item: Question) -> bool:
    """Return whether a question needs several documents: none states all its facts."""
    stating = [{source.document for source in fact.statements} for fact in item.facts]
    return bool(stating) and not set.intersection(*stating)


def reasoning(item: Question) -> tuple[str, ...]:
    """Return the kinds of reasoning that a question takes, in the order of the paper's table; none for a plain path."""
    dates = any(fact.period or read_value(fact.object)[0] == "date" for fact in item.facts)
    told = {
        NUMERICAL: item.asked in ("larger", "smaller") or (item.pattern == "pluri_hop" and item.asked != "list"),
        TABULAR: any(source.cell for fact in item.facts for source in fact.statements),
        CONSTRAINTS: item.asked == "pivot",
        TEMPORAL: item.asked in ("earlier", "later", "rose", "fell") or dates,
    }
    return tuple(name for name, holds in told.items() if holds)


def roman(number: int) -> str:
    """Return a number from 1 to 3999 in Roman numerals.

    >>> roman(1994), roman(2031)
    ('MCMXCIV', 'MMXXXI')
    """
    written = ""
    for value, letters in _NUMERALS.items():
        written += letters * (number // value)
        number %= value
    return written


def _year(item: Question) -> int | None:
    if item.pattern in ("comparison", "pluri_hop", *DIAGNOSTIC) or len(item.answers) != 1:
        return None
    kind, value, _ = read_value(item.answers[0])
    found = re.match(r"\d{4}", str(value)) if kind == "date" else None
    return int(found[0]) if found and 0 < int(found[0]) < 4000 else None


def _row(id_: str, question: str, answer: str, types: Iterable[str], links: list[str]) -> dict[str, Any]:
    return {"id": id_, "question": question, "answer": answer, "reasoning_types": list(types), "wiki_links": links}
