"""The part of the graph around some passages: what they mention, and who else mentions it.

Grown by statements whose cost depends on the passages at hand, never on the size of the graph: names that very many
passages mention (hubs) lead nowhere, and a step brings a bounded number of new passages.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import neo4j

from kgservice.core import keys
from kgservice.graph.store import Graph
from kgservice.names.mentions import form, heads, titles
from kgservice.retrieval.walk.context_fit import around, fit

HUB = 50  # passages; a name that more of them mention leads to none
STEP = 1_000  # mentions that a step follows at most, the rarest names' first


class Link(NamedTuple):
    """A passage mentions a name: how strongly, how well its context fits the question, and the relation that does."""

    weight: float
    fit: float = 0.0
    relation: str = ""


class PassageLinks(NamedTuple):
    """What is known of a chunk: its title, its links to the forms of names, and its text where that was read."""

    title: str
    links: dict[str, Link]
    text: str = ""
    places: Mapping[str, tuple[tuple[int, int], ...]] = {}


class Neighbourhood:
    """Passages by chunk key, and of each form of a name its label and how many passages of the corpus mention it.

    `asked` are the words of the question; a document's own name weighs `title`, the part before its comma `head`.
    """

    def __init__(self, graph: Graph, corpus: str, asked: Sequence[str], title: float, head: float) -> None:
        self._graph, self._corpus, self._asked = graph, corpus, asked
        self._title, self._head = title, head
        self._titles: dict[str, dict[str, float]] = {}
        self._linked: set[str] = set()
        self._read: set[str] = set()
        self.passages: dict[str, PassageLinks] = {}
        self.labels: dict[str, str] = {}
        self.mentioned: dict[str, int] = {}

    def find(self, forms: Mapping[str, int]) -> list[str]:
        """Add the passages that mention these forms ({form: how many do}), hubs left out; return the chunks' keys."""
        self.mentioned.update(forms)
        self._link([name for name, passages in sorted(forms.items()) if passages <= HUB])
        return list(self.passages)

    def grow(self, chunks: Iterable[str]) -> None:
        """Read what these passages mention, and add others that mention the same."""
        new = sorted(set(chunks) - self._read)
        self._read.update(new)
        for row in self._graph.read("retrieve/chunk_mentions", chunks=new) if new else ():
            places = {mention["form"]: _places(row["text"], mention["surface"]) for mention in row["mentions"]}
            self.passages[row["chunk"]] = PassageLinks(row["title"], self._links(row, places), row["text"], places)
        self._link(self._leading(new))

    def weight(self, name: str, link: Link) -> float:
        """Return the weight of a link: rare names count more."""
        return link.weight / math.sqrt(math.log(2 + self.mentioned[name]))

    def _leading(self, chunks: Iterable[str]) -> list[str]:
        """The names of these passages that lead further, the rarest first, while they have at most STEP mentions."""
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
            for chunk in row["chunks"]:
                passage = self.passages.setdefault(chunk["chunk"], PassageLinks(chunk["title"], {}))
                if row["form"] not in passage.links:
                    passage.links[row["form"]] = Link(self._weights(chunk["title"]).get(row["form"], 1.0))

    def _links(self, row: neo4j.Record, places: Mapping[str, Sequence[tuple[int, int]]]) -> dict[str, Link]:
        """The links of a passage that was read; a name's context is every place where it stands and its facts."""
        weights, relations = self._weights(row["title"]), _relations(row["facts"])
        links: dict[str, Link] = {}
        for mention in row["mentions"]:
            name = mention["form"]
            self.labels.setdefault(name, mention["label"])
            self.mentioned[name] = mention["passages"]
            here = max((fit(self._asked, *around(row["text"], *place)) for place in places[name]), default=0.0)
            said, relation = max(
                ((fit(self._asked, label.split(), ()), label) for label in relations[name]), default=(0.0, "")
            )
            known = links.get(name, Link(weights.get(name, 1.0)))
            links[name] = Link(known.weight, max(known.fit, here, said), relation if said else known.relation)
        return links

    def _weights(self, title: str) -> dict[str, float]:
        """The weights of the names that a title gives; any other name weighs 1. Many passages share a title."""
        if title not in self._titles:
            named = [(name, self._head) for name in heads(title)] + [(name, self._title) for name in titles(title)]
            self._titles[title] = {keys.form_key(self._corpus, form(name)): weight for name, weight in named}
        return self._titles[title]


def _places(text: str, surface: str) -> tuple[tuple[int, int], ...]:
    """Where a name stands in a text, as it is written there."""
    found, at = [], text.find(surface) if surface else -1
    while at >= 0:
        found.append((at, at + len(surface)))
        at = text.find(surface, at + len(surface))
    return tuple(found)


def _relations(facts: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What a passage's facts say of each name."""
    found: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        for end in (fact["subject"], fact["object"]):
            found[end].append(fact["said"])
    return found
