"""Other grammar for a question, by rule: cleft, indirect and unmoved questions; names and words stay as they are."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from kgservice.text.english import AUXILIARIES, BE

_BE, _DO = "|".join(sorted(BE)), "|".join(sorted(AUXILIARIES | BE))
_BE_NAMED = re.compile(rf"(?i)(?P<asks>who|what|where|when) (?P<be>{_BE}) (?P<rest>.+)")
_DID = re.compile(r"(?i)(?P<asks>who|whom|what|where|when|how many [\w ]+?|(?:which|what) [\w ]+?) (?:did|does|do) .+")
_NOUN = rf"(?:which|what)(?: (?!(?:{_DO}|has|had)\b)[\w-]+)+?"
_SUBJECT = re.compile(rf"(?i)(?P<asks>{_NOUN}|who or what|who|what) (?P<verb>(?!(?:{_DO})\b)\w+(?:s|ed)\b.*)")
_WAS = re.compile(rf"(?i)(?P<asks>{_NOUN}) (?P<verb>(?:{_BE}|has|had)\b.*)")
_NAME_ALL = re.compile(r"(?i)name (?P<what>every.+)\.")


def rephrased(question: str, names: Collection[str]) -> Iterator[str]:
    """Yield the question in other grammar, at most three times; `names` are those that it holds."""
    bare = question.strip().rstrip("?. ")
    found = dict.fromkeys(text for text in (_unmoved(bare, names), _cleft(bare), _indirect(bare)) if text)
    yield from (text for text in found if text != question)


def _unmoved(bare: str, names: Collection[str]) -> str:
    """ "Who is the head of Acme?" as "The head of Acme is who?", "Where is Acme based?" as "Acme is based where?"."""
    found = _BE_NAMED.fullmatch(bare)
    if not found:
        return ""
    asks, be, rest = found["asks"].lower(), found["be"].lower(), found["rest"]
    subject = next((name for name in sorted(names, key=len, reverse=True) if rest.startswith(f"{name} ")), "")
    if subject:
        return f"{subject} {be}{rest.removeprefix(subject)} {asks}?"
    return f"{rest[0].upper()}{rest[1:]} {be} {asks}?" if rest.startswith("the ") else ""


def _cleft(bare: str) -> str:
    """ "Which company acquired Acme?" as "Which company was it that acquired Acme?"."""
    found = _SUBJECT.fullmatch(bare) or _WAS.fullmatch(bare)
    return f"{found['asks']} is it that {found['verb']}?" if found else ""


def _indirect(bare: str) -> str:
    """Ask for the answer instead of asking; a verb that would have to move stays behind a colon."""
    if listed := _NAME_ALL.fullmatch(bare + "."):
        return f"What I want to know is {listed['what']}."
    lower = bare if bare[:2].isupper() else bare[0].lower() + bare[1:]
    stays = not _DID.fullmatch(bare) and (_SUBJECT.fullmatch(bare) or _WAS.fullmatch(bare))
    return f"Please say {lower}." if stays else f"Please answer this: {lower}?"
