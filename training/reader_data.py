"""From texts with marked facts to sentences with the ends that our own recogniser sees, and what joins them."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coreference_data import sentence_key
from relation_data import RELATIVE, SCHEMA, SYMMETRIC, Fact, Gold, marked_sentence

from kgservice.extraction.rules import Reader, Stated
from kgservice.extraction.syntax.fact_ends import PRONOUNS, Met
from kgservice.extraction.syntax.fact_ends import End as Found
from kgservice.extraction.syntax.parser import Parser
from kgservice.text.periods import NO_CALENDAR, calendar
from kgservice.text.values import read_value

if TYPE_CHECKING:
    from drawn import Text

SURE = 150  # characters of a sentence that identify it: lists cut them at 200
HASHED = 12  # letters that stand for a sentence where a list has no text
OVERLAP = 0.5  # of two spans' characters together: then they are the same mention
ALL = frozenset(("*",))
FAMILIES = [  # what is said by one may be said by another: where only one was looked for, the others are unknown
    frozenset(words.split())
    for words in (
        "P131 P17 P30 P276 P206 P706 P361 P159 P36 P205 P403 P1376 P937 P740",
        "P361 P463 P108 P54 P102 P118 P749 P127 P39 P1344 P241 P69 P112 P169",
        "P155 P179 P1365 P361 P144",
        "P19 P20 P551 P27 P937 P1412 P103 P172 P740 P69",
        "P178 P176 P127 P123 P170 P272 P449 P495 P17 P137 P112 P264",
        "P37 P407 P364 P103 P1412 P17 P27 P495",
        "P175 P86 P50 P800 P170 P676 P58 P57 P162 P161 P138 P1441 P527 P463",
        "P569 P571 P577 P580 P582 P585 P570 P576",
        "P47 P530 P190 P131 P17 P607 P1344",
        "P6 P35 P488 P169 P108 P39 P112 P1001 P194 P36 P27 P17",
    )
]

End = tuple[int, int, str]
Pair = tuple[int, int]


class Example(NamedTuple):
    """A sentence: its ends, the facts between them, and which relations nobody knows of a pair ("*": all others).

    `stated` counts the facts of the sentence whose ends are named, found among our ends or not.
    """

    source: str
    text: str
    ends: tuple[End, ...]
    facts: dict[Pair, frozenset[str]]
    unknown: dict[Pair, frozenset[str]]
    scope: frozenset[str]
    open: bool
    stated: tuple[tuple[str, Pair | None], ...]


def examples(name: str, golds: Iterable[Gold], cache: Path | None = None) -> list[Example]:
    """Return the sentences of texts; kept in a file of the folder `cache` between runs."""
    path = cache / f"{name}.pickle" if cache else None
    if path is not None and path.exists():
        return list(pickle.loads(path.read_bytes()))
    found = list(golds)
    parser = Parser()
    parsed = parser.parse_all([(gold.text, gold.title) for gold in found])
    made = [one for gold, docs in zip(found, parsed, strict=True) for one in _sentences(gold, docs[0])]
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(made))
    return made


def judged(rows: Iterable[dict[str, Any]], texts: Iterable[Text]) -> list[Example]:
    """Return the sentences of which a reader before meant something, and a person said whether they state it.

    Of a pair that was judged, what was said to be wrong is known, and beside what is right all that is nothing like it.
    """
    return [_judged(source, met, said) for source, _, met, _, said in read_again(rows, texts)]


def marked(rows: Iterable[dict[str, Any]], texts: Iterable[Text]) -> list[Example]:
    """Return the sentences of which a person marked all that they state."""
    return [as_marked(met, said[0]) for _, _, met, _, said in read_again(rows, texts)]


def unmarked(texts: Iterable[Text], cache: Path | None = None) -> list[Example]:
    """Return all sentences of texts that have two named ends, as ones of which nobody said anything."""
    path = cache / "unmarked.pickle" if cache else None
    if path is not None and path.exists():
        return list(pickle.loads(path.read_bytes()))
    parser, found = Parser(), []
    for text in texts:
        about = dict(text.about)
        for doc in parser.parse(text.text, text.title):
            reader = Reader(doc, text.title, str(about.get("company", "")), calendar(about), ends=True)
            list(reader.weighed())
            for met in reader.met:
                if sum(end.name is not None for end in met.ends) > 1:
                    places = tuple((end.start - met.start, end.end - met.start, end.kind) for end in met.ends)
                    unknown = dict.fromkeys(permutations(range(len(places)), 2), ALL)
                    found.append(
                        Example(f"unmarked-{text.source}", met.text, places, {}, unknown, frozenset(), True, ())
                    )
    if path is not None:
        path.write_bytes(pickle.dumps(found))
    return found


def as_marked(met: Met, row: dict[str, Any]) -> Example:
    """Return a sentence with what a person marked in it."""
    whole = " " * met.start + met.text  # places are those of the whole text
    return _example(marked_sentence(row, whole, met.start), met.text, met.start, list(met.ends))


def read_again(
    rows: Iterable[dict[str, Any]], texts: Iterable[Text]
) -> Iterator[tuple[str, Reader, Met, list[Stated], list[dict[str, Any]]]]:
    """Yield the sentences that rows are about, as our reader meets them in their texts, with what it states there and
    the rows of each."""
    wanted = defaultdict[str, list[dict[str, Any]]](list)
    for row in rows:
        wanted[row["source"]].append(row)
    parser = Parser()
    for text in texts:
        own = [row for row in wanted.get(text.source, ()) if _hashed(row) or row["sentence"][:SURE] in text.text]
        about = dict(text.about)
        for doc in parser.parse(text.text, text.title) if own else ():
            reader = Reader(doc, text.title, str(about.get("company", "")), calendar(about), ends=True)
            stated = list(reader.weighed())
            for met in reader.met:
                here = (met.written[:SURE], sentence_key(met.written))
                if said := [row for row in own if row["sentence"][:SURE] in here]:
                    yield text.source, reader, met, [one for one in stated if one.triplet.sentence == met.written], said


def _hashed(row: dict[str, Any]) -> bool:
    """Whether a row has a hash in place of its sentence."""
    return len(row["sentence"]) == HASHED


def _judged(source: str, met: Met, rows: list[dict[str, Any]]) -> Example:
    names = [end.name.label if end.name is not None else None for end in met.ends]
    pairs = list(permutations(range(len(names)), 2))
    right, wrong = defaultdict[Pair, set[str]](set), defaultdict[Pair, set[str]](set)
    for row in rows:
        labels = (row["subject"], row["object"])
        either = (labels, labels[::-1]) if row["relation"] in SYMMETRIC else (labels,)
        for pair in pairs:
            if (names[pair[0]], names[pair[1]]) in either:
                (right if row["usable"] else wrong)[pair].add(row["relation"])
    unknown = dict.fromkeys(pairs, ALL)
    for pair in right.keys() | wrong.keys():
        near = {name for family in FAMILIES if right[pair] & family for name in family}
        unknown[pair] = frozenset((near if right[pair] else SCHEMA.relations.keys()) - right[pair] - wrong[pair])
    facts = {pair: frozenset(relations) for pair, relations in right.items() if relations}
    places = tuple((end.start - met.start, end.end - met.start, end.kind) for end in met.ends)
    return Example(f"judged-{source}", met.text, places, facts, unknown, frozenset(), True, ())


def _sentences(gold: Gold, doc) -> Iterator[Example]:  # type: ignore[no-untyped-def]
    """Read a text as the rules do, for who is meant by a pronoun depends on what stands before."""
    reader = Reader(doc, gold.title, "", NO_CALENDAR, ends=True)
    for sentence in doc.sents:
        for _ in reader.read(sentence):
            pass
    for met in reader.met:
        yield _example(gold, met.text, met.start, list(met.ends))


def _example(gold: Gold, text: str, start: int, ours: list[Found]) -> Example:
    upto = start + len(text)
    marked = [(*span, number) for number, spans in enumerate(gold.entities) for span in spans]
    marked = sorted(span for span in marked if start <= span[0] and span[1] <= upto)
    ends, numbers = _aligned(gold, ours, marked)
    alike = _referred(gold, ends, numbers, marked)
    here = max((at for at, begin in enumerate(gold.begins) if begin <= start), default=0)
    facts = [
        fact._replace(subject=alike.get(fact.subject, fact.subject), object=alike.get(fact.object, fact.object))
        for fact in gold.facts
    ]
    stated = [fact for fact in facts if fact.sentences is None or here in fact.sentences]
    joined: dict[Pair, frozenset[str]] = {}
    unknown: dict[Pair, frozenset[str]] = {}
    for pair in permutations(range(len(ends)), 2):
        one, other = numbers[pair[0]], numbers[pair[1]]
        said = {fact.relation for fact in stated if _joins(fact, one, other)}
        elsewhere = {fact.relation for fact in facts if _joins(fact, one, other)} - said
        if said:
            joined[pair] = frozenset(said)
        if not_sure := _unknown(gold, facts, one, other, said, elsewhere):
            unknown[pair] = frozenset(not_sure)
    spans = tuple((first - start, last - start, kind) for first, last, kind in ends)
    named = {number for *_, number in marked}
    wanted = [fact for fact in stated if {fact.subject, fact.object} <= named]
    found = tuple((fact.relation, _place(fact, numbers)) for fact in wanted)
    return Example(gold.source, text, spans, joined, unknown, gold.scope, gold.open, found)


def _joins(fact: Fact, one: int | None, other: int | None) -> bool:
    straight = (fact.subject, fact.object) == (one, other)
    return straight or (fact.relation in SYMMETRIC and (fact.object, fact.subject) == (one, other))


def _place(fact: Fact, numbers: list[int | None]) -> Pair | None:
    if fact.subject in numbers and fact.object in numbers:
        return numbers.index(fact.subject), numbers.index(fact.object)
    return None


def _unknown(
    gold: Gold, facts: list[Fact], one: int | None, other: int | None, said: set[str], elsewhere: set[str]
) -> frozenset[str] | set[str]:
    """The relations of which nobody says whether they join a pair."""
    if one is None or other is None or one == other:
        return ALL
    either = said | elsewhere | {fact.relation for fact in facts if _joins(fact, other, one)}
    near = {name for family in FAMILIES if either & family for name in family}
    if gold.open:
        return near - said if either else ALL
    unsure = elsewhere | {name for name in near if name not in gold.scope}
    for fact in facts:  # "He founded it": who else in the sentence may be meant by "he"
        if fact.object == other and fact.subject != one and _spoken(gold, fact.subject):
            unsure |= {fact.relation} - said
        if fact.subject == one and fact.object != other and _spoken(gold, fact.object):
            unsure |= {fact.relation} - said
    return unsure


def _spoken(gold: Gold, number: int) -> bool:
    """True if an entity is nothing but pronouns."""
    spans = gold.entities[number] if number >= 0 else ()
    return bool(spans) and all(gold.text[slice(*span)].lower() in PRONOUNS | RELATIVE for span in spans)


def _aligned(gold: Gold, ours: list[Found], marked: list[tuple[int, int, int]]) -> tuple[list[End], list[int | None]]:
    """Our ends and the marked ones that we lack, each with its entity: a new one where nobody marked it.

    None is for an end of which nobody knows: part of a name, two in one, a pronoun where none are marked.
    """
    ends: list[End] = []
    numbers: list[int | None] = []
    words = {gold.text[slice(*span)].lower(): number for number, spans in enumerate(gold.entities) for span in spans}
    for at, (start, end, kind, name) in enumerate(ours):
        over = [(_share((start, end), span[:2]), span) for span in marked]
        share, best = max(over, default=(0.0, None), key=lambda item: item[0])
        if best is not None and share >= OVERLAP:
            numbers.append(best[2])
        elif share:
            numbers.append(None)
        elif kind == "pronoun" and not gold.pronouns:
            numbers.append(words.get(name.label.lower()) if name is not None else None)
        else:
            numbers.append(words.get(gold.text[start:end].lower(), -1 - at))
        ends.append((start, end, kind))
    for first, last, number in marked:
        form = gold.text[first:last]
        kind = "pronoun" if form.lower() in PRONOUNS else "date" if read_value(form)[0] == "date" else "name"
        plain = kind == "name" and not form[:1].isupper()
        if form.lower() not in RELATIVE and not plain and not any(_share((first, last), end[:2]) for end in ours):
            ends.append((first, last, kind))
            numbers.append(number)
    order = sorted(range(len(ends)), key=lambda at: ends[at])
    return [ends[at] for at in order], [numbers[at] for at in order]


def _referred(
    gold: Gold, ends: list[End], numbers: list[int | None], marked: list[tuple[int, int, int]]
) -> dict[int, int]:
    """Whom "who" and "which" mean, where the text names it nowhere else: the name just before."""
    alike: dict[int, int] = {}
    for first, last, number in marked:
        only = all(gold.text[slice(*span)].lower() in RELATIVE for span in gold.entities[number])
        if only and gold.text[first:last].lower() in RELATIVE:
            before = [at for at, end in enumerate(ends) if end[1] <= first and end[2] != "date"]
            if before and (meant := numbers[before[-1]]) is not None:
                alike[number] = meant
    return alike


def _share(one: tuple[int, int], other: tuple[int, int]) -> float:
    both = min(one[1], other[1]) - max(one[0], other[0])
    return max(0, both) / (max(one[1], other[1]) - min(one[0], other[0]))
