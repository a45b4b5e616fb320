"""Entity resolution inside a corpus: exact, then lexical, then vector, then context, each merge a decision to undo.

Names are ordered by `spelling.rank`. From the first on, a name stands for a leader before it that it may be merged with
(`_verdict`, a test of the two alone), or is a leader itself. So every merge is a tested pair, a group is no wider than
one step from its leader, and the outcome does not depend on the order in which names came: a new name is looked at with
those spelt alike, and of these again only whose leader came or went. The cost is that of the new names.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Decision, Record
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.names.spelling import Way, forbidden, is_vague, name, rank, way
from kgservice.resolution.similar_names import Alike, label
from kgservice.vectors.embedder import Embedder

PAGE = 2_000  # names looked at together
BATCH = 200  # decisions carried out in one transaction


class Thresholds(Record):
    """From where on two names are taken for one thing; chosen on the first half of tests/data/entity_pairs.jsonl.

    `lexical`: likeness of the letters; `longer` and `acronym`: cosine of the vectors; `shared`: facts in common.
    """

    lexical: float = 0.93
    longer: float = 0.9
    acronym: float = 0.7
    shared: int = 2


class Resolved(Record):
    """What a run did: names in = merged + alone + by_person; `by` counts merges, `left` pairs that were not merged."""

    names: int
    merged: int
    alone: int
    by_person: int
    by: dict[str, int]
    left: dict[str, int]
    new: int = Field(description="decisions that were made or changed")
    withdrawn: int
    chunks: int = Field(description="chunks that were restated")
    decisions: tuple[Decision, ...] = Field((), exclude=True)


def resolve(
    graph: Graph,
    corpus: str,
    embedder: Embedder,
    names: Iterable[str] | None = None,
    *,
    dry_run: bool = False,
    thresholds: Thresholds | None = None,
    advance: Callable[[str, int], None] = lambda stage, count: None,
) -> Resolved:
    """Decide which names of a corpus are one thing, of all or (ids) of the new ones alone, and re-key their facts."""
    graph.check_corpus(corpus)
    alike, new = Alike(graph, corpus, embedder), None if names is None else sorted(set(names))
    for page in _pages(_all(graph, corpus) if new is None else new):
        alike.register(page)  # all of them before the first is looked at: blocks are read once
    run = _Run(alike, thresholds or Thresholds())
    for page in _pages(_all(graph, corpus) if new is None else new):
        run.look_at(page)
        advance("names", len(page))
    made = [one for _, one in sorted(run.made.items()) if one is not None]
    chunks = 0
    for start in range(0, 0 if dry_run else len(made), BATCH):
        batch = made[start : start + BATCH]
        chunks += graph.decide(corpus, batch)
        advance("decisions", len(batch))
    return run.report(tuple(made), chunks)


class _Run:
    """One run over names: what it decides, on top of what was decided before."""

    def __init__(self, alike: Alike, thresholds: Thresholds) -> None:
        self._alike, self._limits = alike, thresholds
        self.made: dict[str, Decision | None] = {}  # by name; None: it went back to what is stored
        self._seen: set[str] = set()
        self._left: dict[tuple[str, str], str] = {}

    def look_at(self, page: Sequence[str]) -> None:
        """Decide about names and about those after them that may follow."""
        self._prepare(page)
        queued = {one for one in page if self._alike.known(one) is not None}
        self._seen |= queued
        waiting = [(rank(name(label(one))), one) for one in queued]
        heapq.heapify(waiting)
        asked = frozenset(queued)
        while waiting:
            place, one = heapq.heappop(waiting)
            if not self._decide(one) and one not in asked:
                continue
            others = ((rank(name(label(other))), other) for other in self._alike.candidates(one))
            after = [item for item in others if item > (place, one) and item[1] not in queued]
            self._prepare([other for _, other in after])
            for item in after:
                queued.add(item[1])
                heapq.heappush(waiting, item)

    def report(self, decisions: tuple[Decision, ...], chunks: int) -> Resolved:
        """Return the counts of the names that were asked for."""
        now = [self._now(one) for one in self._seen]
        merged = [one for one in now if one is not None and one.state == "merged" and one.by != "person"]
        person = sum(one is not None and one.by == "person" for one in now)
        return Resolved(
            names=len(now),
            merged=len(merged),
            alone=len(now) - len(merged) - person,
            by_person=person,
            by=dict(sorted(Counter(one.by for one in merged).items())),
            left=dict(sorted(Counter(self._left.values()).items())),
            new=sum(one.state == "merged" for one in decisions),
            withdrawn=sum(one.state == "withdrawn" for one in decisions),
            chunks=chunks,
            decisions=decisions,
        )

    def _decide(self, one: str) -> bool:
        """Decide about a name; return whether it became a leader or is one no more."""
        former = self._now(one)
        if former is not None and former.by == "person":
            return False
        chosen = self._leader(one)
        known = self._alike.known(one)
        stored = known.decision if known else None
        if chosen == (stored and stored.model_copy(update={"type": None})):
            self.made[one] = None
        elif chosen is not None:
            self.made[one] = chosen
        elif stored is not None:
            self.made[one] = stored.model_copy(update={"state": "withdrawn"})
        return (former is None) != (chosen is None)

    def _leader(self, one: str) -> Decision | None:
        """The decision for the best leader: of those by the name's own letters the most alike, else the only one."""
        place = (rank(name(label(one))), one)
        found = []
        for other in self._alike.candidates(one):
            if (rank(name(label(other))), other) < place and self._leads(other, one):
                verdict = self._verdict(one, other)
                found += [verdict] if isinstance(verdict, Decision) else []
                self._left |= {(one, other): verdict} if isinstance(verdict, str) else {}
        sure = [one for one in found if one.by in ("exact", "lexical")]
        if not sure and len(found) > 1:
            self._left |= {(one, each.into): "several would fit" for each in found}
            return None
        return min(sure or found, key=lambda one: (-one.score, rank(name(one.label)), one.into), default=None)

    def _leads(self, other: str, one: str) -> bool:
        """True of a name that stands for itself, or that a person lets stand for a third one."""
        decision = self._now(other)
        if decision is None:
            return True
        if decision.by != "person" or decision.state == "split":
            return False
        while decision is not None and decision.state == "merged":
            if decision.into == one:
                return False
            decision = self._now(decision.into)
        return True

    def _now(self, one: str) -> Decision | None:
        """What is decided about a name as of now; None of one that stands for itself without a decision."""
        made = self.made.get(one)
        if made is None:
            known = self._alike.known(one) if one.startswith(LOCAL) else None
            made = known.decision if known else None
        return made if made is not None and made.state != "withdrawn" else None

    def _verdict(self, one: str, other: str) -> Decision | str | None:
        """Merge a name into a leader, or say why not; None where they do not resemble each other."""
        spelt = name(label(one)), name(label(other))
        found = way(*spelt)
        if found is None:
            return None
        types = {known.type for known in map(self._alike.known, (one, other)) if known and known.type}
        if reason := forbidden(*spelt) or ("other classes" if len(types) > 1 else ""):
            return reason
        return self._measured(one, other, *found) or "not alike enough"

    def _measured(self, one: str, other: str, how: Way, likeness: float) -> Decision | None:
        """Merge a name into a leader that it resembles in a way, where it does so enough."""
        if how == "form":
            return _merged(one, other, how, likeness, "with its legal form or its bracket, and without")
        if how in ("exact", "lexical") and is_vague(name(label(one)), name(label(other))):
            return self._in_common(one, other, "the same common words")
        if how in ("exact", "lexical"):
            words = "the same words" if how == "exact" else f"letters alike, {likeness:.2f}"
            return _merged(one, other, how, likeness, words) if likeness >= self._limits.lexical else None
        if how == "acronym" and self._explained(*_shorter_first(one, other)):
            return _merged(one, other, "context", 1.0, "a text says what it is short for")
        cosine = max(
            self._alike.cosine(spelt, other) for spelt in (self._spellings(one) if how == "acronym" else [one])
        )
        what = {"longer": "the name with more to it", "acronym": "what it is short for"}[how]
        if cosine >= (self._limits.longer if how == "longer" else self._limits.acronym):
            return _merged(one, other, "vector", round(cosine, 3), f"{what}, vectors alike")
        return self._in_common(one, other, what)

    def _explained(self, short: str, longer: str) -> bool:
        """Whether a text says what an abbreviation is short for, in any of the two names' spellings."""
        pairs = ((one, other) for one in self._spellings(short) for other in self._spellings(longer))
        return any(self._alike.explained(*pair) for pair in pairs)

    def _spellings(self, one: str) -> list[str]:
        """A name and those that only write it otherwise: "BC" and "B.C."."""
        spelt = name(label(one))
        others = ((other, name(label(other))) for other in self._alike.candidates(one))
        return [one, *(other for other, of in others if of.joined == spelt.joined and not forbidden(spelt, of))]

    def _in_common(self, one: str, other: str, what: str) -> Decision | None:
        """Merge two names of which enough of the same is said."""
        shared = self._alike.shared(one, other)
        evidence = f"{what}, {shared} facts in common"
        found = _merged(one, other, "context", round(shared / (shared + 1), 3), evidence)
        return found if shared >= self._limits.shared else None

    def _prepare(self, page: Sequence[str]) -> None:
        """Read what verdicts about names will want: who is alike, and of weak pairs vectors and facts."""
        self._alike.read(page)
        weak = {
            (one, other): found[0]
            for one in page
            for other in self._alike.candidates(one)
            if (found := way(*(spelt := (name(label(one)), name(label(other))))))
            and (found[0] in ("longer", "acronym") or is_vague(*spelt))
            and not forbidden(*spelt)
        }  # fmt: skip
        short = (_shorter_first(*pair) for pair, how in weak.items() if how == "acronym")
        self._alike.read_explained(
            (one, other) for pair in short for one in self._spellings(pair[0]) for other in self._spellings(pair[1])
        )
        both = {end for pair in weak for end in pair}
        self._alike.embed(both)
        self._alike.read_said(both)


def _shorter_first(one: str, other: str) -> tuple[str, str]:
    return (one, other) if len(label(one)) < len(label(other)) else (other, one)


def _merged(one: str, other: str, by: str, score: float, evidence: str) -> Decision:
    known = {"name": one, "into": other, "label": label(other), "by": by, "score": score, "evidence": evidence}
    return Decision.model_validate(known | {"kind": "entity"})


def _all(graph: Graph, corpus: str) -> Iterator[str]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/names_of_corpus", after=after, until=code + "~", limit=PAGE):
        yield from (row["name"] for row in rows)
        after = rows[-1]["key"]


def _pages(names: Iterable[str]) -> Iterator[list[str]]:
    page: list[str] = []
    for one in names:
        page.append(one)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page
