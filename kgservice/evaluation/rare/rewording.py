"""Paraphrases of a text without a model (RARE, appendix C.2, translates there and back).

For each sentence, if possible: active to passive, a date or place moved between front and end, and phrases of a list
replaced by synonyms. Names, numbers and dates do not change.
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

PHRASES = "rewordings.tsv"  # phrase, tab, replacement

_FRONT = re.compile(
    r"(?P<front>(?:In|On|During|Since|At|By) [^,.;:|]{3,40}), "
    r"(?P<rest>(?!(?:and|but|or|where|which|who|whose|when|with|for|as)\b)[^|;:\"“]+)\."
)
_LAST = re.compile(r"(?P<rest>[A-Z][^|;:\"“]+?) (?P<last>(?:in|since|during) (?:[A-Z][a-z]+ )?\d{4})\.")
_OPENERS = re.compile(r"(?:The|An?|It|Its|They|Their|We|Our|This|These|That|Those|There|One|More|Some|Most|All|Both)\b")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")


class Rewording:
    """Paraphrases with the packaged parser. The caller judges how much a text changed."""

    def __init__(self) -> None:
        self._parser = Parser()

    def reworded(self, text: str, names: Collection[str]) -> str:
        """Return a text in other words. A sentence that would lose a name or a number does not change."""
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
    """Return a sentence in the passive voice, or "" if that is not safe.

    "Acme acquired Lunar in 2030." becomes "Lunar was acquired by Acme in 2030.".
    """
    root = next((token for token in doc if token.dep_.lower() == "root"), None)
    parts = _parts(root) if root is not None else None
    if root is None or parts is None:
        return ""
    subject, verb, target = parts
    agent, rest = _span(subject), doc[_end(target) :].text_with_ws.strip()
    plural = "Plur" in target.morph.get("Number", []) or any(child.dep_ == "conj" for child in target.children)
    be = ("were" if plural else "was") if is_past(verb.lower_) else ("are" if plural else "is")
    begins = agent if doc[0].pos_ == "PROPN" else agent[0].lower() + agent[1:]
    patient = _span(target)
    after = rest if rest[:1] in (".", ",", ";") else f" {rest}"
    return f"{patient[0].upper()}{patient[1:]} {be} {participle(base(verb.lower_), verb.lower_)} by {begins}{after}"


def _parts(root: Token) -> tuple[Token, Token, Token] | None:
    """Return subject, verb and object of a sentence that begins with them side by side as nouns, else None."""
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
    """Return whether a phrase has a clause or a pronoun, which would lose its reference."""
    return any(word.pos_ == "PRON" or word.dep_.startswith(("acl", "appos")) for word in token.subtree)


def _start(token: Token) -> int:
    return min(word.i for word in token.subtree)


def _end(token: Token) -> int:
    return max(word.i for word in token.subtree) + 1


def _span(token: Token) -> str:
    return str(token.doc[_start(token) : _end(token)].text)


def _moved(sentence: str, names: Collection[str]) -> str:
    """Return a sentence with a date or place moved, or the sentence itself.

    "In 2030, sales rose." becomes "Sales rose in 2030.". The reverse needs a known beginning.
    """
    if match := _FRONT.fullmatch(sentence):
        front, rest = match["front"], match["rest"]
        return f"{rest[0].upper()}{rest[1:]} {front[0].lower()}{front[1:]}."
    if (match := _LAST.fullmatch(sentence)) and "," not in match["rest"]:
        rest, last = match["rest"], match["last"]
        if rest.startswith(tuple(names)):
            return f"{last[0].upper()}{last[1:]}, {rest}."
        if _OPENERS.match(rest):
            return f"{last[0].upper()}{last[1:]}, {rest[0].lower()}{rest[1:]}."
    return sentence


def _phrased(sentence: str, names: Collection[str]) -> str:
    """Replace the phrases of the list outside names, each once, so replacements are not replaced again."""
    held = sorted((name for name in names if name in sentence), key=len, reverse=True)
    guarded = "|".join(re.escape(name) for name in held)

    def replacement(match: re.Match[str]) -> str:
        old = match[0]
        new = _phrases()[1].get(old.lower(), old)
        return new[0].upper() + new[1:] if old[0].isupper() else new

    pattern = _phrases()[0]
    return re.sub(f"{guarded}|{pattern}" if guarded else pattern, replacement, sentence)


@lru_cache(maxsize=1)
def _phrases() -> tuple[str, dict[str, str]]:
    """Return the pattern of the list's phrases, longer ones first, and the replacement of each."""
    table = (files("kgservice.evaluation.rare") / PHRASES).read_text(encoding="utf-8")
    pairs = dict(line.split("\t") for line in table.splitlines())
    longest = sorted(pairs, key=len, reverse=True)
    forms = [form for phrase in longest for form in (re.escape(phrase), re.escape(phrase[0].upper() + phrase[1:]))]
    return rf"\b(?:{'|'.join(forms)})\b", pairs


def _same_names(old: str, new: str, names: Collection[str]) -> bool:
    numbers = Counter(_NUMBER.findall(old)) == Counter(_NUMBER.findall(new))
    return numbers and all(old.count(name) == new.count(name) for name in names)
