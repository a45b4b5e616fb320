"""What kind of thing a question asks for, read off its words: a number, a date, a place, a person, an organization."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgservice.questions.phrases import is_agent

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SCOPE = re.compile(r"(?i), (?:going by|judging by|according to|based on) [^?]*(?=\?|$)")  # where to look, not what for
ANYTHING = frozenset[str]()
OPEN = frozenset(("what", "which"))  # what is asked for is said by the noun after them

_WORDS = (  # the first that fits says what is asked for
    (re.compile(r"(?i)\bhow (?:many|much|old|tall|long|far|high|large|big)\b"), "number"),
    (re.compile(r"(?i)\bwhen\b"), "date"),
    (re.compile(r"(?i)\bwhere\b"), "place"),
    (re.compile(r"(?:^|[.:,;!?] )(?i:who|whom|whose)\b|\b(?i:who)\?"), "person"),  # not "the person who"
)
_NAMING = frozenset("name names".split())  # "the name of the producer" is a producer
_NOUNS = {
    "date": "year years date day month decade century",
    "place": "place city country town region state port district village location birthplace capital county island "
    "municipality province continent hometown suburb area territory river mountain lake",
    "person": "person people someone champion celebrity star spouse head chief executive mayor minister president "
    "governor chair child model monarch nobleman saint",
    "organization": "company organization organisation firm bank supplier agency auditor programme program party team "
    "university exchange band group club label network studio airline newspaper magazine orchestra league college "
    "school corporation manufacturer institution institute ministry department association",
    "number": "number percentage population amount share",
}
_KINDS = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_INNER = frozenset(("NOUN", "PROPN", "ADJ", "NUM", "PART"))  # parts of speech inside a phrase


def bare_question(question: str) -> str:
    """Return a question without the words that say where its answer is to be looked for."""
    return _SCOPE.sub("", question)


def wanted(question: str, tree: Doc) -> frozenset[str]:
    """Return the kinds that an answer may have, nothing where any will do; `tree` is the parsed question."""
    for asks, kind in _WORDS:
        if asks.search(question):
            return frozenset((kind,))
    head = next(_asked(tree), None)
    if head is None:
        return ANYTHING
    noun = head.lower_
    said = _KINDS.get(noun) or _KINDS.get(noun.removesuffix("s")) or ("person" if is_agent(noun) else "")
    return frozenset((said,)) if said else ANYTHING


def _asked(tree: Doc) -> Iterator[Token]:
    """The nouns that "what" and "which" ask for: "which Danish football club", "what is the name of the producer"."""
    for token in tree:
        if token.lower_ not in OPEN:
            continue
        head = _head(tree, token.i + 1)
        if head is not None and head.lower_ in _NAMING and tree[min(head.i + 1, len(tree) - 1)].lower_ == "of":
            head = _head(tree, head.i + 2)
        if head is not None:
            yield head


def _head(tree: Doc, start: int) -> Token | None:
    """The last word of the noun phrase that begins here, after a form of "to be" and an article."""
    at = start
    while at < len(tree) and tree[at].pos_ in ("AUX", "DET"):
        at += 1
    found = None
    while at < len(tree) and (tree[at].pos_ in _INNER or tree[at].text in ("-", "–", "'s", "’s")):
        found = tree[at] if tree[at].pos_ in ("NOUN", "PROPN") else found
        at += 1
    return found
