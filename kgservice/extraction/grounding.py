"""Checks that the ends of a model's triplet are in the text: a model may copy a true sentence and invent what it says.

An end is grounded if its words stand in the sentence, inflected or not (a name as it is, in the plural, or as what is
called after it: "Californian"), or the value that it is, written otherwise ("684.2 million USD" of "$684.2 million").
A name is also grounded if it stands in full elsewhere in what the model was shown (the window, the title, what is
known about the document) and the sentence refers to it: by a part of the name, its initials, a pronoun, or "the" and
its class ("the company").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from kgservice.core.records import Term
from kgservice.names.countries import country
from kgservice.names.mentions import is_common
from kgservice.text.matching import agree, values

LONGEST_END = 200  # characters
LONGEST_RELATION = 8  # words
INFLECTED = 4  # letters that a word and an inflected form of it share at least
ENDING = 3  # letters, at most, in which they differ
_OF_NAMES = {  # endings of what is called after a name, and how many letters are before them at least ("Julian": none)
    "ism": 4,
    "ist": 4,
    "ian": 4,
    "an": 4,
    "ese": 4,
    "ic": 4,
    "n": 6,
}

_WORD = re.compile(r"[^\W_]+")
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
_PRONOUN = re.compile(r"(?i)\b(?:he|him|his|she|her|hers|it|its|they|them|their|we|us|our|i|my)\b")
_DESCRIBED = re.compile(r"(?i)\b(?:the|this|that|these|those|its|their|our|his|her) (?:[^\W\d_]+ ){0,2}?([^\W\d_]+)")
# Han, kana and Hangul, Thai, Lao, Burmese and Khmer: no space shows where a name ends
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff"
_UNSPACED += "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(rf"[{_UNSPACED}]+")
_SMALL = frozenset("a an and at by de for from in of on or the to with".split())


def cleaned(text: str) -> str:
    """Return a label without marks that nobody sees (bidirectional, zero-width, control) and with single spaces."""
    text = _INVISIBLE.sub("", text)
    text = "".join(" " if unicodedata.category(sign) == "Cc" else sign for sign in text)
    return " ".join(text.split())


def is_grounded(end: Term, sentence: str, around: Iterable[str]) -> bool:
    """Return True if an end of a triplet is in its sentence, or is named in `around` and the sentence refers to it."""
    label = _content(end.label)
    stated = _vocabulary(sentence)
    if all(_stands(word, stated) for word in label) or _is_value(end, sentence):
        return True
    shown = [_vocabulary(text) for text in around]
    if end.kind == "date":  # the year of "in March" is the report's
        return any(_stands(word, stated) for word in label) and all(
            any(_stands(word, words) for words in (stated, *shown)) for word in label
        )
    label = [word.casefold() for word in label]
    named = any(all(word in words or _is_inside(word, words) for word in label) for words in shown)
    return end.kind != "number" and named and _refers(end, label, sentence, stated)


def _is_value(end: Term, sentence: str) -> bool:
    """Return True if a number or date of the sentence has the end's value, and its unit where it has one."""
    if end.kind == "entity" or end.value is None:
        return False
    own = (end.kind or "number", end.value, end.unit)
    return any(agree(own, one) for one in values(sentence) if one[0] == end.kind and (one[2] or not end.unit))


def _refers(end: Term, label: list[str], sentence: str, stated: frozenset[str]) -> bool:
    initials = "".join(word[0] for word in label)
    if any(word in stated for word in label if len(word) > 2) or (len(label) > 1 and initials in stated):
        return True
    if _PRONOUN.search(sentence):
        return True
    class_ = (end.type or "").casefold().split()[-1:]
    return bool(class_) and any(found[1].casefold() in class_ for found in _DESCRIBED.finditer(sentence))


def _content(label: str) -> list[str]:
    """Return the words of a label, the small ones aside unless there are no others."""
    words = [_folded(word) for word in _WORD.findall(unicodedata.normalize("NFKC", label))]
    return [word for word in words if word.casefold() not in _SMALL] or words


def _folded(word: str) -> str:
    """Return a word in small letters; one of Latin letters keeps its first as it is, which tells a name."""
    return word[0] + word[1:].casefold() if word.isascii() else word.casefold()


@lru_cache(maxsize=64)
def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _stands(word: str, words: frozenset[str]) -> bool:
    """Return True if a word or an inflected form of it is among the words ("Germany" in "Germany's", "studies")."""
    name, word = word, word.casefold()
    if word in words or _is_inside(word, words):
        return True
    if name != word:
        return any(_is_same_name(word, other) for other in words)
    if len(word) < INFLECTED or any(sign.isdigit() for sign in word):
        return False
    return any(_is_inflected(word, other) for other in words)


def _is_same_name(word: str, other: str) -> bool:
    """Return True if two words differ by a plural's ending, or one is the people of the other's country or comes from
    it: "Californian", "Buddhism". Common words are inflected as any: "County" is in "counties"."""
    short, long = sorted((word, other), key=len)
    if long in (short, f"{short}s", f"{short}es"):
        return True
    home, named = country(word.capitalize()), country(other.capitalize())
    if home is not None and named is not None:  # "Austria" is not in "Australia won"
        return home.name == named.name
    if word[:INFLECTED] != other[:INFLECTED]:
        return False
    common = is_common(word) and is_common(other)
    return _is_inflected(word, other) if common else not _stems(word).isdisjoint(_stems(other))


@lru_cache(maxsize=4096)
def _stems(name: str) -> frozenset[str]:
    """Return a name's base form, and what it may come from: "buddhist" and "buddh" of "buddhists"."""
    import simplemma  # a dictionary, read at the first word

    whole = simplemma.lemmatize(name, lang="en").casefold()
    ends = [ending for ending in _OF_NAMES if whole.endswith(ending) and len(whole) - len(ending) >= _OF_NAMES[ending]]
    return frozenset((name, whole, *(whole.removesuffix(ending) for ending in ends)))


def _is_inside(word: str, words: frozenset[str]) -> bool:
    """Return True if a word of a script without spaces is in one of the runs of letters: not "5年" in "15年"."""
    if not _RUN.search(word):
        return False
    whole = "".join((_bound(word[0], "<"), re.escape(word), _bound(word[-1], "")))
    return any(word in other and re.search(whole, other) for other in words)


def _bound(sign: str, behind: str) -> str:
    return "" if _RUN.match(sign) else rf"(?{behind}![^\W{_UNSPACED}])"


def _is_inflected(word: str, other: str) -> bool:
    shared = max(INFLECTED, len(word) - ENDING)
    return other[:shared] == word[:shared] and abs(len(other) - len(word)) <= ENDING
