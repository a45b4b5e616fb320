"""Where the graph's changes can have changed a subgraph: the groups at which a refresh enumerates again.

Writing transactions record the facts that they wrote, restated or withdrew (C). A row (a question's worth of a pattern)
is anchored at the group of its first fact: (subject, relation), "sr", or (relation, object), "ro". It is a function of

1. the facts of its readings, whether listed or not, and their statements;
2. the classes of the entities on them: where a load gave an entity another class, all its facts count as changed;
3. counters: `single` and the conditional patterns ask whether a group has one member, `isolated` whether an entity has
   one fact. Between two refreshes that can only change for a group whose members are, but for one at most, in C; the
   one that is not counts as changed too (`_companions`);
4. whether a bridge's degree is above the limit: it changes by facts of C at the bridge.

So let f be a changed fact. Rows of one fact and sets: f is a member of the anchor, that is sr(f) or ro(f). Two facts
(and three that meet in one bridge): either f is in the anchor's group, or f is beside the bridge b, and the anchor is
the group of another fact at b: sr of one that enters b, ro of one that leaves it. Whether f enters or leaves b follows
from the pattern (`WALKS`), but where b's degree may have crossed the limit it does not matter how f lies. A chain of
three has its anchor at one bridge more: f is beside the second, and the anchor leads to a neighbour of it.

A row of two facts is more exactly a function of its anchor's group and of the facts with its second relation at the
bridges of that group. So of the rows at an anchor only those can have changed whose second relation is that of f, where
f is beside the bridge, or one that b has, or had, where f leads from the anchor to b (or where b may have crossed the
limit). Groups come with these relations; None says all, which is taken where b is a hub and for three facts.

A hub is a bridge whose degree is above the limit and was (its degree less all facts of C there). A row that is listed,
now or before, has a reading all of whose bridges are small, so a group on the way to the hub has another member. If it
has none now, it lost one: then the group itself is in C. Hence groups of one member are left out at hubs.

Two patterns look further. Where each condition has to be needed, a star of three asks who else meets two of them, at
whatever anchor: so the members of f's group, if they are no hubs, count as bridges too. A comparison asks for the next
subjects that have its relation: so all groups by f's relation that lead to a value are anchors.

Nothing else is in the definition of a row, so a row at any other anchor is what it was. Enumerated everywhere is
pluri_hop, whose rows look at documents, as does a window of publication: selection.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field

from kgservice import keys
from kgservice.graph.store import Graph
from kgservice.model import Record
from kgservice.questions import stored
from kgservice.questions.enumerate import PATTERNS, Anchors, Choice

Side = Literal["sr", "ro"]
Lies = Literal["leaves", "enters"]


class Walk(NamedTuple):
    """Which group of its first fact a statement is anchored at, and how the facts after the first lie at a bridge."""

    side: Side
    lies: Lies | None = None
    facts: int = 2


WALKS = {
    "single_object": Walk("sr"), "set_of_objects": Walk("sr"),
    "single_subject": Walk("ro"), "set_of_subjects": Walk("ro"),
    "chain_last": Walk("sr", "leaves"), "conditional_chain": Walk("sr", "leaves"),
    "chain_first": Walk("ro", "enters"),
    "star": Walk("ro", "leaves"), "conditional_star": Walk("ro", "leaves"),
    "inverted_star": Walk("sr", "enters"), "conditional_inverted_star": Walk("sr", "enters"),
    "chain3_last": Walk("sr", "leaves", 3), "chain3_first": Walk("ro", "enters", 3),
    "star3": Walk("ro", "leaves", 3), "inverted_star3": Walk("sr", "enters", 3),
    "comparison": Walk("sr"),
}  # fmt: skip
TWO_AWAY = frozenset({"chain3_last", "chain3_first"})
EACH_PAIR = frozenset({"star3", "inverted_star3"})  # each_needed asks who meets two conditions, anchored here or not
_FACT = 2 * keys.GROUP + keys.KEY  # characters of a recorded fact; the document behind it follows
SLICE = 5_000  # keys a query

ChangedFact = tuple[str, str, str]  # sr, ro, key
Bridge = dict[str, Any]  # {key, hub}
Codes = frozenset[str] | None  # of relations; None: of all


class Changes(Record):
    """What was recorded since the last refresh: the records' keys, facts, and entities that got another class.

    `documents`: what was done to which documents ("changed: report.md"), by the key of a fact that it touched.
    """

    records: tuple[str, ...]
    facts: frozenset[ChangedFact]
    retyped: frozenset[str]
    documents: dict[str, frozenset[str]] = Field(default_factory=dict)


def changes(graph: Graph, corpus: str) -> Changes:
    """Return what writing transactions recorded for a corpus."""
    rows = stored.changes(graph, corpus)
    documents: dict[str, set[str]] = defaultdict(set)
    for recorded in (fact for row in rows for fact in row["facts"]):
        if behind := recorded[_FACT:]:
            documents[_split(recorded)[2]].add(behind)
    return Changes(
        records=tuple(row["key"] for row in rows),
        facts=frozenset(_split(fact) for row in rows for fact in row["facts"]),
        retyped=frozenset(entity for row in rows for entity in row["retyped"]),
        documents={key: frozenset(behind) for key, behind in documents.items()},
    )


def affected(graph: Graph, found: Changes, patterns: Iterable[str], choice: Choice) -> Mapping[str, Anchors]:
    """Return where rows of these patterns may have come, gone or changed: anchors by statement.

    A statement that is absent looks at more than facts: any of its rows may have changed.
    """
    facts = set(found.facts) | _facts(graph, "questions/facts_of", entities=sorted(found.retyped))
    facts |= _companions(graph, facts, choice)
    names = {statement.name for pattern in patterns for statement in PATTERNS[pattern].values()} & WALKS.keys()
    bridges = _Bridges(graph, facts, choice.max_pivot_degree)
    anchors = {name: bridges.anchors(name) for name in sorted(names)}
    for name in EACH_PAIR & names if choice.each_needed else ():
        anchors[name] |= dict.fromkeys(bridges.beside_members(WALKS[name].side), None)
    if "comparison" in names:
        anchors["comparison"] |= dict.fromkeys(_of_values(graph, facts), None)
    return anchors


class _Bridges:
    """The ends of changed facts as bridges of subgraphs."""

    def __init__(self, graph: Graph, facts: set[ChangedFact], limit: int) -> None:
        self._graph, self._facts, self._limit = graph, facts, limit
        self._changed = _ends(facts)
        self._codes: dict[Lies, dict[str, set[str]]] = {"leaves": defaultdict(set), "enters": defaultdict(set)}
        for sr, ro, _ in facts:
            self._codes["leaves"][sr[: keys.KEY]].add(sr[keys.KEY :])
            self._codes["enters"][ro[: keys.KEY]].add(ro[keys.KEY :])
        self._degree: dict[str, int] = {
            row["key"]: row["degree"] for row in _sliced(graph, "questions/entities_changed", "entities", self._changed)
        }
        self._relations = self._read_relations()
        self._ways: dict[Lies, list[Any]] = {}

    def anchors(self, name: str) -> dict[str, Codes]:
        """Return the anchors of a statement with the second relations of the rows that may have changed there."""
        side, lies, facts = WALKS[name]
        if lies is None:
            return dict.fromkeys((fact[side == "ro"] for fact in self._facts), None)
        found: dict[str, set[str] | None] = {}
        for fact in self._facts:
            _add(found, fact[side == "ro"], self._at(fact[side == "sr"][: keys.KEY], lies))
        for row in self._beside(lies):
            if row["side"] == side:
                _add(found, row["anchor"], self._moved(row["bridge"], lies))
        if name in TWO_AWAY:
            found |= dict.fromkeys(self._two_away(lies, side), None)
        return {key: None if codes is None or facts > 2 else frozenset(codes) for key, codes in found.items()}

    def _at(self, bridge: str, lies: Lies) -> set[str] | None:
        """The relations that a bridge has or had; of a hub all."""
        if bridge in self._degree and self._is_hub(bridge):
            return None
        return self._relations[lies].get(bridge, set()) | self._codes[lies].get(bridge, set())

    def _moved(self, bridge: str, lies: Lies) -> set[str] | None:
        """The relations of changed facts at a bridge; all that it has where its degree may have crossed the limit."""
        return self._at(bridge, lies) if self._may_have_crossed(bridge) else self._codes[lies][bridge]

    def _read_relations(self) -> dict[Lies, dict[str, set[str]]]:
        found: dict[Lies, dict[str, set[str]]] = {"leaves": {}, "enters": {}}
        small = sorted(key for key in self._degree if not self._is_hub(key))
        for row in _sliced(self._graph, "questions/relations_at", "entities", small):
            found["leaves"][row["key"]], found["enters"][row["key"]] = set(row["leaves"]), set(row["enters"])
        return found

    def _beside(self, lies: Lies) -> list[Any]:
        """The groups that lead to the bridges which changed facts leave or enter: {bridge, side, anchor}."""
        if lies not in self._ways:
            self._ways[lies] = _sliced(self._graph, "questions/anchors_beside", "bridges", self._touched(lies))
        return self._ways[lies]

    def _two_away(self, lies: Lies, side: Side) -> set[str]:
        """The anchors that lead to the bridges of `_beside` by one bridge more."""
        rows = _sliced(
            self._graph, "questions/anchors_two_away", "bridges", self._touched(lies),
            side=side, max_pivot_degree=self._limit, changed=self._changed,
        )  # fmt: skip
        return {row["anchor"] for row in rows}

    def beside_members(self, side: Side) -> set[str]:
        """The groups of a side that lead to the members, hubs aside, of the changed groups of that side."""
        groups = sorted({fact[side == "ro"] for fact in self._facts})
        rows = _sliced(
            self._graph, "questions/anchors_beside_members", "groups", groups, side=side, max_pivot_degree=self._limit
        )
        return {row["anchor"] for row in rows}

    def _touched(self, lies: Lies) -> list[Bridge]:
        chosen = self._codes[lies].keys() | {key for key in self._degree if self._may_have_crossed(key)}
        return [{"key": key, "hub": self._is_hub(key)} for key in sorted(chosen & self._degree.keys())]

    def _is_hub(self, key: str) -> bool:
        return self._degree[key] - self._changed[key] > self._limit

    def _may_have_crossed(self, key: str) -> bool:
        return abs(self._degree[key] - self._limit - 0.5) < self._changed[key]


def _add(found: dict[str, set[str] | None], anchor: str, codes: set[str] | None) -> None:
    known = found.setdefault(anchor, set())
    found[anchor] = None if known is None or codes is None else known | codes


def _companions(graph: Graph, facts: set[ChangedFact], choice: Choice) -> set[ChangedFact]:
    """The unchanged facts that may have become, or ceased to be, alone in a group (or at an entity)."""
    found: set[ChangedFact] = set()
    groups = {side: _numbered(Counter(fact[index] for fact in facts)) for index, side in enumerate(("sr", "ro"))}
    members: dict[tuple[str, str], set[ChangedFact]] = {}
    rows = _sliced(graph, "questions/small_groups", "subjects", groups["sr"], objects=[])
    rows += _sliced(graph, "questions/small_groups", "objects", groups["ro"], subjects=[])
    for row in rows:
        members.setdefault((row["side"], row[row["side"]]), set()).add((row["sr"], row["ro"], row["key"]))
    for group in members.values():
        if len(unchanged := group - facts) == 1:
            found |= unchanged
    if choice.isolated:
        found |= _facts(graph, "questions/small_entities", entities=_numbered(_ends(facts)))
    return found - facts


def _of_values(graph: Graph, facts: set[ChangedFact]) -> set[str]:
    """The groups that lead to a number or a date by the relation of a changed fact."""
    corpora = {sr[: keys.CODE] for sr, _, _ in facts}
    codes = sorted({sr[keys.KEY :] for sr, _, _ in facts})
    rows = (
        row
        for code in corpora
        for row in graph.read("questions/groups_of_values", code=code, until=code + "~", relations=codes)
    )
    return {row["anchor"] for row in rows}


def _split(recorded: str) -> ChangedFact:
    return recorded[: keys.GROUP], recorded[keys.GROUP : 2 * keys.GROUP], recorded[2 * keys.GROUP : _FACT]


def _ends(facts: Iterable[ChangedFact]) -> Counter[str]:
    """The number of changed facts of each entity, as subject and as object."""
    return Counter(group[: keys.KEY] for fact in facts for group in fact[:2])


def _numbered(counted: Counter[str]) -> list[dict[str, Any]]:
    return [{"key": key, "changed": number} for key, number in sorted(counted.items())]


def _facts(graph: Graph, name: str, entities: list[Any]) -> set[ChangedFact]:
    return {(row["sr"], row["ro"], row["key"]) for row in _sliced(graph, name, "entities", entities)}


def _sliced(graph: Graph, name: str, parameter: str, values: Iterable[Any], **others: Any) -> list[Any]:
    return list(_rows(graph, name, parameter, list(values), others))


def _rows(graph: Graph, name: str, parameter: str, values: list[Any], others: dict[str, Any]) -> Iterator[Any]:
    for start in range(0, len(values), SLICE):
        yield from graph.read(name, **{parameter: values[start : start + SLICE]}, **others)
