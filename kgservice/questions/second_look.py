"""The second look: whether the text may have another answer than the graph, before a question is asked.

A question says of one group after the other that it has one member (`wording.steps`). Facts are missed, so that is less
true of the text than of the graph: the passages that mention a group's known end, by any name of its form, are read
again (rivals.py). What comes of it depends on the documents alone: a row's facts and the passages about their ends.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import neo4j

from kgservice.core import keys
from kgservice.core.records import Fact, Rival, Subgraph
from kgservice.core.schema import VALUES, Relation, Schema
from kgservice.extraction.readers.relation_reader import RelationReader, packaged, weights_digest
from kgservice.extraction.tables.lists import NAMING, listed_row
from kgservice.graph.store import Graph
from kgservice.names.countries import country
from kgservice.names.mentions import form
from kgservice.questions import question_store
from kgservice.questions.draw_order import turned
from kgservice.questions.filters.cascade import Sifted
from kgservice.questions.passage_facts import (
    LIKELY,
    Passage,
    PassageFact,
    PassageName,
    PassageSentence,
    Readings,
    Span,
    content,
    folded,
)
from kgservice.questions.rivals import (
    RivalAnswer,
    UniqueClaim,
    first_rivals,
    is_name,
    rivals,
    same,
    sayings,
    sentences_about,
    unattributed_rivals,
)
from kgservice.questions.wording.entity_classes import kind
from kgservice.questions.wording.relation_questions import AGENT, schema_in_use
from kgservice.questions.wording.spoken_names import classed
from kgservice.questions.wording.steps import Side, steps
from kgservice.text.values import read_value

WITHHELD = "the text may have another answer"
SEVERAL = "usually several fit"  # the schema says so of a side
CLASH = "several in the graph where there is one"  # a misread fact, or a town beside the country it lies in
TWICE = "two members may be one"  # "Nesta" and "Princess Nesta"
NOT_FALSE = "what it says by the way may be true"
UNSEARCHED = "no name to look for in the text"  # values and common words
UNSURE = "a fact may be misread"
NAME = "second look"
BY_DOCUMENT = frozenset(("pluri_hop",))  # asks what each of some documents says: what others say is no rival
LISTED = ("members", "values")  # what is asked for where several answers are wanted
FEW = 2  # things known to meet a condition: where more meet each of two, others that were missed meet both
MOST = 3  # rivals that are kept with a question
SURE = 0.65  # confidence from which on a fact is asked about (docs/documents.md: what is usable by confidence)
SURE_TOGETHER = 0.75  # the same of all facts of a question, as their geometric mean: one that is wrong spoils it
READ = 500  # passages a query
HELD = 20_000  # passages in memory
_NUMBERED = re.compile(r"\b(?:first|second|third|fourth|fifth|sixth|last) (\w+)")
_TOGETHER = re.compile(  # "the co-founder of Veltrin", "a founding member of the band"
    r"(?:\bco(?:-|(?=found|author))|\b(?=founding members?\b))([a-z]+)"
)


LookResult: TypeAlias = tuple[str, tuple[Rival, ...]]
"""Why a question is not asked, "" if it is, and what may be other answers."""


class _Group(NamedTuple):
    """A group that a row says something of: its key, the side, and a fact in it."""

    key: str
    side: Side
    fact: Fact


class SecondLook:
    """Reads the text about questions, a batch at a time; each passage once, and each group.

    `among`: the keys of the only passages that are read; None for all. `known`: what the look came to before, by
    question, where that cannot have changed; nothing is read for these.
    """

    def __init__(
        self,
        graph: Graph,
        among: Sequence[str] | None = None,
        known: Mapping[str, LookResult] = MappingProxyType({}),
    ) -> None:
        self._graph, self._known = graph, known
        self._schema: Schema | None = schema_in_use()
        self._groups: dict[str, tuple[str, str]] = {}  # sr and ro, by fact
        self._types: dict[str, tuple[str | None, str | None]] = {}  # of both ends, by fact
        self._confidence: dict[str, float] = {}  # by fact
        self._naming: dict[str, list[str]] = {}  # chunks, by entity
        self._among: defaultdict[str, list[str]] | None = None  # chunks, by form
        self._passages: dict[str, Passage] = {}
        self._members: dict[str, list[str]] = {}
        self._formed: dict[tuple[str, ...], frozenset[str]] = {}  # forms of members
        self._said_of: dict[tuple[str, str, tuple[str, ...]], list[tuple[PassageSentence, Span]]] = {}
        self._found: dict[tuple[Any, ...], tuple[RivalAnswer, ...]] = {}
        self.passed, self.rejected = 0, defaultdict[str, int](int)
        if among is not None:
            self._read_passages(list(among))
            self._among = defaultdict(list)
            for key, passage in self._passages.items():
                for name in passage.named:
                    self._among[name].append(key)

    @cached_property
    def _reader(self) -> RelationReader:
        return packaged()

    @cached_property
    def _version(self) -> str:
        return keys.digest(16, weights_digest(), LIKELY)

    def read(self, rows: Sequence[Subgraph]) -> None:
        """Read the passages about the known ends of these rows."""
        rows = [row for row in rows if row.pattern not in BY_DOCUMENT]
        ways = [way for row in rows for way in ((row, turned(row)) if row.either_end else (row,))]
        ways = [way for way in ways if way.id not in self._known]
        facts = {fact.key for way in ways for reading in way.readings for fact in reading.facts}
        known = question_store.known_facts(self._graph, facts - self._groups.keys())
        self._groups |= {key: (fact.sr, fact.ro) for key, fact in known.items()}
        self._types |= {key: fact.types for key, fact in known.items()}
        self._confidence |= {key: fact.confidence for key, fact in known.items()}
        ways = [way for way in ways if self._is_stated(way) and not self._is_unsure(way)]
        groups = [one for way in ways for one in self._said(way) if self._is_searched(one)]
        self._read_members(ways)
        if self._among is None:
            self._read_about(groups)

    def _read_about(self, groups: Iterable[_Group]) -> None:
        entities = sorted({one.key[: keys.KEY] for one in groups} - self._naming.keys())
        for start in range(0, len(entities), READ):
            batch = entities[start : start + READ]
            for row in self._graph.read("questions/passages_naming", entities=batch):
                self._naming[row["entity"]] = row["chunks"]
        wanted = {chunk for one in groups for chunk in self._naming.get(one.key[: keys.KEY], ())}
        self._read_passages(sorted(wanted))

    def fault(self, row: Subgraph) -> LookResult:
        """Return why a row's question is not asked ("" if it is) and what may be other answers, and count it."""
        reason, found = self.result(row)
        if reason:
            self.rejected[reason] += 1
        elif row.pattern not in BY_DOCUMENT:
            self.passed += 1
        return reason, found

    def result(self, row: Subgraph) -> LookResult:
        """Return what `fault` returns, and count nothing."""
        return ("", ()) if row.pattern in BY_DOCUMENT else self._known.get(row.id) or self._result(row)

    def _result(self, row: Subgraph) -> LookResult:
        groups = list(self._said(row))
        reason, found = UNSEARCHED, list[RivalAnswer]()
        if self._is_unsure(row):
            reason = UNSURE
        elif row.asked != "pivot" and any(self._has_several(one) for one in groups):  # several meet a condition
            reason = SEVERAL
        elif any(self._is_clash(row, one) for one in groups):
            reason = CLASH
        elif row.asked in LISTED and any(same(one, (other,)) for one, other in combinations(row.answers, 2)):
            reason = TWICE
        elif row.asked == "premise" and same(row.named[1], row.answers):
            reason = NOT_FALSE
        elif row.asked == "pivot" and all(self._is_met_by_many(one) for one in groups):
            reason = WITHHELD
        elif self._is_looked_for(row, groups):
            found = sorted(set(self._rivals(row, groups)))[:MOST]
            reason = WITHHELD if found else ""
        return reason, tuple(_rival(one) for one in found)

    def changes(self, row: Subgraph, rivals: Iterable[Rival]) -> bool:
        """Return whether these passages may change a question whose rivals are known and stand in other passages."""
        if not self._is_stated(row):
            return True
        groups = list(self._said(row))
        if row.asked == "pivot":  # what is new may meet the other conditions somewhere else
            if any(one.key not in self._members for one in groups):  # a group without members now
                return True
            if all(self._side(one) == "several" for one in groups):  # each may be met by many now, or no more
                return True
            found = (one for each in groups for one in self._of(each, tuple(self._members[each.key]), row))
            own = {form(label) for label in row.answers}
            if any(form(one.name) not in own for one in found):
                return True
            years = [one for one in groups if _is_year(one)]
            names = frozenset(form(label) for one in groups if one not in years for label in self._members[one.key])
            return bool(years) and any(self._of_years(names - own, years, [one for one in groups if one not in years]))
        known = {RivalAnswer(one.sentence, one.answer, one.chunk) for one in rivals}
        return not known.issuperset(sorted(known.union(self._rivals(row, groups)))[:MOST])

    def save(self) -> None:
        """Keep what was read in sentences with their passages, for the next run."""
        new = [(key, one.readings) for key, one in self._passages.items() if one.readings.is_new]
        question_store.save_readings(self._graph, ((key, readings.text) for key, readings in new))
        for _, readings in new:
            readings.is_new = False

    def sifted(self) -> Sifted:
        """Return what the look did."""
        return Sifted(filter=NAME, how="run", passed=self.passed, rejected=dict(sorted(self.rejected.items())))

    def _is_stated(self, row: Subgraph) -> bool:
        return all(fact.key in self._groups for reading in row.readings for fact in reading.facts)

    def _is_unsure(self, row: Subgraph) -> bool:
        keys_of = (fact.key for reading in row.readings for fact in reading.facts)
        sure = [self._confidence.get(key, 1.0) for key in keys_of]
        return min(sure, default=1.0) < SURE or prod(sure) < SURE_TOGETHER ** len(sure)

    def _said(self, row: Subgraph) -> Iterator[_Group]:
        """The groups of which a row says something, each once."""
        if row.asked == "nothing":
            yield _empty_group(row)
            return
        facts = {fact.key: fact for reading in row.readings for fact in reading.facts}
        seen = set()
        for step in steps(row.pattern, row.asked, facts):
            sr, ro = self._groups[step.fact]
            group = _Group(ro if step.side == "ro" else sr, step.side, facts[step.fact])
            if group.key not in seen:
                seen.add(group.key)
                yield group

    def _read_members(self, rows: Iterable[Subgraph]) -> None:
        several = {one.key: one.side for row in rows if row.asked == "pivot" for one in self._said(row)}
        wanted: dict[str, list[str]] = {"sr": [], "ro": []}
        for key, side in sorted(several.items()):
            if key not in self._members:
                wanted[side].append(key)
        if any(wanted.values()):
            found = self._graph.read("questions/members", objects=wanted["sr"], subjects=wanted["ro"])
            self._members |= {row["group"]: row["members"] for row in found}

    def _read_passages(self, wanted: list[str]) -> None:
        if len(self._passages) > HELD:
            self.save()
            self._passages = {key: self._passages[key] for key in wanted if key in self._passages}
            self._said_of.clear()
        missing = [key for key in wanted if key not in self._passages]
        for start in range(0, len(missing), READ):
            for row in self._graph.read("questions/passages", chunks=missing[start : start + READ]):
                named = [_named(one) for one in row["mentions"]]
                said = (
                    PassageFact(o["sentence"], form(o["subject"]), o["relation"], form(o["object"]))
                    for o in row["stated"]
                )
                readings = Readings(row["readings"] or "", self._version)
                self._passages[row["chunk"]] = Passage(
                    row["chunk"], row["title"] or "", row["text"], named, said, self._schema, readings
                )

    def _is_searched(self, group: _Group) -> bool:
        """Whether passages mention the known end, and what is asked for can be told from other words."""
        known, asked = _ends(group)
        if not (is_name(known) or self._is_title(group, known)):
            return False
        return not asked or is_name(asked) or read_value(asked)[0] != "entity"

    def _is_looked_for(self, row: Subgraph, groups: list[_Group]) -> bool:
        """Whether the text can be searched for what else fits; of two conditions one may be a year."""
        searched = [one for one in groups if self._is_searched(one) or self._needs_no_search(row, one)]
        years = [one for one in groups if one not in searched and row.asked == "pivot" and _is_year(one)]
        return len(searched) + len(years) == len(groups) and bool(searched)

    def _is_title(self, group: _Group, known: str) -> bool:
        """Whether the known end is a work and written as one, so that all its words are one name: "Me and Ada Orr"."""
        schema, relation = self._schema, self._schema.relations.get(group.fact.property) if self._schema else None
        if schema is None or not (known[0].isupper() or known[0].isdigit()):
            return False
        own = self._types.get(group.fact.key, (None, None))[group.side != "sr"]
        classes = relation.domain if relation and group.side == "sr" else relation.range if relation else ()
        if own and schema.entity_class(own):
            return schema.fit(own, ("work",)) > 1
        return bool(classes) and all(schema.fit(one, ("work",)) > 1 for one in classes)

    def _needs_no_search(self, row: Subgraph, group: _Group) -> bool:
        """Whether no other text can say another thing: what nobody says, or what is false, has to be looked for."""
        return row.asked not in ("nothing", "premise") and (self._for_ever(group) or _is_row(group))

    def _side(self, group: _Group) -> str:
        """How many members the schema says that such a group has."""
        relation = self._schema.relations.get(group.fact.property) if self._schema else None
        if relation is None:
            return "many"
        return relation.objects if group.side == "sr" else relation.subjects

    def _has_several(self, group: _Group) -> bool:
        """Whether a group usually has several members, or its sentences say so.

        "His second wife", "a co-founder".
        """
        side = self._side(group)
        if side == "several" or (side == "many" and group.side == "ro" and _is_country(group)):
            return True
        relation = self._schema.relations.get(group.fact.property) if self._schema else None
        if relation is None:
            return False
        of_objects = group.side == "sr" or relation.symmetric
        nouns = {noun.lower() for noun in (relation.object_nouns if of_objects else relation.subject_nouns)}
        said = [one.sentence.lower() for one in group.fact.statements]
        if any(not nouns.isdisjoint(_NUMBERED.findall(text)) for text in said):
            return True
        together = [word for text in said for word in _TOGETHER.findall(text)] if of_objects else []
        return not nouns.union(*sayings(relation)).isdisjoint(content(" ".join(together)))

    def _is_met_by_many(self, group: _Group) -> bool:
        """Whether a side usually has several members and the graph has more than a few of them."""
        return self._side(group) == "several" and len(self._members.get(group.key, ())) > FEW

    def _for_ever(self, group: _Group) -> bool:
        return self._side(group) == "one"

    def _is_clash(self, row: Subgraph, group: _Group) -> bool:
        """Whether the graph has several members of a group that has one for ever, as a birthplace, or one at a time."""
        if row.asked == "members" and self._side(group) == "one at a time":  # two spouses, but not in one sentence
            said = [(one.chunk, one.sentence) for reading in row.readings for one in reading.facts[0].statements]
            return len(set(said)) < len(said)
        if row.asked == "pivot":  # of two heads of state neither may be it now
            return len(self._members.get(group.key, ())) > 1 and self._side(group).startswith("one")
        return row.asked == "members" and self._for_ever(group)

    def _rivals(self, row: Subgraph, groups: list[_Group]) -> Iterator[RivalAnswer]:
        if row.asked == "pivot":
            yield from self._in_all(row, groups)
            return
        for group in groups:
            if self._is_searched(group):
                known = row.answers if row.asked in LISTED else filter(None, (_ends(group)[1],))
                yield from self._of(group, tuple(known), row)
        if row.asked == "nothing":
            passages = [self._passages[key] for key in self._about(groups[0])]
            yield from unattributed_rivals(self._claim(groups[0], (), in_part=False), passages)
        if row.asked == "premise":
            yield from self._co_mentions(row, groups[0])

    def _co_mentions(self, row: Subgraph, group: _Group) -> Iterator[RivalAnswer]:
        """The sentences about a thing that name what a question falsely says of it: it may be true in some way."""
        false = row.named[1]
        for one, _ in self._sentences(group, self._claim(group, row.answers, in_part=False)):
            if any(same(span.label, (false,)) for span in (*one.names, *one.dates)):
                yield RivalAnswer(one.text, false, one.passage.key)

    def _called(self, bridge: str, row: Subgraph) -> str:
        """Return what a question calls a bridge, by all its facts: "band" of who recorded an album and was formed."""
        facts = [fact for reading in row.readings for fact in reading.facts]
        ends = [(self._classed(one), one.subject == bridge) for one in facts if bridge in (one.subject, one.object)]
        return kind(ends)

    def _classed(self, fact: Fact) -> Fact:
        """Return a fact with the classes that its ends have now."""
        subject_type, object_type = self._types.get(fact.key, (fact.subject_type, fact.object_type))
        return classed(fact.model_copy(update={"subject_type": subject_type, "object_type": object_type}))

    def _in_all(self, row: Subgraph, groups: list[_Group]) -> Iterator[RivalAnswer]:
        """What text and graph together let meet all conditions, beside the answer.

        The condition of which the fewest passages tell is read first: of the others, what meets that one.
        """
        own, left, found = {form(label) for label in row.answers}, None, dict[str, list[RivalAnswer]]()
        years = [group for group in groups if _is_year(group)]
        groups = [group for group in groups if group not in years]
        for group in sorted(groups, key=lambda one: len(self._about(one))):
            labels = tuple(self._members[group.key])
            here = {form(one.name): one for one in sorted(self._of(group, labels, row, left), reverse=True)}
            for name, one in here.items():
                found.setdefault(name, []).append(one)
            meeting = here.keys() | self._forms(labels)
            left = frozenset((meeting if left is None else left & meeting) - own)
        if years:
            yield from self._of_years(left or frozenset(), years, groups)
        else:
            last = groups[-1].fact.statements[0]
            for name in left or ():
                yield from found.get(name, (RivalAnswer(last.sentence, name, last.chunk),))

    def _of_years(self, names: frozenset[str], years: list[_Group], groups: list[_Group]) -> Iterator[RivalAnswer]:
        """Yield those of some names (forms) of which a passage about the other conditions tells these years."""
        said = [_ends(one)[0] for one in years]
        for passage in (
            self._passages[key] for key in dict.fromkeys(key for one in groups for key in self._about(one))
        ):
            for one in passage.sentences:
                if all(year in one.text for year in said):
                    told = names & (one.forms | passage.own)
                    yield from (RivalAnswer(one.text, name, passage.key) for name in sorted(told))

    def _forms(self, labels: tuple[str, ...]) -> frozenset[str]:
        if labels not in self._formed:
            self._formed[labels] = frozenset(form(label) for label in labels)
        return self._formed[labels]

    def _of(
        self, group: _Group, known: tuple[str, ...], row: Subgraph, only: frozenset[str] | None = None
    ) -> tuple[RivalAnswer, ...]:
        """What may be other members of a group, beside those known; `only`: the forms of those that are meant."""
        in_part = row.asked == "pivot"
        is_bridge = row.asked in ("first", "last") and _ends(group)[1] not in row.answers
        noun = self._called(_ends(group)[1], row) if is_bridge else ""
        place = group.key, known, in_part, is_bridge, noun, only
        if place not in self._found:
            facts = [
                fact
                for reading in row.readings
                for fact in reading.facts
                if self._groups[fact.key][group.side == "ro"] == group.key
            ]
            evidence = frozenset((one.chunk, folded(one.sentence)) for fact in facts for one in fact.statements)
            claim = self._claim(group, known, in_part=in_part, is_bridge=is_bridge, noun=noun)
            found = rivals(claim, self._sentences(group, claim), evidence, self._reader, only)
            self._found[place] = tuple(found) if in_part else first_rivals(found, MOST)
        return self._found[place]

    def _about(self, group: _Group) -> Sequence[str]:
        """The passages (keys) that mention a group's known end."""
        if self._among is None:
            return self._naming.get(group.key[: keys.KEY], ())
        return self._among.get(form(_ends(group)[0]), ())

    def _sentences(self, group: _Group, claim: UniqueClaim) -> list[tuple[PassageSentence, Span]]:
        place = group.key[: keys.KEY], claim.named, claim.own
        if place not in self._said_of:
            passages = [self._passages[key] for key in self._about(group)]
            self._said_of[place] = sentences_about(passages, claim.named, claim.own)
        return self._said_of[place]

    def _classes(self, fact: Fact, relation: Relation | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a relation joins; outside the schema things like those that the fact joins."""
        if relation is not None:
            return relation.domain, relation.range
        if self._schema is None:
            return (), ()
        subject, other = self._types[fact.key]
        return self._schema.broadest(subject), self._schema.broadest(other)

    def _described(self, noun: str, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """Return those of the wanted classes of which a bridge is or may be that a question calls "the band that"."""
        schema = self._schema
        own = schema.entity_class(noun) if schema and noun != AGENT else None
        if schema is None or own is None:
            return wanted
        narrower = tuple(one for one in wanted if schema.fit(one, (own,)) > 1)
        return (own,) if schema.fit(own, wanted) > 1 else narrower or wanted

    def _claim(
        self, group: _Group, known: tuple[str, ...], *, in_part: bool, is_bridge: bool = False, noun: str = ""
    ) -> UniqueClaim:
        """Return what a question says of a group; `is_bridge`: its member is called by a class, `noun` ("band")."""
        fact, relation = group.fact, self._schema.relations.get(group.fact.property) if self._schema else None
        inverse = self._schema.relations.get(relation.inverse or "") if self._schema and relation else None
        phrases = [said for one in (relation, inverse) if one for said in sayings(one)] or [content(fact.relation)]
        classes = self._classes(fact, relation)
        own, wanted = classes if group.side == "sr" else classes[::-1]
        wanted = self._described(noun, wanted) if is_bridge else wanted
        kinds = {read_value(label)[0] for label in known} if known else VALUES.intersection(wanted)
        kind = next(iter(kinds)) if len(kinds) == 1 else "entity"
        return UniqueClaim(
            named=_ends(group)[0], side=group.side, relation=fact.property, own=own, wanted=wanted, kind=kind,
            for_ever=bool(known) and self._for_ever(group), known=known, phrases=tuple(filter(None, phrases)),
            period=fact.period, in_part=in_part, is_bridge=is_bridge,
            has_many=self._side(group) == "many",
        )  # fmt: skip


def moved(graph: Graph, rows: Iterable[neo4j.Record], changed: Iterable[str]) -> Iterator[neo4j.Record]:
    """Yield those of some questions, rows of `question_store.about`, of which changed passages (keys) may say
    something else than before.

    What the others say has not changed: a question stays as it is where none of its rivals stood in a changed passage
    and none of these has one now that comes before them.
    """
    rest, passages = list(rows), sorted(changed)
    for start in range(0, len(passages), HELD):
        here, left = frozenset(passages[start : start + HELD]), []
        look = SecondLook(graph, passages[start : start + HELD])
        for batch in (rest[at : at + READ] for at in range(0, len(rest), READ)):
            known = [(row, _stored(row), [Rival(**one) for one in json.loads(row["rivals"] or "[]")]) for row in batch]
            look.read([question for _, question, _ in known])
            for row, question, stored in known:
                if any(one.chunk in here for one in stored) or look.changes(question, stored):
                    yield row
                else:
                    left.append(row)
        look.save()
        rest = left


def _stored(row: neo4j.Record) -> Subgraph:
    """A stored question as far as the look needs it."""
    facts = {"pivots": (), "facts": json.loads(row["facts"])}
    known = {name: row[name] for name in ("pattern", "asked", "answers")}
    return Subgraph(id=row["key"], relations=(), named=(), readings=(facts,), **known)


def _rival(one: RivalAnswer) -> Rival:
    return Rival(answer=one.name, sentence=one.sentence, chunk=one.chunk, document=one.chunk[: keys.KEY])


def _empty_group(row: Subgraph) -> _Group:
    """The group of a relation that nothing is known of: what is asked for has no name."""
    fact, relation = row.readings[0].facts[0], row.relations[0]
    empty = {"key": "", "property": relation, "object": "", "period": "", "statements": ()}
    return _Group(row.id[: keys.GROUP], "sr", fact.model_copy(update=empty))


def _ends(group: _Group) -> tuple[str, str]:
    """The known end of a group's fact and the other."""
    ends = group.fact.subject, group.fact.object
    return ends if group.side == "sr" else ends[::-1]


def _is_country(group: _Group) -> bool:
    """Whether the known end of a group is a country: much is of each that nobody counts."""
    known = country(_ends(group)[0])
    return known is not None and known.how != "demonym"


def _is_year(group: _Group) -> bool:
    """Whether the known end of a group is a year: no name to look for."""
    known = _ends(group)[0]
    return known.isdigit() and read_value(known)[0] == "date"


def _is_row(group: _Group) -> bool:
    """Whether a group says of a row what its table says: no other text tells of a row by where its table stands.

    Not of a row that a number tells, and not what it is called: such a table is read from another column.
    """
    row, told = listed_row(group.fact.subject), all(one.cell for one in group.fact.statements)
    named = row is not None and read_value(row.name)[0] == "entity" and not row.name[0].isdigit()
    return group.side == "sr" and told and named and group.fact.relation.lower() not in NAMING


def _named(row: dict[str, str]) -> PassageName:
    places = [json.loads(one)[0] for one in row["places"] or ()]
    return PassageName(
        form(row["label"]), row["type"], frozenset(form(one) for one in (row["surface"], *places) if one)
    )
