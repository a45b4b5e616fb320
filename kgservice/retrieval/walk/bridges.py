"""Bridges: what the best passages name and a question does not, with what the question still asks of each.

"Where was the director of Harbour Lights born?": the passage of the film names Orla Brandt where it says who directed
it, so what is left to ask is "Orla Brandt born".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import neo4j
import numpy as np

from kgservice.core import keys
from kgservice.names.mentions import form, titles
from kgservice.retrieval.walk.context_fit import similar_words
from kgservice.retrieval.walk.neighbourhood import HUB, Neighbourhood, PassageLinks
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder

LEADING = 5  # passages whose names are followed
MOST = 24  # bridges of a query, those of better passages and with more of the question around them first

_WORD = re.compile(r"[^\W\d_]+")


Vector: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Bridge(NamedTuple):
    """A name in a passage (`chunk`), how well its place fits the question, and the words that its sentence lacks."""

    chunk: str
    form: str
    label: str
    fit: float
    left: tuple[str, ...]

    @property
    def query(self) -> str:
        """What is still asked, as one asks it: "Orla Brandt born"."""
        return " ".join((self.label, *self.left))


class Candidate(NamedTuple):
    """A passage that may be found: its vector and cosine with the query (None: no vector), and its title's names."""

    chunk: str
    title: str
    text: str
    vector: Vector | None
    cosine: float | None
    own: frozenset[str]


class Crossing(NamedTuple):
    """The bridge that a passage answers best, its cosine with what is asked of it, and how far it is its page."""

    bridge: Bridge
    cosine: float
    page: float

    def told(self, title: str) -> str:
        """Return the bridge as people read it; `title` is that of the passage that names it."""
        left = " ".join(self.bridge.left)
        return f"from the bridge {self.bridge.label!r}, named in [{title or self.bridge.chunk}]" + (
            f", to what is still asked: {left}" if left else ""
        )


def candidate(corpus: str, row: neo4j.Record, query: Sequence[float] | None) -> Candidate:
    """Return a passage that retrieve/compared_chunks has read."""
    vector = None if row["vector"] is None or query is None else np.array(row["vector"])
    cosine = None if vector is None else float(vector @ np.array(query))
    own = frozenset(keys.form_key(corpus, form(name)) for name in titles(row["title"] or ""))
    return Candidate(row["chunk"], row["title"], row["text"], vector, cosine, own)


def crossings(
    asks: Sequence[Bridge], pool: Mapping[str, Candidate], around: Neighbourhood, embedder: Embedder
) -> dict[str, Crossing]:
    """Return for each candidate that another passage's bridge leads to the bridge whose question it is nearest to."""
    compared = [one for one in pool.values() if one.vector is not None and one.chunk in around.passages]
    if not asks or not compared:
        return {}
    queries = {query: at for at, query in enumerate(sorted({bridge.query for bridge in asks}))}
    asked = np.array(embedder.embed_queries(list(queries)))
    cosines = np.array([one.vector for one in compared]) @ asked.T
    found: dict[str, Crossing] = {}
    for at, one in enumerate(compared):
        links = around.passages[one.chunk].links
        ways = [bridge for bridge in asks if bridge.form in links and bridge.chunk != one.chunk]
        if ways:
            best = max(ways, key=lambda bridge: (cosines[at, queries[bridge.query]], bridge.query))
            page = max((0.5 + min(way.fit, 1) / 2 for way in ways if way.form in one.own), default=0.0)
            found[one.chunk] = Crossing(best, float(cosines[at, queries[best.query]]), page)
    return found


def bridges(
    around: Neighbourhood, leading: Sequence[str], asked: Sequence[str], named: Collection[str]
) -> list[Bridge]:
    """Return the bridges of the leading passages, best first: names that other passages mention, hubs left out.

    `asked` are the words of the question that ask, `named` the forms of the names in it, which are no bridges.
    """
    found: list[tuple[int, float, Bridge]] = []
    for rank, chunk in enumerate(leading):
        passage = around.passages[chunk]
        spans = sentences(passage.text)
        for name, link in sorted(passage.links.items()):
            if name not in named and name in around.labels and 2 <= around.mentioned[name] <= HUB:
                words = frozenset(_WORD.findall(_sentence(passage, spans, name).lower()))
                left = tuple(word for word in asked if not any(similar_words(word, other) for other in words))
                found.append((rank, -link.fit, Bridge(chunk, name, around.labels[name], link.fit, left)))
    return [bridge for *_, bridge in sorted(found)[:MOST]]


def _sentence(passage: PassageLinks, spans: Sequence[tuple[int, int]], name: str) -> str:
    """The sentence of a passage that names it first; the title for a name that only the title gives."""
    places = passage.places.get(name)
    if not places:
        return passage.title
    at = places[0][0]
    return next((passage.text[start:end] for start, end in spans if start <= at < end), passage.text)
