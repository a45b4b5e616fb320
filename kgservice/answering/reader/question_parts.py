"""The parts of a question of several facts: a thing that it describes, or two conditions on what it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kgservice.answering.reader.answer_type import asked_noun
from kgservice.answering.reader.fact_question import LONGEST
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS

_WORD = re.compile(r"\S+")
_PREPOSITION = "|".join(sorted(PREPOSITIONS))
_CLAUSE = re.compile(
    rf"(?P<noun>.+?)(?: (?P<by>{_PREPOSITION}))? (?P<link>who|whom|that|which|where|whose) (?P<rest>.+)"
)
_WHOSE = re.compile(r"(?P<noun>.+?) (?:is|are|was|were) (?P<end>.+)")
_WORD_ALONE = re.compile(rf"(?:Who|Whom|Where|When)\b|What(?= (?:{'|'.join(sorted(BE | AUXILIARIES))})\b)")


class DescribedThing(NamedTuple):
    """Words of a question that describe a thing by a fact, "the town where Acme is based", and a question for it."""

    written: str
    question: str


def described_things(question: str) -> Iterator[DescribedThing]:
    """Yield what may describe a thing in a question, the innermost and longest first.

    >>> next(described_things("Who is the mayor of the town where Acme is based?")).question
    'Where Acme is based?'
    """
    words = list(_WORD.finditer(question.rstrip("?. ")))
    if len(words) > LONGEST:
        return
    for first in reversed(range(1, len(words))):
        if words[first][0] != "the":
            continue
        for last in reversed(range(first + 2, len(words))):
            written = question[words[first].start() : words[last].end()]
            if any(word[:1].isupper() or word[:1].isdigit() for word in written.split()):
                yield DescribedThing(written, _asked(written.removeprefix("the ")))


def conditions(question: str) -> list[str]:
    """Return a question for each of the two conditions that a question joins by "and", [] if it joins none.

    >>> conditions("Which firm was founded in 1958 and audits Acme?")
    ['Which firm was founded in 1958?', 'Which firm audits Acme?']
    """
    first, joined, second = question.rstrip("? ").partition(" and ")
    opening = _WORD_ALONE.match(first) or re.match(rf".*?\b{re.escape(asked_noun(first))}\b", first, re.IGNORECASE)
    return [f"{first}?", f"{opening[0].strip()} {second}?"] if joined and second[:1].islower() and opening else []


def _asked(described: str) -> str:
    """Return the question that a description without its article answers.

    >>> _asked("firm whose auditor is Acme"), _asked("birthplace of Ada Orr"), _asked("town in which Ada was born")
    ('Which firm has Acme as its auditor?', 'Which birthplace of Ada Orr?', 'What Ada was born in?')
    """
    clause = _CLAUSE.fullmatch(described)
    if not clause:
        return f"Which {described}?"
    noun, link, rest = clause["noun"], clause["link"], clause["rest"]
    if link == "where":
        return f"Where {rest}?"
    if link == "whose":
        owned = _WHOSE.fullmatch(rest)
        return f"Which {noun} has {owned['end']} as its {owned['noun']}?" if owned else f"Which {described}?"
    if rest[0].islower():  # "who audits Acme"
        return f"Which {noun} {rest}?"
    return " ".join(filter(None, ("What", rest, clause["by"]))) + "?"
