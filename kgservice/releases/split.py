"""Which questions a release asks (test), which it gives away with their answers (train), and which it leaves out, why.

A fact is on one side by its words alone, so no fact is on both, in this release and in any other one of the corpus:
what was given away once is never asked (RARE, appendix E). The words leave out the period: a rent that is the same in
two years is one answer. They are the same in whatever direction the fact is stated, as who knows whom Ada Orr married
knows whom her husband married. The test part keeps at most so many questions a pattern (150 in DRAGON); its groups
of one kind (what is asked, by which relations) take turns, and questions of the last release keep their places, also
with another answer, so that a release differs from the last one by what has changed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

from kgservice.core import keys
from kgservice.core.records import Fact, Question, Record
from kgservice.questions.filters.correspondence import tails
from kgservice.questions.filters.duplicates import near_duplicates
from kgservice.questions.wording.relation_questions import one_way

TRAIN = 0.3  # of the facts
SANDBOX = 20  # questions a pattern
REPEATED, TAIL = "near-duplicate of another question", "tail of the graph correspondence"
BOTH_SIDES, OVER = "facts on both sides of the split", "over its pattern's number"
TOLD = "about a fact that another release has told"
ASKED = "about a fact that another release asks for"


class ReleaseParts(Record):
    """The questions of each part in order of id; `left_out` says why by id."""

    test: tuple[Question, ...]
    train: tuple[Question, ...]
    left_out: dict[str, str]


def triple_of(fact: Fact) -> tuple[str, str, str]:
    """Return a fact as releases write it."""
    return fact.subject, fact.relation, fact.object


def for_training(fact: Fact) -> bool:
    """Return whether a fact is given away, by its words."""
    said = one_way(*triple_of(fact))
    return int(keys.digest(4, "side", said), 32) < TRAIN * 32**4  # the digits of a key are those of base 32


def either_way(triple: Sequence[str]) -> tuple[str, ...]:
    """Return a triple by its relation and its ends in order, to find one that may state the same the other way round.

    No release has the schema of its corpus, which may be the only one to say that a relation is symmetric.
    """
    subject, relation, obj = one_way(*triple)
    return (relation, *sorted((subject, obj)))


def parts(
    questions: Sequence[Question],
    per_pattern: int,
    seed: int,
    older: Collection[str],
    told: Collection[tuple[str, str, str]] = (),
    kept: Collection[tuple[str, str, str]] = (),
) -> ReleaseParts:
    """Part the active questions of a corpus; `older`: ids of those that were asked in these words by the last release,
    `told`: triples that releases before have told with their train parts and opened answers, `kept`: those that they
    still ask for."""
    told, kept = ({one_way(*triple) for triple in triples} for triples in (told, kept))
    known = [(one.id, float(one.metadata.get("correspondence", 1.0))) for one in questions]
    out = dict.fromkeys(tails(known) - set(older), TAIL)
    left = [one for one in questions if one.id not in out]
    out |= dict.fromkeys(near_duplicates(left, older), REPEATED)
    train: list[Question] = []
    asked: list[Question] = []
    for one in left:
        sides = {for_training(fact) for fact in one.facts}
        if one.id in out:
            continue
        if sides == {True} and any(one_way(*triple_of(fact)) in kept for fact in one.facts):
            out[one.id] = ASKED
        elif sides == {True}:
            train.append(one)
        elif sides == {True, False}:
            out[one.id] = BOTH_SIDES
        elif any(one_way(*triple_of(fact)) in told for fact in one.facts):
            out[one.id] = TOLD
        else:
            asked.append(one)
    test = drawn(asked, per_pattern, seed, older)
    out |= dict.fromkeys({one.id for one in asked} - {one.id for one in test}, OVER)
    return ReleaseParts(test=test, train=tuple(train), left_out=out)


def drawn(
    questions: Iterable[Question], per_pattern: int, seed: int, older: Collection[str] = ()
) -> tuple[Question, ...]:
    """Return at most so many questions of each pattern, in order of id."""
    by_pattern: dict[str, list[Question]] = defaultdict(list)
    for one in questions:
        by_pattern[one.pattern].append(one)
    found = [one for group in by_pattern.values() for one in _in_turns(group, seed, older)[:per_pattern]]
    return tuple(sorted(found, key=lambda one: one.id))


def _in_turns(group: Iterable[Question], seed: int, older: Collection[str]) -> list[Question]:
    turns: Counter[tuple[str, ...]] = Counter()
    places: list[tuple[bool, int, str, Question]] = []
    for luck, one in sorted(((keys.digest(20, seed, one.id), one) for one in group), key=lambda pair: pair[0]):
        kind = (one.asked, *sorted(fact.relation for fact in one.facts))
        places.append((one.id not in older, turns[kind], luck, one))
        turns[kind] += 1
    return [place[-1] for place in sorted(places, key=lambda place: place[:3])]
