"""Imports Neo4j's driver without pandas and spaCy without torch, which they load wherever it is installed, and do not need.

Both come with the tools of development, and cost each process of the tests a second or two of the processor.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Have a library that is not imported yet be absent meanwhile."""
    absent = name not in sys.modules
    if absent:
        sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if absent:
            del sys.modules[name]


def import_spacy() -> None:
    with hidden("torch"):
        import spacy  # noqa: F401


with hidden("pandas"):
    import neo4j  # noqa: F401
