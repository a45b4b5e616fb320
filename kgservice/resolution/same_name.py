"""Entity resolution inside a corpus by exact, lexical, vector and context tests. Each merge is a decision to undo.

Names are ordered by `spelling.rank`. Each name either merges into a leader before it that passes `_verdict`, a test of
the two alone, or is a leader itself. So every merge is a tested pair, a group spans one step from its leader, and the
outcome does not depend on the order of arrival. A new name is compared with names of similar spelling. Of these, only
names whose leader came or went are compared again, so the cost is that of the new names.
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
# From what on two names are one, chosen on the first half of tests/data/entity_pairs.jsonl: the similarity of their
# letters, the cosine of the vectors of a longer name and of an acronym, the facts that both have.
LEXICAL, LONGER, ACRONYM, SHARED = 0.93, 0.9, 0.7, 2


class Resolved(Record):
    """The counts of a run: names in = merged + alone + by_person.

    `by` counts merges, `left` pairs that were not merged.
    """

    names: int
    merged: int
    alone: int
    by_person: int
    by: dict[str, int]
    left: dict[str, int]
    new: int = Field(description="new or changed decisions")
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
    advance: Callable[[str, int], None] = lambda stage, count: None,
) -> Resolved:
    """Merge names of a corpus and update their facts, for all names or only for new ones (`names`, ids).

    Returns the counts. Raises NotFound if the corpus does not exist.
    """
    graph.check_corpus(corpus)
    alike, new = Alike(graph, corpus, embedder), None if names is None else sorted(set(names))
    for page in _pages(_all(graph, corpus) if new is None else new):
        alike.register(page)  # all before the first comparison, so that blocks are read once
    run = _Run(alike)
    for page in _pages(_all(graph, corpus) if new is None else new):
        run.look_at(page)
        advance("names", len(page))
    decisions = [decision for _, decision in sorted(run.made.items()) if decision is not None]
    chunks = 0
    for start in range(0, 0 if dry_run else len(decisions), BATCH):
        batch = decisions[start : start + BATCH]
        decided = graph.decide(corpus, batch)
        chunks += decided.chunks
        run.drop({one.name for one in batch} - {one.name for one in decided.decisions})
        advance("decisions", len(batch))
    return run.report(chunks)


class _Run:
    """One run over names: its decisions, on top of stored ones."""

    def __init__(self, alike: Alike) -> None:
        self._alike = alike
        self.made: dict[str, Decision | None] = {}  # by name; None: it went back to what is stored
        self._seen: set[str] = set()
        self._left: dict[tuple[str, str], str] = {}

    def look_at(self, page: Sequence[str]) -> None:
        """Decide about names, and about later ones that this may change."""
        self._prepare(page)
        queued = {id_ for id_ in page if self._alike.known(id_) is not None}
        self._seen |= queued
        waiting = [(rank(name(label(id_))), id_) for id_ in queued]
        heapq.heapify(waiting)
        requested = frozenset(queued)
        while waiting:
            place, id_ = heapq.heappop(waiting)
            if not self._decide(id_) and id_ not in requested:
                continue
            others = ((rank(name(label(other))), other) for other in self._alike.candidates(id_))
            after = [item for item in others if item > (place, id_) and item[1] not in queued]
            self._prepare([other for _, other in after])
            for item in after:
                queued.add(item[1])
                heapq.heappush(waiting, item)

    def drop(self, names: Iterable[str]) -> None:
        """Take back what was decided about names."""
        self.made |= dict.fromkeys(names)

    def report(self, chunks: int) -> Resolved:
        """Return the counts of the requested names."""
        decisions = tuple(decision for _, decision in sorted(self.made.items()) if decision is not None)
        now = [self._now(decision) for decision in self._seen]
        merged = [
            decision
            for decision in now
            if decision is not None and decision.state == "merged" and decision.by != "person"
        ]
        person = sum(decision is not None and decision.by == "person" for decision in now)
        return Resolved(
            names=len(now),
            merged=len(merged),
            alone=len(now) - len(merged) - person,
            by_person=person,
            by=dict(sorted(Counter(decision.by for decision in merged).items())),
            left=dict(sorted(Counter(self._left.values()).items())),
            new=sum(decision.state == "merged" for decision in decisions),
            withdrawn=sum(decision.state == "withdrawn" for decision in decisions),
            chunks=chunks,
            decisions=decisions,
        )

    def _decide(self, one: str) -> bool:
        """Decide about a name. Return whether it became a leader or stopped being one."""
        former = self._now(one)
        if former is not None and former.by == "person":
            return False
        chosen = self._leader(one)
        entry = self._alike.known(one)
        stored = entry.decision if entry else None
        if chosen == (stored and stored.model_copy(update={"type": None})):
            self.made[one] = None
        elif chosen is not None:
            self.made[one] = chosen
        elif stored is not None:
            self.made[one] = stored.model_copy(update={"state": "withdrawn"})
        return (former is None) != (chosen is None)

    def _leader(self, one: str) -> Decision | None:
        """Return the decision for the best leader, or None.

        The most similar by letters wins, else a single candidate.
        """
        place = (rank(name(label(one))), one)
        verdicts = []
        for other in self._alike.candidates(one):
            if (rank(name(label(other))), other) < place and self._leads(other, one):
                verdict = self._verdict(one, other)
                verdicts += [verdict] if isinstance(verdict, Decision) else []
                self._left |= {(one, other): verdict} if isinstance(verdict, str) else {}
        sure = [one for one in verdicts if one.by in ("exact", "lexical")]
        if not sure and len(verdicts) > 1:
            self._left |= {(one, each.into): "several would fit" for each in verdicts}
            return None
        return min(sure or verdicts, key=lambda one: (-one.score, rank(name(one.label)), one.into), default=None)

    def _leads(self, other: str, one: str) -> bool:
        """Return whether a name is a leader, or is merged by a person into a third name."""
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
        """Return the present decision about a name, or None if it has none."""
        made = self.made.get(one)
        if made is None:
            entry = self._alike.known(one) if one.startswith(LOCAL) else None
            made = entry.decision if entry else None
        return made if made is not None and made.state != "withdrawn" else None

    def _verdict(self, one: str, other: str) -> Decision | str | None:
        """Return the merge of a name into a leader, the reason against it, or None if they are not similar."""
        spelt = name(label(one)), name(label(other))
        resemblance = way(*spelt)
        if resemblance is None:
            return None
        types = {entry.type for entry in map(self._alike.known, (one, other)) if entry and entry.type}
        if reason := forbidden(*spelt) or ("other classes" if len(types) > 1 else ""):
            return reason
        return self._measured(one, other, *resemblance) or "not alike enough"

    def _measured(self, one: str, other: str, how: Way, likeness: float) -> Decision | None:
        """Return the merge of a name into a leader by the way they resemble each other, None below the limit."""
        if how == "form":
            return _merged(one, other, how, likeness, "with its legal form or its bracket, and without")
        if how in ("exact", "lexical") and is_vague(name(label(one)), name(label(other))):
            return self._in_common(one, other, "the same common words")
        if how in ("exact", "lexical"):
            words = "the same words" if how == "exact" else f"letters alike, {likeness:.2f}"
            return _merged(one, other, how, likeness, words) if likeness >= LEXICAL else None
        if how == "acronym" and self._explained(*_shorter_first(one, other)):
            return _merged(one, other, "context", 1.0, "a text says what it is short for")
        cosine = max(
            self._alike.cosine(spelt, other) for spelt in (self._spellings(one) if how == "acronym" else [one])
        )
        what = {"longer": "the name with more to it", "acronym": "what it is short for"}[how]
        if cosine >= (LONGER if how == "longer" else ACRONYM):
            return _merged(one, other, "vector", round(cosine, 3), f"{what}, vectors alike")
        return self._in_common(one, other, what)

    def _explained(self, short: str, longer: str) -> bool:
        """Return whether a text explains an abbreviation as the longer name, in any spelling of the two."""
        pairs = ((one, other) for one in self._spellings(short) for other in self._spellings(longer))
        return any(self._alike.explained(*pair) for pair in pairs)

    def _spellings(self, one: str) -> list[str]:
        """Return a name and its other spellings: "BC" and "B.C."."""
        spelt = name(label(one))
        others = ((other, name(label(other))) for other in self._alike.candidates(one))
        return [one, *(other for other, of in others if of.joined == spelt.joined and not forbidden(spelt, of))]

    def _in_common(self, one: str, other: str, what: str) -> Decision | None:
        """Return the merge of two names that share enough facts, or None."""
        shared = self._alike.shared(one, other)
        evidence = f"{what}, {shared} facts in common"
        merge = _merged(one, other, "context", round(shared / (shared + 1), 3), evidence)
        return merge if shared >= SHARED else None

    def _prepare(self, page: Sequence[str]) -> None:
        """Read the data for verdicts about names: similar names and, for weak pairs, vectors and facts."""
        self._alike.read(page)
        weak = {
            (one, other): resemblance[0]
            for one in page
            for other in self._alike.candidates(one)
            if (resemblance := way(*(spelt := (name(label(one)), name(label(other))))))
            and (resemblance[0] in ("longer", "acronym") or is_vague(*spelt))
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
    fields = {"name": one, "into": other, "label": label(other), "by": by, "score": score, "evidence": evidence}
    return Decision.model_validate(fields | {"kind": "entity"})


def _all(graph: Graph, corpus: str) -> Iterator[str]:
    after = code = keys.corpus_code(corpus)
    while rows := graph.read("read/names_of_corpus", after=after, until=code + "~", limit=PAGE):
        yield from (row["name"] for row in rows)
        after = rows[-1]["key"]


def _pages(names: Iterable[str]) -> Iterator[list[str]]:
    page: list[str] = []
    for id_ in names:
        page.append(id_)
        if len(page) == PAGE:
            yield page
            page = []
    if page:
        yield page
