"""The figure that rows of facts give for a year: of a whole year before a part, the finest of those that agree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from kgservice.answering.fact_rows import FactAnswer, period_time, sure_statements
from kgservice.text.values import read_value

_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def figure_of_year(rows: Sequence[Mapping[str, Any]], year: str) -> FactAnswer | None:
    """Return the figure of a year, or of the newest; of a whole year before a part. None if there is no single one."""
    if not rows:
        return None
    periods = {row["period"] or "" for row in rows}
    year = year or max(map(period_time, periods))[0]
    of_year = {one for one in periods if year in one} if year else periods
    whole = {one for one in of_year if one.removeprefix("fiscal ") == year} if year else set()
    kept = [row for row in rows if (row["period"] or "") in (whole or of_year)]
    groups = _agreeing(kept)
    if len({row["period"] or "" for row in kept}) == 1:  # of one period, what more statements give than all else
        stated = [sum(len(list(sure_statements(row))) for row in group) for group in groups]
        groups = [group for group, number in zip(groups, stated, strict=True) if 2 * number > sum(stated)]
    places = [one.place for row in groups[0] for one in sure_statements(row)] if len(groups) == 1 else []
    return FactAnswer(groups[0][0]["answer"], tuple(places[:1])) if places else None


def _agreeing(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return figures in groups of one value, the finest first: "$51,362 million" before the rounded "$51.4 billion"."""
    groups = list[list[Mapping[str, Any]]]()
    for row in sorted(rows, key=lambda row: _step(row["answer"])):
        _, value, unit = read_value(row["answer"])
        step = _step(row["answer"])
        for group in groups:
            _, finest, its_unit = read_value(group[0]["answer"])
            if unit == its_unit and (
                value == finest
                or (isinstance(value, float) and isinstance(finest, float) and abs(value - finest) <= step / 2)
            ):
                group.append(row)
                break
        else:
            groups.append([row])
    return groups


def _step(figure: str) -> float:
    """Return what the last digit of a figure counts: 100 million of "$51.4 billion", 0 if it is no number."""
    kind, value, _ = read_value(figure)
    digits = _DIGITS.search(figure.replace(",", ""))
    if kind != "number" or not isinstance(value, float) or not digits or not float(digits[0]):
        return 0.0
    return abs(value) / float(digits[0]) * 0.1 ** len(digits[0].partition(".")[2])
