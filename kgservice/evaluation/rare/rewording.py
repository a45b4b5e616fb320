"""Other words for a text, offline (RARE, appendix C.2, translates there and back): what is said stays, how changes.

Sentence by sentence, what applies of: active to passive, a date or place moved from the front to the end or back, and
a list of phrases that mean the same. Names, numbers and dates are in the new sentence as they are in the old one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from kgservice.extraction.syntax.parser import Parser
from kgservice.text.english import NO_PASSIVE
from kgservice.text.inflection import base, is_past, participle, present
from kgservice.text.sentences import sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PHRASES = "rewordings.tsv"  # a phrase and what to say instead, by a tab

_FRONT = re.compile(
    r"(?P<front>(?:In|On|During|Since|At|By) [^,.;:|]{3,40}), "
    r"(?P<rest>(?!(?:and|but|or|where|which|who|whose|when|with|for|as)\b)[^|;:\"“]+)\."
)
_LAST = re.compile(r"(?P<rest>[A-Z][^|;:\"“]+?) (?P<last>(?:in|since|during) (?:[A-Z][a-z]+ )?\d{4})\.")
_OPENERS = re.compile(r"(?:The|An?|It|Its|They|Their|We|Our|This|These|That|Those|There|One|More|Some|Most|All|Both)\b")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


class Rewording:
    """Rewords texts with the packaged parser; how much of a text changed is for whoever asks to judge."""

    def __init__(self) -> None:
        self._parser = Parser()

    def reworded(self, text: str, names: Collection[str]) -> str:
        """Return a text in other words; a sentence that would lose one of the names, or a number, stays as it is."""
        pieces, upto = list[str](), 0
        for start, end in sentences(text):
            old = text[start:end]
            new = self._sentence(old, names)
            pieces += [text[upto:start], new if _same_names(old, new, names) else old]
            upto = end
        return "".join((*pieces, text[upto:]))

    def _sentence(self, old: str, names: Collection[str]) -> str:
        if old.startswith(("|", "#")):
            return old
        return _phrased(_moved(_passive(self._parser.sentence(old)) or old, names), names)


def _passive(doc: Doc) -> str:
    """ "Acme acquired Lunar in 2030." as "Lunar was acquired by Acme in 2030."; "" where that cannot be done safely."""
    root = next((token for token in doc if token.dep_.lower() == "root"), None)
    parts = _parts(root) if root is not None else None
    if root is None or parts is None:
        return ""
    subject, verb, target = parts
    said, rest = _span(subject), doc[_end(target) :].text_with_ws.strip()
    plural = "Plur" in target.morph.get("Number", []) or any(child.dep_ == "conj" for child in target.children)
    be = ("were" if plural else "was") if is_past(verb.lower_) else ("are" if plural else "is")
    begins = said if doc[0].pos_ == "PROPN" else said[0].lower() + said[1:]
    patient = _span(target)
    after = rest if rest[:1] in (".", ",", ";") else f" {rest}"
    return f"{patient[0].upper()}{patient[1:]} {be} {participle(base(verb.lower_), verb.lower_)} by {begins}{after}"


def _parts(root: Token) -> tuple[Token, Token, Token] | None:
    """Subject, verb and object that make up a sentence's beginning, side by side and each a noun."""
    dependents = [child for child in root.children if child.dep_ != "punct"]
    subject = next((child for child in dependents if child.dep_ == "nsubj"), None)
    target = next((child for child in dependents if child.dep_ == "obj"), None)
    if subject is None or target is None or root.pos_ != "VERB" or base(root.lower_) in NO_PASSIVE:
        return None
    alone = is_past(root.lower_) or root.lower_ == present(root.lower_)
    plain = {subject.pos_, target.pos_} <= {"NOUN", "PROPN"} and not _turned(subject) and not _turned(target)
    meet = _start(subject) == 0 and _end(subject) == root.i and _start(target) == root.i + 1
    others = [child for child in dependents if child not in (subject, target)]
    after = all(_start(child) >= _end(target) and child.dep_ in ("obl", "advmod") for child in others)
    return (subject, root, target) if alone and plain and meet and after else None


def _turned(token: Token) -> bool:
    """Whether a phrase has a clause or a pronoun in it, which would lose what it refers to."""
    return any(word.pos_ == "PRON" or word.dep_.startswith(("acl", "appos")) for word in token.subtree)


def _start(token: Token) -> int:
    return min(word.i for word in token.subtree)


def _end(token: Token) -> int:
    return max(word.i for word in token.subtree) + 1


def _span(token: Token) -> str:
    return str(token.doc[_start(token) : _end(token)].text)


def _moved(sentence: str, names: Collection[str]) -> str:
    """ "In 2030, sales rose." as "Sales rose in 2030.", and the reverse where it is known what begins it."""
    if found := _FRONT.fullmatch(sentence):
        front, rest = found["front"], found["rest"]
        return f"{rest[0].upper()}{rest[1:]} {front[0].lower()}{front[1:]}."
    if (found := _LAST.fullmatch(sentence)) and "," not in found["rest"]:
        rest, last = found["rest"], found["last"]
        if rest.startswith(tuple(names)):
            return f"{last[0].upper()}{last[1:]}, {rest}."
        if _OPENERS.match(rest):
            return f"{last[0].upper()}{last[1:]}, {rest[0].lower()}{rest[1:]}."
    return sentence


def _phrased(sentence: str, names: Collection[str]) -> str:
    """Replace the phrases of the list outside names, each once: what came in is not replaced again."""
    held = sorted((name for name in names if name in sentence), key=len, reverse=True)
    guarded = "|".join(re.escape(name) for name in held)

    def instead(found: re.Match[str]) -> str:
        old = found[0]
        new = _phrases()[1].get(old.lower(), old)
        return new[0].upper() + new[1:] if old[0].isupper() else new

    pattern = _phrases()[0]
    return re.sub(f"{guarded}|{pattern}" if guarded else pattern, instead, sentence)


@lru_cache(maxsize=1)
def _phrases() -> tuple[str, dict[str, str]]:
    """The pattern of the list's phrases, longer ones first, and what each becomes."""
    table = (files("kgservice.evaluation.rare") / PHRASES).read_text(encoding="utf-8")
    pairs = dict(line.split("\t") for line in table.splitlines())
    longest = sorted(pairs, key=len, reverse=True)
    forms = [form for phrase in longest for form in (re.escape(phrase), re.escape(phrase[0].upper() + phrase[1:]))]
    return rf"\b(?:{'|'.join(forms)})\b", pairs


def _same_names(old: str, new: str, names: Collection[str]) -> bool:
    numbers = Counter(_NUMBER.findall(old)) == Counter(_NUMBER.findall(new))
    return numbers and all(old.count(name) == new.count(name) for name in names)
