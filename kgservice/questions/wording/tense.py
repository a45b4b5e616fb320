"""Whether what a fact says is over: its person died, its band parted. A question then says "was" in place of "is".

Only the question's facts and their sentences tell, so a refresh needs no other facts.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from kgservice.core.records import Fact, Subgraph
from kgservice.core.schema import Relation, load_schema
from kgservice.names.mentions import BRACKET
from kgservice.questions.wording.relation_questions import is_literal, relation_of
from kgservice.questions.wording.spoken_names import TOLD, is_a, name_pattern
from kgservice.text.english import PREPOSITIONS, is_agent

ENDS = ("P570", "P20", "P119", "P509", "P157", "P576")  # death, burial and dissolution
LASTS = ("P800", "P138")  # the dead are known for their works, and things are named after them
LIFE = 20  # years: "mayor Ada Orr (1990–1994)" is a term of office
_ENDING = ("person", "organization", "event", "place")
_DATES = r"(?: ?\((?:[^()]|\([^()]*\))*\))"
_TITLES = r"(?:,? (?:[A-Z]{2,}|[JS]r\.))*"
_BY_THE_WAY = r"(?:,[^.;]{0,150}?,)?"
_SPAN = re.compile(r"\b(\d{4})\b(?:[^()\d]|\d(?!\d{3}))*?(?:[–—-]|\bto\b)(?:[^()\d]|\d(?!\d{3}))*?\b(\d{4})\b")
_FOR_A_TIME = re.compile(r"[^.;]*?\b(?:at the time|before|since|until|when|while)\b")
_LEFT = r"\b(?:[Ww]idow(?:er)? of|[Tt]he late|[Ll]ast words of|[Aa]ssassination of|[Dd]eath of) (?:[\w-]+ ){0,3}?"
_YEARS = re.compile(r"(?<![\d,.])1[0-9]\d{2}(?![\d,])")
LONG_AGO = 1900  # a person of whom a sentence tells nothing later is no more
_STOP = re.compile(rf"[.,;:]|\b(?:{'|'.join(sorted(PREPOSITIONS))}|that|which|who|whose)\b")


def told_in_time(row: Subgraph) -> Subgraph:
    """Return a subgraph whose facts are `is_past` where their question is to be in the past tense."""
    facts = {fact.key: fact for reading in row.readings for fact in reading.facts}
    past = {key for key, fact in facts.items() if _is_over(fact, facts.values())}
    if row.asked == "members" and len(past) < len(facts):  # one question is of them all
        past = set()
    if all(fact.is_past == (key in past) for key, fact in facts.items()):
        return row
    said = {key: fact.model_copy(update={"is_past": key in past}) for key, fact in facts.items()}
    readings = [one.model_copy(update={"facts": tuple(said[fact.key] for fact in one.facts)}) for one in row.readings]
    return row.model_copy(update={"readings": tuple(readings)})


def _is_over(fact: Fact, facts: Collection[Fact]) -> bool:
    """Return whether a fact is said of the past, or an end without which it does not hold is over.

    What has one object for ever, such as a birthplace, is never over. A work or a product is not either, but who edits
    it may do so no more.
    """
    relation, schema = relation_of(fact.property), load_schema()
    if is_literal(fact) or (relation and (relation.objects == "one" or relation.id in LASTS)):
        return False
    if fact.is_past and relation and relation.range == ("person",) and _is_done_now(relation):
        return True  # a former editor edits nothing
    if is_a(fact, fact.subject, ("work", "product", "law", "award")):
        return False
    domain = relation.domain if relation else ()
    of_them = schema is not None and bool(domain) and all(schema.fit(one, _ENDING) >= TOLD for one in domain)
    if fact.is_past and (of_them or is_a(fact, fact.subject, _ENDING)):
        return True
    if relation and relation.range == ("place",) and _was_there(fact):
        return True
    of_body = is_a(fact, fact.object, ("organization",))
    return _has_ended(fact.subject, facts) or (of_body and _has_ended(fact.object, facts))


def _was_there(fact: Fact) -> bool:
    """Return whether each sentence says what something was in its place: "Acme was a drugstore chain in Lun"."""
    name = name_pattern(BRACKET.sub("", fact.subject).strip() or fact.subject)
    told = re.compile(
        rf"(?:\b{name}|^(?:It|They)){_DATES}? (?:was|were) an? [^.;,]{{1,80}}?\b{re.escape(fact.object)}\b"
    )
    texts = [" ".join(one.sentence.split()) for one in fact.statements if not one.cell]
    return bool(texts) and all(map(told.search, texts))


def _is_done_now(relation: Relation) -> bool:
    """Return whether questions for a relation's subject ask what its object does now: "What does Y edit?"."""
    return any("does" in asked.split() for asked in relation.ask_subject)


def _has_ended(name: str, facts: Collection[Fact]) -> bool:
    """Return whether a fact or a sentence says that somebody died or that something is no more."""
    if any(fact.subject == name and fact.property in ENDS for fact in facts):
        return True
    said = {
        _tense(name, " ".join(one.sentence.split()), fact.subject == name)
        for fact in facts
        if name in (fact.subject, fact.object)
        for one in fact.statements
        if not one.cell
    }
    if "ended" in said or "is" in said:
        return "ended" in said
    return "was" in said or any(_is_long_ago(name, fact) for fact in facts)


def _is_long_ago(name: str, fact: Fact) -> bool:
    """Return whether a fact's sentences tell of a person in years long ago alone."""
    if name not in (fact.subject, fact.object) or not is_a(fact, name, ("person",)):
        return False
    years = [int(year) for one in fact.statements for year in _YEARS.findall(one.sentence)]
    later = any(re.search(r"\b20\d{2}\b", one.sentence) for one in fact.statements)
    return bool(years) and max(years) < LONG_AGO and not later


@lru_cache(maxsize=4096)
def _tense(name: str, text: str, is_subject: bool) -> str:
    """Return what a sentence says of a name: "ended" (by the years of a life), "was" (an actor), "is", or "".

    It may say so of a longer name or a pronoun that means its fact's subject: "Ada Maria Orr was", "She was".
    """
    bare = BRACKET.sub("", name).strip()
    if not bare:
        return ""
    if re.search(_LEFT + name_pattern(bare), text):
        return "ended"
    opening = rf"^(?:He|She|They|It|(?:[\w.'’“”-]+ ){{0,5}}?[\"“]?{re.escape(bare.split()[-1])})"
    for told in (rf"\b{name_pattern(bare)}", *((opening,) if is_subject else ())):
        if found := _what_is_said(told, text):
            return found
    return ""


def _what_is_said(told: str, text: str) -> str:
    """Return what a sentence says of what a pattern finds in it, as `_tense` does."""
    found = re.search(rf"{told}(?!\w)[\"”]?{_TITLES}({_DATES})?{_TITLES}{_BY_THE_WAY}( (?:is|was|were) an? )?", text)
    if found is None:
        return ""
    if (years := _SPAN.search(found[1] or "")) and int(years[2]) - int(years[1]) >= LIFE:
        return "ended"
    after = text[found.end() :]
    if not found[2] or _FOR_A_TIME.match(after) or not _calls(after):
        return ""
    return found[2].split()[0].replace("were", "was")


def _calls(after: str) -> bool:
    """Return whether the noun after "was a" is a class of persons, bodies, events or places: "rock band formed in"."""
    schema, words = load_schema(), _STOP.split(after, maxsplit=1)[0].split()
    known = [schema.entity_class(word) for word in words] if schema else []
    return any(map(is_agent, words)) or any(schema is not None and schema.fit(one, _ENDING) >= TOLD for one in known)
