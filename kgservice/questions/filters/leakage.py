"""What a question must not give away: its answer, or a bridge that it may only describe (RARE, section 3.4)."""

from __future__ import annotations

import re

from kgservice.core.records import Subgraph


def answer_told(row: Subgraph, text: str) -> str:
    """Say so where an answer stands in the question; a comparison names both."""
    told = row.pattern != "comparison" and any(_contains(text, answer) for answer in row.answers)
    return "answer in the question" if told else ""


def bridge_named(row: Subgraph, text: str) -> str:
    """Say so where a bridge is named."""
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    return "bridge named in the question" if any(_contains(text, pivot) for pivot in pivots) else ""


def _contains(text: str, name: str) -> bool:
    if name.casefold() not in text.casefold():  # most are not; a pattern a name is dear
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
