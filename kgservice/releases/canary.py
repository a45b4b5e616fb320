"""The canary of a corpus: a word that stands in every row of its public files and nowhere else.

A text or a model that knows it has seen the benchmark (BIG-bench, Srivastava et al., 2022). It follows from the
corpus's secret, so it stays from release to release and tells nothing of the secret.
"""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

FIELD = "canary"


def canary(secret: str) -> str:
    """Return the canary: "kgservice:canary:" and a UUID."""
    found = hmac.new(secret.encode(), FIELD.encode(), hashlib.sha256).digest()
    return f"kgservice:canary:{uuid.UUID(bytes=found[:16], version=4)}"


def marked(rows: Iterable[str], word: str) -> Iterator[str]:
    """Yield rows of JSON objects with the canary as their last field; a row that has it stays."""
    end = f', "{FIELD}": "{word}"}}'
    return (row if row.endswith(end) else row[:-1] + end for row in rows)


def unmarked(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without its canary."""
    return {name: value for name, value in row.items() if name != FIELD}
