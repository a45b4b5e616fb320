"""Triplets from parsed text by rules over Universal Dependencies; no key, no model but the parser.

The relation has one to four words (a role of the schema is one, and so is "deputy mayor") and holds no date, and both
ends are names, dates or numbers (RARE, appendix A.2): whatever is not so is dropped and counted by its reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kgservice.core.records import Triplet
from kgservice.core.schema import DEFAULT
from kgservice.extraction.end_pairs import term
from kgservice.extraction.fact_checks import FactChecks
from kgservice.extraction.phrasebook import phrasebook
from kgservice.extraction.posts import Posts, is_given_away
from kgservice.extraction.syntax.clauses import (
    PLACED,
    Argument,
    Clause,
    base,
    clauses,
    conjuncts,
    preposition,
)
from kgservice.extraction.syntax.confidence import features, sentence_features
from kgservice.extraction.syntax.coreference import Focus, is_shared
from kgservice.extraction.syntax.fact_ends import Met, StatementPlaces, ends, nouns, statement_places
from kgservice.extraction.syntax.name_spans import POST
from kgservice.extraction.syntax.nominal_facts import (
    Roles,
    counts,
    figure,
    form_of_be,
    is_once,
    is_whole,
    role,
    was_placed,
)
from kgservice.extraction.syntax.noun_phrases import EMPTY
from kgservice.extraction.syntax.object_phrases import Objects
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd, Names
from kgservice.extraction.syntax.rejection import KIN, MAX_WORDS, REFUSED
from kgservice.extraction.syntax.reported_figures import figures
from kgservice.names.local_entities import entity
from kgservice.text.english import BE
from kgservice.text.periods import Calendar

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_MADE = frozenset(
    "found establish acquire build create launch release publish open buy purchase direct produce discover invent sell "
    "introduce construct design compose record film marry defeat beat kill".split()
)
_ELSEWHERE = re.compile(r"by reference|\bet al\b|\bsee (?:the|Note|Item|Part)\b|[Ii]nformation required|Indicate by")
CAPITALS = 0.7  # share of a sentence's letters above which capitals show no name
MAX_NOUN = 3  # words of what a thing has: "median monthly rent"
_OF = ("of", "in", "at")
_TITLED = frozenset("name call elect award give appoint".split())
_LIVES = frozenset(("bear", "die"))


class Stated(NamedTuple):
    """A statement that has no fault, with what its likelihood is judged by.

    `places` is where its sentence says it; None where it has no such places.
    """

    triplet: Triplet
    features: dict[str, float]
    places: StatementPlaces | None


def _triplet(found: FactCandidate, sentence: str, focus: Focus) -> Triplet:
    subject, obj = term(found.subject, focus), term(found.object, focus)
    return Triplet(subject=subject, relation=found.relation, object=obj, sentence=sentence, period=found.period)


def unmapped(triplet: Triplet) -> dict[str, float]:
    """What the packaged schema says of a statement: nothing, or why it has no relation of that meaning."""
    book = phrasebook(DEFAULT)
    if book is None:
        return {}
    meaning = book.meaning(triplet.relation, entity(triplet.subject), entity(triplet.object))
    return {meaning: 1.0} if isinstance(meaning, str) else {}


class Reader:
    """Reads sentence after sentence; `lost` are the statements that are no facts."""

    def __init__(self, doc: Doc, title: str, company: str, years: Calendar, *, ends: bool = False) -> None:
        self._company, self._years = company, years
        self.title = "" if is_shared(title, doc) else title
        self._names = Names(doc[:], self.title)
        self.focus = Focus(self._names, self.title, company)
        self._objects = Objects(self._names, self.focus, company, years)
        self._roles = Roles(self._names, self.focus)
        self._ends = ends
        self.met: list[Met] = []  # the sentences read to their end, with their ends, where these are wanted
        self._checks = FactChecks(doc, self._names, self.focus, company)
        self._posts = Posts(self._names, self.focus, self._roles, self._checks)
        self.refused, self.lost = self._checks.refused, self._checks.lost

    def weighed(self) -> Iterator[Stated]:
        """Yield every statement that has no fault, likely or not."""
        for sentence in self._names.doc.sents:
            text = self._names.written(sentence).strip()
            made: dict[str, float] = {}  # what the sentence itself tells, once for all its statements
            for found in self.read(sentence):
                made = made or sentence_features(sentence, text)
                triplet = _triplet(found, text, self.focus)
                told = features(found, sentence, made) | unmapped(triplet)
                yield Stated(triplet, told, statement_places(found, sentence))

    def read(self, sentence: Span) -> Iterator[FactCandidate]:
        """Yield the statements of the next sentence that have no fault."""
        text = self._checks.text = self._names.written(sentence).strip()
        if not _states(text, len(sentence)) or (self._company and _ELSEWHERE.search(text)):
            return
        cut = sentence.doc.user_data.get("cut", ())
        if sentence.start in cut or sentence.end in cut:
            if sentence.start not in cut:
                self._checks.lose("sentence too long")
            return
        found = [clause for clause in clauses(self._names.within(sentence)) if not self._names.inside(clause.verb)]
        self.focus.begin(sentence)
        first: NamedEnd | None = None
        for clause in sorted(found, key=lambda clause: not clause.nominal):  # "X is a film by Y": first what X is
            for head in self._heads(clause):
                subject, doubts = self.focus.resolved(head)
                if subject is None and clause.nominal and clause.words:
                    subject = self.focus.opened(sentence)
                if first is None and base(clause.subject) == "nsubj":
                    first = subject
                if clause.nominal:
                    yield from self._nominal(clause, head, subject, doubts)
                else:
                    yield from self._verbal(clause, subject, doubts)
        yield from self._beside(sentence)
        if self._ends and any(word.pos_ in ("VERB", "AUX") for word in sentence):  # no entry of a list of books
            plain = self._names.text[sentence.start_char : sentence.end_char].rstrip()
            own = tuple(ends(self._names, self.focus, sentence))
            unsure = () if self._company else tuple(nouns(self._names, own, sentence))
            self.met.append(Met(plain, sentence.start_char, own, text, sentence, unsure))
        self.focus.move(first)

    def _heads(self, clause: Clause) -> list[Token]:
        """The subjects of a clause; a list of "a film" and a name is a fault of the tree.

        What is told of one of a list right behind it is not told of the next: '"Red", directed by X, and "Blue"'.
        """
        if clause.nominal or _singular(clause):
            return [clause.subject]
        named, told = self._names.of(clause.subject) is not None, clause.subject.i < clause.verb.i
        heads = [head for head in conjuncts(clause.subject) if (self._names.of(head) is not None) == named]
        return [head for head in heads if head.i < clause.verb.i or not told]

    def _beside(self, sentence: Span) -> Iterator[FactCandidate]:
        """What a sentence says without its clauses: in brackets, side by side, in numbers."""
        for name, relation, day in self.focus.life(sentence):
            yield FactCandidate(name, relation, day, "life")
        yield from self._roles.read(sentence)
        if self._company:
            yield from figures(self._names.written(sentence).strip(), self._company, self._years)

    def _verbal(self, clause: Clause, subject: NamedEnd | None, doubts: tuple[str, ...]) -> Iterator[FactCandidate]:
        self._deny_former_places(clause, subject)
        for given in clause.arguments:
            for end in conjuncts(given.head):
                case = given.preposition if end is given.head else preposition(end) or given.preposition
                obj, more = self.focus.resolved(end)
                if (
                    obj is not None
                    and end.i < obj.end
                    and any(obj.start <= other.head.i < end.i for other in clause.arguments)
                ):
                    continue  # "upon Tyne" of "born in Newcastle upon Tyne"
                first_named = self._names.of(given.head) is not None
                if given.role == "object" and end is not given.head and (obj is None) == first_named:
                    self._checks.lose("no list of a kind")  # "scored three goals and the Eagles": the tree errs
                    continue
                holder = self._posts.appointed(clause, end) if given.role == "object" else None
                if obj is None and holder is None and is_given_away(clause, given):
                    self._checks.lose("nobody in office")
                    continue
                if (case == "as" or given.role == "complement") and (obj is None or self._posts.is_office(end)):
                    holder = self._posts.holder(clause, subject, given)
                if holder is not None:
                    yield from self._posts.given(clause, end, holder, subject, (*doubts, *clause.doubts))
                    continue
                argument = given._replace(head=end, preposition=case)
                said = self._said(clause, subject, argument)
                about, words, obj, period = self._objects.read(clause, argument, said, obj)
                for one in self._checks.checked(about, words, obj, (*doubts, *more, *clause.doubts), clause):
                    yield one._replace(period=period)

    def _deny_former_places(self, clause: Clause, subject: NamedEnd | None) -> None:
        """Note that nothing is now where it "was originally located", nor where that is."""
        words = [word for given in clause.arguments for word in given.head.subtree] if was_placed(clause.verb) else []
        if subject is not None:
            self._checks.deny(subject, (name for word in words if (name := self._names.of(word)) is not None))

    def _said(self, clause: Clause, subject: NamedEnd | None, argument: Argument) -> tuple[NamedEnd | None, list[str]]:
        """The relation's words; beside an object ("X acquired Y in 2006") they may be about the object."""
        words = _relation(clause, argument)
        if not argument.preposition and clause.verb.lemma_ in _LIVES:  # "died February 9, 2016"
            day = self._names.of(argument.head)
            return subject, [*words, "on" if len(day.label.split()) > 2 else "in"] if day and day.kind == "date" else []
        if argument.role == "object":
            return subject, words if not clause.passive or clause.verb.lemma_ in _TITLED else []
        told = next((item.head for item in clause.arguments if item.role == "object"), None)
        if told is None or argument.role == "complement" or not argument.preposition:
            return subject, words if argument.preposition else []
        named, _ = self.focus.resolved(told)
        made = clause.verb.lemma_ in _MADE and told.i < argument.head.i and not clause.passive
        if named is not None and (made or named.start <= told.i):  # "played the character Bo Lind in Lunsk Nights"
            return named, ["was", clause.verb.lower_, argument.preposition] if made and _past(clause) else []
        if (
            told.pos_ == "NOUN"
            and told.lemma_.lower() not in EMPTY
            and told.i < argument.head.i
            and len(words) < MAX_WORDS
            and not any(base(c) in ("acl", "nmod") and told.i < c.i < argument.head.i for c in told.children)
        ):  # "made payments related to leases in 2022": not any payments
            beside = [word.lower_ for word in told.lefts if base(word) == "compound" and word.text.islower()][-1:]
            if len(words) + len(beside) < MAX_WORDS:  # "suspended gun sales in", not any sales
                return subject, [*words[:-1], *beside, told.lower_, words[-1]]
        return subject, []

    def _nominal(
        self, clause: Clause, head: Token, subject: NamedEnd | None, doubts: tuple[str, ...]
    ) -> Iterator[FactCandidate]:
        """ "X is the capital of Y" is (X, is capital of, Y); what is said of the capital is said of X."""
        doubts += clause.doubts
        own = self._names.of(clause.verb)
        if subject is None or (own is not None and own[3:] == subject[3:]):  # "her husband, Prince Philip, died"
            yield from self._relative(clause, head, doubts)
            return
        for noun in conjuncts(clause.verb):
            if (
                noun.pos_ in ("NOUN", "PROPN")
                and (noun.text.islower() or POST.fullmatch(noun.text) or self._posts.is_office(noun))
                and is_whole(noun)
                and "Plur" not in noun.morph.get("Number", [])
            ):
                if not set(REFUSED).intersection(doubts) and not preposition(noun):
                    self.focus.classify(subject, noun, stated="apposition" not in doubts)
                yield from self._posts.told(clause, noun, subject, doubts)
            elif noun.pos_ == "ADJ" and noun.text.islower():
                yield from self._posts.told(clause, noun, subject, doubts)
            elif noun.pos_ == "PROPN" and clause.words and noun == clause.verb:
                name, case = self._names.of(noun), preposition(noun)
                if name is not None and (case or " of " in name.label):  # "is in Paris", "is Duke of York"
                    yield from self._checks.checked(subject, [form_of_be(clause), *case.split()], name, doubts, clause)

    def _relative(self, clause: Clause, head: Token, doubts: tuple[str, ...]) -> Iterator[FactCandidate]:
        """ "His father was John Smith" and "her husband, John Smith": (John Smith, was father of, …)."""
        owner = next((c for c in head.children if c.dep_ == "nmod:poss"), None)
        name = self._names.of(clause.verb)
        if (
            head.pos_ == "NOUN"
            and owner is not None
            and name is not None
            and name.kind != "number"
            and head.lemma_ not in EMPTY
            and (clause.words or head.dep_ != "conj" or head.lower_ not in KIN)  # "Karl and his wife, Marie"
            and (clause.words or abs(name.start - head.i) < 3)  # "PCAOB …, the Company's internal control": no control
            and head.doc[name.start - 1].text != "("  # "our augmented reality (AR)"
            and "Plur" not in head.morph.get("Number", [])
        ):
            of, more = self.focus.resolved(owner)
            before = [
                one.lower_ for one in head.lefts if one.dep_ == "compound" and one.text.islower() and is_whole(one)
            ]
            noun = (known,) if (known := role(head)) else (*before[-1:], head.lower_)
            words = [form_of_be(clause), *noun, "of"]
            yield from self._checks.checked(name, words, of, (*doubts, *more), clause)
        else:
            yield from self._attribute(clause, head, doubts)

    def _attribute(self, clause: Clause, head: Token, doubts: tuple[str, ...]) -> Iterator[FactCandidate]:
        """ "The mayor of Lun is Ada Orr": (Ada Orr, is mayor of, Lun); a number is what Lun has, as "Lun's population".

        A name behind a preposition is no such value: "The author of Solaris is from Poland".
        """
        counted = counts(head) and not self._company
        value = figure(clause.verb) if counted else clause.verb
        obj = None if value is None else self._names.number(value) or self._names.of(value)
        obj = obj or (self._names.count(value) if counted and value is not None else None)
        thing = next((c for c in head.rights if base(c) == "nmod" and preposition(c) in _OF), None)
        owner = next((c for c in head.lefts if c.dep_ == "nmod:poss"), None)
        if thing is None and owner is not None and obj is not None and obj.kind == "number":
            thing = owner
        the = thing is not None and thing is owner
        the = the or any(c.lower_ in ("the", "its") and c.dep_ in ("det", "nmod:poss") for c in head.lefts)
        said = bool(clause.words) and the and head.pos_ == "NOUN" and not preposition(clause.verb)
        if obj is None or thing is None or not said or head.lemma_ in EMPTY:
            named = (self._names.starting(word.i) for word in clause.verb.subtree)
            self._checks.lose("subject not named", ends=frozenset(one.label for one in named if one is not None))
            return
        if obj.kind == "number" and (len(conjuncts(thing)) > 1 or _is_of_part(head)):
            self._checks.lose("a number of something else")
            return
        before = [child.lower_ for child in head.lefts if base(child) in ("compound", "amod") and child.text.islower()]
        own = head.lemma_.lower() if "Plur" in head.morph.get("Number", []) else head.lower_
        noun = (known,) if (known := role(head)) else (*before[-MAX_NOUN + 1 :], own)
        of, more = self.focus.resolved(thing)
        has = "had" if counted and form_of_be(clause) == "was" else "has"
        every: list[tuple[NamedEnd | None, list[str], NamedEnd | None]] = [(of, [has, *noun], obj)]
        if obj.kind == "entity":
            words = [form_of_be(clause), *noun, preposition(thing)]
            every = [(name, words, of) for end in conjuncts(clause.verb) if (name := self._names.of(end))]
        for about, words, told in every:
            for found in self._checks.checked(about, words, told, (*doubts, *more), clause):
                yield found._replace(rule="attribute", clause=None)  # its tree is another than that of a verb


def _states(text: str, words: int) -> bool:
    """False for questions, headings, rows of tables, fragments, a page's unfilled templates and text in capitals."""
    shouted = sum(map(str.isupper, text)) > CAPITALS * sum(map(str.isalpha, text))
    return words > 2 and text[0] not in "#|" and not text.endswith("?") and "{{" not in text and not shouted


def _singular(clause: Clause) -> bool:
    """ "Louis, Duke of Burgundy and Dauphin, was born": one subject, whatever the tree joins."""
    return any(word.lower_ in ("was", "is", "has") for word in clause.words)


def _is_of_part(noun: Token) -> bool:
    """Whether a name before a noun says of which part it is: "the Jewish population of Lun" is not Lun's."""
    return any(base(child) in ("amod", "compound") and child.text[0].isupper() for child in noun.lefts)


def _past(clause: Clause) -> bool:
    return "Past" in clause.verb.morph.get("Tense", [])


def _shares_is(verb: Token) -> bool:
    """Whether a participle has its "is" before the one that it is joined to: "is owned and operated by"."""
    auxiliaries = [child for child in verb.head.children if base(child) == "aux"] if verb.dep_ == "conj" else []
    return any(one.lower_ in ("is", "are") for one in auxiliaries)


def _relation(clause: Clause, argument: Argument) -> list[str]:
    """The predicate's words without "has" and the like, with the preposition that leads to the object."""
    words, case = list[str](), argument.preposition
    for word in clause.words:
        if base(word) == "aux" and word.lemma_ != "be" and word != clause.verb:
            continue
        if word.lower_ == "being" and not BE.isdisjoint(words):
            continue  # "is being shown"
        words.append("was" if word.lower_ in ("been", "being") else word.lower_)
    counts = any(word.like_num for word in (argument.head, *argument.head.children))  # "decreased by $5"
    by = case == "by" and _past(clause) and not counts and not any(item.role == "object" for item in clause.arguments)
    if was_placed(clause.verb):
        return ["was", "formerly", clause.verb.lower_, *case.split()]
    if (clause.passive or by) and not any(word in ("was", "were", "is", "are", "be") for word in words):
        now = (clause.verb.lemma_ in PLACED and not is_once(clause.verb)) or _shares_is(clause.verb)
        words.insert(0, "is" if now else "was")
    return [*words, *case.split()]
