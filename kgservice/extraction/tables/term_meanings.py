"""What documents say that their terms mean: entries of glossaries, abbreviations in brackets, sentences "X is a …".

Handbooks, policies and reports seldom join two names, but they explain their own. Read are

- an entry, a line that begins with a term in bold print or before a dash or a colon: "- **ADR** - Architecture Decision
  Record. A written record of choices" says what ADR stands for and what it is;
- a name with its abbreviation in brackets, either way round: "Employee Assistance Program (EAP)";
- a sentence that calls a name, or a term in other print, something: "HR Links is the system for absences of all kinds."

What something is called is a noun phrase that can be understood alone ("a written record of choices"). It is left out
if it points elsewhere ("our", "below"), repeats a word of the term, or tells it from no other term of the document.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kgservice.core.records import Chunk, Document, Term, Triplet
from kgservice.extraction.tables.cells import clean
from kgservice.extraction.tables.descriptions import MARK, alike, hangs, without_code
from kgservice.names.abbreviations import abbreviates
from kgservice.names.mentions import is_common
from kgservice.text.english import AUXILIARIES, BE, DETERMINERS, PREPOSITIONS, is_agent
from kgservice.text.inflection import indefinite, is_participle, is_plural, may_be_noun, may_be_verb
from kgservice.text.sentences import sentences

ABBREVIATION, DEFINITION = "abbreviation", "definition"
FEWEST, MOST = 5, 30  # words of a definition
MOST_OF_TERM = 6  # words
NEAR, LONGEST = 200, 600  # characters before a bracket in which the full name stands; of an entry
STEM = 5  # letters by which words are compared: "accessible" repeats "accessibility"
_SMALL = frozenset("of and for the in to on a an at & with".split())
_NAME = r"[A-Z0-9][\w.&’'/-]*(?: (?:(?:of|and|for|the|in|to|&) )*[A-Z0-9][\w.&’'/-]*){0,7}"
_ENTRY = re.compile(
    r"(?m)^[ \t]*(?P<item>[-*+•][ \t]+|\d{1,3}[.)][ \t]+)?"
    r"(?:(?P<bold>\*\*|__)(?P<term>\[?[^*\n_\]]{2,60}?(?:\]\([^)\n]*\))?)(?P<colon>:?)(?P=bold)"
    r"|(?P<plain>[A-Z][^\n:*|.,;–—()\[\]]{1,50}?)(?=: | [-–—] ))"
    r"(?P<sign>:| [-–—]| means| refers to)?[ \t]*\n?[ \t]*(?=\S)"
)
_ITEM_ENDS = re.compile(r"\n[ \t]*\n|\n[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]|\n#|\n\||\Z")
_BRACKET = re.compile(r"\((?P<within>[^()]{2,80})\)")
_BEFORE = re.compile(r"(?:[\w.’'&/-]+\s+){0,9}[\w.’'&/-]+\s?\Z")
_SHORT = re.compile(r"[A-Z][A-Za-z0-9&]*[A-Z0-9]")
_IS = re.compile(rf"(?:(?:The|An?) )?(?P<name>{_NAME})(?: \([^()]*\))?,? (?:is|are) (?P<what>(?:an?|the) .+)", re.S)
_MARKED = re.compile(  # "A **fork** is …"
    r"(?:(?:The|An?) )?(?P<mark>\*\*|__|[*_`])(?P<name>[^*_`\n]{2,60})(?P=mark) (?:is|are|means|refers to) "
    r"(?P<what>(?:an?|the) .+)",
    re.S,
)
_AGAIN = re.compile(r"(?:It|This|They)(?:[’']s| is|[’']re| are) (?=an? |the )")
_PARTS = re.compile(r"[:.;,(–—]| - | which\b| that\b| is\b| are\b| also\b")
_JOINED = re.compile(r"^[\s:.;,–—-]*(?:(?:is|are) )?")
_ARTICLE = re.compile(r"(?:an?|the) ", re.I)
_RELATIVE = frozenset("that which who whose whom where when what how why if because whether while you".split())
_WHICH, _SOMEBODY = frozenset(("that", "which", "who")), frozenset(("someone", "somebody", "anyone", "something"))
_MASS = frozenset("content data equipment funding information money slang software text time training work".split())
_HEADING = re.compile(r"(?m)^#{1,6} ")
_ELSEWHERE = re.compile(r"\b(?:[Oo]ur|ours|[Ww]e|us|[Mm]y|me|I|here|[Oo]ne of|[Pp]art of|[Mm]any)\b")
_JUDGING = frozenset("best better easy fun good great helpful important longer main nice primary simple useful".split())
_CAPITAL = re.compile(r"(?<!\S)[A-Z]")
_ASKING = re.compile(r"(?:an?|the|how|what|when|where|which|who|whom|whose|why)\b", re.I)
_MORE = re.compile(r", (?:and|but|so) |\bany other\b")  # another clause, or no difference
OPENERS = frozenset(
    "this that these those there here it he she we you they what which who each every another any some all both either "
    "one below above because if when while since although though as after before once until unless whether".split()
)


class _Meaning(NamedTuple):
    """What a document says of a term: its full name or what it is, and where the words that say so are."""

    name: str
    relation: str
    said: str
    start: int
    end: int


def meaning_triplets(chunk: Chunk, document: Document) -> list[Triplet]:
    """Return what a document says within a chunk that its terms mean.

    An abbreviation is ("Architecture Decision Record", "abbreviation", "ADR"), a definition ("ADR", "definition", "A
    written record of choices").
    """
    return [
        Triplet(subject=Term(label=one.name), relation=one.relation, object=Term(label=one.said), sentence=said)
        for one in _meanings(document.text)
        if chunk.holds(one.start, one.end)
        and (said := document.text[one.start : one.end])
    ]  # fmt: skip


@lru_cache(maxsize=8)
def _meanings(text: str) -> tuple[_Meaning, ...]:
    if not _HEADING.search(text):  # an article or a message: what it calls people and places fits others too
        return ()
    bare = without_code(text)
    found: dict[tuple[str, str, str], _Meaning] = {}
    defined: dict[str, str] = {}
    for one in (*_of_entries(bare), *_of_sentences(bare)):
        if one.relation == DEFINITION and defined.setdefault(one.name, one.said) != one.said:
            continue
        found.setdefault((one.name.lower(), one.relation, one.said), one)
    same = alike(defined)
    return tuple(one for one in found.values() if one.relation == ABBREVIATION or one.name not in same)


def _of_entries(text: str) -> Iterator[_Meaning]:
    """Yield what the entries of glossaries say: full names and definitions."""
    entries = [
        (entry, _term(entry["term"] or entry["plain"]))
        for entry in _ENTRY.finditer(text)
        if (entry["sign"] or entry["colon"]) and (entry["term"] or entry["item"])
    ]
    times = Counter(term for _, term in entries)  # a term that is explained twice means two things
    for entry, term in entries:
        if times[term] > 1 or not 0 < len(term.split()) <= MOST_OF_TERM or not re.search(r"[^\W\d_]|^\d+$", term):
            continue
        ends = _ITEM_ENDS.search(text, entry.end(), min(entry.end() + LONGEST, len(text)))
        body = text[entry.end() : ends.start()] if ends else ""
        spans = sentences(body)[:2]
        first, second = ([_plain(body[start:end]) for start, end in spans] + ["", ""])[:2]
        full = _full_name(term, first)
        if full:
            yield _Meaning(full, ABBREVIATION, term, entry.start(), entry.end() + spans[0][1])
            first = first.removeprefix("The ")[len(full) :]
        first = re.sub(rf"^(?:The )?{re.escape(term)} (?=(?:is|are) )", "", first)
        for at, said in enumerate((first, second if len(spans) > 1 and _is_label(body[slice(*spans[0])]) else "")):
            words = _AGAIN.sub("", _JOINED.sub("", said))
            if _defines(words, term, entry=entry["term"] is not None):
                yield _Meaning(term, DEFINITION, _small(words), entry.start(), entry.end() + spans[at][1])
                break


def _term(written: str) -> str:
    """Return a term without markup, a number before it and what stands in brackets behind it; "" for other words."""
    if _ASKING.match(clean(written)):
        return ""
    return re.sub(r"^\d{1,3}[.)] |\s*\([^()]*\)$", "", clean(written).rstrip(":").strip()).strip()


def _is_label(sentence: str) -> bool:
    """Return whether a sentence is a few words alone, such as a full name, and the next one tells what it means."""
    return len(_plain(sentence).split()) <= MOST_OF_TERM


def _small(words: str) -> str:
    """Return words as in the middle of a sentence: with an article where they want one, no capital but a name's."""
    first = words.split(maxsplit=1)[0]
    if _ARTICLE.match(words):
        return words[0].lower() + words[1:]
    told = words[0].lower() + words[1:] if is_common(first.lower()) else words
    plain = first.lower() in _MASS | _SOMEBODY or is_plural(first.lower())
    return told if plain else f"{indefinite(told)} {told}"


def _of_sentences(text: str) -> Iterator[_Meaning]:
    """Yield what sentences say: abbreviations in brackets, and what a name is."""
    spans = sentences(text)
    starts = [start for start, _ in spans]
    for found in _BRACKET.finditer(text):
        start, end = spans[max(bisect_right(starts, found.start("within")) - 1, 0)]
        run = _BEFORE.search(text[max(start, found.start() - NEAR) : found.start()])
        before = clean(run[0]).split() if run and found.end() <= end and text[start] != "|" else []
        if before and (pair := _spelt(before, clean(found["within"]))):
            yield _Meaning(pair[0], ABBREVIATION, pair[1], start, end)
    for start, end in spans:
        if text[start] in "|#" or text[end - 1] != ".":
            continue
        if marked := _MARKED.fullmatch(MARK.sub("", text[start:end])):
            name, what = _term(marked["name"]), _plain(marked["what"])
            if len(name.split()) <= MOST_OF_TERM and _defines(what, name):
                yield _Meaning(name, DEFINITION, what, start, end)
            continue
        said = _plain(MARK.sub("", text[start:end]))
        told = _IS.fullmatch(said)
        if told and _CAPITAL.search(told["what"]):  # "the auditor of Acme" joins two names, which other readers see
            continue
        if told and _is_name(told["name"]) and _defines(told["what"], told["name"]) and not _MORE.search(said):
            several = " and " in told["name"] and " are " in said[: told.start("what")]
            if several or is_agent(_head(told["what"])):  # a person is called what others are too
                continue
            yield _Meaning(told["name"], DEFINITION, told["what"], start, end)


def _head(phrase: str) -> str:
    """Return the head noun of a noun phrase: the word before its first preposition or clause."""
    words = phrase.lower().replace(",", " ,").split()
    ends = (
        at for at, word in enumerate(words) if at and (word in PREPOSITIONS | _RELATIVE or word in ("to", "used", ","))
    )
    return words[next(ends, len(words)) - 1]


def _plain(sentence: str) -> str:
    """Return a sentence without markup and its full stop."""
    return re.sub(r"\.([\"”])$", r"\1", " ".join(clean(sentence).split()).rstrip(" .!"))


def _full_name(term: str, said: str) -> str:
    """Return what a term is short for: the words with which its entry begins, "" where these are no full name."""
    words = _PARTS.split(said.removeprefix("The "), maxsplit=1)[0].split()
    if not _SHORT.fullmatch(term) or not words or not words[0][0].isupper():
        return ""
    starts = [words[:upto] for upto in range(1, len(words) + 1)]
    return _fullest(term, [name for name in starts if len(name) == len(words) or not words[len(name)][0].isupper()])


def _spelt(before: list[str], within: str) -> tuple[str, str] | None:
    """Return the full name and the abbreviation of "Employee Assistance Program (EAP)" and of "EAP (Employee …)"."""
    if _SHORT.fullmatch(within):
        ends = [before[at:] for at in reversed(range(len(before) - 1))]
        name = _fullest(within, ends)
        return (name, within) if name else None
    words = within.split()
    name = _fullest(before[-1], [words]) if len(words) > 1 and _SHORT.fullmatch(before[-1]) else ""
    return (name, before[-1]) if name else None


def _fullest(short: str, names: list[list[str]]) -> str:
    """Return the first of some names of which a shorter one has the initials, else the first that it abbreviates
    otherwise.

    Then the name is written with capitals and the initial of each of its words is in the short one, in order: "FedRAMP"
    is the Federal Risk and Authorization Management Program, "BWI" no "Baltimore-Washington Airport".
    """
    letters = re.sub(r"[^\w]", "", short.lower())
    names = [[re.sub(r"^\W+", "", name[0]), *name[1:]] for name in names]
    able = [name for name in names if name[0]]
    able = [name for name in able if name[0].lower() not in _SMALL and name[-1].lower() not in _SMALL]
    for name in able:
        if len(name) > 1 and letters in _initials(name):
            return _unowned(name)
    for name in able:
        left = iter(letters)
        capital = all(word[0].isupper() or word.lower() in _SMALL for word in name[1:]) and name[0][0].isupper()
        if capital and all(one in left for one in _initials(name)[0]) and abbreviates(short, " ".join(name)):
            return _unowned(name)
    return ""


def _unowned(name: list[str]) -> str:
    return re.sub(r"[’']s?$", "", " ".join(name))


def _initials(words: list[str]) -> tuple[str, ...]:
    """Return the initials of words, of both parts of a compound; then those of the whole words, and with small words
    too."""
    parts = [part for word in words for part in re.split(r"[-/]", word) if part]
    large = [[one for one in split if one.lower() not in _SMALL] for split in (parts, words)]
    return tuple("".join(one[0].lower() for one in some if one[0].isalnum()) for some in (*large, words, parts))


def _is_name(name: str) -> bool:
    """Return whether words with capitals that begin a sentence are a name: "Slack", "Digital Council", not
    "Availability"."""
    words = name.split()
    if words[0].lower() in OPENERS or name[0].isdigit() or len(words) > MOST_OF_TERM:
        return False
    return len(words) > 1 or _SHORT.fullmatch(name) is not None or not is_common(name.lower())


def _defines(words: str, term: str, *, entry: bool = False) -> bool:
    """Return whether words are a noun phrase that tells what something is and needs no other text.

    It has an article; one of an entry may begin with its noun ("software that …", "someone who …").
    """
    count = len(words.split())
    if not FEWEST <= count <= MOST or words.count("(") != words.count(")") or not re.match(r"[A-Za-z]", words):
        return False
    if hangs(words) or _ELSEWHERE.search(words) or words.endswith("?") or _repeats(words, term):
        return False
    plain = words.lower().replace(",", " ,").split()
    if _ARTICLE.match(words):
        return plain[1] not in _JUDGING and _is_noun_phrase(plain)
    noun = may_be_noun(plain[0]) and (plain[1] in _WHICH or (plain[1] in PREPOSITIONS and not may_be_verb(plain[0])))
    return entry and (noun or plain[0] in _SOMEBODY) and _is_noun_phrase(["a", *plain])


def _repeats(words: str, term: str) -> bool:
    """Return whether a definition has a word of its term, in any form."""
    own, said = (re.findall(r"\w{3,}", text.lower()) for text in (term, words))
    return any(one == other or _alike(one, other) for one in own for other in said)


def _alike(one: str, other: str) -> bool:
    least = min(len(one), len(other), STEM)
    return least > 3 and one[:least] == other[:least]


def _is_noun_phrase(words: list[str]) -> bool:
    """Return whether words after an article are a noun phrase, no clause: its head is followed by what belongs to it.

    "a record of choices", "the code that you don't see", "a person hired to help", not "the manager reviews your plan".
    """
    for at, word in enumerate(words[1:], 1):
        if word in BE | AUXILIARIES or word in DETERMINERS or word in ("your", "has", "have", "had"):
            return False
        belongs = word in PREPOSITIONS or word in _RELATIVE or word in ("to", "used", ",") or word[0] == "("
        if at > 1 and (belongs or is_participle(word) or (at > 2 and word.endswith("ing"))):
            rest = words[at:]
            later = next((i for i, one in enumerate(rest) if _is_finite(one, rest[:i])), None)
            return later is None or any(one in _RELATIVE for one in rest[:later])
    return True


def _is_finite(word: str, before: list[str]) -> bool:
    """Return whether a word is surely the verb of a clause; after "to" it may be an infinitive."""
    if word in BE | AUXILIARIES or word in ("has", "have"):
        return True
    verb = may_be_verb(word) and not may_be_noun(word) and word not in PREPOSITIONS
    return verb and (word.endswith("s") or "to" not in before)
