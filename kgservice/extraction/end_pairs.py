"""What the relation reader finds in the sentences that the rules have gone through, as triplets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, cast

from kgservice.core.records import Term, Triplet
from kgservice.core.schema import DEFAULT, Relation, Schema, packaged_schema
from kgservice.extraction.phrasebook import RelationMeaning, is_event, phrasebook
from kgservice.extraction.syntax.clauses import base, is_asserted
from kgservice.extraction.syntax.confidence import (
    PAIR_BELIEF,
    SideFeatures,
    features,
    least_belief,
    probability,
    sentence_features,
)
from kgservice.extraction.syntax.coreference import Focus, is_lone
from kgservice.extraction.syntax.fact_ends import End, Met
from kgservice.extraction.syntax.name_spans import NOT_YET, OVER
from kgservice.extraction.syntax.nominal_facts import ONCE
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd
from kgservice.names.countries import country, is_demonym
from kgservice.names.local_entities import entity
from kgservice.names.persons import RANKS
from kgservice.text.english import is_agent
from kgservice.text.values import typed

if TYPE_CHECKING:
    from spacy.tokens import Span

    from kgservice.extraction.readers.coreference_reader import Resolver
    from kgservice.extraction.readers.relation_reader import Joined, RelationReader

BELIEVED = 0.2  # probability from which on the reader believes a rule's relation
NEVER = 1 / (1 + math.exp(6))  # no probability counts as less
PERHAPS = 0.3  # from which on the reader may mean a relation, though it does not state it
ASKED = 0.6  # from which on whom a pronoun means is asked, whatever is kept
EMPLOYER, MEMBER, FOUNDED_BY, TOOK_OFFICE = "P108", "P463", "P112", "kgs:took_office"
_TEAM = "team"
TURNED = 0.2  # of a probability: from there on the reader cannot tell which of the two is which
ALIKE = 0.9  # of a probability: another that is as high may be the right one
ONE = ("one", "one at a time")

_OVER = rf"(?:{'|'.join(sorted(OVER - {'ex', 'then'}))}|one-time|then|ex[- ])"
_OF_PLAYER = re.compile(r"['’]s? |(?: [a-z][a-z-]+){1,2} [A-Z]")  # behind a team
_CALLS = frozenset(("amod", "appos", "compound", "nmod:desc"))  # from whom a noun names to the noun
_TO = r"(?:as|at|by|for|from|in|of|to|with)(?: the)? ?\Z"
_EARLIER = "|".join(sorted(ONCE - {"recently"}))
_FORMERLY = re.compile(  # right before the second end: "originally located in", "is a retired captain with"
    rf"\b(?:{_EARLIER})(?: [a-z]+){{0,3}} {_TO}|\b{_OVER}(?: ?[a-z-]+){{1,4}} {_TO}"
)
_AND = re.compile(r",? (?:and|or|&) (?:the )?")


class Heard(Protocol):
    """What the rules know of a text when they have read it."""

    met: list[Met]
    refused: set[tuple[str, frozenset[str]]]
    focus: Focus


class Likely(NamedTuple):
    """What the reader may mean, the features that its confidence is judged by, and how likely its pronouns mean so."""

    triplet: Triplet
    told: dict[str, float]
    meant: float


def joined(
    pairs: RelationReader, heard: Heard, resolver: Resolver | None = None, least: float = 0.0
) -> Iterator[Likely]:
    """Yield what the reader may mean in each sentence; `resolver` says whom pronouns mean, without it the rules do.

    A relation is an id of the schema; what `_unfit` refuses is left out, and what is less likely than `least`.
    """
    schema, lowest = packaged_schema(), least_belief(least)
    for at, seen in enumerate(heard.met):
        if sum(end.name is not None or (resolver is not None and end.kind == "pronoun") for end in seen.ends) < 2:
            continue
        read = pairs.read(seen.text, _places(seen), TURNED * PERHAPS)
        likely = [found for found in read if found.probability >= PERHAPS and not _may_be_turned(schema, found, read)]
        believed = [found for found in likely if _log_odds(found.probability) >= lowest]
        made = sentence_features(seen.sentence, seen.written) if believed else {}
        met, sure = _resolved(resolver, at, seen, believed)
        known: SideFeatures = {}
        for found in believed:
            one, other = met.ends[found.subject].name, met.ends[found.object].name
            if one is None or other is None:
                continue
            state = country(other.label) if schema.relations[found.relation].range == ("country",) else None
            if state is not None and state.how == "demonym":  # "the Russian city of Tolyatti" is in Russia
                other = other._replace(label=state.name)
            told = features(FactCandidate(one, found.relation, other, "pair"), met.sentence, made, known)
            told |= dict(_pair(pairs, found, likely, met))
            meant = sure.get(found.subject, 1.0) * sure.get(found.object, 1.0)
            if probability(told, meant) < least or _unfit(schema, heard, met, found, likely):
                continue  # most are too unlikely, which is seen sooner than what is wrong with them
            ends = [term(end, heard.focus) for end in (one, other)]
            triplet = Triplet(subject=ends[0], relation=found.relation, object=ends[1], sentence=met.written)
            yield Likely(triplet, told, meant)


def _resolved(resolver: Resolver | None, at: int, met: Met, likely: Sequence[Joined]) -> tuple[Met, dict[int, float]]:
    """Return a sentence with what its pronouns mean, where anything may be stated of one, and how likely each is so."""
    sure = [found for found in likely if found.probability >= ASKED]
    asked = {end for found in sure for end in (found.subject, found.object) if met.ends[end].kind == "pronoun"}
    if resolver is None or not asked:
        return met, {}
    meant = {number: resolver.meant(at, end) for number, end in enumerate(met.ends) if end.kind == "pronoun"}
    ends = tuple(
        end._replace(name=known.name if (known := meant[number]) else None) if number in meant else end
        for number, end in enumerate(met.ends)
    )
    return met._replace(ends=ends), {number: known.probability for number, known in meant.items() if known}


def _places(met: Met) -> list[tuple[int, int, str]]:
    """Return the ends of a sentence by their places in it, with their kinds."""
    return [(end.start - met.start, end.end - met.start, end.kind) for end in met.ends]


def _unfit(schema: Schema, heard: Heard, met: Met, found: Joined, likely: Sequence[Joined]) -> bool:
    """Return whether a relation is not stated between two ends, whatever the reader means.

    Left alone are ends of which the rules saw the sentence deny, doubt or only claim something, those that the text
    itself calls something that the relation cannot join ("Solaris is a film" has no place of birth), a rank behind a
    name ("Arnulf, Count of Holland"), a name within the other, a founder as an employee, a day on which somebody took
    one office of several ("General Manager in 1993, President in 1998"), and a side that has one member at a time where
    another end is about as likely. A country is one by its name or by what the text calls it. What the recogniser takes
    names for decides nothing: of pairs that it speaks against as many are right as of others.
    """
    one, other = met.ends[found.subject].name, met.ends[found.object].name
    if one is None or other is None or one.label in other.label or other.label in one.label:
        return True
    places = _places(met)
    relation = schema.relations[found.relation]
    persons = RelationMeaning(relation, turned=False).persons
    another = (met.written, frozenset((one.label, other.label))) in heard.refused
    pair = found.subject, found.object
    another = another or _is_supposed(met, found)
    another = another or any(_is_of_owned(met, *each, kin=all(persons)) for each in (pair, pair[::-1]))
    another = another or is_misfit(schema.relations[found.relation], one, other, heard.focus)
    another = another or _is_place_of_team(schema.relations[found.relation], met, found)
    if another or any(_is_rank(met.text, places[end], met.ends[end].name) for end in (found.subject, found.object)):
        return True
    sides = ((one, other, persons[0]), (other, one, all(persons)))
    in_part = any(
        heard.focus.partial(end, person=not (all(persons) and is_lone(beside))) for end, beside, said in sides if said
    )
    if in_part or any(_rivals(relation, found, each, met.ends) for each in likely):
        return True
    if not _may_join(schema, term(one, heard.focus), found.relation, term(other, heard.focus)):
        return True
    founded = any(
        (each.relation, each.subject, each.object) == (FOUNDED_BY, found.object, found.subject) for each in likely
    )
    before = [(*place[:2], end.name) for place, end in zip(places, met.ends, strict=True) if end.name is not None]
    only_where = _says_where(schema, relation, met.text, places[found.object][:2], before)
    if only_where or (found.relation == EMPLOYER and founded) or found.relation == TOOK_OFFICE:
        return True
    return _has_ended(relation, met, found)


def is_misfit(relation: Relation, subject: NamedEnd, obj: NamedEnd, focus: Focus) -> bool:
    """Return whether a relation joins no such names: a team has more than a nickname."""
    sides = ((subject, relation.domain), (obj, relation.range))
    return any(_TEAM in classes and focus.is_byname(end) for end, classes in sides)


def _is_of_owned(met: Met, owner: int, other: int, *, kin: bool) -> bool:
    """Whether what a sentence joins to an owner it says of a person whom that one has: "Ada Orr's rival Bo Lind won Z".

    The two themselves may be joined, and `kin` by what is said of unnamed relatives: "her parents, Bo and Cy Lind".
    """
    one, words = _words(met, owner).root, _words(met, other)
    relative = next((verb for verb in one.rights if verb.dep_ == "acl:relcl" and words.root in verb.subtree), None)
    if relative is not None:  # "Ada Orr, whose father founded Acme"
        one = next((each for each in relative.subtree if each.lower_ == "whose"), one)
    while one.dep_ == "conj":  # "Ada and Bo Orr's son"
        one = one.head
    noun = one.head
    if one.dep_ != "nmod:poss":
        return False
    equated = base(noun) == "nsubj" and any(child.dep_ == "cop" for child in noun.head.children)
    called = [noun, *(child for child in noun.rights if child.dep_ == "appos")]
    called += [noun.head] if equated or noun.dep_ in _CALLS else []
    somebody = base(noun) == "nsubj" and not kin and (is_agent(noun.lemma_) or noun.lower_ == "family")
    somebody = somebody or any(name.pos_ == "PROPN" and name.ent_type_ == "PER" for name in called)
    return somebody and not any(word in words for name in called for word in (name, *name.conjuncts))


def _is_supposed(met: Met, found: Joined) -> bool:
    """Whether a clause of a pair asserts nothing: "If Acme acquires Globex", "Ada Orr may lead Acme"."""
    one, other = (_words(met, end).root for end in (found.subject, found.object))
    first, second = [one, *one.ancestors], [other, *other.ancestors]
    shared = [word for word in first if word in second]
    apart = [word for word in first + second if word not in shared]
    return not all(map(is_asserted, apart + shared[:1]))


def _words(met: Met, end: int) -> Span:
    """Return the words of an end."""
    return cast("Span", met.sentence.doc.char_span(*met.ends[end][:2], alignment_mode="expand"))


def _is_place_of_team(relation: Relation, met: Met, found: Joined) -> bool:
    """Whether a team is called by its place alone before its player: "Washington starter Bo Lind", "Lun's wingers"."""
    name, places = met.ends[found.object].name, _places(met)
    if _TEAM not in relation.range or name is None or name.type != "place" or not is_lone(name):
        return False
    return country(name.label) is None and _OF_PLAYER.match(met.text, places[found.object][1]) is not None


def _has_ended(relation: Relation, met: Met, found: Joined) -> bool:
    """Whether a relation that may end is over by the words beside any mentions of its ends in the sentence."""
    if found.relation not in (EMPLOYER, MEMBER) and relation.objects != "one at a time":
        return False
    places = _places(met)
    of_them = [[at for at in range(len(places)) if _same(met.ends, at, end)] for end in (found.subject, found.object)]
    for pair in product(*of_them):
        first, second = sorted(pair, key=lambda at: places[at])
        if _is_over(met.text, places[first], places[second]) or _is_of_another_time(met, first, second):
            return True
    return False


def _is_of_another_time(met: Met, first: int, second: int) -> bool:
    """Whether a phrase that names two ends says that it is so no more or not yet: "former Globex CEO Ada Orr"."""
    ends = [_words(met, end).root for end in (first, second)]
    if ends[0] == ends[1]:
        return False
    over = [[end, *end.ancestors] for end in ends]
    shared = next((word for word in over[0] if word in over[1]), None)
    path = [word for each in over for word in each[: each.index(shared)]] + [shared] if shared is not None else []
    if any(word.pos_ in ("VERB", "AUX") for word in path):
        return False
    told = [(word, child) for word in path for child in word.lefts if child.lower_ in OVER or child.lower_ in NOT_YET]
    return any(word not in ends or child.i < ends[0].i < max(word.i, word.head.i) for word, child in told)


def _is_over(text: str, first: tuple[int, int, str], second: tuple[int, int, str]) -> bool:
    """Whether what joins two ends was so once: "Ada Orr, previously CEO of Globex"."""
    return _FORMERLY.search(text[first[1] : second[0]]) is not None


def _may_be_turned(schema: Schema, found: Joined, read: Sequence[Joined]) -> bool:
    """Whether a relation may as well join the two the other way round: which of two novels comes after the other."""
    turned = found.object, found.relation, found.subject
    other = max((one.probability for one in read if one[:3] == turned), default=0.0)
    return not schema.relations[found.relation].symmetric and other >= TURNED * found.probability


def _pair(pairs: RelationReader, found: Joined, likely: Sequence[Joined], met: Met) -> Iterator[tuple[str, float]]:
    """What the likelihood of a pair's relation is judged by, beside how its ends and its sentence are made."""
    yield f"pair taught by {_taught(pairs, found.relation)}", 1.0
    yield PAIR_BELIEF, _log_odds(found.probability)
    one, other = met.ends[found.subject], met.ends[found.object]
    yield "pair's way", math.log1p(max(one.start - other.end, other.start - one.end) / 50)
    yield "pair's subject after object", float(one.start > other.start)
    yield "ends of the sentence", math.log(len(met.ends) / 4)
    for side, end in (("subject", one), ("object", other)):
        yield f"pair's {side} a {end.kind}", 1.0
    beside = [each for each in likely if {each.subject, each.object} == {found.subject, found.object} and each != found]
    yield "pair otherwise", max((each.probability for each in beside), default=0.0)


def _taught(pairs: RelationReader, relation: str) -> Literal["people", "phrases"]:
    return "people" if pairs.taught.marked[pairs.taught.relations.index(relation)] else "phrases"


def _log_odds(chance: float) -> float:
    return math.log(max(chance, NEVER) / max(1 - chance, NEVER))


class Opinion(NamedTuple):
    """What the reader thinks of the relation that a rule's statement means: how likely, and by whose texts it knows."""

    relation: str
    by: Literal["people", "phrases"]  # marked texts, or made-up sentences alone
    probability: float

    @property
    def doubted(self) -> str | None:
        """The relation if the reader, taught by people, does not believe it.

        Of 54 judged questions that rest on such relations 6 of the 11 that it does not believe were wrong, and 2 of the
        other 43.
        """
        return self.relation if self.by == "people" and self.probability < BELIEVED else None

    @property
    def features(self) -> dict[str, float]:
        """What a statement's confidence is judged by: that there is an opinion, and its log odds, at most 6 from 0."""
        return {f"taught by {self.by}": 1.0, f"belief by {self.by}": _log_odds(self.probability)}


def opinion(pairs: RelationReader, met: Sequence[Met], triplet: Triplet) -> Opinion | None:
    """Return what the reader thinks of the schema's relation that a rule's triplet means.

    "Ada in Sweden, Bo in Norway" places no Norway in Bo. It has no opinion of relations that it does not know, and of
    ends that it does not see in the sentence.
    """
    book = phrasebook(DEFAULT)
    if book is None:
        return None
    meaning = book.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
    if isinstance(meaning, str):
        return None
    taught = pairs.taught.relations
    inverse = meaning.relation.inverse
    relation = meaning.relation.id if meaning.relation.id in taught else inverse
    if relation not in taught:
        return None
    turned = meaning.turned == (relation != inverse)
    labels = (triplet.subject.label, triplet.object.label)[:: -1 if turned else 1]
    either = (labels, labels[::-1] if meaning.relation.symmetric else labels)
    for sentence in met:  # the first with both ends: a text may repeat a sentence a thousand times
        if sentence.written == triplet.sentence:
            names = [end.name.label if end.name is not None else None for end in sentence.ends]
            asked = [pair for pair in permutations(range(len(names)), 2) if (names[pair[0]], names[pair[1]]) in either]
            if asked:
                return Opinion(
                    meaning.relation.id,
                    _taught(pairs, relation),
                    pairs.probability(sentence.text, _places(sentence), relation, asked),
                )
    return None


def resolved(resolver: Resolver | None, heard: Heard, triplet: Triplet) -> tuple[Triplet, float]:
    """Return a rule's triplet with what its pronouns mean, and how likely they do; 0 where they name nothing."""
    at = next((at for at, met in enumerate(heard.met) if met.written == triplet.sentence), None)
    if resolver is None or at is None:
        return triplet, 1.0
    likely = 1.0
    for side in ("subject", "object"):
        pronoun = _pronoun_of(heard.met[at], getattr(triplet, side).label)
        if pronoun is None:
            continue
        label, meant = getattr(triplet, side).label, resolver.meant(at, pronoun)
        if meant is None:
            return triplet, 0.0
        likely *= meant.probability
        if meant.name.label != label:
            triplet = triplet.model_copy(update={side: term(meant.name, heard.focus)})
    return triplet, likely if triplet.subject.label != triplet.object.label else 0.0


def _pronoun_of(met: Met, label: str) -> End | None:
    """Return the pronoun that the rules take for a name; None where the sentence says the name or its people."""
    own = [end for end in met.ends if end.name is not None and end.name.label == label]
    if own:
        return None if any(end.kind != "pronoun" for end in own) else own[0]
    elsewhere = label not in met.text and country(label) is None
    return met.nouns[0] if elsewhere and len(met.nouns) == 1 else None  # "The startup, founded by"


def _may_join(schema: Schema, subject: Term, relation: str, obj: Term) -> bool:
    known = schema.relations[relation]
    if any("place" in side and is_demonym(one.label) for one, side in ((subject, known.domain), (obj, known.range))):
        return False  # "a Swedish-born violinist"
    range_ = obj.type if obj.kind == "entity" else obj.kind
    if known.range == ("country",) and schema.fit(range_, known.range) < 2 and country(obj.label) is None:
        return schema.entity_class(obj.label) == "country"  # "the Ottoman Empire"
    if "school" in known.range and is_event(schema, obj.type, obj.label):
        return False  # who attended the Lun Festival did not study there
    return bool(schema.fit(subject.type, known.domain) and schema.fit(range_, known.range))


def _rivals(relation: Relation, found: Joined, other: Joined, ends: Sequence[End]) -> bool:
    """Whether only one of two may be true of a side that has one member, and the other is about as likely."""
    if other.relation != found.relation or other.probability < ALIKE * found.probability:
        return False
    if "place" in relation.range:  # a city and its country are no rivals
        return False
    either = [(other.subject, other.object)]
    if relation.symmetric:
        either.append((other.object, other.subject))
    return any(
        (_same(ends, subject, found.subject) and not _same(ends, obj, found.object) and relation.objects in ONE)
        or (_same(ends, obj, found.object) and not _same(ends, subject, found.subject) and relation.subjects in ONE)
        for subject, obj in either
    )


def _same(ends: Sequence[End], one: int, other: int) -> bool:
    """Whether two ends are one, or have one name."""
    names = ends[one].name, ends[other].name
    return one == other or (names[0] is not None and names[1] is not None and names[0].label == names[1].label)


def _is_rank(text: str, place: tuple[int, int, str], name: NamedEnd | None) -> bool:
    """Whether an end is the rank of the name before it: "Arnulf, Count of …"."""
    words = name.label.split() if name is not None else []
    return bool(words) and words[0] in RANKS and "of" in words and text[: place[0]].endswith(", ")


def _says_where(
    schema: Schema, relation: Relation, text: str, place: tuple[int, int], ends: Sequence[tuple[int, int, NamedEnd]]
) -> bool:
    """Whether a place only says where the place before it lies: "born in Vienna, Austria", but no list of places."""
    if relation.within or not schema.fit("place", relation.range):
        return False
    before = [name for _, end, name in ends if text[end : place[0]] == ", "]
    if not any(name.kind == "entity" and name.type in ("place", None) for name in before):
        return False
    end = place[1]
    for start, after, _ in sorted(ends, key=lambda one: one[:2]):
        between = text[end:start] if start >= end else ""
        if _AND.fullmatch(between):
            return False
        if between == ", ":
            end = after
    return True


def term(name: NamedEnd, focus: Focus) -> Term:
    """Return an end of a triplet, a date or a number with its value."""
    if name.kind != "entity":
        return typed(Term(label=name.label))
    return Term(label=name.label, kind="entity", type=focus.class_of(name))
