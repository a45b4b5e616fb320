"""The part of the graph around some passages: the names they mention, and other passages that mention those.

The cost of each statement depends on the passages at hand, not on the size of the graph: names in very many passages
(hubs) are not followed, and a step adds a bounded number of passages.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import neo4j

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.mentions import form, heads, titles
from kgservice.retrieval.walk.context_fit import ContextFit, around

HUB = 50  # passages; a name with more of them is not followed
STEP = 1_000  # most mentions that a step follows, those of the rarest names first


class Link(NamedTuple):
    """A link of a passage to a name: its weight, how well its context fits the question, and the fact behind it."""

    weight: float
    fit: float = 0.0
    relation: str = ""


class PassageLinks(NamedTuple):
    """A passage: its title, its links by name form, and the text and places of names if it was read."""

    title: str
    links: dict[str, Link]
    text: str = ""
    places: Mapping[str, tuple[tuple[int, int], ...]] = {}


class Neighbourhood:
    """Passages by chunk key, and for each name form its label and the number of passages that mention it.

    `sought` are the content words of the question. The document's own name weighs `title`, its part before the comma
    `head`.
    """

    def __init__(self, graph: Graph, corpus: str, sought: Sequence[str], title: float, head: float) -> None:
        self._graph, self._corpus, self.context = graph, corpus, ContextFit(sought)
        self._title, self._head = title, head
        self._linked: set[str] = set()
        self._read: set[str] = set()
        self.passages: dict[str, PassageLinks] = {}
        self.labels: dict[str, str] = {}
        self.mentioned: dict[str, int] = {}

    def find(self, forms: Mapping[str, int]) -> list[str]:
        """Add the passages that mention these forms, without hubs, and return the chunks' keys.

        `forms` maps each form to the number of passages that mention it.
        """
        self.mentioned.update(forms)
        self._link([name for name, passages in sorted(forms.items()) if passages <= HUB])
        return list(self.passages)

    def grow(self, chunks: Iterable[str]) -> None:
        """Read the mentions of these passages, and add other passages with the same names."""
        new = sorted(set(chunks) - self._read)
        self._read.update(new)
        for row in self._graph.read("retrieve/chunk_mentions", chunks=new) if new else ():
            places = {mention["form"]: _places(row["text"], mention["surface"]) for mention in row["mentions"]}
            self.passages[row["chunk"]] = PassageLinks(row["title"], self._links(row, places), row["text"], places)
        self._link(self._leading(new))

    def weight(self, name: str, link: Link) -> float:
        """Return the weight of a link. Rare names have a higher weight."""
        return link.weight / math.sqrt(math.log(2 + self.mentioned[name]))

    def _leading(self, chunks: Iterable[str]) -> list[str]:
        """Return the names of these passages to follow, the rarest first, up to STEP mentions."""
        names = {name for chunk in chunks if chunk in self.passages for name in self.passages[chunk].links}
        chosen, brought = [], 0
        for name in sorted(names - self._linked, key=lambda name: (self.mentioned[name], name)):
            if 2 <= self.mentioned[name] <= HUB:
                brought += self.mentioned[name]
                if brought > STEP:
                    break
                chosen.append(name)
        return chosen

    def _link(self, forms: Sequence[str]) -> None:
        self._linked.update(forms)
        for row in self._graph.read("retrieve/chunks_mentioning", forms=list(forms)) if forms else ():
            name = row["form"]
            for chunk in row["chunks"]:
                passage = self.passages.setdefault(chunk["chunk"], PassageLinks(chunk["title"], {}))
                if name not in passage.links:
                    passage.links[name] = Link(self._own(chunk["title"], name))

    def _links(self, row: neo4j.Record, places: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Link]:
        """Return the links of a passage that was read. Every place of a name and its facts are its context."""
        title, text, relations = row["title"], row["text"], _relations(row["facts"])
        links: dict[str, Link] = {}
        for mention in row["mentions"]:
            name = mention["form"]
            self.labels.setdefault(name, mention["label"])
            self.mentioned[name] = mention["passages"]
            here = max((self.context.fit(*around(text, *place)) for place in places[name]), default=0.0)
            by_fact, relation = max(
                ((self.context.fit(label.split(), ()), label) for label in relations[name]), default=(0.0, "")
            )
            link = links.get(name, Link(self._own(title, name)))
            links[name] = Link(link.weight, max(link.fit, here, by_fact), relation if by_fact else link.relation)
        return links

    def _own(self, title: str, name: str) -> float:
        """Return the weight of a name for a passage of this title. A name that the title does not give weighs 1."""
        whole, short = _title_keys(self._corpus, title)
        return self._title if name in whole else self._head if name in short else 1.0


@lru_cache(maxsize=65536)
def _title_keys(corpus: str, title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of the names that a title gives: whole ones, and up to the comma."""
    whole, short = (tuple(keys.form_key(corpus, form(name)) for name in names(title)) for names in (titles, heads))
    return whole, short


def _places(text: str, surface: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of a name in a text, as written."""
    places, at = [], text.find(surface) if surface else -1
    while at >= 0:
        places.append((at, at + len(surface)))
        at = text.find(surface, at + len(surface))
    return tuple(places)


def _relations(facts: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the labels of a passage's facts by the name at either end."""
    relations: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        for end in (fact["subject"], fact["object"]):
            relations[end].append(fact["said"])
    return relations
