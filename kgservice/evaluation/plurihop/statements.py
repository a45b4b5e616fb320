"""The statements of an answer, and which of them another answer has (PluriHop, section 5.1), without a model.

A statement is identified by its numbers, dates and names, without those of the question. An answer has it if one of its
statements has all of them. Numbers and dates compare by value.
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
_REFERENCE = re.compile(r"\[(?:Document|Source)s?[^\]]*\]")  # citations are no statements (appendix A.4, rule 4)
_NUMBERS_AT_THE_END = re.compile(r"(?:\s+[\d.,%-]+)+\Z")
_CODE = re.compile(r"(?<![\w.])[\w./-]*\d[\w./-]*\w|\d")
_EMPTY = frozenset(
    "is are was were be been has have had it its they their that this there in on at of to for by".split()
)
_YEAR = re.compile(r"(?:1\d|20)\d\d(?= [a-z])")
LABEL = 5  # most words of a key before a colon; longer text is a lead-in


class ParsedStatement(NamedTuple):
    """A statement: as written, its key ("key: value"), and the numbers, dates and names in it."""

    text: str
    key: str
    named: tuple[str, ...]


class Aligned(Record):
    """The statements of an answer and of the reference, each with whether the other side has it."""

    said: tuple[AnswerPart, ...]
    expected: tuple[AnswerPart, ...]


def claims(answer: str, question: str) -> list[ParsedStatement]:
    """Return the distinct statements of an answer, none of a refusal.

    Each item of a list is a statement ("Acme: 5 million; Borea: 6 million" are two). So is each part between commas, if
    all parts name things of the same kinds. An answer without names or values ("Yes", "It fell") is one statement.
    """
    if not answer.strip() or refuses(answer):
        return []
    statements = [
        claim for item in _items(_REFERENCE.sub("", answer)) for claim in _parts(item, question) if claim.named
    ]
    if not statements:
        statements = [ParsedStatement(" ".join(answer.split()), "", _words(answer, question))]
    each: dict[tuple[str, frozenset[str]], ParsedStatement] = {}
    for claim in statements:
        each.setdefault((claim.key, frozenset(map(normalised, claim.named))), claim)
    return list(each.values())


def aligned(said: str, expected: str | Sequence[str], question: str) -> Aligned:
    """Return the comparison of an answer with the reference, a text or its statements."""
    references = [expected] if isinstance(expected, str) else expected
    mine = claims(said, question)
    other = [claim for reference in references for claim in claims(reference, question)]
    return Aligned(said=_held(mine, other), expected=_held(other, mine))


def scores(found: Aligned) -> dict[str, float]:
    """Return precision, recall and F1 (equations 2 to 4). An answer without statements has no precision.

    |P ∩ G| is one number, as a statement is in both answers if each side has it. So it is the smaller of the two
    counts.
    """
    both = min(sum(part.held for part in side) for side in (found.said, found.expected))
    precision = {"precision": both / len(found.said)} if found.said else {}
    recall = both / len(found.expected) if found.expected else 0.0
    return precision | {"recall": recall, "f1": 2 * both / ((len(found.said) + len(found.expected)) or 1)}


def document_scores(said: Collection[str], gold: Collection[str]) -> dict[str, float]:
    """Return precision, recall and F1 of the documents behind an answer. Without documents there is no precision."""
    both = len(set(said) & set(gold))
    precision = {"document precision": both / len(set(said))} if said else {}
    recall = {"document recall": both / len(set(gold)), "document f1": 2 * both / (len(set(said)) + len(set(gold)))}
    return precision | recall


def _held(claims_: Iterable[ParsedStatement], others: Sequence[ParsedStatement]) -> tuple[AnswerPart, ...]:
    return tuple(AnswerPart(text=claim.text, held=any(_within(claim, other) for other in others)) for claim in claims_)


def _within(statement: ParsedStatement, other: ParsedStatement) -> bool:
    """Return whether the other statement has all names and values of a statement, for the same key."""
    if statement.key and other.key and not (_in(statement.key, other.key) or _in(other.key, statement.key)):
        return False
    return all(match(other.text, name) for name in statement.named)


def _in(part: str, whole: str) -> bool:
    return f" {normalised(part)} " in f" {normalised(whole)} "


def _items(answer: str) -> Iterator[str]:
    """Yield the list items and sentences of an answer."""
    for item in _ITEM.split(f"\n{answer}"):
        yield from (item[start:end].strip() for start, end in sentences(item))


def _parts(item: str, question: str) -> list[ParsedStatement]:
    """Return the parts of an enumeration, or the whole item if it is none.

    A number in the lead-in is a statement too.
    """
    keyed = _KEY.fullmatch(item)
    lead, rest = (keyed["key"].strip(), keyed["rest"]) if keyed else ("", item)
    parts = [part.strip() for part in _PART.split(rest) if part.strip()]
    kinds = {frozenset(kind for _, kind in _named(part, question)) for part in parts}
    if len(parts) < 2 or len(kinds) != 1 or not min(kinds):
        return [_claim(lead, rest, question)]
    if len(lead.split()) <= LABEL:
        return [_claim(lead, part, question) for part in parts]
    leading = _named(lead, question)
    names = tuple(name for name, kind in leading if kind == "name")
    numbers = [ParsedStatement(lead, "", (name,)) for name, kind in leading if kind == "number"]
    return numbers + [ParsedStatement(part, "", (*names, *_claim("", part, question).named)) for part in parts]


def _claim(lead: str, value: str, question: str) -> ParsedStatement:
    """Return a statement, "lead: value" or a value alone. A value without a name or number identifies itself."""
    identifying = dict.fromkeys(name for text in (lead, value) for name, _ in _named(text, question))
    if lead and not _named(value, f"{question} {lead}"):
        identifying[value.strip(" .")] = None
    return ParsedStatement(
        f"{lead}: {value}" if lead else value, lead if len(lead.split()) <= LABEL else "", tuple(identifying)
    )


def _named(text: str, question: str) -> list[tuple[str, str]]:
    """Return the numbers, dates, names and codes of a text with their kinds, without those of the question."""
    named, rest = list[tuple[str, str]](), text
    for label, (kind, _, _) in written_values(text):
        named.append((label, kind))
        rest = rest.replace(label, " ; ", 1)
    for label in _names(rest, question):
        named.append((label, "name"))
        rest = rest.replace(label, " ; ")
    named += [(label, "code") for label in _CODE.findall(rest)]
    return [(label, kind) for label, kind in dict(named).items() if not _asked(label, question)]


def _asked(label: str, question: str) -> bool:
    """Return whether the question has a name or value. Of "2030 say" only the year is compared."""
    year = _YEAR.match(label)
    return bool(match(question, label) or (year and match(question, year[0])))


def _names(text: str, question: str) -> Iterator[str]:
    """Yield the names of a text, longer ones in their parts. A common word that begins a sentence is none."""
    from simplemma import is_known  # a dictionary, read at the first word

    spans = [
        (mention.start, mention.end)
        for mention in mentions("", text)
        if mention.start is not None and mention.end is not None
    ]
    question_words = set(normalised(question).split())
    for start, end in sorted(spans):
        words = _NUMBERS_AT_THE_END.sub("", text[start:end]).split()
        while len(words) > 1 and words[0].lower() in question_words:
            words.pop(0)
        whole = any(start <= a and b <= end and (a, b) != (start, end) for a, b in spans)
        opening = not text[:start].strip() and len(words) == 1 and text[end:].strip(" .:")
        if words and not whole and not (opening and is_known(words[0].lower(), lang="en")):
            yield " ".join(words)


def _words(text: str, question: str) -> tuple[str, ...]:
    excluded = {*normalised(question).split(), *_EMPTY}
    words = dict.fromkeys(normalised(text).split())
    return tuple(word for word in words if word not in excluded) or tuple(words)
