"""A question as it is read: without what stands beside it, spelt as the passages spell, and the words it asks by."""

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

_SCOPE = re.compile(r"(?i), (?:going by|judging by|according to|based on) [^?]*(?=\?|$)")  # where to look, not what for
_BACK = re.compile(r"(?i)\b(?:this|these|those|it|he|him|she|they|them)\b")
_OWN = re.compile(r"(?i)\b(?:its|his|her|their)\b")  # of what the sentence itself names, if it names anything
_NAME = re.compile(r"\b(?:[A-Z]\w*|\d[\w.,]*)")
_LEAD = re.compile(r"(?i)^(?:(?:can|could) you )?please(?: (?:tell|say|answer|give|me|us|this))*[,:]? ")
_WORD = re.compile(r"[^\W\d_]+")
_ASKS = frozenset("what which who whom whose when where how".split())
_WHICH_ONE = ("acl", "advcl", "nmod")  # labels of what says which one is meant, not what is asked of it


def asking(question: str) -> str:
    """Return the sentence that asks, with those before it where it leads back to them: by a name or a pronoun.

    "Please tell me" asks for nothing, and of where to look nothing is asked.
    """
    parts = [_LEAD.sub("", question[start:end], count=1) for start, end in sentences(question)]
    asks = next((at for at in reversed(range(len(parts))) if parts[at].endswith("?")), len(parts) - 1)
    if asks < 1:
        return _SCOPE.sub("", " ".join(parts))
    before = " ".join(parts[:asks])
    names = stems(" ".join(_NAME.findall(parts[asks])[1:]))
    led = _BACK.search(parts[asks]) or (_OWN.search(parts[asks]) and not names) or names & stems(before)
    return _SCOPE.sub("", " ".join(parts if led else parts[asks:]))


def scope(question: str) -> str:
    """Return the words that say where to look, "" where none do."""
    found = _SCOPE.search(question)
    return found[0] if found else ""


def respelt(question: str, words: Collection[str]) -> str:
    """Return a question with its misspelt words as passages write them, which have these words.

    A word is misspelt where neither the passages nor the dictionary have it; it becomes one that is a letter apart.
    """
    known = {stem(word) for word in words}

    def instead(found: re.Match[str]) -> str:
        word = found[0]
        if len(word) < SHORTEST or stem(word.lower()) in known or not _unknown(word):
            return word
        near = _near(word.lower(), words) or word
        return near.capitalize() if word[0].isupper() else near

    return _WORD.sub(instead, question)


def focus(tree: Doc) -> frozenset[str]:
    """Return the words of a parsed question that say what is asked, not of which one; all where no more is left than
    what the answer is called ("Which company is it that …?").

    "What is the rent of the city in which Acme is based?" asks for rent.
    """
    parts = [[*token.subtree] for token in tree if token.dep_.startswith(_WHICH_ONE)]
    first = next((token for token in tree if token.lower_ in _ASKS), None)
    left_out = {word.i for part in parts if first not in part for word in part}
    left = stems(" ".join(token.text for token in tree if token.i not in left_out))
    return left if left - CLASSES else stems(tree.text)


def _unknown(word: str) -> bool:
    from simplemma import is_known  # a dictionary, read at the first word

    return not is_known(word.lower(), lang="en")


def _near(word: str, words: Collection[str]) -> str:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    able = sorted(one for one in words if len(one) >= SHORTEST)
    found = process.extractOne(word, able, scorer=OSA.distance, score_cutoff=1)
    return str(found[0]) if found else ""
