"""Questions that ask what or who a named thing is, and the sentences that say so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgservice.answering.reader.passage_statements import PassageStatement
from kgservice.text.english import AUXILIARIES, DETERMINERS, PREPOSITIONS

LONGEST = 5  # words of a thing's name

_ASKS = re.compile(r"([Ww]hat|[Ww]ho)(?: is| are| was| were|[’']s) ((?:[Tt]he|an?) )?([^?,]+?)\s*\??")
_NO_NAME = DETERMINERS | AUXILIARIES | frozenset("and or that which who where".split())


def defined(question: str) -> str:
    """Return the thing of which a question asks what it is, "" if it asks for anything else.

    >>> defined("What is Gabbi?"), defined("Who was Ada Orr?"), defined("What is the capital that Ada left?")
    ('Gabbi', 'Ada Orr', '')
    """
    found = _ASKS.fullmatch(question.strip())
    if not found or (not found[3][0].isupper() and (found[2] or found[1].lower() == "who")):
        return ""  # "the longest river", "who is mayor"
    words = found[3].split()
    owned = any(word.endswith(("'s", "’s")) for word in words)
    return "" if len(words) > LONGEST or owned or _NO_NAME.intersection(words) else " ".join(words)


def is_plain(thing: str) -> bool:
    """Return whether a name is that of one thing alone: "Gabbi", but perhaps not "CEO of Acme"."""
    return PREPOSITIONS.isdisjoint(thing.lower().split())


def definition(thing: str, statements: Sequence[PassageStatement]) -> tuple[str, PassageStatement] | None:
    """Return what the first sentence that defines a thing calls it ("a tool for testing"), and that sentence."""
    says = re.compile(
        rf"(?i)(?:the )?[`*_]*{re.escape(thing)}[`*_]*(?: ?\([^()]*\))?,? (?:is|are|was|were) "
        r"((?:an?|the|one of|part of)\b.+?)[.!]?"
    )
    for statement in statements:
        if not statement.cell and (found := says.fullmatch(" ".join(statement.text.split()))):
            return found[1], statement
    return None
