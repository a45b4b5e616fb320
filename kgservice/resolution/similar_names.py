"""The data about names of similar spelling: their decisions, types, vectors and explanations in texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kgservice.core import keys
from kgservice.core.records import Decision
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.names.mentions import form
from kgservice.names.spelling import blocks, name, partners
from kgservice.resolution.decisions import decision_of
from kgservice.vectors.embedder import Embedder

LARGEST = 200  # most names of a block and facts of an entity; larger ones identify no name
LOOKED_THROUGH = 1_000  # most chunks searched for an abbreviation's explanation

Said = frozenset[tuple[bool, str, str]]  # (the name is the subject, relation, form of the other end), as written


class KnownName(NamedTuple):
    """A name that the corpus has, or had when it was decided about: its class, and the decision about it."""

    type: str | None
    decision: Decision | None


class Alike:
    """A reader of data about names, in batches, each name once. It lives for one run of the resolution."""

    def __init__(self, graph: Graph, corpus: str, embedder: Embedder) -> None:
        self._graph, self._corpus, self._embedder = graph, corpus, embedder
        self._blocks: dict[str, list[str]] = {}
        self._known: dict[str, KnownName | None] = {}
        self._vectors: dict[str, list[float]] = {}
        self._said: dict[str, Said] = {}
        self._explained: dict[tuple[str, str], bool] = {}

    def register(self, names: Sequence[str]) -> None:
        """Store the spellings of names (ids) for comparison with later ones."""
        rows = [
            {"key": keys.spelling_key(self._corpus, block, id_), "name": id_}
            for id_ in names
            for block in sorted(blocks(name(label(id_))))
        ]
        rows.sort(key=lambda row: row["key"])
        for start in range(0, len(rows), 10_000):
            self._graph.update("write/spellings", rows=rows[start : start + 10_000])

    def candidates(self, one: str) -> list[str]:
        """Return the names that may be the same as one, in order. Blocks that are too large are skipped."""
        self.read([one])
        names = {other for block in blocks(name(label(one))) for other in self._partners(block)}
        return sorted(other for other in names - {one} if self._known[other] is not None)

    def _partners(self, block: str) -> list[str]:
        """Return the names that a block's names are compared with, none if either block is too large."""
        own, others = self._blocks[block], self._blocks[partners(block)]
        return others if max(len(own), len(others)) <= LARGEST else []

    def known(self, one: str) -> KnownName | None:
        """Return the class and decision of a name, None if the corpus does not have it."""
        if one not in self._known:
            self._read_known([one])
        return self._known[one]

    def read(self, names: Iterable[str]) -> None:
        """Read the candidates of these names, and the data of all of them, in two statements.

        Of names that are compared with none of them no data are read.
        """
        asked = set(names)
        own = [block for id_ in asked for block in blocks(name(label(id_)))]
        both = {part for block in own for part in (block, partners(block))}
        wanted = {block for block in both if block not in self._blocks}
        starts = {keys.spelling_key(self._corpus, block): block for block in sorted(wanted)}
        if starts:
            for row in self._graph.read("read/alike", blocks=list(starts), limit=LARGEST + 1):
                self._blocks[starts[row["block"]]] = row["names"]
        self._read_known(asked.union(*map(self._partners, own)))

    def cosine(self, one: str, other: str) -> float:
        """Return the cosine of two names' vectors."""
        self.embed((one, other))
        return float(np.dot(self._vectors[one], self._vectors[other]))

    def embed(self, names: Iterable[str]) -> None:
        """Embed the names that have no vector yet."""
        new = sorted({id_ for id_ in names if id_ not in self._vectors})
        self._vectors.update(zip(new, self._embedder.embed([label(id_) for id_ in new]), strict=True))

    def shared(self, one: str, other: str) -> int:
        """Return the number of facts that two names share: the same relation to an end of the same form."""
        self.read_said((one, other))
        return len(self._said[one] & self._said[other])

    def explained(self, short: str, longer: str) -> bool:
        """Return whether a text explains an abbreviation, "National League (NL)" or reversed.

        False if another text explains it as something else.
        """
        self.read_explained([(short, longer)])
        return self._explained[short, longer]

    def read_explained(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Read whether texts explain the first name of each pair as short for the second."""
        new = sorted({pair for pair in pairs if pair not in self._explained})
        rows = []
        for at, (short, longer) in enumerate(new):
            phrases = [
                f"{one} ({other})" for one, other in ((label(longer), label(short)), (label(short), label(longer)))
            ]
            marks = [f"({label(short)})", f"{label(short)} ("]
            ends = {"short": self._entity(short), "longer": self._entity(longer)}
            rows.append({"at": at, "said": phrases, "marks": marks, **ends})
        matched = (
            {row["at"] for row in self._graph.read("read/explained", rows=rows, limit=LOOKED_THROUGH)}
            if rows
            else set()
        )
        self._explained.update((pair, at in matched) for at, pair in enumerate(new))

    def read_said(self, names: Iterable[str]) -> None:
        """Read the facts of names as the sources write them."""
        new = sorted({one for one in names if one not in self._said})
        rows = [{"name": one, "key": self._entity(one)} for one in new]
        facts: dict[str, set[tuple[bool, str, str]]] = {one: set() for one in new}
        for row in self._graph.read("read/contexts", rows=rows, limit=LARGEST) if rows else ():
            for text in row["written"]:
                said = json.loads(text) if text else [row["subject"], row["relation"], row["object"]]
                own, end = (said[0], said[2]) if row["leaves"] else (said[2], said[0])
                if own == label(row["name"]):
                    facts[row["name"]].add((row["leaves"], said[1], form(end)))
        self._said.update((one, frozenset(said)) for one, said in facts.items())

    def _entity(self, one: str) -> str:
        """Return the key of the entity that a name belongs to now."""
        entry = self.known(one)
        now = entry.decision.into if entry and entry.decision and entry.decision.state == "merged" else one
        return keys.entity_key(self._corpus, now)

    def _read_known(self, names: Iterable[str]) -> None:
        rows = [
            {
                "name": one,
                "entity": keys.entity_key(self._corpus, one),
                "decision": keys.decision_key(self._corpus, "entity", one),
            }
            for one in sorted({one for one in names if one not in self._known})
        ]
        for row in self._graph.read("read/names_known", rows=rows) if rows else ():
            decision = decision_of(row["decision"]) if row["decision"] else None
            kind = row["type"] if row["present"] or decision is None else decision.type
            self._known[row["name"]] = KnownName(kind, decision) if row["present"] or decision else None


def label(id_: str) -> str:
    """Return the name of an id of the corpus."""
    return id_.removeprefix(LOCAL)
