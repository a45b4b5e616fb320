"""The patterns by brute force, straight from their definition (design: section 3); slow and obviously right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from kgservice.questions.enumerate import Choice


class Arc(NamedTuple):
    """A canonical fact."""

    subject: str
    relation: str
    object: str


Graph = dict[Arc, set[str]]  # a fact and the chunks that state it
Row = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...], frozenset[tuple[Arc, ...]]]

# nodes of each two-fact shape: (subject of arm 1, object of arm 1), (subject of arm 2, object of arm 2)
SHAPES = {"chain": ("ab", "bc"), "star": ("ba", "bc"), "inverted_star": ("ab", "cb")}


def rows(facts: Graph, pattern: str, choice: Choice) -> set[Row]:
    """Return (asked, relations, named, answers, readings) of every row, as the service lists them."""
    if pattern == "single":
        return set(_singles(facts, choice))
    if pattern.startswith("set_of_"):
        return set(_sets(facts, pattern, choice))
    return set(_pairs(facts, pattern, choice))


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


def _pairs(facts: Graph, pattern: str, choice: Choice) -> Iterator[Row]:
    shape = pattern.removeprefix("conditional_")
    degree = _degrees(facts)
    readings = []
    for one, two in product(facts, facts):
        nodes: dict[str, str] = {}
        ends = zip("".join(SHAPES[shape]), (one.subject, one.object, two.subject, two.object), strict=True)
        if all(nodes.setdefault(node, entity) == entity for node, entity in ends):
            readings.append((nodes["a"], nodes["b"], nodes["c"], one, two))
    asked_ends = ("b",) if pattern.startswith("conditional") else ("a", "c")
    for asked_node in asked_ends:
        questions = defaultdict(list)
        for a, b, c, one, two in readings:
            at = {"a": a, "b": b, "c": c}
            named = tuple(at[node] for node in "abc" if node != asked_node and (node != "b" or asked_node == "b"))
            questions[(one.relation, two.relation), named].append((at, one, two))
        for (relations, named), found in questions.items():
            answers = {at[asked_node] for at, _, _ in found}
            listed = [item for item in found if len(set(item[0].values())) == 3]
            if len(answers) != 1 or not listed or relations[0] == relations[1]:
                continue
            if shape != "chain" and relations[0] > relations[1]:
                continue  # the first arm has the smaller relation
            asked = {"a": "first", "b": "pivot", "c": "last"}[asked_node]
            if choice.asked not in (None, asked) or not all(_fits(facts, degree, item, choice) for item in listed):
                continue
            if asked == "pivot" and choice.each_needed and _one_is_enough(facts, listed[0][1:]):
                continue
            arcs = frozenset((one, two) for _, one, two in listed)
            yield asked, relations, named, tuple(answers), arcs


def _fits(facts: Graph, degree: dict[str, int], item: tuple[dict[str, str], Arc, Arc], choice: Choice) -> bool:
    at, one, two = item
    if degree[at["b"]] > choice.max_pivot_degree:
        return False
    if choice.cross_chunk and facts[one] & facts[two]:
        return False
    documents = [{chunk[:20] for chunk in facts[arc]} for arc in (one, two)]
    return not (choice.cross_document and documents[0] & documents[1])


def _one_is_enough(facts: Graph, arcs: tuple[Arc, Arc]) -> bool:
    """Whether one of the two conditions alone has one answer; the pivot is the end that the arcs share."""
    one, two = arcs
    pivots = {one.subject, one.object} & {two.subject, two.object}
    for arc in arcs:
        if arc.subject in pivots and len({a.subject for a in facts if a[1:] == arc[1:]}) == 1:
            return True
        if arc.object in pivots and len({a.object for a in facts if a[:2] == arc[:2]}) == 1:
            return True
    return False


def _degrees(facts: Graph) -> dict[str, int]:
    degree: dict[str, int] = defaultdict(int)
    for arc in facts:
        degree[arc.subject] += 1
        degree[arc.object] += 1
    return degree
