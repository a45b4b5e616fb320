"""Wording that cannot be right, whoever worded it: what a look at the words alone can tell without a model."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import name as script

from kgservice.core.records import Subgraph
from kgservice.names.mentions import BRACKET
from kgservice.questions.wording.russian import is_russian
from kgservice.text.values import DOUBT
from kgservice.text.whole_words import replaced

MAX_WORDS, MAX_DEPTH = 45, 4
UNWORDED = "no templates in the language of its relation"
_DOUBLED = re.compile(
    r"\b(an?|the|is|are|was|were|of|in|on|at|by|to|for|from|with|and|does|did|has|who|that|located|situated|based) \1\b"
    r"|\b(located|situated|based|born) (?:is|was|are|were) \2\b|\b(the \w+ wh\w+) \3\b",
    re.I,
)
_ARTICLES = re.compile(r"\b(?:an?|the|its|their|his|her) (?:an?|the|of|in|is|was)\b", re.I)
_BE = re.compile(r"\b(?:is|was|are|were) (?:is|was|are|were|did|does|has|had|have)\b", re.I)
_PREPOSITIONS = re.compile(r"\b(?:of|at|by|for|with|from) (?:of|at|by|for|with|in|on|is|was)\b", re.I)
_CLAUSES = re.compile(r"\b(?:who|whom|whose|which|that|where)\b", re.I)
_FRONTED = re.compile(r"(?<!and )\b(?:of|to|in|by|with|for|from|on|at) (?:which|whom) (?!(?:is|are|was|were)\b)", re.I)
_NESTED = re.compile(
    r"\b(?:(?:[Oo]f|[Tt]o|[Ii]n|[Ii]nto|[Bb]y|[Ww]ith|[Ff]or|[Ff]rom|[Oo]n|[Aa]t) (?:which|whom)|where|whose)\b"
)
_NAMED_TWICE = re.compile(r"\bthe ([a-z]+) (?:with )?the \1\b")  # "the series with the series" of another name
_NO_NOUN = re.compile(r"\b(?:as|has) its (?:\w+ ){0,4}(?:of|by)(?=[,?.]| and\b)")
_OTHERS = ("de", "fr", "es")  # languages whose words are looked up where English has none of them
_STARTS = re.compile(
    r"(?:what|which|who|whom|whose|when|where|how (?:many|much|long|old|far|tall|high)|name|list|as of|in|on|at|of|by|"
    r"to|for|from|with|under|through|into|near|after|before|during|between|against|over|within|along|about|among|"
    r"compar\w+|according)\b",
    re.I,
)  # fmt: skip


def rejection_reason(row: Subgraph, text: str) -> str:
    """Say what is wrong with the words, "" if nothing is seen."""
    plain = text
    for name in sorted({*row.named, *row.answers}, key=len, reverse=True):
        plain = replaced(plain, name, "Name")
    if any(map(is_russian, row.relations)):  # asked in Russian or not at all: the other checks look at English words
        return "" if script(text[:1] or " ").startswith("CYRILLIC") else UNWORDED
    checks = (
        (not text.strip(), "no wording"),
        (any(map(_foreign, row.relations)), UNWORDED),
        (not _STARTS.match(text) or not re.search(r"[?.]$", text), "not a question"),
        (_DOUBLED.search(plain) is not None, "a doubled word"),
        (_ARTICLES.search(plain) is not None, "an article without a noun"),
        (_NAMED_TWICE.search(plain) is not None, "a noun before a noun"),
        (_NO_NOUN.search(plain) is not None, "an article without a noun"),
        (_BE.search(plain) is not None, "two verbs in a row"),
        (_PREPOSITIONS.search(plain) is not None, "two prepositions in a row"),
        ("the thing" in plain, "bridge of no known kind"),
        ("the time in which" in plain, "bridge is a value"),
        (" is the one " in plain, "a condition that nobody says so"),
        (any(name.endswith(DOUBT) for name in (*row.named, *row.answers)), "scale in doubt"),
        (_has_bracket_of_title(row, text), "a title's bracket"),
        (len(plain.split()) > MAX_WORDS, "too long"),
        (len(_CLAUSES.findall(plain)) > MAX_DEPTH or len(_FRONTED.findall(plain)) > 1, "too deeply nested"),
        (row.asked in ("first", "last") and len(_NESTED.findall(plain)) > 1, "too deeply nested"),
        (any(text.count(left) != text.count(right) for left, right in ("()", "[]", "“”")), "brackets left open"),
    )
    return next((reason for wrong, reason in checks if wrong), "")


def _has_bracket_of_title(row: Subgraph, text: str) -> bool:
    """Whether a name is asked about with a bracket that only tells its document from others: "Gold (Red Kite)".

    A name that a sentence writes so, or a table, has it as its own.
    """
    titles = {name for name in row.named if (found := BRACKET.search(name)) and found[0][0] == " " and name in text}
    said = [one for reading in row.readings for fact in reading.facts for one in fact.statements] if titles else []
    return bool(said) and any(
        not any(one.cell or title in one.sentence.replace('"', "") for one in said) for title in titles
    )


@lru_cache(maxsize=100_000)
def _foreign(relation: str) -> bool:
    """Whether a relation is in another language than English: another script, or words that only others have.

    English templates take the relation's words into the question.
    """
    from simplemma import is_known  # dictionaries, each read at its first word

    words = [word for word in re.findall(r"[^\W\d_]+", relation) if len(word) > 1 and not word.isupper()]
    if any(not script(letter, "LATIN").startswith("LATIN") for word in words for letter in word):
        return True
    if not words or any(is_known(word.lower(), lang="en") for word in words if len(word) > 2):
        return False
    return any(all(is_known(form, lang=code) for form in words) for code in _OTHERS)
