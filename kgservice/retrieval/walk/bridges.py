"""Bridges: names of the best passages that are not in the question, with the words still to ask of each.

"Where was the director of Harbour Lights born?": the film's passage names Orla Brandt next to "directed by", so the
rest of the question is "Orla Brandt born".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from kgservice.retrieval.walk.neighbourhood import Neighbourhood, PassageLinks, is_titled
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
    """A candidate passage. Its vector and cosine with the query are None if it has no vector."""

    chunk: str
    title: str
    text: str
    vector: Vector | None
    cosine: float | None


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


def candidate(row: Mapping[str, Any], query: Vector | None) -> Candidate:
    """Return the candidate of a row of retrieve/compared_chunks."""
    vector = None if row["vector"] is None or query is None else np.array(row["vector"])
    cosine = None if vector is None else float(vector @ query)
    return Candidate(row["chunk"], row["title"], row["text"], vector, cosine)


def crossings(
    asks: Sequence[Bridge], pool: Mapping[str, Candidate], around: Neighbourhood, embedder: Embedder
) -> dict[str, Crossing]:
    """Return the nearest bridge of another passage for each candidate that mentions one, by the candidate's key.

    Only queries of the first ASKED bridges that lead to a candidate are embedded. Of later ones only the page counts.
    """
    ways: dict[str, list[int]] = {}
    for passage in pool.values():
        if passage.vector is not None and passage.chunk in around.passages:
            links = around.passages[passage.chunk].links
            leading = [at for at, one in enumerate(asks) if one.form in links and one.chunk != passage.chunk]
            ways |= {passage.chunk: leading} if leading else {}
    if not ways:
        return {}
    texts = {at: asks[at].query for at in sorted({at for some in ways.values() for at in some})}
    queries = {query: place for place, query in enumerate(sorted(set(list(texts.values())[:ASKED])))}
    vectors = np.array(embedder.embed_queries(list(queries)))
    cosines = (np.array([pool[chunk].vector for chunk in ways]) @ vectors.T).tolist()
    best_bridges: dict[str, Crossing] = {}
    for (chunk, some), near in zip(ways.items(), cosines, strict=True):
        compared = [(near[queries[texts[at]]], texts[at], asks[at]) for at in some if texts[at] in queries]
        own = [asks[at] for at in some if is_titled(pool[chunk].title, asks[at].label)]
        cosine, _, best = max(compared, default=(0.0, "", (own or [asks[some[0]]])[0]))
        page = max((0.5 + min(way.fit, 1) / 2 for way in own), default=0.0)
        if compared or page:
            best_bridges[chunk] = Crossing(best, cosine, page)
    return best_bridges


def bridges(around: Neighbourhood, leading: Sequence[str], excluded: Collection[str]) -> list[Bridge]:
    """Return the bridges of the leading passages, best first: names that other passages mention too, without hubs.

    `excluded` are the forms of the names in the question, which are no bridges.
    """
    ranked: list[tuple[int, float, str, str]] = []
    for rank, chunk in enumerate(leading):
        for name, link in around.passages[chunk].links.items():
            if name not in excluded and name in around.labels and 2 <= around.mentioned[name] <= around.hub:
                ranked.append((rank, -link.fit, chunk, name))
    best = sorted(ranked)[:MOST]
    lacking = {chunk: _Lacking(around, around.passages[chunk]) for chunk in {chunk for *_, chunk, _ in best}}
    return [Bridge(chunk, name, around.labels[name], -fit, lacking[chunk].left(name)) for _, fit, chunk, name in best]


class _Lacking:
    """What the sentences of a passage lack of a question. Each sentence is read once."""

    def __init__(self, around: Neighbourhood, passage: PassageLinks) -> None:
        self._context, self._passage = around.context, passage
        self._spans = sentences(passage.text)
        self._left: dict[str, tuple[str, ...]] = {}

    def left(self, name: str) -> tuple[str, ...]:
        """Return the question's words that the first sentence with a name lacks; the title, if only that has it."""
        sentence = self._sentence(name)
        if sentence not in self._left:
            words = frozenset(_WORD.findall(sentence.lower()))
            said = {word for other in words for word in self._context.similar(other)}
            self._left[sentence] = tuple(word for word in self._context.sought if word not in said)
        return self._left[sentence]

    def _sentence(self, name: str) -> str:
        places, text = self._passage.places.get(name), self._passage.text
        if not places:
            return self._passage.title
        at = places[0][0]
        return next((text[start:end] for start, end in self._spans if start <= at < end), text)
