"""kgservice: documents in, a knowledge graph in Neo4j, subgraphs with exactly one answer, questions out.

The public face: `Corpus` (everything local), `Client` (a service over HTTP), `Settings`, `KgserviceError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgservice.core.errors import KgserviceError
    from kgservice.core.settings import Settings
    from kgservice.corpus import Corpus
    from kgservice.leaderboard.team_client import Client

__version__ = "0.1.0"
__all__ = ["Client", "Corpus", "KgserviceError", "Settings", "__version__"]

_HOMES = {"Client": "client", "Corpus": "corpus", "KgserviceError": "errors", "Settings": "settings"}


def __getattr__(name: str) -> Any:
    """Import a name of the public face when it is first used: spaCy and LangChain take seconds."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kgservice' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"kgservice.{_HOMES[name]}"), name)
