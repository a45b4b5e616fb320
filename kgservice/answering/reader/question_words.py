"""A question prepared for reading: without asides, in the spelling of the passages, and with its focus."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from kgservice.answering.reader.answer_type import CLASSES
from kgservice.answering.reader.passage_statements import stem, stems
from kgservice.text.sentences import sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc

SHORTEST = 4  # letters of a word that may be misspelt
SHORT = 5  # letters of a word that has one wrong letter at most; a longer one may have two

_SCOPE = re.compile(
    r"(?i), (?:going by|judging by|according to|based on) [^?]*(?=\?|$)"
)  # where to search, not what for
_ASIDE = re.compile(  # the circumstances, of a question that asked before
    r"(?i), (?:(?:given|granted|considering|seeing|now) that|(?:even )?though|although) [^?]*(?=\?|$)"
)
_BACK = re.compile(r"(?i)\b(?:this|these|those|it|he|him|she|they|them)\b")
_OWN = re.compile(r"(?i)\b(?:its|his|her|their)\b")  # refers to a name of the sentence itself, if it has one
_NAME = re.compile(r"\b(?:[A-Z]\w*|\d[\w.,]*)")
_LEAD = re.compile(r"(?i)^(?:(?:can|could) you )?please(?: (?:tell|say|answer|give|me|us|this))*[,:]? ")
_WORD = re.compile(r"[^\W\d_]+")
_ASKS = frozenset("what which who whom whose when where how".split())
_WHICH_ONE = ("acl", "advcl", "nmod")  # labels of parts that identify a thing, not ask about it


def asking(question: str) -> str:
    """Return the sentence that asks, with those before it if a name or a pronoun refers back to them.

    "Please tell me", a phrase about where to search and a last clause of circumstances ("…, though …?") are dropped.
    """
    parts = [_LEAD.sub("", question[start:end], count=1) for start, end in sentences(question)]
    asks = next((at for at in reversed(range(len(parts))) if parts[at].endswith("?")), len(parts) - 1)
    if asks < 1:
        return _alone(" ".join(parts))
    before = " ".join(parts[:asks])
    names = stems(" ".join(_NAME.findall(parts[asks])[1:]))
    led = _BACK.search(parts[asks]) or (_OWN.search(parts[asks]) and not names) or names & stems(before)
    return _alone(" ".join(parts if led else parts[asks:]))


def _alone(question: str) -> str:
    """Return a question without a scope, and without a last clause of circumstances if it asked before that."""
    aside = _ASIDE.search(question)
    if aside and _ASKS & {*_WORD.findall(question[: aside.start()].lower())}:
        question = question[: aside.start()] + question[aside.end() :]
    return _SCOPE.sub("", question)


def scope(question: str) -> str:
    """Return the phrase that tells where to search, "" if there is none."""
    phrase = _SCOPE.search(question)
    return phrase[0] if phrase else ""


def respelt(question: str, words: Collection[str]) -> str:
    """Return a question with misspelt words replaced by the `words` of its passages.

    A word is misspelt if neither the passages nor the dictionary have it. It becomes a word at one letter's distance; a
    long one that is no name, at two.
    """
    spelt = {stem(word) for word in words}

    def correct(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < SHORTEST or stem(word.lower()) in spelt or not _unknown(word):
            return word
        near = _near(word.lower(), words, 1 if len(word) <= SHORT or word[0].isupper() else 2) or word
        return near.capitalize() if word[0].isupper() else near

    return _WORD.sub(correct, question)


def focus(tree: Doc) -> frozenset[str]:
    """Return the stems of a parsed question's focus, without the parts that only identify a thing.

    "What is the rent of the city in which Acme is based?" asks for rent. If nothing else is left than the class of the
    answer ("Which company is it that …?"), all stems are returned.
    """
    parts = [[*token.subtree] for token in tree if token.dep_.startswith(_WHICH_ONE)]
    relative = {word.i for token in tree if token.dep_ == "acl:relcl" for word in token.subtree}  # "the town in which"
    first = next((token for token in tree if token.lower_ in _ASKS and token.i not in relative), None)
    dropped = {word.i for part in parts if first not in part for word in part}
    kept = stems(" ".join(token.text for token in tree if token.i not in dropped))
    return kept if kept - CLASSES else stems(tree.text)


def _unknown(word: str) -> bool:
    from simplemma import is_known  # a dictionary, read at the first word

    return not is_known(word.lower(), lang="en")


def _near(word: str, words: Collection[str], letters: int) -> str:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    able = sorted(other for other in words if len(other) >= SHORTEST)
    match = process.extractOne(word, able, scorer=OSA.distance, score_cutoff=letters)
    return str(match[0]) if match else ""
