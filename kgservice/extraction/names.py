"""What a phrase names: a proper name, a date or a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kgservice.extraction.clauses import base
from kgservice.values import MONTHS, SYMBOLS, read_value

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_MONTH = "|".join(month.title() for month in MONTHS.split())
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTH}),? \d{{4}}|(?:{_MONTH}) \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|(?:{_MONTH}),? \d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}|(?:1[0-9]|20)\d{{2}}(?![\d,.]*\d|%|\w))\b"
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_YEARLY = re.compile(r"(?:1[0-9]|20)\d\d [A-Za-z]")  # "1972 film" is no number of films
_QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{2,80})[\"”»]")
_JOINING = frozenset(
    ("of", "the", "and", "&", "de", "la", "le", "van", "von", "der", "di", "del", "al", "for", "in", "on")
)
AREAS = frozenset("Province County Region State Department Municipality Prefecture Governorate".split())
_REGNAL = re.compile(r"[IVX]{1,5}")
SUFFIXES = frozenset("Inc. Inc Ltd. Ltd LLC L.L.C. Corp. Corp LLP N.A. plc Jr. Sr.".split())  # after a comma too
POST = re.compile(r"C[A-Z]O|[QRW]B|VP|EVP|SVP")  # a post among the capitals of a run parts two names
_LINKS = frozenset(("-", "–", "'", "’", ".", "/", "&"))
BRACKET = re.compile(r"\s*\([^()]*\)\s*\Z")
MAX_TITLE, MAX_PLAIN = 10, 3  # words
CLASSES = {"PER": "person", "ORG": "organization", "LOC": "place"}


class Name(NamedTuple):
    """A named end of a fact; `kind` is entity, date or number, `type` is the recogniser's guess."""

    label: str
    kind: str
    type: str | None
    start: int
    end: int


class Found(NamedTuple):
    """A fact with named ends."""

    subject: Name
    relation: str
    object: Name
    confidence: float


def fixed(text: str, title: str) -> Iterator[tuple[int, int, str]]:
    """Yield what needs no tree to be seen as one: dates, the document's title, titles in quotes (start, end, kind)."""
    for found in _DATE.finditer(text):
        yield found.start(), found.end(), "date"
    for name in sorted({title.strip(), BRACKET.sub("", title).strip()}, reverse=True):
        if len(name) > 2 and len(name.split()) <= MAX_TITLE and (name[-1] not in ".!?…:" or len(name.split()) < 4):
            # no sentence, no headline
            for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
                yield found.start(), found.end(), "title"
    for found in _QUOTED.finditer(text):
        inner = found[1].strip()
        words = [word for word in inner.split() if len(word) > 3 and word.isalpha()]
        titled = 2 * sum(word[0].isupper() for word in words) >= len(words)
        if inner[:1].isupper() and inner[-1:] not in ".!?," and titled:
            start = found.start(1) + found[1].index(inner)
            yield start, start + len(inner), "quoted"


def odd(name: str) -> bool:
    """True for a title that is a phrase or a sentence of its own ("Way Out", "Day and Night"): trees mistake it."""
    words = name.split()
    plain = len(words) <= MAX_PLAIN and all(word.isalpha() and word[0].isupper() for word in words)
    return len(words) > 1 and not plain


class Names:
    """The names of one text: its document's title, titles in quotes, runs of proper nouns, dates."""

    def __init__(self, text: Span, title: str) -> None:
        self._doc = text.doc
        self._at: dict[int, tuple[int, int, str]] = {}
        for start, end, kind in fixed(self._doc.text, title):
            self._mark(start, end, kind)
        lower = {token.text for token in text if token.text.islower()}
        for first, last in _runs(text):
            opens = last - first == 1 and self._doc[first].is_sent_start and not self._doc[first].ent_type_
            if opens and self._doc[first].lower_ in lower:
                continue  # "Goodwill is", where the text writes goodwill elsewhere
            if not any(index in self._at for index in range(first, last)):
                self._at |= dict.fromkeys(range(first, last), (first, last, "name"))

    def _mark(self, start: int, end: int, kind: str) -> None:
        span = self._doc.char_span(start, end, alignment_mode="contract")
        if span is not None and not any(index in self._at for index in range(span.start, span.end)):
            self._at |= dict.fromkeys(range(span.start, span.end), (span.start, span.end, kind))

    @property
    def doc(self) -> Doc:
        """The words."""
        return self._doc

    @property
    def text(self) -> str:
        """The text as it is written."""
        return self._doc.text

    def titled(self) -> Name | None:
        """The document's title where the text has it as a name."""
        found = next((item for item in self._at.items() if item[1][2] == "title"), None)
        return self.of(self._doc[found[0]]) if found else None

    def person(self, title: str) -> bool:
        """True if the words of a title are mostly recognised as a person's where the text has them."""
        words = set(title.partition(",")[0].split())
        kinds = [token.ent_type_ for token in self._doc if token.text in words or token.text == title]
        return kinds.count("PER") * 2 > len(kinds)

    def owns(self, name: Name) -> bool:
        """True if more of the name, or something of its own, follows: "the Academy's Committee" is not the Academy."""
        doc = self._doc
        if not 0 < name.end < len(doc):
            return False
        after = doc[name.end + 1] if doc[name.end].text in "®™" and name.end + 1 < len(doc) else doc[name.end]
        short = name.end - name.start == 1  # "the War of 1812"
        if after.lower_ in ("'s", "’s", "'", "’") or (short and after.lower_ == "of"):
            return True
        if after.text in ("-based", "-") and not after.nbor(-1).whitespace_:
            return True
        inner = doc[name.end - 1].head  # "a professor of Russian language": the name is a word before the noun
        noun = base(doc[name.end - 1]) in ("compound", "amod") and name.end <= inner.i < name.end + 3
        return not after.is_sent_start and (noun or (after.text[:1].isupper() and after.pos_ in ("PROPN", "NOUN")))

    def cut(self, name: Name) -> bool:
        """True if the beginning of a name is missing: "al- Wathiq", "the Prime Minister's Office"."""
        before = self._doc[name.start - 1] if name.start > 0 and not self._doc[name.start].is_sent_start else None
        lone = name.end - name.start == 1
        return before is not None and (
            before.text in ("-", "–") or before.lower_ in ("ibn", "bin", "al") or (lone and before.text in ("'s", "’s"))
        )

    def starting(self, index: int) -> Name | None:
        """The name that begins with a word of the text."""
        found = self.of(self._doc[index]) if index in self._at else None
        return found if found is not None and found.start == index else None

    def number(self, head: Token) -> Name | None:
        """The number of which a word is the head, if it is one."""
        return _number(head)

    def inside(self, token: Token) -> bool:
        """True if the word is part of a longer title or name, where trees mean nothing."""
        found = self._at.get(token.i)
        return found is not None and found[2] in ("title", "quoted")

    def of(self, head: Token) -> Name | None:
        """What the phrase with this head names; None if it names nothing."""
        found = self._at.get(head.i)
        if found is None:
            if (number := _number(head)) is not None:
                return number
            named = [
                c
                for c in head.children
                if c.dep_ in ("flat", "appos", "compound") and c.i > head.i and c.pos_ == "PROPN"
            ]
            if named and head.pos_ == "NOUN" and named[0].dep_ != "appos":
                return self.of(named[0])
            return None
        start, end, kind = found
        label = " ".join(self._doc[start:end].text.split())
        if kind == "date":
            return Name(label, "date", None, start, end)
        if kind == "title":  # a title line may have what the text leaves out: "Benny Chan (film director)"
            label = BRACKET.sub("", label) or label
        if kind == "name" and read_value(label)[0] != "entity":
            return None
        return Name(label, "entity", self._class(start, end), start, end)

    def _class(self, start: int, end: int) -> str | None:
        kinds = [word.ent_type_ for word in self._doc[start:end] if word.ent_type_]
        return CLASSES.get(max(kinds, key=kinds.count)) if kinds else None


def _runs(text: Span) -> Iterator[tuple[int, int]]:
    """Runs of proper nouns with the small words inside them, as (first, after the last)."""
    doc, at = text.doc, text.start
    while at < text.end:
        ordinal = (
            at + 1 < text.end and _ORDINAL.fullmatch(doc[at].text) and doc[at + 1].pos_ == "PROPN"
        )  # 20th Century Fox
        if not ordinal and (not _proper(doc[at]) or doc[at].text.islower()):
            at += 1
            continue
        last = at + 1
        while (longer := _longer(doc, at, last)) > last:
            last = longer
        for first, end in _parted(doc, at, last):
            if any(doc[index].text[:1].isupper() or doc[index].text[:1].isdigit() for index in range(first, end)):
                yield first, end
        at = last


def _parted(doc: Doc, first: int, last: int) -> Iterator[tuple[int, int]]:
    """The names of a run: "OpenAI CEO Sam Altman" is two and a post."""
    for index in range(first, last):
        if POST.fullmatch(doc[index].text):
            if index > first:
                yield first, index
            first = index + 1
            while first < last and doc[first].lower_ in _JOINING:
                first += 1
    if first < last and not _generic(doc, first, last):
        yield first, last


def _generic(doc: Doc, first: int, last: int) -> bool:
    """True for a lone common noun that some house style writes large: "Gamers", "Savings"."""
    word = doc[first]
    return last - first == 1 and word.pos_ == "NOUN" and not word.ent_type_ and word.text[1:].islower()


def _longer(doc: Doc, first: int, last: int) -> int:
    """Where the name `doc[first:last]` ends with the next word that belongs to it; `last` if none does."""
    after = last
    if _inside(doc, last + 1) and doc[last].text == "," and doc[last + 1].text in SUFFIXES:
        return last + 2
    while _inside(doc, after) and after - last < 3 and _joins(doc[after], doc[last - 1]):
        after += 1
    if not _inside(doc, after):
        return last
    if after == last and _REGNAL.fullmatch(doc[after].text) and doc[last - 1].text[1:].islower():
        return after + 1  # "William II", whatever the tagger makes of the numeral
    token = doc[after]
    hyphened = after == last + 1 and doc[last].text == "-" and token.text[0].isupper()  # Bankman-Fried
    if hyphened or (_proper(token) and (after == last or _tied(doc, first, last, after))):
        return after + 1
    numbered = after == last and token.pos_ == "NUM" and token.text.isdigit() and token.head.i in range(first, last)
    return last + 1 if numbered else last


def _inside(doc: Doc, index: int) -> bool:
    return index < len(doc) and not doc[index].is_sent_start


def _proper(token: Token) -> bool:
    if token.pos_ == "PROPN":
        return any(c.isalnum() for c in token.text)
    capital = token.text[:1].isupper()
    if token.is_sent_start:  # "Countess Anna of Anhalt", but not "Former minister"
        if sum(sign.isupper() for sign in token.text) > 1 and base(token) in ("nsubj", "nmod"):  # "PCM started in 1987"
            return True
        part = token.dep_ in ("compound", "flat", "nmod:desc") or token.ent_type_ == "PER"
        return capital and part and token.i + 1 < len(token.doc) and token.nbor().pos_ == "PROPN"
    return capital and (token.ent_type_ != "" or token.pos_ in ("NOUN", "ADJ", "X")) and base(token) != "root"


def _joins(word: Token, before: Token) -> bool:
    if word.text in _LINKS and not before.whitespace_:
        return not word.whitespace_ or word.text == "&" or (word.text == "." and len(before) == 1)
    return word.lower_ in _JOINING and word.pos_ in ("ADP", "DET", "CCONJ", "PROPN", "X", "SYM")


def _tied(doc: Doc, start: int, last: int, reach: int) -> bool:
    """True if the small words between make one name: "University of Oslo", not "Norway and Sweden"."""
    words = [doc[index] for index in range(last, reach)]
    after = doc[reach]
    if all(word.text in _LINKS for word in words):
        return True
    if words[0].lower_ in ("and", "&", "for", "in", "on"):
        inside = {doc[index].ent_type_ for index in range(start, reach + 1)}
        return words[0].lower_ == "&" or (len(inside) == 1 and inside != {""})
    if words[0].lower_ == "the":
        return False
    if words[0].lower_ == "of" and last - start > 1 and doc[last - 1].text in AREAS and after.ent_type_ == "LOC":
        return False  # "Kotayk Province of Armenia" is two
    return after.head.i in range(start, last) or after.head.head.i in range(start, last) or words[0].lower_ != "of"


def _number(head: Token) -> Name | None:
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
    if not any(
        head.doc[index].like_num and any(c.isdigit() for c in head.doc[index].text) for index in range(start, end)
    ):
        return None
    label = head.doc[start:end].text
    if _YEARLY.match(label):
        return None
    kind, _, unit = read_value(label)
    if kind == "number" and (unit or end - start > 1):
        return Name(label, "number", None, start, end)
    return None
