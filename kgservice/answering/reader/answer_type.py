"""The type of answer that a question asks for, by its words: number, date, place, person, organization, or what manuals
have entries of (setting, function, software)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgservice.answering.reader.passage_statements import stem
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, PREPOSITIONS, is_agent, is_finite
from kgservice.text.inflection import is_past

ANYTHING = frozenset[str]()

_WORDS = (  # the first match gives the type
    (re.compile(r"(?i)\bhow (?:many|much|old|tall|long|far|high|large|big)\b"), "number"),
    (re.compile(r"(?i)\bwhen\b"), "date"),
    (re.compile(r"(?i)\bwhere\b"), "place"),
    (re.compile(r"(?:^|[.:,;!?] )(?i:who|whom|whose)\b|\b(?i:who)\?"), "person"),  # not "the person who"
)
_IMPERATIVE = re.compile(r"(?i)^(?:name|give|state) (?:the|an?) ")
_EACH = r"(?i:name|list) (?i:every|each|all)(?: of)?(?: the)? "
_ALL_THAT = re.compile(  # "Name every firm that Acme owns.", "… everyone who left Lun", "… every award for which …"
    rf"(?:{_EACH}(?P<noun>.+?)|(?i:name|list) (?:(?P<who>every(?:one|body))|(?:everyone or )?everything))"
    rf"(?: (?P<by>{'|'.join(sorted(PREPOSITIONS))}))? (?P<link>who|whom|that|which|where) (?P<rest>.+?)[.?]?"
)
_ALL_OF = re.compile(rf"{_EACH}(?P<rest>.+? of .+?)[.?]?")
_NAMING = frozenset("name names".split())  # "the name of the producer" is a producer
_NOUNS = {
    "date": "year years date day month decade century",
    "place": "place city country town region state port district village location birthplace capital county island "
    "municipality province continent hometown suburb area territory river mountain lake",
    "person": "person people someone champion celebrity star spouse head chief executive mayor minister president "
    "governor chair producer child model monarch nobleman saint",
    "organization": "company organization organisation firm bank supplier agency auditor programme program party team "
    "university exchange band group club label network studio airline newspaper magazine orchestra league college "
    "school corporation manufacturer institution institute ministry department association",
    "setting": "setting option parameter directive flag",
    "function": "function method",
    "software": "software application library tool package",
    "number": "number percentage population amount share rate rent price revenue revenues income profit cost costs "
    "target growth workforce exports imports sales debt deficit",
}
_KINDS = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
ENTRIES = ("setting", "function", "software")  # what manuals have entries of
_RELATIONS = frozenset("birthplace capital hometown supplier auditor manufacturer".split())  # of something
CLASSES = frozenset(  # stems of class names, which passages seldom use for their members
    map(
        stem,
        {
            "person",
            "people",
            "someone",
            "thing",
            *(noun for kind in ("place", "organization", *ENTRIES) for noun in _NOUNS[kind].split()),
        }
        - _RELATIONS,
    )
)
_AFTER = BE | AUXILIARIES | PREPOSITIONS | frozenset("has have had and or that who which whose the a an , ; :".split())
_SPELT = re.compile(r"[\w'’-]+|[,;:]")


def asks_all(question: str) -> bool:
    """Return whether a question wants every member: "Name every firm that Acme owns."."""
    return put_as_question(question) != question


def put_as_question(question: str) -> str:
    """Return a request to name every member of a group as a question, any other text as it is.

    >>> put_as_question("Name every firm that Acme owns."), put_as_question("Name everyone who left Lun.")
    ('Which firm that Acme owns?', 'Who left Lun?')
    """
    if found := _ALL_THAT.fullmatch(question):
        noun, rest = found["noun"], " ".join(filter(None, (found["rest"], found["by"])))
        if not noun:
            return f"{'Who' if found['who'] else 'What'} {rest}?"
        where = found["link"] == "where" and _KINDS.get(noun.lower()) == "place"
        return f"Where {rest}?" if where else f"Which {noun} that {rest}?"
    found = _ALL_OF.fullmatch(question)
    return f"Which {found['rest']}?" if found else question


def answer_types(question: str) -> frozenset[str]:
    """Return the types that an answer may have, empty if any type will do."""
    question = put_as_question(question)
    if by_word := _by_word(question):
        return frozenset((by_word,))
    noun = asked_noun(question)
    kind = _KINDS.get(noun) or _KINDS.get(noun.removesuffix("s")) or ("person" if is_agent(noun) else "")
    return frozenset((kind,)) if kind else ANYTHING


def asked_noun(question: str) -> str:
    """Return the noun after "what", "which" or "name the", "" if another word asks. "which country's" is "country"."""
    question = _IMPERATIVE.sub("which ", put_as_question(question))
    return "" if _by_word(question) else _noun(_SPELT.findall(question)).lower().removesuffix("'s").removesuffix("’s")


def _by_word(question: str) -> str:
    return next((kind for asks, kind in _WORDS if asks.search(question)), "")


def _noun(spelt: Sequence[str]) -> str:
    """Return the noun that "what" or "which" asks for: "club" of "which Danish football club".

    "what is the name of the producer" asks for "producer".
    """
    starts = (at for at, word in enumerate(spelt, 1) if word.lower() in ("what", "which") and not _clause(spelt[at:]))
    start = next(starts, len(spelt))
    head, after = _head(spelt, start)
    if spelt[start : start + 1] and spelt[start] in BE and spelt[after : after + 1] and is_past(spelt[after]):
        return ""  # "what is the programme administered by": not the programme
    if head in _NAMING and spelt[after : after + 1] == ["of"]:
        head, _ = _head(spelt, after + 1)
    return head


def _clause(after: Sequence[str]) -> bool:
    """Return whether "which" begins a relative clause: "the town in which the person was born"."""
    return after[:1] != [] and after[0] in ARTICLES


def _head(spelt: Sequence[str], start: int) -> tuple[str, int]:
    """Return the last word of the noun phrase from `start`, after a form of "to be" and an article, and its end."""
    while start < len(spelt) and spelt[start] in BE | ARTICLES:
        start += 1
    end = next((at for at in range(start + 1, len(spelt)) if _ends(spelt[at]) or _owns(spelt[at - 1])), len(spelt))
    return (spelt[end - 1] if start < len(spelt) else ""), end


def _owns(word: str) -> bool:
    return word.endswith(("'s", "’s"))


def _ends(word: str) -> bool:
    """Return whether a word ends a noun phrase. A capitalised word is no verb."""
    return word in _AFTER or (word[:1].islower() and (is_past(word) or is_finite(word, alone=False)))
