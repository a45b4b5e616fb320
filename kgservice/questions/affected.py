"""Where the graph's changes can have changed a subgraph: the groups at which a refresh enumerates again.

Writing transactions record the facts that they wrote, restated or withdrew (C); where a load gave an entity another
class, all its facts count as changed. A counter says whether a group has one member, or an entity one fact. Between two
refreshes that can only change where the members are, but for one at most, in C; the one that is not counts as changed
too (`_companions`).

A row is anchored at the group of its first fact: (subject, relation), "sr", or (relation, object), "ro". A row of a
definite pattern is a function of its own facts, their statements (a table's or not), counters and ends, and of whether
its bridges have more facts than the limit. So it has a changed fact or a bridge that may have crossed the limit, and it
is anchored at

1. the group of a changed fact;
2. a group of one member that leads to a bridge where a changed fact lies as the pattern's second fact does (`WALKS`):
   of the rows there only those can have changed whose second relation is that fact's;
3. a group of one member that leads to a bridge that may have crossed the limit, whatever the second relation;
4. chains of three: such a group one bridge further.

A hub, a bridge that is above the limit and was, is on no row and leads nowhere. In the conditional patterns and stars
of three it can be a rival of the asked entity. The changed fact at the hub is then in a group with a fact of the asked
entity, so the members of that group, if they are no hubs, are taken for the bridges: the hub itself is never expanded.
Groups come with the codes of the second relations; None says all, which is taken for three facts.

Two patterns look further. Where each condition has to be needed, a star of three asks who else meets two of them, at
whatever anchor: so the members of f's group, if they are no hubs, count as bridges too. A comparison asks for the next
subjects that have its relation: so of the groups by f's relation that lead to a value those just before f's are
anchors, as many of each kind of value as a subject has partners.

Enumerated everywhere is pluri_hop, whose rows look at documents, as does a window of publication: selection.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from pydantic import Field

from kgservice.core import keys
from kgservice.core.records import Record
from kgservice.graph.store import Graph
from kgservice.questions import question_store
from kgservice.questions.patterns import DEFINITE, PATTERNS, Anchors, SubgraphOptions
from kgservice.questions.wording.relation_questions import schema_in_use

Side = Literal["sr", "ro"]
Lies = Literal["leaves", "enters"]


class GroupWalk(NamedTuple):
    """Which group of its first fact a statement is anchored at, and how the facts after the first lie at a bridge."""

    side: Side
    lies: Lies | None = None
    facts: int = 2


WALKS = {
    "single_object": GroupWalk("sr"), "set_of_objects": GroupWalk("sr"),
    "single_subject": GroupWalk("ro"), "set_of_subjects": GroupWalk("ro"),
    "chain_last": GroupWalk("sr", "leaves"), "conditional_chain": GroupWalk("sr", "leaves"),
    "chain_first": GroupWalk("ro", "enters"),
    "star": GroupWalk("ro", "leaves"), "conditional_star": GroupWalk("ro", "leaves"),
    "inverted_star": GroupWalk("sr", "enters"), "conditional_inverted_star": GroupWalk("sr", "enters"),
    "chain3_last": GroupWalk("sr", "leaves", 3), "chain3_first": GroupWalk("ro", "enters", 3),
    "star3": GroupWalk("ro", "leaves", 3), "inverted_star3": GroupWalk("sr", "enters", 3),
    "comparison": GroupWalk("sr"),
}  # fmt: skip
TWO_AWAY = frozenset({"chain3_last", "chain3_first"})
EACH_PAIR = frozenset({"star3", "inverted_star3"})  # each_needed asks who meets two conditions, anchored here or not
_FACT = 2 * keys.GROUP + keys.KEY  # characters of a recorded fact; the document behind it follows
SLICE = 5_000  # keys a query

ChangedFact = tuple[str, str, str]  # sr, ro, key
Codes = frozenset[str] | None  # of relations; None: of all


class Changes(Record):
    """What was recorded since the last refresh: the records' keys, facts, entities that got another class.

    `passages`: the keys of the chunks that came, went or were restated; `mentioned`: the forms (keys) of the names that
    they mention, or did.

    `documents`: what was done to which documents ("changed: report.md"), by the key of a fact that it touched.
    """

    records: tuple[str, ...]
    facts: frozenset[ChangedFact]
    retyped: frozenset[str]
    mentioned: frozenset[str] = frozenset()
    passages: frozenset[str] = frozenset()
    documents: dict[str, frozenset[str]] = Field(default_factory=dict)


def changes(graph: Graph, corpus: str) -> Changes:
    """Return what writing transactions recorded for a corpus."""
    rows = question_store.changes(graph, corpus)
    documents: dict[str, set[str]] = defaultdict(set)
    for recorded in (fact for row in rows for fact in row["facts"]):
        if behind := recorded[_FACT:]:
            documents[_split(recorded)[2]].add(behind)
    return Changes(
        records=tuple(row["key"] for row in rows),
        facts=frozenset(_split(fact) for row in rows for fact in row["facts"]),
        retyped=frozenset(entity for row in rows for entity in row["retyped"]),
        mentioned=frozenset(form for row in rows for form in row["mentioned"]),
        passages=frozenset(chunk for row in rows for chunk in row["passages"]),
        documents={key: frozenset(behind) for key, behind in documents.items()},
    )


def affected(graph: Graph, found: Changes, patterns: Iterable[str], choice: SubgraphOptions) -> Mapping[str, Anchors]:
    """Return where rows of these patterns may have come, gone or changed: anchors by statement.

    A statement that is absent looks at more than facts: any of its rows may have changed.
    """
    facts = set(found.facts) | facts_of(graph, found.retyped)
    facts |= _companions(graph, facts, choice)
    names = {statement.name for pattern in patterns for statement in PATTERNS[pattern].values()} & WALKS.keys()
    bridges = _Bridges(graph, facts, choice.max_pivot_degree)
    anchors = {name: bridges.anchors(name) for name in sorted(names)}
    for name in EACH_PAIR & names if choice.each_needed else ():
        anchors[name] |= dict.fromkeys(bridges.beside_conditions(WALKS[name].side), None)
    if "comparison" in names:
        anchors["comparison"] |= dict.fromkeys(_compared_with(graph, facts, choice.max_partners), None)
    return anchors


def facts_of(graph: Graph, entities: Iterable[str]) -> set[ChangedFact]:
    """Return the facts of entities."""
    return _facts(graph, "questions/facts_of", entities=sorted(entities))


class _Bridges:
    """The ends of changed facts as bridges of subgraphs, or as rivals of these."""

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
        self._ways: dict[Lies, list[Any]] = {}

    def anchors(self, name: str) -> dict[str, Codes]:
        """Return the anchors of a statement with the second relations of the rows that may have changed there."""
        side, lies, facts = WALKS[name]
        found: dict[str, Codes] = {fact[side == "ro"]: None for fact in self._facts}
        if lies is None:
            return found
        for row in self._beside(lies):
            anchor, bridge = row["anchor"], row["bridge"]
            if row["side"] != side or (name in DEFINITE and row["members"] > 1):
                continue
            every = facts > 2 or self._may_have_crossed(bridge)
            found[anchor] = _joined(found, anchor, None if every else self._codes[lies][bridge])
        if name in TWO_AWAY:
            found |= dict.fromkeys(self._two_away(lies, side), None)
        if name not in DEFINITE:
            for row in self._beside_rivals(lies, side):
                code = frozenset((row["group"][keys.KEY :],))
                found[row["anchor"]] = _joined(found, row["anchor"], None if facts > 2 else code)
        return found

    def _beside(self, lies: Lies) -> list[Any]:
        """The groups that lead to the bridges which changed facts leave or enter: {bridge, side, anchor, members}."""
        if lies not in self._ways:
            self._ways[lies] = _sliced(self._graph, "questions/anchors_beside", "bridges", self._touched(lies))
        return self._ways[lies]

    def _beside_rivals(self, lies: Lies, side: Side) -> list[Any]:
        """The groups of a side that lead to what shares the group of a changed fact with a hub: {group, anchor}.

        Such a group holds the hub too if the hub is a rival, so it has more than one member.
        """
        of = 1 if lies == "leaves" else 0
        groups = {fact[of] for fact in self._facts if self._is_hub(fact[1 - of][: keys.KEY])}
        return [row for row in self._beside_members(groups, ("sr", "ro")[of], side) if row["members"] > 1]

    def beside_conditions(self, side: Side) -> set[str]:
        """The groups of a side that lead to the members, hubs aside, of the changed groups of that side."""
        return {row["anchor"] for row in self._beside_members({fact[side == "ro"] for fact in self._facts}, side, side)}

    def _beside_members(self, groups: set[str], of: str, side: Side) -> list[Any]:
        return _sliced(
            self._graph, "questions/anchors_beside_members", "groups", sorted(groups),
            of=of, side=side, max_pivot_degree=self._limit,
        )  # fmt: skip

    def _two_away(self, lies: Lies, side: Side) -> set[str]:
        """The groups of one member that lead to the bridges of `_beside` by one bridge more."""
        rows = _sliced(
            self._graph, "questions/anchors_two_away", "bridges",
            self._touched(lies), side=side, max_pivot_degree=self._limit, changed=self._changed,
        )  # fmt: skip
        return {row["anchor"] for row in rows}

    def _touched(self, lies: Lies) -> list[str]:
        """The bridges that changed facts leave or enter, and those that may have crossed the limit; no hubs."""
        crossed = {key for key in self._degree if self._may_have_crossed(key)}
        bridges = (self._codes[lies].keys() | crossed) & self._degree.keys()
        return sorted(key for key in bridges if not self._is_hub(key))

    def _is_hub(self, key: str) -> bool:
        return self._degree.get(key, 0) - self._changed[key] > self._limit

    def _may_have_crossed(self, key: str) -> bool:
        return abs(self._degree[key] - self._limit - 0.5) < self._changed[key]


def _joined(anchors: Mapping[str, Codes], anchor: str, codes: Iterable[str] | None) -> Codes:
    known = anchors.get(anchor, frozenset())
    return None if known is None or codes is None else known.union(codes)


def _companions(graph: Graph, facts: set[ChangedFact], choice: SubgraphOptions) -> set[ChangedFact]:
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


def _compared_with(graph: Graph, facts: set[ChangedFact], partners: int) -> set[str]:
    """The groups whose subjects are compared with that of a changed fact: of each kind of value so many before it.

    Between one of these and the first change behind it nothing has changed, so the groups of now tell who was among its
    partners before.
    """
    groups = {sr for sr, _, _ in facts}
    lines: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for code in sorted({sr[: keys.CODE] for sr in groups}):
        for row in _groups_of_values(graph, code, {sr[keys.KEY :] for sr in groups}):
            lines[row["anchor"][keys.KEY :], row["scale"]].append(row["anchor"])
    found = set[str]()
    for (code, _), line in lines.items():
        line.sort()
        for at in (bisect_left(line, sr) for sr in groups if sr[keys.KEY :] == code):
            found.update(line[max(0, at - partners) : at])
    return found


def _groups_of_values(graph: Graph, corpus: str, codes: set[str]) -> Iterator[Any]:
    """Yield the groups of a corpus that can be compared, by relations of these codes; those of a schema by an index."""
    schema = schema_in_use()
    known = {code: name for name in (schema.relations if schema else ()) if (code := keys.relation_code(name)) in codes}
    bounds = {"code": corpus, "until": corpus + "~"}
    if known:
        relations = [{"id": name, "code": code} for code, name in sorted(known.items())]
        yield from graph.read("questions/groups_of_relations", **bounds, relations=relations)
    if others := codes - known.keys():
        yield from graph.read("questions/groups_of_values", **bounds, codes=sorted(others))


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
