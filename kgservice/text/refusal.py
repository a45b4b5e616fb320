"""Detection of refusals without a language model: logistic regression over n-grams (training/refusals.py)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from math import exp

WEIGHTS = "refusal_weights.json"  # n-gram: weight; "" is the constant
LONGEST = 60  # words that are read, as a refusal begins early
GRAMS = 3

_CLASSES = {  # word classes of refusals: the speaker, the source, denials, words for an answer
    "me": "i we me my our us one",
    "source": "passage document context text report filing excerpt article source paragraph snippet material page",
    "not": "not no none nothing nowhere neither nor never cannot unable impossible fail lack omit without insufficient "
    "silent missing absent unrelated irrelevant",
    "blank": "unclear unknown unanswerable undetermined unspecified inconclusive n/a idk",
    "tell": "say said tell told state mention specify specified give given provide contain include indicate disclose "
    "reveal describe name list show address discuss cover explain find found locate determine know known identify "
    "identified infer help answer available clear sure certain able relevant enough sufficient applicable answered "
    "stated mentioned provided disclosed included determined",
    "thing": "information info data detail figure idea question mention evidence access",
    "sorry": "sorry unfortunately afraid apologize apologise",
    "but": "but although though however",
    "if": "based according from in to of the a an is are was were be been it this that there any do does did have has "
    "can could which who what where when",  # each by itself
}
_CORE = frozenset(("me", "source", "not", "blank", "tell", "thing", "sorry", "but", ".", "@", "#"))
_CLASS = {word: name for name, words in _CLASSES.items() for word in words.split()}
_SIGNS = re.compile(r"n/a|[^\W\d_]+(?:'[^\W\d_]+)?|\d[\d.,]*|[.!?;]", re.IGNORECASE)


def refuses(prediction: str) -> bool:
    """Return whether a prediction is a refusal."""
    weights = _weights()
    grams = features(prediction, weights)
    return bool(grams) and 1 / (1 + exp(-weights[""] - sum(weights[name] for name in grams))) > 0.5


def features(text: str, known: Collection[str] | None = None) -> frozenset[str]:
    """Return the n-grams of a text, of one to three signs: all (None) or those that are known.

    A sign is a word's class, a function word, "#" (a number), "@" (a name, like "Unknown Pleasures") or "_" (several
    other words). "doesn't" is "does not".
    """
    signs = ["<", *_signs(text)]
    if len(signs) == 1:
        return frozenset()
    signs.append(">")
    grams = {" ".join(signs[at : at + size]) for size in range(1, GRAMS + 1) for at in range(len(signs) - size + 1)}
    core = ["<", *(sign for sign in signs if sign in _CORE), ">"]
    grams |= {
        "~ " + " ".join(core[at : at + size]) for size in range(1, GRAMS + 1) for at in range(len(core) - size + 1)
    }
    return frozenset(grams if known is None else grams.intersection(known))


def _signs(text: str) -> list[str]:
    words = _SIGNS.findall(text.replace("’", "'").rstrip(" .!"))[:LONGEST]  # a full stop has no meaning here
    signs = list[str]()
    for at, word in enumerate(words):
        lower = word.lower()
        for part in (lower.removesuffix("n't"), "not") if lower.endswith("n't") else (lower,):
            sign = "#" if word[0].isdigit() else "@" if _name(words, at) else _sign(part)
            if sign not in ("_", "@") or signs[-1:] != [sign]:
                signs.append(sign)
    return signs


def _sign(word: str) -> str:
    if word in ".!?;":
        return "."
    name = next(
        (_CLASS[form] for form in (word, word.removesuffix("s"), word.removesuffix("es")) if form in _CLASS), "_"
    )
    return word if name == "if" else name


def _name(words: list[str], at: int) -> bool:
    """Return whether a word is part of a name: a capital within a sentence, or before such a word."""
    if not _capital(words[at]):
        return False
    opens = at == 0 or words[at - 1] in ".!?;"
    return not opens or (at + 1 < len(words) and _capital(words[at + 1]))


def _capital(word: str) -> bool:
    return word[0].isupper() and not word.isupper() and "'" not in word


@cache
def _weights() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads((files("kgservice.text") / WEIGHTS).read_text(encoding="utf-8"))
    return weights
