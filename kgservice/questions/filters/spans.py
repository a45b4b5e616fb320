"""Tables that say the same of many rows: a few of their cells are asked about, not hundreds of questions in one form.

Which few is drawn by the cell alone, so that a refresh asks what a generation asks. Questions about a whole group (all
subjects of a value, all documents of a kind) need every row and are left as they are.
"""

from __future__ import annotations

import re
from zlib import crc32

from kgservice.core.records import Source, Subgraph

MOST = 20  # cells of a table with the same relation that become questions, on average
_ALIKE = re.compile(r", one of (\d+)$")


def rejection_reason(row: Subgraph, _: str) -> str:
    """Say so where all that states one of the facts is a cell of a long span that was not drawn, "" otherwise."""
    if row.pattern == "pluri_hop" or row.asked == "members":
        return ""
    facts = (fact for reading in row.readings for fact in reading.facts)
    left = any(fact.statements and not any(map(_drawn, fact.statements)) for fact in facts)
    return "one of many alike in a table" if left else ""


def _drawn(source: Source) -> bool:
    found = _ALIKE.search(source.cell)
    return found is None or crc32(f"{source.sentence}\n{source.cell}".encode()) % int(found[1]) < MOST
