"""What a sentence says somebody or something is: who holds, is appointed to or leaves a post, and of what it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgservice.extraction.fact_checks import FactChecks
from kgservice.extraction.syntax.clauses import Argument, Clause, base, conjuncts, preposition
from kgservice.extraction.syntax.coreference import Focus
from kgservice.extraction.syntax.name_spans import NOT_YET, OFFICES, POST, is_office
from kgservice.extraction.syntax.nominal_facts import (
    APPOINTS,
    Roles,
    class_named,
    ended,
    form_of_be,
    leaves,
    role_words,
    succeeds,
    was_placed,
)
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd, Names
from kgservice.extraction.syntax.rejection import MAX_WORDS, REFUSED
from kgservice.names.countries import is_continent, is_country
from kgservice.text.english import is_agent

if TYPE_CHECKING:
    from spacy.tokens import Token

_JOINED = frozenset("politician player member candidate employee executive graduate spokesman subsidiary".split())
_HOLDS = frozenset("act become continue remain return serve start work".split())
_OF_FIRMS = frozenset("ceo cfo cio coo cto director executive officer".split())  # offices of no country
_OF_COUNTRY = {"person": ("is", "citizen", "of"), "work": ("is", "from"), "organization": ("is", "in")}


class Posts:
    """Reads the posts of one text, and other nouns that say what somebody or something is."""

    def __init__(self, names: Names, focus: Focus, roles: Roles, checks: FactChecks) -> None:
        self._names, self._focus, self._roles, self._checks = names, focus, roles, checks

    def given(
        self, clause: Clause, post: Token, holder: NamedEnd, subject: NamedEnd | None, doubts: tuple[str, ...]
    ) -> Iterator[FactCandidate]:
        """Yield what a verb says of a post and its holder; `subject` is the clause's, who may give the post."""
        yield from self.told(clause, post, holder, doubts)
        yield from self._own_post(clause, post, holder, subject, doubts)

    def appointed(self, clause: Clause, post: Token) -> NamedEnd | None:
        """Return who is "Ada Orr" in "elected Ada Orr president", where trees take her for a part of the post."""
        office = is_agent(post.lower_) or post.lower_ in OFFICES or POST.fullmatch(post.text)
        name = self._names.starting(clause.verb.i + 1) if clause.verb.i < post.i else None
        if clause.passive or clause.verb.lemma_.lower() not in APPOINTS or not office or name is None:
            return None
        between = post.doc[name.end : post.i]
        plain = len(between) < MAX_WORDS and all(word.text.isalpha() and word.text.islower() for word in between)
        return name if plain and name.type == "person" and name.end <= post.i else None

    def holder(self, clause: Clause, subject: NamedEnd | None, post: Argument) -> NamedEnd | None:
        """Who holds a post or held it: "Ada Orr became its head", "they elected Ada Orr mayor", "she resigned as head".

        None if the verb tells nobody's post.
        """
        verb = clause.verb.lemma_.lower()
        if post.head.i < clause.verb.i:  # "as a member of it, she remains"
            return None
        told = next((item.head for item in clause.arguments if item.role == "object"), None)
        if verb in APPOINTS:
            if clause.passive or told is None or told.i > post.head.i:
                return subject if clause.passive else None
            return self._focus.resolved(told)[0]
        if succeeds(clause.verb):
            return subject if post.preposition and not clause.passive else None
        return subject if verb in _HOLDS or (post.preposition and leaves(clause.verb)) else None

    def told(self, clause: Clause, noun: Token, subject: NamedEnd, doubts: tuple[str, ...]) -> Iterator[FactCandidate]:
        """Yield what a noun says that its subject is: "mayor of Lun", "a Danish writer", "a film by Ada Orr"."""
        words = role_words(clause, noun)
        yield from self._people(clause, noun, subject, doubts)
        for child in noun.children if NOT_YET.isdisjoint(word.lower_ for word in noun.lefts) else ():
            if child.dep_ == "nmod:poss" and not any(preposition(c) == "of" for c in noun.rights):
                if not clause.nominal and not is_agent(noun.lower_):
                    continue  # "Milan became her home"
                owner, more = self._focus.resolved(child)
                if owner is not None and child.lower_ == "its":
                    self._focus.hold(owner)
                own = ended([*words, "of"], noun)
                yield from self._checks.checked(subject, own, owner, (*doubts, *more), clause)
            elif (
                base(child) in ("nmod", "obl")
                and child.i > noun.i
                and preposition(child) not in ("", "as", "with")
                and not self._is_of_former_place(noun, child, subject)
            ):
                nearest = max((one for one in conjuncts(noun) if one.i < child.i), key=lambda one: one.i)
                own = words if nearest == noun else role_words(clause, nearest)  # "engineer and politician for"
                part = self._is_of_part(noun, child)
                if part and preposition(child) not in ("at", "for"):  # "head of research in Lun" heads no Lun
                    continue
                own = [form_of_be(clause).replace("is", "works").replace("was", "worked")] if part else own
                for end in conjuncts(child):
                    obj, more = self._focus.resolved(end)
                    obj = self._branch(obj) if obj is not None and preposition(end) in ("", "of") else obj
                    if obj is not None and preposition(end) == "of" and _is_area(noun, end, obj):
                        self._checks.refuse("the area of an office", (subject, own, obj))
                        continue
                    if obj is None or not obj.start <= noun.i < obj.end:
                        case = preposition(end) or preposition(child)
                        last = end if obj is None else noun.doc[obj.end - 1]
                        told = ended([*own, *case.split()], last)
                        yield from self._checks.checked(subject, told, obj, (*doubts, *more), clause)

    def _own_post(
        self, clause: Clause, post: Token, holder: NamedEnd, subject: NamedEnd | None, doubts: tuple[str, ...]
    ) -> Iterator[FactCandidate]:
        """ "Acme named Ada Orr (its) chief executive", "the board of Acme elected her president": of Acme."""
        owners = [child.lower_ for child in post.lefts if child.dep_ == "nmod:poss"]
        told = any(base(child) == "nmod" for child in post.rights)
        if clause.passive or clause.verb.lemma_.lower() not in APPOINTS or told or not {"its"}.issuperset(owners):
            return
        body = next((one for one in clause.subject.children if base(one) in ("nmod", "compound", "nmod:poss")), None)
        if subject is None and clause.subject.lower_ == "board" and body is not None:
            subject = self._names.of(body)
        if subject is not None and subject.type == "organization":
            yield from self._checks.checked(holder, [*role_words(clause, post), "of"], subject, doubts, clause)

    def _people(
        self, clause: Clause, noun: Token, subject: NamedEnd, doubts: tuple[str, ...]
    ) -> Iterator[FactCandidate]:
        """ "a Danish writer" is a citizen of Denmark, "a British Labour Party politician" of that party.

        "a 1972 Soviet film" is from the Soviet Union and came out in 1972, "a German company" is in Germany.
        """
        home, class_, doubtful = self._roles.home(noun), class_named(noun), not set(REFUSED).isdisjoint(doubts)
        for child in noun.lefts:
            end = self._names.of(child)
            if end is None:
                continue
            if base(child) == "compound" and noun.lower_ in _JOINED and end.type not in ("place", "person"):
                whose, party = self._names.parted(end)
                home = home or whose
                words = [*role_words(clause, noun), "of"]
                yield from self._checks.checked(subject, words, party, doubts, clause._replace(verb=noun))
            elif end.kind == "date" and end.label.isdigit() and class_ == "work" and not doubtful:
                yield FactCandidate(subject, "came out in", end, "life")
        if class_ == "person" and subject.type != "person":
            return
        if home is not None and class_ in _OF_COUNTRY:
            words = [word if word != "is" else form_of_be(clause) for word in _OF_COUNTRY[class_]]
            yield from self._add(subject, words, home, doubts, clause)

    def _add(
        self, subject: NamedEnd, words: list[str], end: NamedEnd, doubts: tuple[str, ...], clause: Clause
    ) -> Iterator[FactCandidate]:
        """What a noun's own words tell, whose tree says nothing of it."""
        for found in self._checks.checked(subject, words, end, doubts, clause):
            yield found._replace(rule="life", clause=None)

    def _is_of_former_place(self, noun: Token, child: Token, subject: NamedEnd) -> bool:
        """Whether a phrase tells of where something was: "a shop originally located on Dover Street, in Mayfair"."""
        former = any(one.i < word.i < child.i and was_placed(word) for one in conjuncts(noun) for word in one.rights)
        if former:
            self._checks.deny(subject, (name for end in conjuncts(child) if (name := self._names.of(end))))
        return former

    def _branch(self, body: NamedEnd) -> NamedEnd:
        """Return a body as its branch in a country: "the American Chamber of Commerce in China"."""
        after = self._names.doc[body.end : body.end + 2]
        place = self._names.starting(body.end + 1) if len(after) == 2 and after[0].lower_ == "in" else None
        if place is None or body.type != "organization" or not is_country(place.label):
            return body
        return body._replace(label=f"{body.label} in {place.label}", end=place.end)

    def _is_of_part(self, noun: Token, child: Token) -> bool:
        """ "director of the law programme at Lun University": of a part without a name, not of the university."""
        before = [one for one in noun.rights if one.i < child.i and preposition(one) in ("of", "for")]
        named = [(one, self._focus.resolved(one)[0]) for one in before]
        held = is_agent(noun.lower_) or noun.lower_ in OFFICES | _OF_FIRMS
        return held and any(name is None or _is_area(noun, one, name) for one, name in named)

    def is_office(self, noun: Token) -> bool:
        """Return whether a noun is an office, and no name."""
        return is_office(noun.text) and self._names.of(noun) is None


def is_given_away(clause: Clause, argument: Argument) -> bool:
    """Return whether an object is a post that a subject gives to somebody: "the board elected a chairman of Acme"."""
    appoints = clause.verb.lemma_.lower() in APPOINTS and not clause.passive
    return appoints and argument.role == "object" and is_agent(argument.head.lower_)


def _is_area(office: Token, end: Token, place: NamedEnd) -> bool:
    """Whether a land is held in part, or by a firm alone: "capital of southern Lebanon", "CEO of Asia"."""
    part = any(base(child) == "amod" and child.text.islower() for child in end.lefts)
    return (is_country(place.label) or is_continent(place.label)) and (part or office.lower_ in _OF_FIRMS)
