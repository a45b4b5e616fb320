"""Names that single out nothing: RARE's pivot rarity (section 3.4 and appendix F), for bridges and for ends.

RARE wants two meaningful words of a pivot. A name is one that counts, however short: "Minhara" is distinctive,
"measures" is not. A typed entity counts as named.
"""

from __future__ import annotations

import re

from kgservice.core.records import Fact, Subgraph
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.persons import is_titled_surname
from kgservice.questions.wording.relation_questions import implied_class, is_value, relation_of, schema_in_use
from kgservice.text.english import ARTICLES, PREPOSITIONS, is_wordless

MAX_WORDS = 10
_PRONOUNS = frozenset(
    """
    all any both each he her him his i it its many me most none one others our she some that them these they this
    us we you
    """.split()
)
_GENERAL = frozenset(
    """
    act action addition album area areas article artist artists author band book books building career case cases
    century chapter child children cities city club community companies company concept countries country county
    day days death development district doctor event events example factors family father film films form game
    games government group groups head history home house idea information king land language languages law leader
    league life list man matches measures member members men million money mother movement name nation nations
    novel number office official officials others paper parliament part parts party people performance period
    person place places plan play player players poem point policy population position power president problem
    problems product production products program programme project province public question reason record region
    report result results river role school season series service services show single site society son song songs
    species sport star state states station story street structure student students system team teams term
    territory thing things time times title town towns tracks type types unit units university usage use users
    variety version victory village war water way week woman women word words work works world writer year years
    """.split()
)
_PEOPLES = re.compile(
    r"[A-Z]\w+(ish|ese|[^aeiouAEIOU]ian|ean|ans|ians)|French|Dutch|Germans?|Greeks?|Swiss|Welsh|Arabs?|Thai|Czech|Iraqi|"
    r"Israeli|Americans?|Britons|British|African|Mexican|Roman|Christian|Jewish|Muslims?|Jews|Democrats?|Republicans?"
)
_STARTS = re.compile(
    r"(?:to|than|that|which|who|whose|when|where|because|if|by|of|with|from|for|in|on|at|as|under|during|after|before|"
    r"required|led|located|made|used|held|being|having|its|their|his|her|not|more than|no|only|also|over|about)\b"
)
_ONE_WORD = re.compile(r"\S+(?: [IVX]+)?")
_CLAUSE = re.compile(r"\b(?:who|which|whom|whose|is|was|are|were|has|have|had|been|because|that)\b")


def rejection_reason(row: Subgraph, _: str) -> str:
    """Say which bridge or end singles out nothing, "" if all do."""
    facts = [fact for reading in row.readings for fact in reading.facts]
    pivots = {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)
    values = {end for fact in facts for end in (fact.subject, fact.object) if is_value(fact, end)}
    typed = _typed(facts)
    if row.pattern != "single" and any(map(_in_its_words, facts)):
        return "told in a document's words"
    if not pivots.isdisjoint(values) or (row.asked == "pivot" and not values.isdisjoint(row.answers)):
        return "bridge is a value"
    for name in sorted(pivots):
        reason = _weak(name, name in typed) or _half(name, facts)
        if reason:
            return f"bridge {reason}"
    subjects = {"subject": sorted({fact.subject for fact in facts})}  # a scope's words are no entities
    answers = () if row.asked == "nothing" else row.answers
    ends = subjects if row.pattern == "pluri_hop" else {"answer": answers, "named entity": row.named}
    for what, names in ends.items():
        for name in names:
            reason = "" if name in values else _weak(name, name in typed, end=True)
            if not reason and what == "named entity":
                reason = _half(name, facts)
            if reason:
                return f"{what} {reason}"
    if row.pattern == "single" and any(map(listed_row, row.answers)):  # nobody says it as its label does
        return "answer is a row of a table"
    return "set of values" if row.asked == "members" and not values.isdisjoint(row.answers) else ""


def _in_its_words(fact: Fact) -> bool:
    """Whether a fact ends with a document's words ("a written record of choices"): nobody says them beside others."""
    known = relation_of(fact.property)
    return known is not None and "literal" in known.range


def _half(name: str, facts: list[Fact]) -> str:
    """Whether a single word, "Hugh II" or "Colonel Farr" names a person, as the relations of the schema say: many do.

    So may "Mars" of which nothing is told, who replaced somebody or something.
    """
    if not (_ONE_WORD.fullmatch(name) or is_titled_surname(name)):
        return ""
    ends = [(fact, fact.subject == name) for fact in facts if name in (fact.subject, fact.object)]
    person = any(implied_class(fact.property, of_subject=end) == "person" or _may_be_person(fact) for fact, end in ends)
    return "is a first name or surname alone" if person else ""


def _may_be_person(fact: Fact) -> bool:
    """Whether both ends are of one kind, perhaps persons, and no type tells otherwise."""
    known = relation_of(fact.property)
    alike = known is not None and known.domain == known.range and "person" in known.domain
    return alike and not (fact.subject_type or fact.object_type)


def _typed(facts: list[Fact]) -> set[str]:
    return {fact.subject for fact in facts if fact.subject_type} | {fact.object for fact in facts if fact.object_type}


def _weak(name: str, typed: bool, *, end: bool = False) -> str:
    """Why a name singles out nothing. An end may be a common noun; a bridge may not be one of a single word.

    A row that its table tells is judged by its own name: the place of the table may be long.
    """
    name = row.name if (row := listed_row(name)) else name
    if is_wordless(name):
        return "without a word"
    words = name.split()
    if words[0].lower() in _PRONOUNS and len(words) == 1:
        return "is a pronoun"
    clause = not typed and _CLAUSE.search(" ".join(words[1:]))
    is_name = typed or any(sign.isupper() or sign.isdigit() for sign in name)
    if len(words) > MAX_WORDS or _STARTS.match(name) or clause or (words[-1].lower() in PREPOSITIONS and not is_name):
        return "is a fragment"
    plain = words[1:] if words[0].lower() in ARTICLES and len(words) > 1 else words
    alone = plain[0] if len(plain) == 1 else ""
    single, schema = "" if typed else alone, schema_in_use()
    if single.lower() in _GENERAL or _PEOPLES.fullmatch(single):
        return "too general"
    if alone and schema is not None and schema.named_class(f"The {alone}"):  # "the Association": any one is called so
        return "too general"
    meaningful = [word for word in plain if word.lower() not in PREPOSITIONS | ARTICLES | _PRONOUNS and len(word) > 1]
    return "" if is_name or end or len(meaningful) > 1 else "too general"
