"""Questions about facts whose relation is Russian, by the templates of templates_ru.toml and pymorphy3's morphology.

DRAGON's questions are Russian. Worded are a fact, a set and two conditions (its simple, set and conditional) of
ready-made triplets, whose relation is a verb with or without a preposition ("встретился с") or a noun ("столица"). The
package is an extra (`kgservice[ru]`): without it, and for other relations and patterns, there is no question.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from kgservice.core.records import Fact, Subgraph

if TYPE_CHECKING:
    from pymorphy3 import MorphAnalyzer
    from pymorphy3.analyzer import Parse

_LETTERS = re.compile(r"[а-яё-]+", re.I)
_WAS = frozenset(("был", "была", "было", "были"))
_VERBS = frozenset(("VERB", "PRTS"))
CONDITIONAL = frozenset(("conditional_chain", "conditional_star", "conditional_inverted_star"))


class RussianPhrase(NamedTuple):
    """A relation read: a verb with what stands between it and the object, or a noun.

    `verb` is as given and `one` the same in the masculine singular; `before` is a preposition ("с") or a noun
    ("членом"), and `case` that of the object. Of a noun, `role` is its instrumental.
    """

    verb: str = ""
    one: str = ""
    before: str = ""
    case: str = ""
    role: str = ""


@lru_cache(maxsize=65536)
def is_russian(relation: str) -> bool:
    """Return whether all words of a relation are Russian. False without pymorphy3."""
    words = relation.lower().split()
    return bool(words) and installed() and all(_LETTERS.fullmatch(w) and _morph().word_is_known(w) for w in words)


@cache
def installed() -> bool:
    """Return whether the extra `kgservice[ru]` is installed."""
    return find_spec("pymorphy3") is not None


def worded(row: Subgraph) -> str:
    """Return the question of a subgraph, "" if there is no template for it."""
    facts = [fact for reading in row.readings for fact in reading.facts]
    told = [_read(fact.relation) if is_russian(fact.relation) and not fact.period else None for fact in facts]
    if None in told:
        return ""
    read = [one for one in told if one is not None]
    if row.asked in ("object", "subject"):
        text = f"{_said('questions', facts[0], read[0], subject=row.asked == 'subject')}?"
    elif row.asked == "members":
        asked = _said("questions", facts[0], read[0], subject=row.pattern == "set_of_subjects")
        text = _templates()["questions"]["set"].format(question=f"{asked}?")
    elif row.pattern in CONDITIONAL:
        text = _of_conditions(facts, read, row.answers[0])
    else:
        return ""
    return text[0].upper() + text[1:]


def _of_conditions(facts: Sequence[Fact], read: Sequence[RussianPhrase], pivot: str) -> str:
    known, ends = _templates()["conditions"], [fact.subject == pivot for fact in facts]
    pairs = zip(facts, read, ends, strict=True)
    said = [_said("conditions", fact, relation, subject=end) for fact, relation, end in pairs]
    predicates = [end != bool(one.role) for one, end in zip(read, ends, strict=True)]
    if all(predicates):
        return str(known["predicates"]).format(first=said[0], second=said[1])
    clauses = [known["clause"].format(predicate=one) if is_one else one
               for one, is_one in zip(said, predicates, strict=True)]  # fmt: skip
    return str(known["clauses"]).format(first=clauses[0], second=clauses[1])


def _said(what: str, fact: Fact, read: RussianPhrase, *, subject: bool) -> str:
    """Return the words for one end of a fact, without a question mark."""
    template = str(_templates()[what][f"{'role' if read.role else 'verb'}_{'subject' if subject else 'object'}"])
    if read.role:
        known = {"subject": declined(fact.subject, "gent"), "object": fact.object}
        return template.format(role=read.role, **known)
    known = {"subject": fact.subject, "object": declined(fact.object, _case(fact, read))}
    one = f"{read.one} {read.before}".strip()
    return template.format(asked=_asked(fact, read), predicate=read.verb, one=one, **known)


def _asked(fact: Fact, read: RussianPhrase) -> str:
    known = _templates()
    if fact.object_kind == "date" and read.before in known["asked_time"]:
        return str(known["asked_time"][read.before])
    if read.case == "loct" and read.before in known["asked_place"]:
        return str(known["asked_place"][read.before])
    return f"{read.before} {known['asked'][read.case]}".strip()


def _case(fact: Fact, read: RussianPhrase) -> str:
    return "gent" if fact.object_kind == "date" and read.before in ("с", "со") else read.case


@lru_cache(maxsize=65536)
def _read(relation: str) -> RussianPhrase | None:
    """Read a relation, None if no template fits it: "сезон открыт с" has a subject of its own."""
    words, known = relation.lower().split(), _templates()
    last = 2 if words[0] in _WAS and len(words) > 1 and _parse(words[1], {"PRTS"}) else 1
    verb = _parse(words[last - 1], _VERBS)
    if "не" in words:
        return None
    if verb is None:
        role = _role(words)
        return RussianPhrase(role=role) if role else None
    rest = words[last:]
    one = " ".join(map(_of_one, words[:last]))
    if rest and rest[-1] in known["prepositions"]:
        moves = verb.normal_form in known["motion"]["verbs"].split() and rest[-1] in known["motion"]["prepositions"]
        case = "accs" if moves else str(known["prepositions"][rest[-1]])
        between = " ".join(rest[:-1])
        return RussianPhrase(" ".join(words[:-1]), f"{one} {between}".strip(), rest[-1], case)
    if not rest:
        case = str(
            known["verbs"].get(verb.normal_form, "accs" if "tran" in verb.tag and verb.tag.POS == "VERB" else "")
        )
        return RussianPhrase(words[-1] if last == 1 else " ".join(words), one, "", case) if case else None
    return RussianPhrase(" ".join(words[:last]), one, " ".join(rest), "gent") if _parse(rest[-1], {"NOUN"}) else None


def _role(words: Sequence[str]) -> str:
    """Return a noun with its adjectives in the instrumental and what follows it, "" if it is none."""
    found: list[str] = []
    for at, word in enumerate(words):
        parse = _parse(word, {"NOUN", "ADJF"}, "nomn")
        inflected = parse and parse.inflect({"ablt"})
        if parse is None or inflected is None:
            return ""
        found.append(inflected.word)
        if parse.tag.POS == "NOUN":
            after = words[at + 1 :]
            return " ".join((*found, *after)) if all(_parse(one, {"NOUN", "ADJF"}, "gent") for one in after) else ""
    return ""


def _of_one(verb: str) -> str:
    """Return a verb said of one: "встретился" of "встретились" and "встретилась"."""
    parse = _parse(verb, _VERBS)
    past = parse is not None and (parse.tag.tense == "past" or parse.tag.POS == "PRTS")
    inflected = parse and parse.inflect({"sing", "masc"} if past else {"sing", "3per"})
    return str(inflected.word) if inflected else verb


@lru_cache(maxsize=65536)
def forms(name: str) -> tuple[str, ...]:
    """Return a name and its cases, where it is Russian, as a question may have it."""
    if not re.search("[а-яё]", name, re.I) or not installed():
        return (name,)
    return (name, *(declined(name, case) for case in _templates()["asked"]))


def declined(name: str, case: str) -> str:
    """Return a name in a case: the genitive of "Дмитрий Дибров" is "Дмитрия Диброва".

    A name in other letters stays as it is. One that cannot be declined follows a noun that is: "объекта «М-бар»".
    """
    if not re.search("[а-яё]", name, re.I):
        return name
    words = name.split()
    heads = [_parse(word, {"NOUN"}, "nomn") if _LETTERS.fullmatch(word) else None for word in words]
    at = next((at for at, head in enumerate(heads) if head), len(words))
    head = heads[at] if at < len(words) else None
    if head is None or "-" in words[at][:2]:
        return _named(name, case)
    found: list[str] = []
    for word in words[:at]:
        parse = _parse(word, {"ADJF", "PRTF"}, "nomn")
        alive = (
            {head.tag.animacy} if case == "accs" and (head.tag.gender == "masc" or head.tag.number == "plur") else set()
        )
        inflected = parse and parse.inflect({case, head.tag.number} | alive)
        if inflected is None:
            return _named(name, case)
        found.append(_cased(word, inflected.word))
    found.append(_cased(words[at], _inflected(head, words[at], case)))
    same = "gent" if case == "accs" and head.tag.gender == "masc" else case  # of a man these two cases are alike
    for word, parse in zip(words[at + 1 :], heads[at + 1 :], strict=True):
        if "Name" in head.tag:  # "Дмитрий Дибров" declines both, "Ангела Меркель" the first
            declines = parse and parse.tag.gender in (head.tag.gender, None) and _is_surname(parse, head)
            found.append(_cased(word, _inflected(parse, word, same)) if parse and declines else word)
        elif any(one.tag.case not in (None, "nomn") for one in _morph().parse(word)):
            found.append(word)  # "Министерство обороны": the rest stays
        else:
            return _named(name, case)
    return " ".join(found)


def _is_surname(parse: Parse, head: Parse) -> bool:
    return "Surn" in parse.tag or "Patr" in parse.tag or head.tag.gender == "masc"


def _inflected(parse: Parse, word: str, case: str) -> str:
    """Return a noun in a case; an abbreviation stays as it is."""
    inflected = None if word.isupper() and len(word) > 1 else parse.inflect({case, parse.tag.number})
    return str(inflected.word) if inflected else word


def _named(name: str, case: str) -> str:
    noun = _parse(str(_templates()["names"]["noun"]), {"NOUN"}, "nomn")
    inflected = noun and noun.inflect({case})
    return f"{inflected.word if inflected else ''} «{name.strip('«»')}»"


def _cased(like: str, word: str) -> str:
    """Return a word with capitals where another one has them: "Санкт-Петербурга"."""
    capitals = [part[:1].isupper() for part in like.split("-")]
    parts = word.split("-")
    if len(parts) != len(capitals):
        return word
    return "-".join(part[:1].upper() + part[1:] if large else part for part, large in zip(parts, capitals, strict=True))


def _parse(word: str, parts: set[str] | frozenset[str], case: str = "") -> Parse | None:
    """Return the likeliest reading of a word as one of these parts of speech (in a case), None if there is none."""
    found = (one for one in _morph().parse(word) if one.tag.POS in parts and (not case or one.tag.case == case))
    return next(found, None)


@cache
def _morph() -> MorphAnalyzer:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer()


@cache
def _templates() -> Mapping[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("templates_ru.toml").read_text(encoding="utf-8"))
