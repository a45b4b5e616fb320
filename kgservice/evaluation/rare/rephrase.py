"""Other grammar for a question, by rules: cleft, indirect and in-situ questions. Names and words do not change."""

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
    """Yield the question in other grammar, at most three times. `names` are the names in it."""
    bare = question.strip().rstrip("?. ")
    forms = dict.fromkeys(text for text in (_unmoved(bare, names), _cleft(bare), _indirect(bare)) if text)
    yield from (text for text in forms if text != question)


def _unmoved(bare: str, names: Collection[str]) -> str:
    """Return the question with its question word in place, or "".

    "Who is the head of Acme?" becomes "The head of Acme is who?", "Where is Acme based?" becomes "Acme is based
    where?".
    """
    match = _BE_NAMED.fullmatch(bare)
    if not match:
        return ""
    asks, be, rest = match["asks"].lower(), match["be"].lower(), match["rest"]
    subject = next((name for name in sorted(names, key=len, reverse=True) if rest.startswith(f"{name} ")), "")
    if subject:
        return f"{subject} {be}{rest.removeprefix(subject)} {asks}?"
    return f"{rest[0].upper()}{rest[1:]} {be} {asks}?" if rest.startswith("the ") else ""


def _cleft(bare: str) -> str:
    """Return the question as a cleft, or "".

    "Which company acquired Acme?" becomes "Which company is it that acquired Acme?".
    """
    match = _SUBJECT.fullmatch(bare) or _WAS.fullmatch(bare)
    return f"{match['asks']} is it that {match['verb']}?" if match else ""


def _indirect(bare: str) -> str:
    """Return the question as a request for the answer.

    A verb that would have to move stays after a colon.
    """
    if listed := _NAME_ALL.fullmatch(bare + "."):
        return f"What I want to know is {listed['what']}."
    lower = bare if bare[:2].isupper() else bare[0].lower() + bare[1:]
    stays = not _DID.fullmatch(bare) and (_SUBJECT.fullmatch(bare) or _WAS.fullmatch(bare))
    return f"Please say {lower}." if stays else f"Please answer this: {lower}?"
