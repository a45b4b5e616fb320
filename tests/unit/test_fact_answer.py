"""Which figure of a thing is the answer where its facts are of several periods."""

from __future__ import annotations

from typing import Any

import pytest

from kgservice.answering.fact_answer import _figure, _named


def row(period: str, answer: str) -> dict[str, Any]:
    return {"period": period, "answer": answer, "chunks": ["c"], "sentences": [answer], "confidence": None}


YEAR, QUARTER = row("2031", "$100 million"), row("the three months ended June 30, 2031", "$25 million")
FIRST = row("the three months ended March 31, 2031", "$20 million")
BEFORE = row("2030", "$90 million")


@pytest.mark.parametrize(
    ("rows", "year", "answer"),
    [
        ((QUARTER, YEAR, BEFORE), "", "$100 million"),
        ((BEFORE, YEAR, QUARTER), "2031", "$100 million"),
        ((BEFORE, QUARTER), "", "$25 million"),
        ((BEFORE, QUARTER, FIRST), "", None),
        ((BEFORE, QUARTER), "2030", "$90 million"),
        ((row("", "$7"),), "", "$7"),
        ((row("2030-12-31", "$6"), row("2031-12-31", "$7")), "", "$7"),
        ((), "", None),
        ((), "2031", None),
    ],
)
def test_the_figure_of_the_whole_year(rows: tuple[dict[str, Any], ...], year: str, answer: str | None) -> None:
    found = _figure(rows, year)
    assert (found.answer if found else None) == answer


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("January 28, 2023", "February 3, 2024"), ("fiscal 2023", "2024"), ("", "fiscal 2023"),
        ("June 30, 2031", "September 30, 2031"), ("2030-12-31", "the three months ended March 31, 2031"),
    ],
)  # fmt: skip
def test_the_newest_period_is_the_latest_in_time(old: str, new: str) -> None:
    found = _named([row(old, "11,000"), row(old, "11,000"), row(new, "12,000")], one=True)
    assert found
    assert found.answer == "12,000"
