"""What a phrase names: a proper name, a date or a number."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgservice.extraction.syntax.clauses import Clause, base
from kgservice.extraction.syntax.name_spans import (
    GENITIVE,
    SUFFIXES,
    is_office,
    is_score,
    opens_pair,
    runs,
)
from kgservice.names.countries import country, is_demonym
from kgservice.names.own_names import OwnName
from kgservice.names.persons import RANKS
from kgservice.text.english import is_agent, is_kin, is_made, program
from kgservice.text.values import MONTH, SYMBOLS, read_value

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:(?:st|nd|rd|th)(?: of)?)? {MONTH},? \d{{4}}|{MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|{MONTH},? \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}|(?:1[0-9]|20)\d{{2}}(?![\d,.]*\d|%|\w))\b"
)
_YEAR = re.compile(r"(?:1[0-9]|20)\d\d")
_NUMERAL = re.compile(r"[IVX]{1,5}")
_FINAL = re.compile(r"(?:[A-Z]|[IVX]{2,5})\.")  # a numeral or an initial with the stop of its sentence
_YEARLY = re.compile(r"(?:1[0-9]|20)\d\d [A-Za-z]")  # "1972 film" is no number of films
_TITLED = re.compile(
    r"\([A-Z]\w+: ?([^();,\n]{2,80})|[\"“«]\s?([^\"“”«»\n]{2,400})[\"”»]"
)  # "(French: La Guerre est finie)"
_QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{2,80})[\"”»]")
_LISTED = re.compile(  # "Crosby, Stills & Nash", "Me, Myself & Irene": lists have "and"
    r"(?:\A|\n|[.!?] |(?<!\w)[a-z]+ |[(“\"])(?P<name>[A-Z][\w'’-]+(?:, [A-Z][\w'’-]+){1,4},? & "
    r"(?:Co\.|[A-Z][\w'’-]+))(?! [A-Z&])"
)
_WORKS = "film|movie|series|sitcom|novel|book|album|song|single|game|musical|play|documentary"
_NAMED = r"(?:[A-Z\d][\w'’&-]*[!?]?)(?: (?:(?:of|the|and|in|on|for|to|a|&|from|with|at) )*[A-Z\d][\w'’&-]*[!?]?)*"
_SUBTITLED = (  # "Mission: Impossible is a film", "the film The Hobbit: The Desolation of Smaug"
    re.compile(
        rf"(?:\A|\n)(?P<name>{_NAMED}: {_NAMED}(?:, (?:and )?(?:the )?{_NAMED}){{0,4}})"
        rf"(?: \([^()\n]*\))? (?:is|was) an? (?:[\w-]+ ){{0,5}}(?:{_WORKS})\b"
    ),
    re.compile(
        rf"(?:\A|\n)(?P<name>{_NAMED})(?<=[!?])(?: \([^()\n]*\))? (?:is|was) an? (?:[\w-]+ ){{0,5}}(?:{_WORKS})\b"
    ),
    re.compile(rf"\b(?:{_WORKS}) (?P<name>{_NAMED}: {_NAMED})(?=[ ,.;)]|$)"),
)
_MARKED = re.compile(rf"\b(?:{_WORKS})s?,? [\"“«](?P<name>[A-Z]\w*[!?])[\"”»]")
_NUMBERED = re.compile(r"\d{1,3} [A-Z]")
BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
MAX_TITLE, MAX_PLAIN = 15, 3  # words
MAX_PHRASE = 40  # characters of a phrase in quotes
_FIRMS = "|".join(re.escape(suffix) for suffix in sorted(SUFFIXES, reverse=True))
_LETTER, _MORE = re.compile(r"\w"), re.compile(rf"\w|,? (?:{_FIRMS})(?!\w)")  # right before and behind a title
_MENTIONS = frozenset(  # what is said of a word is not said of what it means: "the word Lunsk comes from Latin"
    "alias expression moniker name nickname phrase pseudonym surname term title word".split()
)
_OF_NAMES = frozenset(("ADJ", "DET", "NOUN", "NUM"))
OPENING_QUOTES = ('"', "“", "‘")
_TIME = r"(?:\s(?:the|early|late|mid|start|beginning|middle|end|of|spring|summer|autumn|fall|winter)\b)*[\s-]"
_BOUND = re.compile(  # before a date: "by the end of", "between 1987 and", "in 1989 or in"
    rf"(?i)\b(?:(?:about|after|approximately|around|before|between|by|c|ca|circa|roughly|than|till|to|until)\.?{_TIME}"
    rf"|between\s[^.;]{{4,40}}\sand{_TIME}|(?:or|either)(?:\s(?:in|on))?{_TIME})\Z"
)
_FROM, _TO, _OR = (
    re.compile(r"(?i)\bfrom\s\Z"),
    re.compile(r"(?i)\s(?:to|until|till)\s"),
    re.compile(r"(?i),?\sor\s(?:[io]n\s)?"),
)
BEFORE = 60  # characters in which a bound stands before its date
CLASSES = {"PER": "person", "ORG": "organization", "LOC": "place"}


class NamedEnd(NamedTuple):
    """A named end of a fact; `kind` is entity, date or number, `type` is the recogniser's guess."""

    label: str
    kind: str
    type: str | None
    start: int
    end: int


class FactCandidate(NamedTuple):
    """A statement with named ends: which rule made it and, for "clause", the clause and what it doubts."""

    subject: NamedEnd
    relation: str
    object: NamedEnd
    rule: str
    clause: Clause | None = None
    doubts: tuple[str, ...] = ()
    period: str = ""


def fixed(text: str, title: str, own: OwnName | None = None) -> Iterator[tuple[int, int, str]]:
    """Yield what needs no tree to be seen as one: dates, the document's title, titles in quotes (start, end, kind).

    `own` is where the text begins with another form of the title.
    """
    if own is not None and title:
        yield own.start, own.end, "title" if own.is_title else "own"
    for found in _DATE.finditer(text):
        yield found.start(), found.end(), "date"
    title = " ".join(title.split())
    named = program(title)
    small = named.lower()
    common = (
        named[:1].isupper() and not is_made(named) and small in text and re.search(rf"\b{re.escape(small)}\b", text)
    )
    for name in sorted({title, BRACKET.sub("", title).strip(), "" if common else named}, reverse=True):
        if len(name) > 2 and len(name.split()) <= MAX_TITLE and (name[-1] not in ".!?…:" or len(name.split()) < 4):
            # no sentence, no headline
            yield from ((at, at + len(name), "title") for at in _whole(name, text))
    yield from _quoted(text)
    for found in _LISTED.finditer(text):
        if not any(country(word) for word in re.findall(r"\w+", found["name"])):
            yield *found.span("name"), "quoted"
    for pattern in _SUBTITLED:
        for found in pattern.finditer(text):
            yield *found.span("name"), "quoted"


def _whole(name: str, text: str) -> Iterator[int]:
    """Yield where a text has a name that neither a letter nor "Inc." makes another's."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        whole = not (at and _LETTER.match(text, at - 1)) and _MORE.match(text, end) is None
        if whole:
            yield at
        at = text.find(name, end if whole else at + 1)


def _quoted(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the titles in quotes; one with a mark at its end or a number at its start is in capitals, as speech is not.

    "Where Did Our Love Go?", "The Long Home," (of the sentence), "10 Things I Hate About You". A word with a mark is
    one where the text says of which kind: the film "Goal!".
    """
    marked = {found["name"] for found in _MARKED.finditer(text)}
    for found in _QUOTED.finditer(text):
        said = found[1].strip()
        inner = _unpunctuated(said)
        long = [word for word in inner.split() if len(word) > 3 and word.isalpha()]
        capitals = sum(word[0].isupper() for word in long)
        strictly = inner != said or inner[-1:] in "!?" or said[0].isdigit()
        titled = capitals == len(long) and (sum(word[0].isupper() for word in inner.split()) > 1 or said in marked)
        opens = inner[:1].isupper() or _NUMBERED.match(inner)
        if opens and inner[-1] not in ".," and (titled if strictly else 2 * capitals >= len(long)):
            start = found.start(1) + found[1].index(inner)
            yield start, start + len(inner), "quoted"


def _is_spoken(quoted: str) -> bool:
    """Whether words in quotes are speech: long, or whole sentences."""
    return len(quoted) > MAX_PHRASE or re.search(r"[.?!]", quoted) is not None


def _unpunctuated(title: str) -> str:
    """Return a title without the comma or the full stop that its sentence has within the quotes."""
    return title if re.search(r"\b[A-Z]\.\Z|\.\.\Z", title) else title.removesuffix(",").removesuffix(".")


def odd(name: str) -> bool:
    """True for a title that is a phrase or a sentence of its own ("Way Out", "Day and Night"): trees mistake it."""
    words = name.split()
    plain = len(words) <= MAX_PLAIN and all(word.isalpha() and word[0].isupper() for word in words)
    return len(words) > 1 and not plain


class Names:
    """The names of one text: its document's title, titles in quotes, runs of proper nouns, dates."""

    def __init__(self, text: Span, title: str) -> None:
        self._doc = text.doc
        self.text = self._doc.text  # without markup
        self._written: str = self._doc.user_data.get("written", self.text)
        self._places: Sequence[int] = self._doc.user_data.get("places", range(len(self.text)))
        self.words, self.forms = list(text), [word.text for word in text]  # spaCy makes each anew when it is asked for
        self._at: dict[int, tuple[int, int, str]] = {}
        self._named: dict[int, NamedEnd | None] = {}
        self._titles = {
            found.start(group): found.end(group)
            for found in _TITLED.finditer(self.text)
            for group in (1, 2)
            if found[group] and (group == 1 or not _is_spoken(found[group]))
        }
        self._figures = [at for at, form in enumerate(self.forms) if _numeric(form) and self.words[at].like_num]
        self._title = BRACKET.sub("", " ".join(title.split()))
        self._opening: OwnName | None = self._doc.user_data.get("own") if title else None
        known = self._doc.user_data.get("fixed", {}).get(title) or fixed(self.text, title, self._opening)
        for start, end, kind in sorted(known, key=lambda one: (one[0], -one[1])):
            self._mark(start, end, kind)
        spans = list(runs(self.words, self.forms))
        genitives = {self.forms[first] for first, last in spans if self.forms[last - 1] in GENITIVE}
        for first, end in spans:
            owner = (
                end - first == 1
                and self.forms[first] in genitives
                and not GENITIVE.isdisjoint(self.forms[end : end + 1])
            )
            last = end + owner  # "Macy's chief executive", where the text has Macy's as a name
            marked = {self._at[index] for index in range(first, last) if index in self._at}
            if all(kind == "quoted" and first < start and end < last for start, end, kind in marked):  # a nickname
                begin = self._with_year(first, last)
                self._at |= dict.fromkeys(range(begin, last), (begin, last, "name"))

    def _with_year(self, first: int, last: int) -> int:
        """Where a name begins that has a year of its own: "the 2000 Summer Olympics"."""
        led = first > 1 and self.forms[first - 2].lower() == "the" and not self.words[first - 1].is_sent_start
        year = self._at.get(first - 1) == (first - 1, first, "date")
        return first - 1 if led and year and last - first > 1 else first

    def _mark(self, start: int, end: int, kind: str) -> None:
        span = self._doc.char_span(start, end, alignment_mode="contract")
        two = kind == "quoted" and span is not None and any(word.is_sent_start for word in span[1:])  # sentences
        if span is not None and not two and not any(index in self._at for index in range(span.start, span.end)):
            self._at |= dict.fromkeys(range(span.start, span.end), (span.start, span.end, kind))

    @property
    def doc(self) -> Doc:
        """The words."""
        return self._doc

    def written(self, words: Span) -> str:
        """Some words as they are written, with the markup in and around them."""
        first, last = self._places[words.start_char], self._places[words.end_char - 1] + 1
        before = self._places[words.start_char - 1] + 1 if words.start_char else 0
        after = self._places[words.end_char] if words.end_char < len(self._places) else len(self._written)
        first = first if "\n" in self._written[before:first] else before
        return self._written[first : last if "\n" in self._written[last:after] else after]

    def within(self, sentence: Span) -> list[Token]:
        """The words of a sentence."""
        return self.words[sentence.start : sentence.end]

    def titled(self) -> NamedEnd | None:
        """The document's title where the text has it as a name."""
        found = next((item for item in self._at.items() if item[1][2] in ("title", "own")), None)
        return self.of(self._doc[found[0]]) if found else None

    def every(self) -> Iterator[NamedEnd]:
        """Yield what the text names, at each place."""
        found = (self.of(self._doc[start]) for start in sorted({start for start, *_ in self._at.values()}))
        return (name for name in found if name is not None)

    def person(self, title: str) -> bool:
        """True if the words of a title are mostly recognised as a person's where the text has them."""
        words = set(title.partition(",")[0].split())
        kinds = [self.words[at].ent_type_ for at, form in enumerate(self.forms) if form in words or form == title]
        return kinds.count("PER") * 2 > len(kinds)

    def owns(self, name: NamedEnd, clause: Clause) -> bool:
        """True if more of the name, or something of its own, follows: "the Academy's Committee" is not the Academy.

        The noun that the clause says of it is not: "an Ulster Unionist Party politician", "Acme's chairman is".
        """
        doc = self._doc
        if not 0 < name.end < len(doc):
            return False
        after = doc[name.end + 1] if doc[name.end].text in "®™" and name.end + 1 < len(doc) else doc[name.end]
        short = name.end - name.start == 1  # "the War of 1812"
        of, last = clause.verb, doc[name.end - 1]
        if after.lower_ in ("'s", "’s", "'", "’"):
            return not (clause.nominal and last.dep_ == "nmod:poss" and last.head in (of, clause.subject))
        if short and after.lower_ == "of":
            return True
        if after.text in ("-based", "-") and not after.nbor(-1).whitespace_:
            return True
        inner = last.head  # "a professor of Russian language": the name is a word before the noun
        if after.is_sent_start or of.i in (after.i, inner.i):
            return False
        noun = base(last) in ("compound", "amod") and name.end <= inner.i < name.end + 3
        return noun or (after.text[:1].isupper() and after.pos_ in ("PROPN", "NOUN"))

    def is_of_subject(self, name: NamedEnd) -> bool:
        """Whether a name only says of which thing something is: "The Lunsk plant explosion was a disaster in Peru"."""
        last = self._doc[name.end - 1]
        thing = last.head
        while base(thing) in ("compound", "amod") and thing.head.i > thing.i:
            thing = thing.head
        plain = name.end <= thing.i and thing.pos_ == "NOUN" and thing.text.islower() and not is_agent(thing.lower_)
        of_class = any(child.dep_ == "cop" for child in thing.head.children) and thing.head.pos_ == "NOUN"
        return plain and base(last) in ("compound", "amod") and base(thing) == "nsubj" and of_class

    def is_of_kin(self, name: NamedEnd) -> bool:
        """Whether a name stands behind whose kin it is: "his son Eduardo", "Orr's eldest son, OJ,"."""
        at = name.start - 1 if 0 < name.start < len(self._doc) else 0
        at -= self._doc[at].text == ","
        return at > 0 and is_kin(self._doc[at].lower_) and self._doc[at].sent == self._doc[name.start].sent

    def flaw(self, name: NamedEnd) -> str:
        """What is wrong with a name as the text has it; "" for nothing."""
        if self.is_cut(name) or self.goes_on(name) or self._opens_title(name):
            return "part of a name"
        return self._unlike_a_name(name)

    def _opens_title(self, name: NamedEnd) -> bool:
        """Whether more of a quoted or a foreign title follows: "God" of "God sobaki"."""
        words = self._doc[name.start : name.end]
        rest = self.text[words.end_char : self._titles.get(words.start_char, 0)]
        return re.match(r"\s[^\W\d_]", rest) is not None

    def _unlike_a_name(self, name: NamedEnd) -> str:
        """Why a date that is not exact ("after 1815"), a language or a people ("French-Polish") is no name, or ""."""
        if name.kind == "date":
            return "no exact date" if self.is_bound(name) else ""
        if self._is_language(name):
            return "no name"
        peoples = "-" in name.label and all(map(is_demonym, name.label.replace("-", " ").split()))
        return "no name" if peoples else ""

    def is_bound(self, date: NamedEnd) -> bool:
        """Whether a date is a bound or one of several: "before 1990", "from 1987 to 1988", "in 1987 or 1988"."""
        words = self._doc[date.start : date.end]
        before = self.text[max(0, words.start_char - BEFORE) : words.start_char]
        after = (_OR, _TO) if _FROM.search(before) else (_OR,)
        joined = (found.end() for joint in after if (found := joint.match(self.text, words.end_char)))
        return _BOUND.search(before) is not None or any(_DATE.match(self.text, at) for at in joined)

    def _is_language(self, name: NamedEnd) -> bool:
        """Whether a name only says in which language another is written: "Lun (Arabic: لون)"."""
        doc, end = self._doc, name.end
        inside = name.start > 0 and doc[name.start - 1].text in ("(", ";") and end + 1 < len(doc)
        if not inside or doc[end].text[0] != ":":
            return False
        foreign = next((sign for sign in doc[end].text + doc[end + 1].text if sign.isalpha()), "a")
        return is_demonym(name.label) or "LATIN" not in unicodedata.name(foreign, "")

    def is_cut(self, name: NamedEnd) -> bool:
        """True if the beginning of a name is missing: "al- Wathiq", "the Prime Minister's Office", "Games, Inc."."""
        before = self._doc[name.start - 1] if name.start > 0 and not self._doc[name.start].is_sent_start else None
        lone = name.end - name.start == 1
        counted = before is not None and before.text.isdigit() and not lone and not _YEAR.fullmatch(before.text)
        firm = name.end - name.start < 4 and name.label.split()[-1] in SUFFIXES
        return (
            before is not None
            and (
                counted  # "24 Hour Party People"
                or (firm and before.text[:1].isupper() and before.pos_ in ("ADJ", "NOUN", "VERB"))
                or (lone and before.text in ("'s", "’s"))
                or self._is_preceded(name, before)
                or ((lone or firm) and _opens_name(before))
                or before.text in ("-", "–")
                or (before.lower_ == "the" and before.i > 0 and before.nbor(-1).text == ":")
                or before.lower_ in ("ibn", "bin", "al")
            )
        )

    def _is_preceded(self, name: NamedEnd, before: Token) -> bool:
        """Whether a capital before a name is of it, though the tagger takes it for no name: "the All Blacks"."""
        free = not (before.is_sent_start or before.i in self._at or name.type == "person")
        capital = before.text[0].isupper() and before.text.isalpha() and before.lower_ not in ("the", "a", "an")
        return free and capital and before.pos_ in _OF_NAMES and not is_demonym(before.text)

    def goes_on(self, name: NamedEnd) -> bool:
        """True if a name is written on: "Chiang Kai-shek", but not "Oslo-based"."""
        doc, end = self._doc, name.end
        quoted = self._at.get(name.start, (0, 0, ""))[2] == "quoted"
        if quoted and end + 1 < len(doc) and doc[end + 1].pos_ == "PROPN" and not doc[end + 1].is_sent_start:
            return True  # a nickname: "\"Big Eye\" Louis Nelson"
        if end < len(doc) and _is_of_title(doc[end]):
            return True  # "North East Says No"
        if end < len(doc) and opens_pair(doc[end]) and not (doc[end].is_sent_start or is_score(doc[end])):
            return True  # "Saab 9-3"
        if end + 1 >= len(doc) or doc[end].text != "-" or doc[end - 1].whitespace_ or doc[end].whitespace_:
            return False
        return doc[end + 1].pos_ not in ("VERB", "AUX")

    def parted(self, name: NamedEnd) -> tuple[NamedEnd | None, NamedEnd]:
        """Return the country whose people a name of three words or more opens with, and the rest of the name."""
        first, _, rest = name.label.partition(" ")
        known = country(first) if " " in rest and is_demonym(first) else None
        if known is None:
            return None, name
        home = NamedEnd(known.name, "entity", "place", name.start, name.start + 1)
        return home, name._replace(label=rest, start=name.start + 1)

    def starting(self, index: int) -> NamedEnd | None:
        """The name that begins with a word of the text."""
        found = self.of(self._doc[index]) if index in self._at else None
        return found if found is not None and found.start == index else None

    def number(self, head: Token) -> NamedEnd | None:
        """The number of which a word is the head, if it is one."""
        at = bisect_left(self._figures, head.left_edge.i)
        return _number(head) if at < len(self._figures) and self._figures[at] <= head.right_edge.i else None

    def count(self, word: Token) -> NamedEnd | None:
        """The bare number that a word is, which may be anything if nothing tells what it counts; no year."""
        kind, _, unit = read_value(word.text)
        if kind != "number" or unit or not _numeric(word.text):
            return None
        return NamedEnd(word.text, "number", None, word.i, word.i + 1)

    def inside(self, token: Token) -> bool:
        """True if the word is part of a longer title or name, where trees mean nothing."""
        found = self._at.get(token.i)
        return found is not None and found[2] in ("title", "quoted")

    def of(self, head: Token) -> NamedEnd | None:
        """What the phrase with this head names; None if it names nothing."""
        if head.i not in self._named:
            score = head.i > 0 and opens_pair(head)  # the tree's object of "beat Arsenal 3–0"
            self._named[head.i] = self._read(head.nbor(-1) if score else self._own(head) or head)
        return self._named[head.i]

    def _read(self, head: Token) -> NamedEnd | None:
        found = self._at.get(head.i)
        if found is None:
            if (number := self.number(head)) is not None:
                return number
            return None
        start, end, kind = found
        span = self._doc[start:end]
        label = " ".join(self.text[span.start_char : span.end_char].split())
        if kind == "date":
            return NamedEnd(label, "date", None, start, end)
        if self._opening is not None and (span.start_char, span.end_char) == self._opening[:2]:
            label = self._title
        elif kind == "title":  # a title line may have what the text leaves out: "Benny Chan (film director)"
            label = BRACKET.sub("", label) or label
        if kind == "name" and read_value(label)[0] != "entity":
            return None
        class_ = self._class(start, end)
        ends = end == len(self._doc) or self._doc[end].is_sent_start
        if kind == "name" and end - start > 1 and ends and _FINAL.fullmatch(span[-1].text):
            initial = (
                class_ == "person" and _NUMERAL.fullmatch(span[-1].text[:-1]) is None
            )  # "was killed by Stephan E."
            label = self._unstopped(label, initial=initial)
        return NamedEnd(label, "entity", class_, start, end)

    def _unstopped(self, label: str, *, initial: bool) -> str:
        """Return a name without the stop of the sentence that it ends: "was succeeded by Charles V.".

        An initial keeps it, unless the text has the name without it, and so does what has one within a sentence.
        """
        bare, inside = label[:-1], rf"\b{re.escape(label)},? [a-z]"
        alone = re.search(rf"\b{re.escape(bare)}(?![\w.])", self.text)
        return bare if alone or not (initial or re.search(inside, self.text)) else label

    def beside(self, noun: Token) -> NamedEnd | None:
        """Return the name that is apposed to one thing: "the singer Ada Orr", "her husband, Prince Philip, died".

        After a comma another one closes it: "the chairman, Ada Orr said" is about somebody else.
        """
        if noun.pos_ != "NOUN" or "Plur" in noun.morph.get("Number", []) or noun.lower_ in _MENTIONS:
            return None
        doc, apposed = self._doc, (child for child in noun.children if child.dep_ == "appos" and child.i > noun.i)
        name = next((one for child in apposed if (one := self.of(child)) is not None), None)
        if name is None or name.kind != "entity":
            return None
        between = doc[noun.i + 1 : name.start].text
        closed = name.end < len(doc) and doc[name.end].text in (",", "–", "—", ".", ")")
        return name if between in ("", *OPENING_QUOTES) or (between == "," and closed) else None

    def _own(self, head: Token) -> Token | None:
        """Return the name beside one of many: "the tenth Harbour Day, Harbour19, was held".

        Beside an office is the state of its place: "the 41st Mayor of Atlanta, Georgia".
        """
        if is_office(head.text) or not any(child.like_num and child.dep_ == "amod" for child in head.children):
            return None
        return next((child for child in head.children if child.dep_ == "appos" and head.i < child.i in self._at), None)

    def _class(self, start: int, end: int) -> str | None:
        words = self._doc[start:end]
        ranked = words[0].text in RANKS and any(word.lower_ == "of" for word in words)
        if ranked or any(word.text in RANKS and word.nbor(-1).text[0].isdigit() for word in words[1:]):
            return "person"  # "Prince Karl of Lund" is no place, nor is "Henry, 3rd Earl of Lancaster"
        mark = next((word.i for word in words[:-1] if word.pos_ == "PART"), start - 1)  # "Rosemary's Baby" is nobody
        kinds = [word.ent_type_ for word in words if word.ent_type_ and word.i > mark]
        return CLASSES.get(max(kinds, key=kinds.count)) if kinds else None


def _is_of_title(word: Token) -> bool:
    """True for a verb or a small word with a capital within a sentence."""
    return word.text.istitle() and not word.is_sent_start and word.pos_ in ("VERB", "AUX", "ADV")


def _opens_name(word: Token) -> bool:
    """True for a capital at the start of a sentence that may as well be of the name: "Lighthouse Media owns"."""
    capital = word.is_sent_start and word.text.istitle() and word.text.isalpha() and not word.is_stop
    return bool(capital) and word.pos_ in ("ADJ", "NOUN", "PROPN", "ADP")


def _numeric(form: str) -> bool:
    return not form.isalpha() and any(map(str.isdigit, form))


def _number(head: Token) -> NamedEnd | None:
    """ "12 million people", "$3.5 billion", "45 %": the number with its unit."""
    start = min((c.i for c in head.children if base(c) in ("nummod", "compound") and c.i < head.i), default=head.i)
    while start > 0 and head.doc[start - 1].text in ("$", "€", "£", "¥", "US$") and not head.doc[start - 1].whitespace_:
        start -= 1
    end = (
        max([head.i, *(c.i for c in head.children if head.text in SYMBOLS and c.dep_ == "nummod" and c.i > head.i)]) + 1
    )
    while (
        end < len(head.doc)
        and head.doc[end].head.i == head.i
        and (head.doc[end].text == "%" or base(head.doc[end]) == "nummod")
    ):
        end += 1
    if not any(head.doc[index].like_num and _numeric(head.doc[index].text) for index in range(start, end)):
        return None
    label = head.doc[start:end].text
    if _YEARLY.match(label):
        return None
    kind, _, unit = read_value(label)
    if kind == "number" and (unit or end - start > 1):
        return NamedEnd(label, "number", None, start, end)
    return None
