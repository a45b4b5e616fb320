"""Bridges: names of the best passages that are not in the question, with the words still to ask of each.

"Where was the director of Harbour Lights born?": the film's passage names Orla Brandt next to "directed by", so the
rest of the question is "Orla Brandt born".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kgservice.retrieval.walk.neighbourhood import Neighbourhood, PassageLinks, title_keys
from kgservice.text.sentences import sentences
from kgservice.vectors.embedder import Embedder

LEADING = 5  # passages whose names are used as bridges
MOST = 24  # bridges a query: those of better passages first, then those with better fitting context
ASKED = 10  # bridges that are embedded, most of a query's time with all 24; recall is the same (docs/retrieval.md)

_WORD = re.compile(r"[^\W\d_]+")


Vector: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


class Bridge(NamedTuple):
    """A name in the passage `chunk`, how well its context fits, and the question's words that its sentence lacks."""

    chunk: str
    form: str
    label: str
    fit: float
    left: tuple[str, ...]

    @property
    def query(self) -> str:
        """Return the rest of the question as a search query: "Orla Brandt born"."""
        return " ".join((self.label, *self.left))


class Candidate(NamedTuple):
    """A candidate passage.

    Its vector and cosine with the query are None if it has no vector. `own` are the keys of its title's names.
    """

    chunk: str
    title: str
    text: str
    vector: Vector | None
    cosine: float | None
    own: frozenset[str]


class Crossing(NamedTuple):
    """The bridge with the best query for a passage, the cosine with that query, and how far the passage is its page."""

    bridge: Bridge
    cosine: float
    page: float

    def explain(self, title: str) -> str:
        """Return the explanation of the bridge for people. `title` is the title of the passage that names it."""
        left = " ".join(self.bridge.left)
        return f"from the bridge {self.bridge.label!r}, named in [{title or self.bridge.chunk}]" + (
            f", to what is still asked: {left}" if left else ""
        )


def candidate(corpus: str, row: Mapping[str, Any], query: Vector | None) -> Candidate:
    """Return the candidate of a row of retrieve/compared_chunks."""
    vector = None if row["vector"] is None or query is None else np.array(row["vector"])
    cosine = None if vector is None else float(vector @ query)
    own, _ = title_keys(corpus, row["title"] or "")
    return Candidate(row["chunk"], row["title"], row["text"], vector, cosine, frozenset(own))


def crossings(
    asks: Sequence[Bridge], pool: Mapping[str, Candidate], around: Neighbourhood, embedder: Embedder
) -> dict[str, Crossing]:
    """Return the nearest bridge of another passage for each candidate that mentions one, by the candidate's key.

    Only queries of the first ASKED bridges that lead to a candidate are embedded. Of later ones only the page counts.
    """
    ways: dict[str, list[Bridge]] = {}
    for passage in pool.values():
        if passage.vector is not None and passage.chunk in around.passages:
            links = around.passages[passage.chunk].links
            leading = [bridge for bridge in asks if bridge.form in links and bridge.chunk != passage.chunk]
            ways |= {passage.chunk: leading} if leading else {}
    if not ways:
        return {}
    led = {way for some in ways.values() for way in some}
    first = [ask for ask in asks if ask in led][:ASKED]
    queries = {query: at for at, query in enumerate(sorted({ask.query for ask in first}))}
    vectors = np.array(embedder.embed_queries(list(queries)))
    cosines = (np.array([pool[chunk].vector for chunk in ways]) @ vectors.T).tolist()
    best_bridges: dict[str, Crossing] = {}
    for (chunk, some), near in zip(ways.items(), cosines, strict=True):
        compared = [(near[queries[way.query]], way.query, way) for way in some if way.query in queries]
        own = [way for way in some if way.form in pool[chunk].own]
        cosine, _, best = max(compared, default=(0.0, "", (own or some)[0]))
        page = max((0.5 + min(way.fit, 1) / 2 for way in own), default=0.0)
        if compared or page:
            best_bridges[chunk] = Crossing(best, cosine, page)
    return best_bridges


def bridges(around: Neighbourhood, leading: Sequence[str], excluded: Collection[str]) -> list[Bridge]:
    """Return the bridges of the leading passages, best first: names that other passages mention too, without hubs.

    `excluded` are the forms of the names in the question, which are no bridges.
    """
    ranked: list[tuple[int, float, Bridge]] = []
    for rank, chunk in enumerate(leading):
        passage = around.passages[chunk]
        spans = sentences(passage.text)
        for name, link in sorted(passage.links.items()):
            if name not in excluded and name in around.labels and 2 <= around.mentioned[name] <= around.hub:
                words = frozenset(_WORD.findall(_sentence(passage, spans, name).lower()))
                said = {word for other in words for word in around.context.similar(other)}
                left = tuple(word for word in around.context.sought if word not in said)
                ranked.append((rank, -link.fit, Bridge(chunk, name, around.labels[name], link.fit, left)))
    return [bridge for *_, bridge in sorted(ranked)[:MOST]]


def _sentence(passage: PassageLinks, spans: Sequence[tuple[int, int]], name: str) -> str:
    """Return the first sentence of a passage with a name, or the title if only the title has it."""
    places = passage.places.get(name)
    if not places:
        return passage.title
    at = places[0][0]
    return next((passage.text[start:end] for start, end in spans if start <= at < end), passage.text)
