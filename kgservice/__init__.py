"""kgservice: documents in, a knowledge graph in Neo4j, subgraphs with exactly one answer, questions out.

The public face: `Corpus` (everything local) with the `Plan` of its questions, `Client` (a service over HTTP),
`Settings`, the records of a loader (`Document`, `Triplet`, `Problem`), and `KgserviceError`, the base of all errors.
"""

from __future__ import annotations

from os import environ
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgservice.core.errors import KgserviceError
    from kgservice.core.records import Document, Problem, Triplet
    from kgservice.core.settings import Settings
    from kgservice.corpus import Corpus
    from kgservice.leaderboard.team_client import Client
    from kgservice.questions.selection import Plan

environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read by numpy's import: our products are small, a second thread waits

__version__ = "0.4.0"
__all__ = ["Client", "Corpus", "Document", "KgserviceError", "Plan", "Problem", "Settings", "Triplet", "__version__"]

_HOMES = {
    "Client": "leaderboard.team_client",
    "Corpus": "corpus",
    "Document": "core.records",
    "KgserviceError": "core.errors",
    "Plan": "questions.selection",
    "Problem": "core.records",
    "Settings": "core.settings",
    "Triplet": "core.records",
}


def __getattr__(name: str) -> Any:
    """Import a name of the public face when it is first used: spaCy and LangChain take seconds."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kgservice' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"kgservice.{_HOMES[name]}"), name)
