"""Answers as statements, and which of them another answer says too (PluriHop, section 5.1), without a model.

A statement is known by what it names: its numbers, dates and names, those of the question apart. It is held by an
answer of which one statement has all of them; numbers and dates are compared by value.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from kgservice.core.records import Record
from kgservice.evaluation.shared.measured_answers import AnswerPart
from kgservice.names.mentions import mentions
from kgservice.text.matching import match, normalised, written_values
from kgservice.text.refusal import refuses
from kgservice.text.sentences import sentences

_ITEM = re.compile(r"\s*(?:;|\n)\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?")
_PART = re.compile(r",\s+(?:and\s+|or\s+)?|\s+and\s+")
_KEY = re.compile(r"(?P<key>[^:]{1,80}):\s+(?P<rest>\S.*)", re.DOTALL)
_REFERENCE = re.compile(r"\[(?:Document|Source)s?[^\]]*\]")  # a citation is no statement (appendix A.4, rule 4)
_NUMBERS_AT_THE_END = re.compile(r"(?:\s+[\d.,%-]+)+\Z")
_CODE = re.compile(r"(?<![\w.])[\w./-]*\d[\w./-]*\w|\d")
_EMPTY = frozenset(
    "is are was were be been has have had it its they their that this there in on at of to for by".split()
)
_YEAR = re.compile(r"(?:1\d|20)\d\d(?= [a-z])")
LABEL = 5  # words before a colon that may be what a value is said of; more of them are a lead-in


class ParsedStatement(NamedTuple):
    """A statement: as it is written, what it is said of ("key: value"), and the numbers, dates and names in it."""

    text: str
    key: str
    named: tuple[str, ...]


class Aligned(Record):
    """The statements of an answer and of the reference, each with whether the other side holds it."""

    said: tuple[AnswerPart, ...]
    expected: tuple[AnswerPart, ...]


def claims(answer: str, question: str) -> list[ParsedStatement]:
    """Return the statements of an answer, each once; a refusal has none.

    An item of a list is one ("Acme: 5 million; Borea: 6 million" are two); so is a part between commas where every part
    names things of the same kinds. Where nothing is named at all ("Yes", "It fell"), the answer is one statement.
    """
    if not answer.strip() or refuses(answer):
        return []
    found = [claim for item in _items(_REFERENCE.sub("", answer)) for claim in _parts(item, question) if claim.named]
    if not found:
        found = [ParsedStatement(" ".join(answer.split()), "", _words(answer, question))]
    each: dict[tuple[str, frozenset[str]], ParsedStatement] = {}
    for claim in found:
        each.setdefault((claim.key, frozenset(map(normalised, claim.named))), claim)
    return list(each.values())


def aligned(said: str, expected: str | Sequence[str], question: str) -> Aligned:
    """Compare an answer with the reference, which may be given in statements."""
    given = [expected] if isinstance(expected, str) else expected
    mine = claims(said, question)
    other = [claim for one in given for claim in claims(one, question)]
    return Aligned(said=_held(mine, other), expected=_held(other, mine))


def scores(found: Aligned) -> dict[str, float]:
    """Return precision, recall and F1 (equations 2 to 4); an answer without statements has no precision.

    |P ∩ G| is one number: a statement is in both answers where each side holds it, so it is the smaller of the counts.
    """
    both = min(sum(one.held for one in side) for side in (found.said, found.expected))
    precision = {"precision": both / len(found.said)} if found.said else {}
    recall = both / len(found.expected) if found.expected else 0.0
    return precision | {"recall": recall, "f1": 2 * both / ((len(found.said) + len(found.expected)) or 1)}


def document_scores(said: Collection[str], gold: Collection[str]) -> dict[str, float]:
    """Return precision, recall and F1 of the documents that an answer rests on; none has no precision."""
    both = len(set(said) & set(gold))
    precision = {"document precision": both / len(set(said))} if said else {}
    recall = {"document recall": both / len(set(gold)), "document f1": 2 * both / (len(set(said)) + len(set(gold)))}
    return precision | recall


def _held(claims_: Iterable[ParsedStatement], others: Sequence[ParsedStatement]) -> tuple[AnswerPart, ...]:
    return tuple(AnswerPart(text=one.text, held=any(_within(one, other) for other in others)) for one in claims_)


def _within(one: ParsedStatement, other: ParsedStatement) -> bool:
    """Whether a statement says all that another does, of the same."""
    if one.key and other.key and not (_in(one.key, other.key) or _in(other.key, one.key)):
        return False
    return all(match(other.text, name) for name in one.named)


def _in(part: str, whole: str) -> bool:
    return f" {normalised(part)} " in f" {normalised(whole)} "


def _items(answer: str) -> Iterator[str]:
    """List items and sentences."""
    for item in _ITEM.split(f"\n{answer}"):
        yield from (item[start:end].strip() for start, end in sentences(item))


def _parts(item: str, question: str) -> list[ParsedStatement]:
    """The parts of an enumeration, if it is one, else the item as a whole; a number that leads in is one by itself."""
    keyed = _KEY.fullmatch(item)
    lead, rest = (keyed["key"].strip(), keyed["rest"]) if keyed else ("", item)
    parts = [part.strip() for part in _PART.split(rest) if part.strip()]
    kinds = {frozenset(kind for _, kind in _named(part, question)) for part in parts}
    if len(parts) < 2 or len(kinds) != 1 or not min(kinds):
        return [_claim(lead, rest, question)]
    if len(lead.split()) <= LABEL:
        return [_claim(lead, part, question) for part in parts]
    known = _named(lead, question)
    names = tuple(name for name, kind in known if kind == "name")
    numbers = [ParsedStatement(lead, "", (name,)) for name, kind in known if kind == "number"]
    return numbers + [ParsedStatement(part, "", (*names, *_claim("", part, question).named)) for part in parts]


def _claim(lead: str, value: str, question: str) -> ParsedStatement:
    """A statement, "lead: value" or a value alone; a value that names nothing stands for itself."""
    named = dict.fromkeys(name for text in (lead, value) for name, _ in _named(text, question))
    if lead and not _named(value, f"{question} {lead}"):
        named[value.strip(" .")] = None
    return ParsedStatement(
        f"{lead}: {value}" if lead else value, lead if len(lead.split()) <= LABEL else "", tuple(named)
    )


def _named(text: str, question: str) -> list[tuple[str, str]]:
    """The numbers, dates, names and codes of a text, each with its kind; those of the question are left out."""
    found, rest = list[tuple[str, str]](), text
    for label, (kind, _, _) in written_values(text):
        found.append((label, kind))
        rest = rest.replace(label, " ; ", 1)
    for label in _names(rest, question):
        found.append((label, "name"))
        rest = rest.replace(label, " ; ")
    found += [(label, "code") for label in _CODE.findall(rest)]
    return [(label, kind) for label, kind in dict(found).items() if not _asked(label, question)]


def _asked(label: str, question: str) -> bool:
    """Whether the question has a name or value; of "2030 say" the year alone is looked for."""
    year = _YEAR.match(label)
    return bool(match(question, label) or (year and match(question, year[0])))


def _names(text: str, question: str) -> Iterator[str]:
    """The names of a text, longer ones in their parts; a common word that begins a sentence is none."""
    from simplemma import is_known  # a dictionary, read at the first word

    spans = [(one.start, one.end) for one in mentions("", text) if one.start is not None and one.end is not None]
    asked = set(normalised(question).split())
    for start, end in sorted(spans):
        words = _NUMBERS_AT_THE_END.sub("", text[start:end]).split()
        while len(words) > 1 and words[0].lower() in asked:
            words.pop(0)
        whole = any(start <= a and b <= end and (a, b) != (start, end) for a, b in spans)
        opening = not text[:start].strip() and len(words) == 1 and text[end:].strip(" .:")
        if words and not whole and not (opening and is_known(words[0].lower(), lang="en")):
            yield " ".join(words)


def _words(text: str, question: str) -> tuple[str, ...]:
    known = {*normalised(question).split(), *_EMPTY}
    words = dict.fromkeys(normalised(text).split())
    return tuple(word for word in words if word not in known) or tuple(words)
