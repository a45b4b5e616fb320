"""The part of the graph around some passages: the names they mention, and other passages that mention those.

The cost of the statement depends on the passages at hand, not on the size of the graph: names in very many passages
(hubs) are not followed, and a step adds a bounded number of passages.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from kgservice.graph.store import Graph
from kgservice.names.mentions import form, heads, titles
from kgservice.retrieval.walk.context_fit import ContextFit

HUB = 50  # passages; a name with more of them is not followed
STEP = 1_000  # most mentions that a step follows, those of the rarest names first
SMALL = 2_048  # passages of a corpus for which these hold; both grow with the square root of a larger one


class Link(NamedTuple):
    """A link of a passage to a name: its weight, how well its context fits the question, and the fact behind it."""

    weight: float
    fit: float = 0.0
    relation: str = ""


_PLAIN, _NONE = Link(1.0), (0.0, "")


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
        self._graph, self.context = graph, ContextFit(sought)
        self._title, self._head = title, head
        growth = max(1.0, math.sqrt(graph.size(corpus) / SMALL))
        self.hub, self._step = int(HUB * growth), int(STEP * growth)
        self._linked: set[str] = set()
        self._read: set[str] = set()
        self.passages: dict[str, PassageLinks] = {}
        self.labels: dict[str, str] = {}
        self.mentioned: dict[str, int] = {}

    def grow(self, chunks: Iterable[str], forms: Mapping[str, int] = MappingProxyType({})) -> None:
        """Read the mentions of these passages, and add other passages with the same names.

        `forms` maps forms to the numbers of passages that mention them. Those passages are read too, without hubs.
        """
        self.mentioned.update(forms)
        new = sorted(set(chunks) - self._read)
        asked = sorted(name for name, passages in forms.items() if passages <= self.hub)
        self._linked.update(asked)
        if not new and not asked:
            return
        around = {"chunks": new, "forms": asked, "linked": sorted(self._linked), "hub": self.hub, "step": self._step}
        row = self._graph.read("retrieve/neighbourhood", around=around)[0]
        self.mentioned.update((name["form"], name["passages"]) for name in row["names"])
        for passage in row["passages"]:
            self._read.add(passage["chunk"])
            places = {one["form"]: _places(passage["text"], one["surface"]) for one in passage["mentions"]}
            links = self._links(passage, places)
            self.passages[passage["chunk"]] = PassageLinks(passage["title"], links, passage["text"], places)
        for link in row["links"]:
            self._linked.add(link["form"])
            label = self.labels[link["form"]]
            for chunk, title in link["chunks"]:
                if chunk not in self.passages:
                    self.passages[chunk] = PassageLinks(title, {})
                links = self.passages[chunk].links
                if link["form"] not in links:
                    links[link["form"]] = self._own(title, label)

    def weight(self, name: str, link: Link) -> float:
        """Return the weight of a link. Rare names have a higher weight."""
        return link.weight / self.commonness(name)

    def commonness(self, name: str) -> float:
        """Return the number that divides the weight of every link to a name."""
        return _commonness(self.mentioned[name])

    def _links(self, row: Mapping[str, Any], places: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Link]:
        """Return the links of a passage that was read. Every place of a name and its facts are its context."""
        title, text, relations = row["title"], row["text"], _relations(row["facts"])
        links: dict[str, Link] = {}
        similar = self.context.places(text)
        for mention in row["mentions"]:
            name = mention["form"]
            self.labels.setdefault(name, mention["label"])
            link = links.get(name) or self._own(title, mention["label"])
            by_fact, relation = max(((self.context.of(said), said) for said in relations.get(name, ())), default=_NONE)
            fit = max(link.fit, by_fact)
            for place in places[name] if similar else ():
                fit = max(fit, self.context.near(text, *place, similar))
            links[name] = Link(link.weight, fit, relation if by_fact else link.relation) if fit else link
        return links

    def _own(self, title: str, label: str) -> Link:
        """Return the link to a name of a passage of this title. A name that the title does not give weighs 1."""
        if not may_give(title, label):
            return _PLAIN
        return Link(self._title if is_titled(title, label) else self._head if is_headed(title, label) else 1.0)


@cache
def _commonness(passages: int) -> float:
    return math.sqrt(math.log(2 + passages))


def is_titled(title: str, label: str) -> bool:
    """Return whether a title gives a name whole, in any spelling.

    >>> is_titled("Harbour Lights (1931 film)", "The Harbour Lights"), is_titled("Orla Brandt", "Brandt")
    (True, False)
    """
    return may_give(title, label) and form(label) in _forms(title)[0]


def is_headed(title: str, label: str) -> bool:
    """Return whether a title gives a name up to its comma.

    >>> is_headed("Matilda of Brabant, Countess of Holland", "Matilda of Brabant")
    True
    """
    return may_give(title, label) and form(label) in _forms(title)[1]


def may_give(title: str, label: str) -> bool:
    """Return whether the longest word of a name is in a title, which is quickly seen."""
    return _longest_word(label) in _plain(title)


@lru_cache(maxsize=65536)
def _longest_word(label: str) -> str:
    return max(form(label).split(), key=len, default="")


@lru_cache(maxsize=65536)
def _plain(title: str) -> str:
    return title.lower().replace("’", "'").replace(".", "")


@lru_cache(maxsize=65536)
def _forms(title: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the forms of the names that a title gives: whole ones, and up to the comma."""
    return frozenset(map(form, titles(title))), frozenset(map(form, heads(title)))


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
