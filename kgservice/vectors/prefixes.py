"""Prefixes of queries and passages for embedding models that do not define their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "

# name pattern → prefixes: DRAGON's table 2 (appendix), and what the E5 and BGE model cards ask for
_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"\bfrida\b", re.I), "search_query: ", "search_document: "),
    (re.compile(r"e5.*instruct|e5-mistral|qwen3-embedding", re.I), _INSTRUCT, ""),
    (re.compile(r"\be5-|-e5\b", re.I), "query: ", "passage: "),
    (
        re.compile(r"\bbge-(?:small|base|large)-en", re.I),
        "Represent this sentence for searching relevant passages: ",
        "",
    ),
)


class Prefixes(NamedTuple):
    """The prefixes of queries and passages."""

    query: str
    passage: str


def prefixes(name: str, own: Mapping[str, str | None]) -> Prefixes:
    """Return the prefixes of a model: its `own` prompts (sentence-transformers), else by its name, else none."""
    query, passage = own.get("query") or "", own.get("document") or own.get("passage") or ""
    if query or passage:
        return Prefixes(query, passage)
    return next((Prefixes(*sides) for pattern, *sides in _KNOWN if pattern.search(name)), Prefixes("", ""))
