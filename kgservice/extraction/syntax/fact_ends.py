"""What a sentence names that may be an end of a fact: names, dates, and pronouns with the name that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kgservice.extraction.syntax.coreference import FIRMS, Focus
from kgservice.extraction.syntax.nominal_facts import class_named
from kgservice.extraction.syntax.proper_names import FactCandidate, NamedEnd, Names
from kgservice.extraction.syntax.rejection import nameless

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

PREDICATE = "predicate"  # what a statement says of its two ends, for the statement reader alone
KINDS = ("person", "organization", "place", "name", "date", "pronoun", "adjective", PREDICATE)
PRONOUNS = frozenset("he him his she her hers it its they them their we us our i me my".split())
_POST = re.compile(  # "Chairman of Stanley Black & Decker" is no name
    r"(?:(?:Vice|Deputy|Managing|Executive|Chief|General|Senior|Assistant|Associate|Founding) )*"
    r"(?:President|Chairman|Chairwoman|Chair|Director|Officer|Secretary|Manager|Head|Dean|Professor|Founder|Governor|Mayor|"
    r"Minister|Treasurer|Partner|Editor|Member|Ambassador|Commissioner)"
)


class End(NamedTuple):
    """A place in a text, in characters, and what it names; `name` is None where nobody can tell ("he")."""

    start: int
    end: int
    kind: str
    name: NamedEnd | None


class Met(NamedTuple):
    """A sentence without markup, where it starts in its text, its ends, and the sentence as written and as parsed.

    `nouns` are those like "the company" of which the rules cannot tell what they mean.
    """

    text: str
    start: int
    ends: tuple[End, ...]
    written: str
    sentence: Span
    nouns: tuple[End, ...] = ()


class StatementPlaces(NamedTuple):
    """Where a statement's ends and its predicate stand in a sentence, in characters; `start` is the sentence's."""

    start: int
    subject: tuple[int, int]
    object: tuple[int, int]
    predicate: tuple[int, int] | None


def statement_places(found: FactCandidate, sentence: Span) -> StatementPlaces | None:
    """Return where a sentence says a statement of a clause or a post; None where an end is not in it.

    A subject that is named elsewhere stands where the clause has its pronoun or noun.
    """
    subject, clause = found.subject, found.clause
    if clause is None and found.rule != "post":
        return None
    if not sentence.start <= found.object.start < found.object.end <= sentence.end:
        return None
    if sentence.start <= subject.start < subject.end <= sentence.end:
        place = _place(sentence, subject.start, subject.end)
    elif clause is not None and sentence.start <= clause.subject.i < sentence.end:
        place = _place(sentence, clause.subject.i, clause.subject.i + 1)
    else:
        return None
    predicate = _place(sentence, clause.verb.i, clause.verb.i + 1) if clause is not None else None
    return StatementPlaces(
        sentence.start_char, place, _place(sentence, found.object.start, found.object.end), predicate
    )


def _place(sentence: Span, start: int, end: int) -> tuple[int, int]:
    """Return the characters of some words, given by their numbers in the text, in their sentence."""
    first, last = sentence.doc[start], sentence.doc[end - 1]
    return first.idx - sentence.start_char, last.idx + len(last) - sentence.start_char


def ends(names: Names, focus: Focus, sentence: Span) -> Iterator[End]:
    """Yield the ends of a sentence in its order; none overlaps another."""
    at = sentence.start
    while at < sentence.end:
        found = names.starting(at)
        if found is not None and found.end <= sentence.end:
            yield _named(names, focus, found)
            at = max(found.end, at + 1)
            continue
        word = names.words[at]
        if (kind := _kind(word)) is not None and names.of(word) is None and not focus.is_either(word):
            own = NamedEnd(word.text, "entity", None, word.i, word.i + 1)
            meant = focus.resolved(word)[0] if kind == "pronoun" else own
            if kind != "pronoun" or meant is not None or word.lower_ in PRONOUNS:
                yield End(word.idx, word.idx + len(word), kind, meant)
        at += 1


def nouns(names: Names, found: tuple[End, ...], sentence: Span) -> Iterator[End]:
    """Yield the nouns of a sentence that mean something of a class, and are none of the ends that were found in it."""
    taken = {end.start for end in found}
    for word in names.within(sentence):
        known = _is_definite(word) and (word.lower_ in FIRMS or class_named(word))
        if known and word.idx not in taken and names.of(word) is None:
            yield End(word.idx, word.idx + len(word), "pronoun", None)


def _named(names: Names, focus: Focus, found: NamedEnd) -> End:
    """A name as an end; of "Director of Stanbic Bank" the bank."""
    words, (post, _, rest) = names.doc[found.start : found.end], found.label.partition(" of ")
    of = next((word.i for word in words if word.text == "of"), None)
    if rest and of is not None and _POST.fullmatch(post):
        words = names.doc[of + 1 : found.end]
        return End(words.start_char, words.end_char, "name", found._replace(label=rest, type=None, start=of + 1))
    if found.kind == "date":
        return End(words.start_char, words.end_char, "date", None if names.is_bound(found) else found)
    kind = found.type or "name"
    meant = focus.resolved(names.words[found.start])[0]
    flawed = meant is None or nameless(meant) or names.flaw(found) or focus.partial(meant)
    flawed = flawed or names.is_of_subject(found)
    return End(words.start_char, words.end_char, kind, None if flawed else meant)


def _kind(word: Token) -> str | None:
    """The kind of an end that is no name: a pronoun, "the company", "German"."""
    if word.lower_ in PRONOUNS:
        return "pronoun"
    if _is_definite(word) and not any(c.i > word.i for c in word.children):
        return "pronoun"
    capital = word.text[:1].isupper() and not word.is_sent_start
    return "adjective" if capital and word.pos_ == "ADJ" and len(word) > 3 else None


def _is_definite(word: Token) -> bool:
    """Whether a word is a noun behind "the" or "this"."""
    return word.pos_ == "NOUN" and any(c.lower_ in ("the", "this") and c.dep_ == "det" for c in word.children)
