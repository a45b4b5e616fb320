"""The patterns by brute force, straight from their definition (design: section 3); slow and obviously right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import NamedTuple

from kgservice.questions.enumerate import PATTERNS, Choice


class Arc(NamedTuple):
    """A canonical fact."""

    subject: str
    relation: str
    object: str


Graph = dict[Arc, set[str]]  # a fact and the chunks that state it
Row = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], frozenset[tuple[Arc, ...]]]

DEFINED = tuple(pattern for pattern in PATTERNS if pattern != "pluri_hop")  # that one is defined on documents: its test

# the arms of each shape: the node that is their subject, the node that is their object
SHAPES: dict[str, tuple[str, ...]] = {
    "chain": ("ab", "bc"),
    "star": ("ba", "bc"),
    "inverted_star": ("ab", "cb"),
    "chain3": ("ab", "bc", "cd"),
    "star3": ("ba", "bc", "bd"),
    "inverted_star3": ("ab", "cb", "db"),
}


@dataclass(frozen=True)
class Known:
    """What the filters and comparisons look at, by name; `published` by document, the first 20 characters of chunks."""

    types: dict[str, str] = field(default_factory=dict)
    values: dict[str, tuple[str, float | str | None, str | None]] = field(default_factory=dict)
    published: dict[str, date | None] = field(default_factory=dict)
    novel: frozenset[Arc] = frozenset()
    key: Callable[[str], str] = str


def rows(facts: Graph, pattern: str, choice: Choice, known: Known | None = None) -> set[Row]:
    """Return (asked, relations, named, answers, readings) of every row, as the service lists them."""
    known = known or Known()
    if pattern == "single":
        found = _singles(facts, choice)
    elif pattern.startswith("set_of_"):
        found = _sets(facts, pattern, choice)
    elif pattern == "comparison":
        found = _comparisons(facts, choice, known)
    else:
        found = _joined(facts, pattern, choice)
    return {row for row in found if _wanted(row, pattern, facts, choice, known)}


def _singles(facts: Graph, choice: Choice) -> Iterator[Row]:
    degree = _degrees(facts)
    for arc in facts:
        objects = {a.object for a in facts if a[:2] == arc[:2]}
        subjects = {a.subject for a in facts if a[1:] == arc[1:]}
        if arc.subject == arc.object:
            continue
        if choice.both_ends and (len(objects) > 1 or len(subjects) > 1):
            continue
        if choice.isolated and (degree[arc.subject] > 1 or degree[arc.object] > 1):
            continue
        if len(objects) == 1 and choice.asked in (None, "object"):
            yield "object", (arc.relation,), (arc.subject,), (arc.object,), frozenset([(arc,)])
        if len(subjects) == 1 and choice.asked in (None, "subject"):
            yield "subject", (arc.relation,), (arc.object,), (arc.subject,), frozenset([(arc,)])


def _sets(facts: Graph, pattern: str, choice: Choice) -> Iterator[Row]:
    groups = defaultdict(set)
    for arc in facts:
        named, member = (arc.subject, arc.object) if pattern == "set_of_objects" else (arc.object, arc.subject)
        groups[named, arc.relation].add((member, arc))
    for (named, relation), found in groups.items():
        members = sorted(member for member, _ in found)
        if 2 <= len(members) <= choice.max_set and named not in members:
            yield "members", (relation,), (named,), tuple(members), frozenset((arc,) for _, arc in found)


def _joined(facts: Graph, pattern: str, choice: Choice) -> Iterator[Row]:
    shape = SHAPES[pattern.removeprefix("conditional_")]
    bridges = "bc" if pattern == "chain3" else "b"
    last = "d" if pattern == "chain3" else "c"
    asked_ends = (
        {"b": "pivot"} if pattern.startswith("conditional") or "star3" in pattern else {"a": "first", last: "last"}
    )
    degree, readings = _degrees(facts), list(_readings(facts, shape, {}))
    for asked_node, asked in asked_ends.items():
        questions = defaultdict(list)
        for at, arcs in readings:
            named = tuple(at[node] for node in sorted(at) if node != asked_node and node not in bridges)
            questions[tuple(arc.relation for arc in arcs), named].append((at, arcs))
        for (relations, named), found in questions.items():
            answers = {at[asked_node] for at, _ in found}
            listed = [(at, arcs) for at, arcs in found if len(set(at.values())) == len(at)]
            if len(answers) != 1 or not listed or len(set(relations)) < len(relations):
                continue
            if not pattern.endswith(("chain", "chain3")) and list(relations) != sorted(relations):
                continue  # the arms are in order of relation
            if choice.asked not in (None, asked):
                continue
            if any(degree[at[node]] > choice.max_pivot_degree for at, _ in listed for node in bridges):
                continue
            if not all(_spread(facts, arcs, choice) for _, arcs in listed):
                continue
            if asked == "pivot" and choice.each_needed and not _each_needed(facts, shape, listed[0][1]):
                continue
            yield asked, relations, named, tuple(answers), frozenset(arcs for _, arcs in listed)


def _readings(
    facts: Graph, shape: tuple[str, ...], at: dict[str, str]
) -> Iterator[tuple[dict[str, str], tuple[Arc, ...]]]:
    """Every way to put entities on the nodes so that each arm is a fact; entities may repeat."""
    if not shape:
        yield at, ()
        return
    (tail, head), *others = shape
    for arc in facts:
        if at.get(tail, arc.subject) != arc.subject:
            continue
        here = at | {tail: arc.subject}
        if here.get(head, arc.object) == arc.object:
            for nodes, arcs in _readings(facts, tuple(others), here | {head: arc.object}):
                yield nodes, (arc, *arcs)


def _spread(facts: Graph, arcs: tuple[Arc, ...], choice: Choice) -> bool:
    """Whether no chunk (no document) states all the facts of a reading, where that is wanted."""
    documents = [{chunk[:20] for chunk in facts[arc]} for arc in arcs]
    if choice.cross_chunk and set.intersection(*(facts[arc] for arc in arcs)):
        return False
    return not (choice.cross_document and set.intersection(*documents))


def _each_needed(facts: Graph, shape: tuple[str, ...], arcs: tuple[Arc, ...]) -> bool:
    """Whether every choice of all conditions but one is met by at least two entities."""
    meeting = [
        {a.subject for a in facts if a[1:] == arc[1:]}
        if arm[0] == "b"
        else {a.object for a in facts if a[:2] == arc[:2]}
        for arm, arc in zip(shape, arcs, strict=True)
    ]
    return all(len(set.intersection(*some)) > 1 for some in combinations(meeting, len(meeting) - 1))


def _comparisons(facts: Graph, choice: Choice, known: Known) -> Iterator[Row]:
    lines = defaultdict(list)  # the facts whose values can be compared, in order of the subject's key
    for arc in sorted(facts, key=lambda arc: known.key(arc.subject)):
        kind, value, unit = known.values.get(arc.object, ("entity", None, None))
        scale = {"number": unit, "date": len(str(value))}.get(kind)
        if kind != "entity" and len({a.object for a in facts if a[:2] == arc[:2]}) == 1:
            lines[arc.relation, kind, scale].append((arc, value))
    for (relation, kind, _), line in lines.items():
        for index, (one, first) in enumerate(line):
            for two, second in line[index + 1 : index + 1 + choice.max_partners]:
                ends = {one.subject, one.object, two.subject, two.object}
                documents = [{chunk[:20] for chunk in facts[arc]} for arc in (one, two)]
                if first == second or len(ends) < 4 or (choice.cross_document and documents[0] & documents[1]):
                    continue
                low, high = (one, two) if first < second else (two, one)
                words = ("smaller", "larger") if kind == "number" else ("earlier", "later")
                for asked, answer in zip(words, (low, high), strict=True):
                    if choice.asked in (None, asked):
                        named = (one.subject, two.subject)
                        yield asked, (relation,), named, (answer.subject,), frozenset([(one, two)])


def _wanted(row: Row, pattern: str, facts: Graph, choice: Choice, known: Known) -> bool:
    """Whether the filters let a row through."""
    _, relations, named, _, readings = row
    entities = set(named) if pattern == "comparison" else {end for arcs in readings for a in arcs for end in a[::2]}
    since, until = choice.published_since or date.min, choice.published_until or date.max

    def dated(arc: Arc) -> bool:
        days = [known.published.get(chunk[:20]) for chunk in facts[arc]]
        return any(day is not None and since <= day <= until for day in days)

    some = all if pattern.startswith("set_of_") else any  # a set needs all its members
    return (
        choice.relation in (None, *relations)
        and (choice.type is None or choice.type in {known.types.get(entity) for entity in entities})
        and (not choice.novel or all(arc in known.novel for arcs in readings for arc in arcs))
        and (
            (choice.published_since is None and choice.published_until is None)
            or some(all(map(dated, arcs)) for arcs in readings)
        )
    )


def _degrees(facts: Graph) -> dict[str, int]:
    degree: dict[str, int] = defaultdict(int)
    for arc in facts:
        degree[arc.subject] += 1
        degree[arc.object] += 1
    return degree
