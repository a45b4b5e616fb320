"""The patterns by brute force, straight from their definition (design: section 3); slow and obviously right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from typing import NamedTuple

from kgservice.questions.patterns import PATTERNS, SubgraphOptions
from kgservice.text.matching import NOT_STATED


class Arc(NamedTuple):
    """A canonical fact; `period` is when it holds, "" for always."""

    subject: str
    relation: str
    object: str
    period: str = ""

    @property
    def out(self) -> tuple[str, str, str]:
        """Its group as one of its subject's facts."""
        return self.subject, self.relation, self.period

    @property
    def into(self) -> tuple[str, str, str]:
        """Its group as one of its object's facts."""
        return self.object, self.relation, self.period


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
    functional: frozenset[str] = frozenset()  # relations of which the schema says that a subject has one object
    usual: dict[str, frozenset[str]] = field(default_factory=dict)  # relation: the types of which each thing has one
    several: dict[str, frozenset[str]] = field(default_factory=dict)  # "subjects", "objects": relations with several
    confidence: Callable[[Arc], float] = lambda arc: 1
    tabled: frozenset[str] = frozenset(["open:t"])  # the relations that tables state
    key: Callable[[str], str] = str


def rows(facts: Graph, pattern: str, choice: SubgraphOptions, known: Known | None = None) -> set[Row]:
    """Return (asked, relations, named, answers, readings) of every row, as the service lists them."""
    known = known or Known()
    if pattern == "single":
        found = _singles(facts, choice)
    elif pattern.startswith("set_of_"):
        found = _sets(facts, pattern, choice)
    elif pattern == "comparison":
        found = _comparisons(facts, choice, known)
    elif pattern == "conflict":
        found = _conflicts(facts, known)
    elif pattern == "false_premise":
        found = _false_premises(facts, choice, known)
    elif pattern == "unanswerable":
        found = _unanswerable(facts, known)
    elif pattern in ("chain", "star", "inverted_star", "chain3"):
        found = _definite(facts, pattern, choice)
    else:
        found = _conditional(facts, pattern, choice, known)
    return {
        row for row in found if _in_schema(row, pattern, choice, known) and _wanted(row, pattern, facts, choice, known)
    }


def _in_schema(row: Row, pattern: str, choice: SubgraphOptions, known: Known) -> bool:
    """Whether no relation is open; those of tables are single rows and comparisons, all single where that is wanted."""
    left = {relation for relation in row[1] if relation.startswith("open:")}
    if pattern in ("single", "comparison"):
        left -= known.tabled
    return not left or (pattern == "single" and choice.open)


def _singles(facts: Graph, choice: SubgraphOptions) -> Iterator[Row]:
    degree = _degrees(facts)
    for arc in facts:
        objects = {a.object for a in facts if a.out == arc.out}
        subjects = {a.subject for a in facts if a.into == arc.into}
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


def _sets(facts: Graph, pattern: str, choice: SubgraphOptions) -> Iterator[Row]:
    groups = defaultdict(set)
    for arc in facts:
        group, member = (arc.out, arc.object) if pattern == "set_of_objects" else (arc.into, arc.subject)
        groups[group].add((member, arc))
    for (named, relation, _), found in groups.items():
        members = sorted(member for member, _ in found)
        if 2 <= len(members) <= choice.max_set and named not in members:
            yield "members", (relation,), (named,), tuple(members), frozenset((arc,) for _, arc in found)


def _definite(facts: Graph, pattern: str, choice: SubgraphOptions) -> Iterator[Row]:
    """Chains, stars and inverted stars: each entity on the way to the answer is the only one that fits there."""
    shape, degree = SHAPES[pattern], _degrees(facts)
    for at, arcs in _readings(facts, shape, {}):
        relations = tuple(arc.relation for arc in arcs)
        first, *bridges, last = sorted(at)
        if len({*at.values()}) < len(at) or len({*relations}) < len(relations) or not _spread(facts, arcs, choice):
            continue
        if any(degree[at[node]] > choice.max_pivot_degree for node in bridges):
            continue
        if not pattern.startswith("chain") and list(relations) != sorted(relations):
            continue  # the arms are in order of relation
        for asked, step, named, answer in (("last", 1, first, last), ("first", -1, last, first)):
            way, seen = sorted(at)[::step], []
            for here, there, arc in zip(way, way[1:], arcs[::step], strict=False):
                goes_out = at[here] == arc.subject
                fits = {a.object for a in facts if a.out == arc.out} if goes_out else set()
                fits = fits or {a.subject for a in facts if a.into == arc.into}
                seen.append(fits == {at[there]})
            if all(seen) and choice.asked in (None, asked):
                yield asked, relations, (at[named],), (at[answer],), frozenset([arcs])


def _conditional(facts: Graph, pattern: str, choice: SubgraphOptions, known: Known) -> Iterator[Row]:
    """The patterns whose conditions meet in the one entity that is asked for."""
    shape = SHAPES[pattern.removeprefix("conditional_")]
    usual = known.several if choice.usually_several and len(shape) == 2 else {}
    degree, questions = _degrees(facts), defaultdict(list)
    for at, arcs in _readings(facts, shape, {}):
        named = tuple(at[node] for node in sorted(at) if node != "b")
        questions[tuple((arc.relation, arc.period) for arc in arcs), named].append((at, arcs))
    for (qualified, named), found in questions.items():
        (at, arcs), relations = found[0], tuple(relation for relation, _ in qualified)
        if len(found) > 1 or len(set(at.values())) < len(at) or len(set(relations)) < len(relations):
            continue
        if not pattern.endswith("chain") and list(relations) != sorted(relations):
            continue  # the arms are in order of relation
        if degree[at["b"]] > choice.max_pivot_degree or not _spread(facts, arcs, choice):
            continue
        if choice.asked in (None, "pivot") and (not choice.each_needed or _each_needed(facts, shape, arcs, usual)):
            yield "pivot", relations, named, (at["b"],), frozenset([arcs])


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


def _spread(facts: Graph, arcs: tuple[Arc, ...], choice: SubgraphOptions) -> bool:
    """Whether no chunk (no document) states all the facts of a reading, where that is wanted."""
    documents = [{chunk[:20] for chunk in facts[arc]} for arc in arcs]
    if choice.cross_chunk and set.intersection(*(facts[arc] for arc in arcs)):
        return False
    return not (choice.cross_document and set.intersection(*documents))


def _each_needed(facts: Graph, shape: tuple[str, ...], arcs: tuple[Arc, ...], usual: dict[str, frozenset[str]]) -> bool:
    """Whether every choice of all conditions but one is met by at least two entities, or usually is."""
    meeting = [
        {a.subject for a in facts if a.into == arc.into}
        if arm[0] == "b"
        else {a.object for a in facts if a.out == arc.out}
        for arm, arc in zip(shape, arcs, strict=True)
    ]
    if usual:
        sides = ("subjects" if arm[0] == "b" else "objects" for arm in shape)
        return all(
            len(found) > 1 or arc.relation in usual[side] for found, arc, side in zip(meeting, arcs, sides, strict=True)
        )
    return all(len(set.intersection(*some)) > 1 for some in combinations(meeting, len(meeting) - 1))


def _comparisons(facts: Graph, choice: SubgraphOptions, known: Known) -> Iterator[Row]:
    lines = defaultdict(list)  # the facts whose values can be compared, in order of the subject's key
    for arc in sorted(facts, key=lambda arc: known.key(arc.subject)):
        kind, value, unit = known.values.get(arc.object, ("entity", None, None))
        scale = {"number": unit, "date": len(str(value))}.get(kind)
        if kind != "entity" and len({a.object for a in facts if a.out == arc.out}) == 1:
            lines[arc.relation, arc.period, kind, scale].append((arc, value))
    for (relation, _, kind, _), line in lines.items():
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


def _conflicts(facts: Graph, known: Known) -> Iterator[Row]:
    groups = defaultdict(list)
    for arc in facts:
        groups[arc.out].append(arc)
    for (named, relation, _), arcs in groups.items():
        documents = [{chunk[:20] for chunk in facts[arc]} for arc in arcs]
        days = [[day for key in keys if (day := known.published.get(key))] for keys in documents]
        if relation not in known.functional or len(arcs) != 2 or documents[0] & documents[1] or not all(days):
            continue
        one, two = (arc.object for arc in arcs)
        if named in (one, two) or not _alike(one, two, known) or _joined(facts, one, two):
            continue
        ordered = sorted((max(of), arc.object) for of, arc in zip(days, arcs, strict=True))
        answers = tuple(member for _, member in ordered)
        yield "values", (relation,), (named,), answers, frozenset((arc,) for arc in arcs)


def _false_premises(facts: Graph, choice: SubgraphOptions, known: Known) -> Iterator[Row]:
    single = [arc for arc in facts if len({a.object for a in facts if a.out == arc.out}) == 1]
    for told in single:
        kind = known.values.get(told.object, ("entity", None, None))[0]
        if told.relation not in known.functional or told.subject == told.object:
            continue
        if kind == "number" or (kind == "entity" and told.object not in known.types):
            continue
        others = sorted(
            (known.key(arc.subject), arc.object)
            for arc in single
            if arc.out[1:] == told.out[1:] and known.key(arc.subject) > known.key(told.subject)
        )
        false = next(
            (
                end
                for _, end in others[: choice.max_partners]
                if end not in (told.object, told.subject)
                and _alike(end, told.object, known)
                and (kind != "date" or abs(_year(end) - _year(told.object)) <= 20)
                and not _joined(facts, end, told.object)
                and not _joined(facts, end, told.subject)
            ),
            None,
        )
        beside = sorted(
            (arc.relation, arc.object, arc.period, arc)
            for arc in single
            if arc.subject == told.subject and arc.relation != told.relation
            if not arc.relation.startswith("open:")
            and not _share_a_word(arc.relation, told.relation)
            and arc.object not in (told.subject, told.object, false)
        )
        if false and beside:
            arc = beside[0][-1]
            relations = told.relation, arc.relation
            yield "premise", relations, (told.subject, false), (told.object,), frozenset([(told, arc)])


def _unanswerable(facts: Graph, known: Known) -> Iterator[Row]:
    for relation, types in known.usual.items():
        having = {arc.subject for arc in facts if arc.relation == relation}
        for named in {end for arc in facts for end in (arc.subject, arc.object)} - having:
            own = sorted(
                (-known.confidence(arc), arc.relation, arc.object, arc.period, arc)
                for arc in facts
                if arc.subject == named != arc.object and not arc.relation.startswith("open:")
            )
            if own and having and known.types.get(named) in types:
                yield "nothing", (relation,), (named,), (NOT_STATED,), frozenset([(own[0][-1],)])


def _alike(one: str, two: str, known: Known) -> bool:
    """Whether two things are of one kind and type, dates as exact as each other."""
    (kind, value, _), (other, also, _) = (known.values.get(name, ("entity", None, None)) for name in (one, two))
    exact = kind != "date" or len(str(value)) == len(str(also))
    return kind == other and exact and known.types.get(one) == known.types.get(two)


def _year(date: str) -> int:
    return int(date[:4])


def _share_a_word(one: str, two: str) -> bool:
    return any(len(word) > 3 and word in two.split() for word in one.split())


def _joined(facts: Graph, one: str, two: str) -> bool:
    return any({arc.subject, arc.object} == {one, two} for arc in facts)


def _wanted(row: Row, pattern: str, facts: Graph, choice: SubgraphOptions, known: Known) -> bool:
    """Whether the filters let a row through."""
    _, relations, named, _, readings = row
    entities = (
        set(named)
        if pattern == "comparison"
        else {end for arcs in readings for a in arcs for end in (a.subject, a.object)}
    )
    since, until = choice.published_since or date.min, choice.published_until or date.max

    def dated(arc: Arc) -> bool:
        days = [known.published.get(chunk[:20]) for chunk in facts[arc]]
        return any(day is not None and since <= day <= until for day in days)

    some = all if pattern.startswith("set_of_") or pattern == "conflict" else any  # a set needs all its members
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
