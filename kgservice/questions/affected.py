"""Where the graph's changes can have changed a subgraph: the group keys at which a refresh enumerates again.

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
from the pattern (`BESIDE`), but where b's degree may have crossed the limit it does not matter how f lies. A chain of
three has its anchor at one bridge more: f is beside the second, and the anchor leads to a neighbour of it.

A hub is a bridge whose degree is above the limit and was (its degree less all facts of C there). A row that is listed,
now or before, has a reading all of whose bridges are small, so a group on the way to the hub has another member. If it
has none now, it lost one: then the group itself is in C. Hence groups of one member are left out at hubs.

Nothing else is in the definition of a row, so a row at any other anchor is what it was. Enumerated everywhere are the
patterns whose rows look further: comparison (the next subjects of its relation) and, where each condition has to be
needed, the stars of three (who else meets two of them). A window of publication looks at documents: selection.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from kgservice import keys
from kgservice.graph.queries import anchor_side
from kgservice.graph.store import Graph
from kgservice.model import Record
from kgservice.questions import stored
from kgservice.questions.enumerate import PATTERNS, Choice

OWN = frozenset({"single_object", "single_subject", "set_of_objects", "set_of_subjects"})
BESIDE: dict[str, Literal["leaves", "enters"]] = {  # how the facts after the first lie at their bridge
    "chain_last": "leaves", "chain_first": "enters", "star": "leaves", "inverted_star": "enters",
    "conditional_chain": "leaves", "conditional_star": "leaves", "conditional_inverted_star": "enters",
    "chain3_last": "leaves", "chain3_first": "enters", "star3": "leaves", "inverted_star3": "enters",
}  # fmt: skip
TWO_AWAY = frozenset({"chain3_last", "chain3_first"})
EACH_PAIR = frozenset(
    {"star3", "inverted_star3"}
)  # each_needed asks who meets two conditions, beside the anchor or not
SLICE = 5_000  # keys a query

ChangedFact = tuple[str, str, str]  # sr, ro, key
Bridge = dict[str, Any]  # {key, hub}


class Changes(Record):
    """What was recorded since the last refresh: the records' keys, facts, and entities that got another class."""

    records: tuple[str, ...]
    facts: frozenset[ChangedFact]
    retyped: frozenset[str]


def changes(graph: Graph, corpus: str) -> Changes:
    """Return what writing transactions recorded for a corpus."""
    rows = stored.changes(graph, corpus)
    return Changes(
        records=tuple(row["key"] for row in rows),
        facts=frozenset(_split(fact) for row in rows for fact in row["facts"]),
        retyped=frozenset(entity for row in rows for entity in row["retyped"]),
    )


class Affected(Record):
    """Where rows may have come, gone or changed: anchors by statement, and the keys of the facts that changed.

    Statements that look further than their anchor's neighbourhood are absent: any of their rows may have changed. At
    the anchors, a row without a changed fact is what it was if it was there with as many readings.
    """

    anchors: dict[str, frozenset[str]]
    facts: frozenset[str]


def affected(graph: Graph, found: Changes, patterns: Iterable[str], choice: Choice) -> Affected:
    """Return where changes can have an effect on the rows of these patterns."""
    facts = set(found.facts) | _facts(graph, "questions/facts_of", entities=sorted(found.retyped))
    facts |= _companions(graph, facts, choice)
    names = {statement.name for pattern in patterns for statement in PATTERNS[pattern].values()}
    if choice.each_needed:
        names -= EACH_PAIR
    own = {"sr": frozenset(sr for sr, _, _ in facts), "ro": frozenset(ro for _, ro, _ in facts)}
    anchors = {name: own[anchor_side(name)] for name in names & OWN}
    bridges = _Bridges(graph, facts, choice.max_pivot_degree)
    for lies in ("leaves", "enters"):
        here = sorted(name for name in names if BESIDE.get(name) == lies)
        found_beside = bridges.beside(lies) if here else {}
        for name in here:
            side = anchor_side(name)
            further = bridges.two_away(lies, side) if name in TWO_AWAY else frozenset()
            anchors[name] = own[side].union(found_beside[side], further)
    return Affected(anchors=anchors, facts=frozenset(key for _, _, key in facts))


class _Bridges:
    """The ends of changed facts as bridges of subgraphs."""

    def __init__(self, graph: Graph, facts: set[ChangedFact], limit: int) -> None:
        self._graph, self._limit = graph, limit
        self._changed = _ends(facts)
        self._lies = {
            "leaves": {sr[: keys.KEY] for sr, _, _ in facts},
            "enters": {ro[: keys.KEY] for _, ro, _ in facts},
        }
        self._degree: dict[str, int] = {
            row["key"]: row["degree"] for row in _sliced(graph, "questions/entities_changed", "entities", self._changed)
        }

    def beside(self, lies: str) -> dict[str, set[str]]:
        """Return the anchors, by side, that lead to the bridges which changed facts leave or enter."""
        anchors: dict[str, set[str]] = {"sr": set(), "ro": set()}
        for row in _sliced(self._graph, "questions/anchors_beside", "bridges", self._at(lies)):
            anchors[row["side"]].add(row["anchor"])
        return anchors

    def two_away(self, lies: str, side: str) -> frozenset[str]:
        """Return the anchors that lead to the bridges of `beside` by one bridge more."""
        rows = _sliced(
            self._graph, "questions/anchors_two_away", "bridges", self._at(lies),
            side=side, max_pivot_degree=self._limit, changed=self._changed,
        )  # fmt: skip
        return frozenset(row["anchor"] for row in rows)

    def _at(self, lies: str) -> list[Bridge]:
        chosen = self._lies[lies] | {key for key in self._degree if self._may_have_crossed(key)}
        return [{"key": key, "hub": self._is_hub(key)} for key in sorted(chosen & self._degree.keys())]

    def _is_hub(self, key: str) -> bool:
        return self._degree[key] - self._changed[key] > self._limit

    def _may_have_crossed(self, key: str) -> bool:
        return abs(self._degree[key] - self._limit - 0.5) < self._changed[key]


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


def _split(recorded: str) -> ChangedFact:
    return recorded[: keys.GROUP], recorded[keys.GROUP : 2 * keys.GROUP], recorded[2 * keys.GROUP :]


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
