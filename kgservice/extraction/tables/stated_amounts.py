"""How much, how many and how long, as rules of a document say: "You must sign up within 60 days of joining."

Read are sentences with one amount (a number with its unit, money, a share) whose clause has its subject first and then
"can", "may", "must", "should", "will", "is" or "are"; "you", a name and an instruction may have any verb. These turn
into a question by their order: "within how many days of joining must you sign up". It is told with the heading and the
document under which the sentence stands. What only other text tells ("this", "our"), what is denied and what has a
second condition behind it ("unless …") is left out, and a share of what stands behind it ("5 percent discount").
Nothing is read in a text that reports what people say, as news does: its amounts are of one event, and no rules.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from kgservice.core.records import Chunk, Document, Term, Triplet
from kgservice.extraction.tables.captions import SUBJECT_KEYS
from kgservice.extraction.tables.cells import MARKED, clean
from kgservice.extraction.tables.descriptions import MARK, hangs, without_code
from kgservice.extraction.tables.lists import find_place, section_at
from kgservice.extraction.tables.term_meanings import OPENERS
from kgservice.names.mentions import is_common
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS, is_adjective
from kgservice.text.inflection import base, may_be_verb
from kgservice.text.sentences import sentences

AMOUNT = "amount of"
FEWEST, MOST, MOST_OF_SUBJECT = 5, 32, 8  # words of a sentence, of its subject and verb
_NUMBER = (
    r"(?:\d[\d,]*(?:\.\d+)?(?: ?[–-] ?\d[\d,]*| to \d[\d,]*)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)"
)
_KIND = r"(?:calendar|business|working|work|consecutive|full|additional|paid|unpaid|free)"
_UNIT = (
    r"(?:second|minute|hour|day|night|week|month|quarter|year|mile|kilometer|kilometre|meter|metre|page|word|character|"
    r"person|people|employee|member|participant|reviewer|approver|session|copy|copies|pay period|fiscal year|percent)s?"
)
_AMOUNT = re.compile(
    r"(?P<about>(?:at least|at most|up to|no more than|no later than|not more than|a minimum of|a maximum of|more than|"
    r"less than|fewer than|about|approximately|around|roughly) )?(?:"
    r"(?P<money>[$€£]\d[\d,]*(?:\.\d+)?(?: (?:million|billion))?)|(?P<share>\d+(?:\.\d+)?(?:%| percent))|"
    rf"(?P<number>{_NUMBER}) (?P<unit>(?:{_KIND} )*{_UNIT}))(?![\w/-])",
    re.I,
)
_HINT = re.compile(rf" {_UNIT}|[%$€£]", re.I)  # what an amount has, found in less time
_MAY_HINT = re.compile(  # what such a text has before it is cleaned
    r"\s" + _UNIT.replace(" ", r"\s+") + "|[%$€£]|" + MARKED.pattern, re.I
)
_LED = re.compile(r"(?P<lead>(?:If|For|To|When|Once|After|Before|During|In|On|As|Under|With|Upon) [^,]+), (?P<rest>.+)")
_BEFORE = r"(?: (?P<preposition>within|for|in|after|at|by|to|before|until|over|during|from|with|every))?"
_CLAUSE = re.compile(
    rf"(?P<subject>[^,;:()]+?) (?P<aux>can|may|must|should|will|is|are)(?P<verb>(?: [\w’'-]+)*?){_BEFORE}"
)
_TOLD = re.compile(rf"(?P<verb>[A-Z][a-z]+ (?:a|an|all|any|each|every|the|your) [\w’-]+(?: [\w’'-]+)*?){_BEFORE}")
_DOES = re.compile(  # "you" or a name
    r"(?P<subject>[Yy]ou|(?:The )?(?:[A-Z]|\d+[a-z])[\w’.&-]*(?: [A-Z][\w’.&-]*)*) "
    rf"(?P<verb>[a-z]+(?: [\w’'-]+)*?){_BEFORE}"
)
_BELONGS = re.compile(
    r"(?:of|before|after|from|prior to|in advance|following|per|a|an|each|every|ahead|long|old|out)\b.*?"
    r"(?=$| (?:to|for|with|if|when|once|while)\b)"
)
_LIST = re.compile(r"[^,]*(?:, [\w’' -]+)*,? (?:and|or) [\w’' -]+")
_GOES_ON = re.compile(
    r",? (?:and|but|so|which|then) (?:you|they|it|is|are|can|may|must|should|will|make|the)\b.*$|"
    r", (?:but|so|which|then)\b.*$"
)
_UNLESS = re.compile(r",? (?:as long as|assuming|only|provided|unless|except|though|but only)\b|, (?:if|when)\b")
_OTHER = re.compile(
    r"\b(?:not|never|no|nor|otherwise|cannot|nobody|then|now|currently|today|tonight|tomorrow|yesterday)\b|n[’']t\b|[;:()]|\b(?:than|of)$|(?<!\S)\d[\d,.]*(?!\S)|"
    r"\bor (?:after|as|at|before|by|during|if|less|more|until|when|within)\b",
    re.I,
)
_ELSEWHERE = re.compile(r"\b(?:(?i:our|we|they|them|their|it|here|there|my|he|she|his|her)|us|I)\b")
_REPORTS = re.compile(r"\b(?:said|says|told)\b")
_NEWS = 0.05  # share of sentences with such a verb above which a text is news
_ARTICLES = frozenset("a an another any all each every its the their your".split())
_ANOTHER = frozenset("about by for from of to with".split())  # before an amount's own: "up by over 2%"
_LEADS_ON = PREPOSITIONS | frozenset("and each every if once or per when while".split())  # behind a share that is whole
_RELATIVE = frozenset("that which who whose where when what how because if while".split())


class _Stated(NamedTuple):
    """An amount, the question that it answers in the order of its words, and where the sentence is."""

    amount: str
    asked: str
    start: int
    end: int


def amount_triplets(chunk: Chunk, document: Document) -> list[Triplet]:
    """Return the amounts that sentences state within a chunk, of a document whose metadata name nothing it is about."""
    if any(key in document.metadata for key in SUBJECT_KEYS):
        return []
    return [
        Triplet(
            subject=Term(label=one.amount, kind="entity"),
            relation=AMOUNT,
            object=Term(label=one.asked, kind="entity"),
            sentence=document.text[one.start : one.end],
        )
        for one in _stated(document.text, document.title)
        if chunk.holds(one.start, one.end)
    ]


@lru_cache(maxsize=8)
def _stated(text: str, title: str) -> tuple[_Stated, ...]:
    bare = without_code(text)
    if not _MAY_HINT.search(bare):
        return ()
    found, places = list[_Stated](), list(sentences(bare))
    reports = sum(_REPORTS.search(bare[start:end]) is not None for start, end in places) if _REPORTS.search(bare) else 0
    if reports > _NEWS * len(places):
        return ()
    for start, end in places:
        if bare[start] in "|#" or bare[end - 1] != ".":
            continue
        said = " ".join(clean(MARK.sub("", bare[start:end])).split()).rstrip(".")
        amounts = list(_AMOUNT.finditer(said)) if _HINT.search(said) else []
        if len(amounts) != 1 or not FEWEST <= len(said.split()) <= MOST or not (asked := _asked(said, amounts[0])):
            continue
        if place := find_place(section_at(bare, start), title, text, start).said:
            found.append(_Stated(amounts[0][0], f"{asked}, according to “{place}”", start, end))
    return tuple(found)


def _asked(said: str, amount: re.Match[str]) -> str:
    """Return the question that an amount answers, "" if its sentence cannot be turned into one."""
    before, after = said[: amount.start()].strip(), _GOES_ON.sub("", said[amount.end() :]).strip()
    led = _LED.fullmatch(before)
    lead, clause = (_small(led["lead"]), led["rest"]) if led else ("", before)
    if hangs(said) or _ELSEWHERE.search(said) or _OTHER.search(clause) or _OTHER.search(after) or "," in clause:
        return ""
    if _UNLESS.search(f" {after}") or re.match(r"(?:, )?(?:and|or)\b", after) or re.search(r"[^\w ’'.,%$/-]", after):
        return ""
    is_share = bool(amount["share"]) or (amount["unit"] or "").lower() == "percent"
    if is_share and after and re.split(r"\W", after.lower(), maxsplit=1)[0] not in _LEADS_ON:
        return ""
    if not (_LIST.fullmatch(after) and not any(map(_is_finite, after.split()))):
        after = after.split(",", maxsplit=1)[0]
    turned = _turned(clause)
    if turned is None or re.search(r"\band [a-z]+s\b", after):
        return ""
    preposition, inverted = turned
    own = _BELONGS.match(after)
    near, rest = (own[0], after[own.end() :].strip()) if own else ("", after)
    return " ".join(filter(None, (preposition, _how_many(amount), near, inverted, rest, lead)))


def _turned(clause: str) -> tuple[str, str] | None:
    """Return the preposition before an amount, and the clause before it in the order of a question: "must you sign up".

    None where the amount is that of a second verb: "is based in Oslo and employs".
    """
    if (told := _CLAUSE.fullmatch(clause)) and _is_subject(told["subject"]):
        words = told["verb"].split()
        acts = told["aux"] in BE or (words and (may_be_verb(words[0]) or words[0] in ("be", "have")))
        begun = f"{told['aux']} {_small(told['subject'])}"
    elif told := _TOLD.fullmatch(clause):
        first, *rest = told["verb"].split()
        words, begun = [first.lower(), *rest], "should you"
        acts = may_be_verb(words[0]) and not is_adjective(words[-1])  # "an invoice due within 30 days"
    elif told := _DOES.fullmatch(clause):
        first, *rest = told["verb"].split()
        you = told["subject"].lower() == "you"
        words, begun = [base(first), *rest], "do you" if you else f"does {re.sub('^The ', 'the ', told['subject'])}"
        acts = may_be_verb(first) and (words[0] == first) == you and first not in BE | AUXILIARIES
        acts = acts and (you or _is_named(told["subject"]))
    else:
        return None
    if (
        not acts
        or len(words) > MOST_OF_SUBJECT
        or any(map(_is_finite, words))
        or any(one == "and" and other.endswith("s") and may_be_verb(other) for one, other in pairwise(words))
        or (words and words[-1].lower() in _ARTICLES)
        or (told["preposition"] and words and (words[-1] in _ANOTHER or _is_of_purpose(words)))
    ):
        return None
    return told["preposition"] or "", " ".join((begun, *words))


def _is_of_purpose(words: list[str]) -> bool:
    """Return whether a verb has another behind it that may as well have the amount: "try to park with 10%"."""
    return words[0] not in ("have", "need") and any(
        one == "to" and may_be_verb(two) for one, two in pairwise(words[1:])
    )


def _is_named(subject: str) -> bool:
    """Return whether a subject that begins with a capital is a name: no "That", no "Send" of "Send invites"."""
    words = subject.lower().removeprefix("the ").split()
    return words[0] not in OPENERS and (len(words) > 1 or not is_common(words[0]))


def _is_subject(words: str) -> bool:
    """Return whether words before a verb are its whole subject: few, without a verb or a clause of their own."""
    lower = words.lower().split()
    return (
        len(lower) <= MOST_OF_SUBJECT and lower[0] != "some" and not any(map(_is_finite, lower)) and words[0].isalnum()
    )


def _is_finite(word: str) -> bool:
    """Return whether a word begins another clause or is its verb."""
    return word in AUXILIARIES or word in BE or word in _RELATIVE or word == "has"


def _how_many(amount: re.Match[str]) -> str:
    """Return what asks for an amount: "how much", "what percentage", "how many business days"."""
    if amount["money"]:
        return "how much"
    if amount["share"]:
        return "what percentage"
    unit = amount["unit"].lower()
    plural = {"person": "people", "copy": "copies", "percent": "percent"}.get(unit)
    return f"how many {plural or (unit if unit.endswith(('s', 'people')) else f'{unit}s')}"


def _small(words: str) -> str:
    """Return words with a small first letter, but for a name's."""
    first = words.split(maxsplit=1)[0]
    return words[0].lower() + words[1:] if is_common(first.lower()) or first in ("You", "A") else words
