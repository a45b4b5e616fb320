"""Who is meant: pronouns, "the film", a surname alone; classes that a text gives its names, and dates of life."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgservice.core.schema import packaged_schema
from kgservice.extraction.syntax.clauses import base
from kgservice.extraction.syntax.name_spans import is_plain_word
from kgservice.extraction.syntax.proper_names import BRACKET, NamedEnd, Names
from kgservice.names.countries import is_country
from kgservice.names.identity import MAX_PERSON
from kgservice.names.persons import RANKS
from kgservice.text.english import SOFTWARE_WORDS, is_agent, is_distinct, program
from kgservice.text.inflection import is_plural

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_PERSONAL = {"he", "she", "him", "her", "his"}
_HERS = {"she", "her"}
_NEUTER = {"it", "its"}
_OWN = {"we", "us", "our"}  # who reports
_REPORTER = {"company", "registrant"}
FIRMS = frozenset(  # no "platform", "network" or "chain": as often things that a firm has or builds
    "company firm startup giant maker retailer automaker carmaker bank group club team franchise studio publisher "
    "developer brand airline organization agency".split()
)
_HONORIFICS = frozenset("Mr. Mrs. Ms. Dr. Mr Mrs Ms Dr Sir Judge Justice".split())
_AUDITOR = re.compile(r"(?i)basis for opinions?\b|critical audit matter|\bour audits?\b|company['’]s auditor")
_SOMEBODY = re.compile(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b")
_OPENS = re.compile(r"\b(?:(?P<she>She|Her)|He|His)\b")
BEARERS = 3  # people of one name: then a text is about none of them
OPENING = 300  # characters in which a text says whose life it tells
_WORKS = frozenset("film movie song album novel book series magazine station band company game play opera".split())
_DAY = r"\d{1,2} [A-Z][a-z]+\.? \d{4}|(?:[A-Z][a-z]+\.? )?(?:\d{1,2}, )?\d{4}"
_AT = r"(?:,? (?:in )?(?P<{}>[^\W\d][^()\d]{{1,40}}?))?"
_DIED = rf"(?:d\. ?|died )(?:on |in )?(?P<only>{_DAY})"
_LIFE = re.compile(
    rf"(?P<last>[^\W\d]\w*\.?)[\"”]?,? ?\( ?(?:[^()]{{0,40}}[;,] )??(?:{_DIED}|(?P<said>born |b\. ?)?"
    rf"(?P<born>{_DAY}){_AT.format('place')}"
    rf"(?:(?: ?[-–—] ?(?:d\. ?|died )?|[,;] (?:d\. ?|died )(?:on |in )?)(?P<died>{_DAY}){_AT.format('end')})?) ?\)"
)


class Focus:
    """What earlier sentences of a text tell about later ones."""

    def __init__(self, names: Names, title: str, company: str = "") -> None:
        self._names = names
        self._company = "" if _AUDITOR.search(names.text) else company  # whose "we" is not the company
        self.title = BRACKET.sub("", title).strip()  # what the document is called, without a bracket behind
        self._program = program(title)
        short = len(self.title.partition(",")[0].split()) <= MAX_PERSON  # no "How Ada Orr Became Ada Orr"
        self._about_person = short and may_name(self.title) and (names.person(self.title) or _lived(names.text))
        first = _OPENS.search(names.text)  # "Her" of a text on a queen: its "he" is somebody else
        self._are_women = {} if first is None else {self.title: bool(first["she"])}  # by the pronouns that meant a name
        self._last: NamedEnd | None = None
        self._classes: dict[str, str] = {}
        self._works: dict[str, str] = {}  # classes of works, whatever their article: "is the fifth album by"
        self._meant: dict[int, NamedEnd] = {}  # the noun of "X is a film directed by" -> X
        self._long: dict[str, NamedEnd] = {}  # the last word of a name -> the name in full
        self._firm: NamedEnd | None = None  # the last that is no person and no place
        self._held: NamedEnd | None = (
            None  # of whom a sentence says who is "its chairman" or "her husband"; the next "it" is not the chairman
        )
        self._here: list[NamedEnd] = []  # the named subjects of the sentence at hand
        # what it names beside the noun of another's, by whether that is a person; None: the other may be meant as well
        self._beside: dict[bool, NamedEnd | None] = {}
        self._others: dict[bool, NamedEnd | None] = {}  # the same of before: "he" is its chairman, "it" his film
        self._opens_with: str = ""  # the first word of the sentence at hand
        self._people: set[str] = set()  # who was "he" or "she"; no "it" where the text calls it a director, say

    @property
    def reports(self) -> bool:
        """True in a company's report."""
        return bool(self._company)

    def begin(self, sentence: Span) -> None:
        """Note who the subjects of a sentence are: "After Altman left OpenAI, he founded" is said of Altman."""
        heads = [token for token in self._names.within(sentence) if base(token) == "nsubj"]
        named = [(head, name) for head in heads if (name := self._names.of(head) or self._names.beside(head))]
        self._here = [self._in_full(name) for _, name in named if name.kind == "entity"]
        self._beside = {}
        self._opens_with = sentence[0].lower_
        for head, name in named:
            owner = next((c for c in head.lefts if c.dep_ == "nmod:poss" and c.lower_ in _PERSONAL | _NEUTER), None)
            if owner is not None and head.i < name.start:  # "her husband, Pierre Curie, died": the text is still of her
                self._held = self.resolved(owner)[0] or self._last
                person = is_agent(head.lower_) and name.type not in ("organization", "place")
                if person != (owner.lower_ in _PERSONAL):
                    self._beside[person] = self._in_full(name)
                elif not person:  # "its subsidiary, DeepMint, failed. It": either
                    self._beside[person] = None

    def move(self, subject: NamedEnd | None) -> None:
        """Remember the subject of the sentence just read."""
        subject, self._held = self._held or subject, None
        words = {True: _PERSONAL, False: _NEUTER}
        kept = {person: name for person, name in self._others.items() if self._opens_with in words[person]}
        self._others = self._beside or kept  # "Her film, Zap, came. It won. It": the text is still of her
        if subject is not None and subject.kind == "entity" and subject not in kept.values():
            self._last = subject
            if subject.type not in ("person", "place"):
                self._firm = subject

    def hold(self, name: NamedEnd) -> None:
        """Keep to whom "Cleveland was its first seat" speaks of, whatever its subject is."""
        self._held = name

    def classify(self, name: NamedEnd, noun: Token, *, stated: bool) -> None:
        """ "X is a film": this film is X, and X is of the class film; "the son of Y" is no class.

        "The fifth album by Y" is one, as is any noun of works.
        """
        self._meant[noun.i] = name
        if stated and name.label not in self._classes and (work := _work_named(noun)):
            self._works.setdefault(name.label, work)
        indefinite = any(child.lower_ in ("a", "an") and base(child) == "det" for child in noun.children)
        if (
            stated
            and indefinite
            and noun.text.isalpha()
            and not any(child.dep_ == "nmod:poss" for child in noun.children)
        ):
            nation = name.type == "place" and is_country(name.label)  # "Guyana is a state"; no party, whatever is read
            self._classes.setdefault(name.label, "country" if nation else noun.lower_)

    def class_of(self, name: NamedEnd) -> str | None:
        """The class that the text itself gives a name ("X is a film")."""
        return self._works.get(name.label) or self._classes.get(name.label)

    def resolved(self, head: Token) -> tuple[NamedEnd | None, tuple[str, ...]]:
        """What a phrase names, with the doubts; pronouns and "the film" mean who was last spoken of."""
        if head.i in self._meant:
            return self._meant[head.i], ()
        name = self._names.of(head) or self._names.beside(head)
        if self._company and ((name is None and head.lower_ in _OWN) or _reports(head, name)):
            return NamedEnd(self._company, "entity", "organization", head.i, head.i + 1), ()
        if name is not None:
            return self._in_full(name), ()
        meant = self._pronoun(head) if head.pos_ in ("PRON", "DET") else self._definite(head)
        if meant is not None and head.lower_ in _PERSONAL:
            self._people.add(meant.label)
            woman = head.lower_ in _HERS
            if self._are_women.setdefault(meant.label, woman) != woman:
                return None, ()  # who was "he" before is not "she"
        return meant, ("pronoun",) if meant is not None else ()

    def _last_before(self, head: Token) -> NamedEnd | None:
        """Return the one named subject of the sentence before a pronoun, else the last sentence's.

        None where two may be meant: whose life it is, or of whom the sentence before spoke.
        """
        here = {name.label: name for name in self._here if name.end <= head.i and name.type != "place"}
        last = (
            next(iter(here.values()))
            if len(here) == 1
            else self._others.get(True) or self._last or self._names.titled()
        )
        another = self._about_person and not here and last is not None and last.label != self.title
        return None if another and last is not None and last.type == "person" else last

    def _pronoun(self, head: Token) -> NamedEnd | None:
        """Who "he" or "it" is; nobody within a quotation, where the text around it does not tell."""
        word = head.lower_
        if self._is_quoted(head) or word not in _PERSONAL | _NEUTER or self.is_either(head):
            return None
        thing = self._others.get(False) or self._last or self._names.titled()
        last = self._last_before(head) if word in _PERSONAL else thing
        titled = last is not None and last.label == self.title
        if word in _PERSONAL and self._about_person and (last is None or (last.type != "person" and not titled)):
            return NamedEnd(self.title, "entity", "person", head.i, head.i + 1)  # no person since: who the text is of
        if last is None or (word == "it" and head.dep_ == "obj") or (word in _NEUTER and self._company):
            return None  # too much in a report is neuter
        person = last.type == "person" or (last.type is None and " " in last.label)  # "BP" is nobody
        if word in _PERSONAL and not person and not (self._about_person and titled):
            return None
        wrong = ("place", "organization") if word in _PERSONAL else ("person",)
        known = self._classes.get(last.label)
        work = word in _PERSONAL and known in _WORKS
        somebody = word in _NEUTER and last.label in self._people and known is not None and is_agent(known)
        return None if work or somebody or (last.type in wrong and last.label != self.title) else last

    def is_either(self, word: Token) -> bool:
        """Whether "it" means one of two, whichever: after "Its subsidiary, DeepMint, was sold"."""
        return word.lower_ in _NEUTER and False in self._others and self._others[False] is None

    def _is_quoted(self, word: Token) -> bool:
        """Whether a word is said by somebody: within quotation marks that its paragraph opens before it."""
        before = self._names.text[: word.idx].rpartition("\n")[2]
        return before.count('"') % 2 == 1 or before.rfind("“") > before.rfind("”")

    def _definite(self, head: Token) -> NamedEnd | None:
        """What "the film" or "the company" is."""
        word, last = head.lower_, self._last or self._names.titled()
        if head.pos_ != "NOUN" or self._is_quoted(head):
            return None
        if not any(c.lower_ in ("the", "this") and base(c) == "det" for c in head.children):
            return None
        if not self._company and word in FIRMS and self._firm is not None:
            return self._firm
        if word in SOFTWARE_WORDS and self._is_program() and any(c.lower_ == "this" for c in head.children):
            return NamedEnd(self._program, "entity", None, head.i, head.i + 1)
        known = self._classes.get(last.label) if last is not None else None
        title = last is not None and last.label == self.title
        return last if known == word or (known is None and word in _WORKS and title) else None

    def _is_program(self) -> bool:
        """Whether the document is about a program: its name is written as no other is, or the text says so."""
        return is_distinct(self._program) or self._classes.get(self._program) in SOFTWARE_WORDS

    def partial(self, name: NamedEnd, *, person: bool = False) -> bool:
        """True for a person of one name whom neither the text nor its title names in full, and who is not the title's.

        `person` is whether a statement makes a person of the name, whatever the recogniser takes it for; "his son, OJ,"
        does too. In a text without a title both must say so, and a sentence alone names whom it names.
        """
        person = person or self._names.is_of_kin(name)
        somebody = person or name.type == "person"
        if not self.title:
            somebody = person and name.type == "person" and self._names.doc[0].sent.end < len(self._names.doc)
        if not (name.kind == "entity" and is_lone(name) and somebody):
            return False
        headline = any(map(is_plain_word, self.title.split()))
        own = name.label in re.findall(r"[\w-]+", self.title) and not headline
        whole = re.compile(
            rf"[A-Z](?:\.|[\w’'-]*) {re.escape(name.label)}(?!\w| [A-Z])"
        )  # which a document's names join
        named = headline and whole.search(self.title) is not None
        return not (own or named or (name.type != "person" and whole.search(self._names.text) is not None))

    def is_byname(self, name: NamedEnd) -> bool:
        """Return whether a name is a nickname, as teams have them: "the Ducks".

        One that ends a longer name of the text may be that team's, as the names of a document are joined.
        """
        known = name.label.lower()
        if name.label == self.title or not is_lone(name) or not (is_plural(known) and is_plain_word(known)):
            return False
        return re.search(rf"\b(?!The )[A-Z][\w.’'-]* {re.escape(name.label)}\b", self._names.text) is None

    def opened(self, sentence: Span) -> NamedEnd | None:
        """The title where a sentence begins with it, whatever the parser makes of a title's words."""
        titled = self._names.titled()
        begins = titled is not None and self._names.written(sentence).lstrip("\"“'").startswith(titled.label)
        return titled if begins else None

    def _in_full(self, name: NamedEnd) -> NamedEnd:
        """The longer name that a text has used before: "Korda" is "Alexander Korda", places never."""
        words = name.label.split()
        if len(words) == 2 and words[0] in _HONORIFICS:  # "Mr. Huang" after "Jen-Hsun Huang"
            known = self._long.get(words[1])
            return name._replace(label=known.label, type="person") if known is not None else name
        title = self.title.split(",")[0].split()
        part = len(words) < len(title) and words == title[len(title) - len(words) :]
        first = len(words) == 1 and words == title[:1] and name.type == "person"
        if self._about_person and (part or first):
            return name._replace(label=self.title, type="person")
        if name.kind != "entity" or name.type == "place":
            return name
        if len(words) == 1 and (known := self._long.get(name.label)) is not None:
            return name._replace(label=known.label, type=known.type)
        if name.type == "person" and len(words) > 1 + (words[0] in _HONORIFICS):
            self._long.setdefault(words[-1], name)
        return name

    def life(self, sentence: Span) -> Iterator[tuple[NamedEnd, str, NamedEnd]]:
        """ "Ada Lovelace (10 December 1815 – 27 November 1852)": when somebody was born and died."""
        text = self._names.written(sentence)
        after = 0  # the life before: of somebody else in a list
        for found in _LIFE.finditer(text) if "(" in text else ():
            name = self._bearer(found, sentence, after)
            after = found.end()
            years, said = len((found["born"] or "").split()) < 3, found["said"] or found["only"]  # or months
            told = said or (found["died"] and not years)  # then whatever the recogniser takes the name for
            if name is None or (name.type in ("organization", "place") and not told):
                continue
            if not said and (not found["died"] or (years and name.label != self.title)):
                continue
            if _is_no_person(name.label):
                continue
            for part, relation in (("place", "was born in"), ("end", "died in")):
                if found[part] and (place := self._at(found.start(part), sentence)) and place.kind == "entity":
                    yield self._in_full(name), relation, place
            for part, relation in (("born", "was born"), ("died", "died"), ("only", "died")):
                if found[part]:
                    word = "on" if len(found[part].split()) > 2 else "in"
                    yield self._in_full(name), f"{relation} {word}", NamedEnd(found[part], "date", None, 0, 0)

    def _bearer(self, found: re.Match[str], sentence: Span, after: int) -> NamedEnd | None:
        """Whose dates they are: in "Sir John Smith, 1st Baronet (1800–1850)" the first name, after a verb the last.

        `after` is where the life before ends in the sentence.
        """
        at = sentence.start_char + found.start("last")
        before = sentence.doc.char_span(at, sentence.start_char + found.end("last"), alignment_mode="expand")
        if before is None or not len(before):
            return None
        told, words = sentence.start_char + after, sentence.doc[sentence.start : before[0].i]
        begins = [token.i + 1 for token in words if token.text == ";" or token.idx < told]
        opening = sentence.doc[max([sentence.start, *begins]) : before[-1].i + 1]
        verbs = any(token.pos_ in ("VERB", "AUX") for token in opening)
        names = [one for token in opening if (one := self._names.of(token)) and one.kind == "entity"]
        names = [name for name in names if not self._names.goes_on(name)]  # '"Big Eye" Louis Nelson Delisle'
        return names[-1 if verbs else 0] if names else None

    def _at(self, offset: int, sentence: Span) -> NamedEnd | None:
        start = sentence.start_char + offset
        found = sentence.doc.char_span(start, start + 1, alignment_mode="expand")
        return self._names.of(found[0]) if found is not None and len(found) else None


def is_lone(name: NamedEnd) -> bool:
    """Return whether a name is of one word."""
    return " " not in name.label


def is_shared(title: str, doc: Doc) -> bool:
    """Whether a title of one word is a name that several people of a text bear: "Manuel Liz", "Víctor Liz" of "Liz".

    "Apple Watch" and "Apple Music" are no people.
    """
    title = BRACKET.sub("", title).strip()
    if not title.isalpha():
        return False
    kinds = [word.ent_type_ for word in doc if word.text == title]
    beside = re.findall(rf"\b([^\W\d_][\w.’'-]*) {title}\b|\b{title} ([^\W\d_][\w.’'-]*)", doc.text)
    names = {one for pair in beside for one in pair if one.istitle()} - RANKS - _HONORIFICS
    return kinds.count("PER") * 2 > len(kinds) and len(names) >= BEARERS


def may_name(title: str) -> bool:
    """Whether a title may be a name: no headline ("Melzer shocks Agassi", "Obituary: Dame Alicia Markova")."""
    return bool(title) and ":" not in title and not any(map(is_plain_word, title.split()))


def _work_named(noun: Token) -> str:
    """Return what a noun calls a work, "" if it calls none: "album", "EP", "extended play", which is no play."""
    schema = packaged_schema()
    pair = f"{noun.nbor(-1).lower_} {noun.lower_}" if noun.i else ""
    word = pair if pair in schema.class_of and pair not in schema.classes else noun.lower_
    if schema.fit(word, ("work",)) <= 1:
        return ""
    if schema.entity_class(word) == schema.entity_class(noun.lower_):
        return noun.text if noun.text.isupper() else noun.lower_
    return word


def _lived(text: str) -> bool:
    """True if a text opens with the dates of a life and says "he" or "she" of it, whatever the recogniser sees."""
    opening = _LIFE.search(text[:OPENING])
    dated = opening is not None and bool(opening["said"] or opening["died"])
    return dated and _SOMEBODY.search(text) is not None


def _is_no_person(label: str) -> bool:
    """Whether the noun of a name tells its class, which is never that of people: "War of the Quadruple Alliance"."""
    return packaged_schema().named_class(label) is not None


def _reports(head: Token, name: NamedEnd | None) -> bool:
    """True for "the Company" and no more, not for "a healthcare company" or "the Kellogg Company"."""
    alone = name is None or name.label.lower() in _REPORTER
    before = [
        child.lower_ for child in head.children if child.i < head.i and base(child) not in ("case", "punct", "cc")
    ]
    return alone and head.lower_ in _REPORTER and before == ["the"]
