"""Questions that nobody would ask: comparisons that need no reading, places of places, chains through a country, half
dates, furniture of pages."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import combinations

from kgservice.core.records import Fact, Subgraph
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.countries import country, is_continent
from kgservice.names.mentions import BRACKET, is_common
from kgservice.names.persons import RANKS
from kgservice.names.spelling import name as spelled
from kgservice.questions.wording.entity_classes import class_of_both, is_person, kind
from kgservice.questions.wording.relation_questions import (
    AGENT,
    fits,
    is_literal,
    relation_of,
    schema_in_use,
)
from kgservice.questions.wording.spoken_names import classed, is_a
from kgservice.text import inflection
from kgservice.text.english import KIN, is_kin
from kgservice.text.values import MONTHS, read_value

JOINED = ("first", "last", "pivot")  # what a pattern that joins facts asks for
BESIDE = ("pluri_hop", "unanswerable")  # what is asked is not what the facts say
HELD_AGAIN = frozenset(("P1346", "P276", "P585", "P580", "P582", "P664"))  # what differs each time an event is held
KNOWN_FOR, SPOUSE = "P800", "P26"
FOUNDED_BY = "P112"
WIDE = ("work", "product", "event", "")
REPLACED = ("P1365", "P1366")  # somebody in a post, which the relation does not name
IN_A_POST = ("kgs:took_office", "kgs:retired")
OWNER, WHOLES = "P127", ("P179", "P361")
OF_OBJECT = ("P108", "P276")  # "employed Ada Orr", "was a location of the battle"
CAST, PERFORMER, LABEL = "P161", "P175", "P264"
MET_BY_MANY = (CAST, PERFORMER, LABEL)  # works of one star or artist, artists of one label
MANY = (("award",), ("league",), ("network",))  # what hundreds win, are shown on or play in
_FULL_NAME = re.compile(r"""(?:[A-Z"“][\w.'’"”-]* ){2,6}\([^()]*\b(?:born|\d{4})\b""")  # "Ada "Jon" Orr (born 1951"
_OF_RANK = "|".join(sorted(RANKS))
_RANK = re.compile(
    rf"(?:[Tt]he )?(?:(?:(?:Crown|Grand|Hereditary) )?(?:{_OF_RANK})(?: Palatine)? of(?: the)? [A-Z].*|"
    rf"(?:Crown|Grand|Hereditary) (?:{_OF_RANK})|(?:Baroness|Marquess|Viscount(?:ess)?) [A-Z][\w'’-]+)"
)
_STYLED = re.compile(r"\b(?:styled|nicknamed)(?: \w+){0,3} [\"“]?$")
_BEFORE_PLACES = frozenset("at by from in near of with".split())
_TWO_PEOPLES = re.compile(r"\b((?:[A-Z]\w+ )?[A-Z]\w+) ?[-–] ?(?:born )?([A-Z]\w+)\b")
_KIN_OF_SEVERAL = re.compile(rf"\b(?:{'|'.join(sorted(map(inflection.plural, KIN)))})\b")
_EDITION = re.compile(r"\d|\b[IVXLC]+\b")
LARGE = ("country", "continent", "language", "religion", "ethnic group", "sport")  # what half a corpus has to do with
_MONTH = rf"(?i:{MONTHS.replace(' ', '|')})"
_DAY_OR_MONTH = rf"{_MONTH}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_PART_OF_DATE = re.compile(rf"(?:({_MONTH}) )?(\d{{4}})")
CENTURY, MANIFOLD = 100, 100.0  # years, times: from which on nobody needs to read which is more
_FURNITURE = frozenset(  # no single words that songs and ships are called
    word.replace("_", " ")
    for word in """
    about_us about_this_page back_to_top breadcrumb build_status contact_us cookie_policy edit_this_page external_links
    faq further_reading home_page homepage learn_more license_badge log_in navigation_bar on_this_page privacy_policy
    quick_links read_more readme readme_badges related_articles see_also share_this_page sidebar sign_in sign_up
    skip_to_content table_of_contents terms_of_service terms_of_use view_source site_map sitemap
    """.split()
)


def rejection_reason(row: Subgraph, _: str) -> str:
    """Say why nobody would ask it, "" where somebody might."""
    facts = [fact for reading in row.readings for fact in reading.facts]
    checks = (
        (row.pattern == "comparison" and _far_apart(facts[0], facts[1]), "values too far apart to compare"),
        (row.pattern == "comparison" and not _are_of_one_kind(facts[0], facts[1]), "two things of different kinds"),
        (row.pattern == "comparison" and facts[0].property in IN_A_POST, "in which post is not said"),
        (any(_is_furniture(end) for fact in facts for end in (fact.subject, fact.object)), "furniture of a page"),
        (row.pattern not in BESIDE and _says_only_where(facts), "only says which place lies in which"),
        (any(map(_is_held_again, facts)), "a competition of no year"),
        (
            row.pattern not in (*BESIDE, "comparison") and _names_alike(row, facts),
            "the answer's name is that of the question",
        ),
        (any(_is_large(bridge, facts) for bridge in _bridges(row)), "bridge is a country or the like"),
        (row.asked in JOINED and _is_circular(row), "a title's bracket names who is asked for"),
        (row.pattern not in BESIDE and any(map(_is_second_name, facts)), "called by a second name"),
        (any(map(_is_of_person, facts)), "a title about a person"),
        (any(map(_is_called_by_surname, facts)), "a work called by a surname"),
        (any(map(_is_of_several_people, facts)), "several people as one"),
        (row.asked == "members" and any(_is_half_of_pair(name, facts) for name in row.answers), "half a name"),
        (any(_is_one_of_many(name, facts) for name in _ends(facts)), "one of many of its name"),
        (any(map(_is_of_a_rank, facts)), "one of many of its name"),
        (row.pattern == "single" and _passes_on(row.answers, facts), "an office passes on"),
        (row.asked in JOINED and _passes_on(_bridges(row), facts, of_company=True), "an office passes on"),
        (any(map(_is_of_two_countries, facts)), "a country beside another"),
        (
            row.pattern not in BESIDE and any(_is_cut(name, facts) for name in _ends(facts)),
            "the end of a longer name",
        ),
        (row.asked in JOINED and any(_may_be_two(name, facts) for name in _joints(row)), "two people of one name"),
        (any(_is_half(fact, row.answers) for fact in facts), "half a date"),
        (row.asked == "pivot" and any(_places(fact, row.answers) for fact in facts), "a condition only says where"),
        (
            row.asked == "pivot" and any(map(_is_met_by_many, facts)) and not any(map(_is_of_kin, facts)),
            "a condition that many meet",
        ),
        (row.asked == "pivot" and _is_told_by_place(row, facts), "a condition that many meet"),
        (row.asked == "pivot" and all(_is_weak(fact, row) for fact in facts), "a condition that many meet"),
        (row.asked == "pivot" and _is_place_of_two(row, facts), "the place of two things"),
        (row.asked == "pivot" and all(map(_is_of_kin, facts)), "two relatives of one"),
        (row.asked == "pivot" and any(map(_names_several, facts)), "several relatives in one sentence"),
        (row.asked == "pivot" and any(_is_of(fact, row.answers) for fact in facts), "a condition only names a country"),
        (
            row.asked == "pivot" and any(_is_unsaid(fact, facts, row.answers) for fact in facts),
            "a condition that nobody names",
        ),
        (row.asked in JOINED and any(fact.property == KNOWN_FOR for fact in facts), "known for it is a judgement"),
        (row.asked in JOINED and any(map(_is_successor, facts)), "replaced in which post is not said"),
        (row.asked == "pivot" and _is_of_any_class(row, facts), "class of the answer too wide"),
        (
            row.pattern not in (*BESIDE, "comparison") and any(map(_is_bare_word, facts)),
            "a title that is a common word",
        ),
    )
    return next((reason for wrong, reason in checks if wrong), "")


def _is_successor(fact: Fact) -> bool:
    """Return whether a fact says that a person came after another one, and not as what."""
    return fact.property in REPLACED and any(is_person(kind(((fact, end),))) for end in (True, False))


def _far_apart(one: Fact, two: Fact) -> bool:
    (kind, value, _), (also, other, _) = read_value(one.object), read_value(two.object)
    if kind == also == "date":
        return abs(int(str(value)[:4]) - int(str(other)[:4])) >= CENTURY
    sizes = sorted(abs(float(found)) for found in (value, other) if isinstance(found, int | float))
    return len(sizes) > 1 and sizes[1] >= MANIFOLD * sizes[0]


def _are_of_one_kind(one: Fact, two: Fact) -> bool:
    """Return whether two subjects are of one class narrower than "place" or "work", or both people.

    Rows of tables are if one table has them, and calls both the same; segments if they are of one company. All else is
    that has a relation outside the schema.
    """
    schema, rows = schema_in_use(), [listed_row(fact.subject) for fact in (one, two)]
    if len({(row.noun, row.place) if row else None for row in rows}) > 1:
        return False
    if any(rows):
        return True
    if len({fact.subject.partition(" segment of ")[2] for fact in (one, two)}) > 1:
        return False
    if schema is None or relation_of(one.property) is None:
        return True
    noun = class_of_both(classed(one), classed(two))
    return noun == "person" or not (noun in ("", AGENT) or (noun in schema.classes and not schema.classes[noun].above))


def _bridges(row: Subgraph) -> set[str]:
    return {pivot for reading in row.readings for pivot in reading.pivots}.difference(row.answers)


def _ends(facts: list[Fact]) -> set[str]:
    """Return the things that facts join."""
    ends = ((end, is_literal(fact)) for fact in facts for end in (fact.subject, fact.object))
    return {end for end, literal in ends if not literal}


def _is_circular(row: Subgraph) -> bool:
    """Whether a named title's bracket names what is asked for: the author of "Low Water (Orr novel)"."""
    within = (found[0] for name in row.named if (found := BRACKET.search(name)))
    words = {word for text in within for word in re.findall(r"\b[A-Z][^\W\d]+", text)}
    return any(not words.isdisjoint(name.split()) for name in (*row.answers, *_bridges(row)))


def _is_second_name(fact: Fact) -> bool:
    """Whether the texts have the name of a subject in brackets alone: "Ada of Lun (Ada Maria Bea; 1901–1990) was"."""
    name = BRACKET.sub("", fact.subject)
    said = [" ".join(one.sentence.split()) for one in fact.statements if not one.cell]
    places = [text[:at] for text in said if (at := text.find(name)) >= 0]
    quoted = re.compile(rf"[\"“] ?{re.escape(name)}[,.]? ?[\"”]")
    if any(map(quoted.search, said)) and is_a(classed(fact), fact.subject, ("work", "person")):
        return not is_a(classed(fact), fact.subject, ("work",))  # a whole title, but a person's nickname
    return bool(places) and all(map(_is_aside, places))


def _is_aside(before: str) -> bool:
    """Whether what stands before a name leaves a bracket open behind another name, or calls it a style."""
    within = before.count("(") > before.count(")") and before.rsplit(maxsplit=1)[-1].strip("(") not in _BEFORE_PLACES
    return within or _STYLED.search(before) is not None


def _is_of_person(fact: Fact) -> bool:
    """Whether a sentence begins with the person whom the title of its subject is about: "Murder of Ada Orr"."""
    person = fact.subject.partition(" of ")[2]
    texts = [one.sentence for one in fact.statements if not one.cell]
    return bool(person and texts) and all(text.startswith(person) for text in texts)


def _is_called_by_surname(fact: Fact) -> bool:
    """Whether sentences call a work of no known class by the end of its name alone, as a person.

    "Ada Orr directed Lind in the play" of "Bo Lind" says nothing of a work.
    """
    known, schema = relation_of(fact.property), schema_in_use()
    words = BRACKET.sub("", fact.subject).split()
    texts = [re.findall(r"\w+", one.sentence) for one in fact.statements if not one.cell]
    if known is None or schema is None or len(words) < 2 or classed(fact).subject_type:
        return False
    of_work = all(schema.fit(one, ("work",)) > 1 for one in known.domain)
    return of_work and bool(texts) and all(words[-1] in text and words[0] not in text for text in texts)


def _is_of_several_people(fact: Fact) -> bool:
    """Whether a life is told of several: "the Orr brothers" died on two days."""
    return is_literal(fact) and _KIN_OF_SEVERAL.search(fact.subject.lower()) is not None and _is_of_life(fact)


def _is_of_life(fact: Fact) -> bool:
    known = relation_of(fact.property)
    return known is not None and known.domain == ("person",)


def _is_bare_word(fact: Fact) -> bool:
    """Whether a work of unknown class has a title that is a common word: "Who performed Hot?"."""
    if " " in fact.subject or not is_common(fact.subject.lower()) or classed(fact).subject_type:
        return False
    schema, known = schema_in_use(), relation_of(fact.property)
    return schema is not None and known is not None and all(schema.fit(one, ("work",)) > 1 for one in known.domain)


def _is_half_of_pair(name: str, facts: list[Fact]) -> bool:
    """Whether one of several people has the first name alone, or the surname of another: "Bo and Ada Orr"."""
    if " " in name:
        return False
    others = {end for fact in facts for end in (fact.subject, fact.object) if end.endswith(f" {name}")}
    pair = re.compile(rf"\b{re.escape(name)} (?:and|&) [A-Z]\w+ [A-Z]")
    about = [fact for fact in facts if name in (fact.subject, fact.object) and is_a(fact, name, ("person",))]
    return bool(about and others) or any(pair.search(one.sentence) for fact in about for one in fact.statements)


def _is_one_of_many(name: str, facts: list[Fact]) -> bool:
    """Whether sentences tell by its place which body or building of a common name is meant: "the Art School in Lun"."""
    common = " " not in name or all(is_common(word.lower()) for word in name.split())
    told = re.compile(rf"\b[Tt]he {re.escape(name)},? (?:at|in) [A-Z]") if common else None
    about = (
        fact
        for fact in facts
        if name == fact.object and relation_of(fact.property) and fits(fact, "school", of_subject=False)
    )
    return told is not None and any(
        told.search(" ".join(one.sentence.split())) for fact in about for one in fact.statements
    )


def _is_of_a_rank(fact: Fact) -> bool:
    """Whether an end is a rank that many bore, one after another: "Earl of Lun", "Viscount Orr"."""
    named = [end for end in (fact.subject, fact.object) if _RANK.fullmatch(end)]
    return not all(is_a(fact, end, ("work", "organization", "team", "place")) for end in named)


def _passes_on(holders: Collection[str], facts: list[Fact], *, of_company: bool = False) -> bool:
    """Whether one of these holds an office, of no time: of whom a holder has been one stays true.

    Not of a company, whose reports are of a day. As a step to what is told of the holder, an office of a company also
    passes on: nobody says when the sentence held by which "the chief executive of Globex" was born.
    """
    asked = [fact for fact in facts if fact.object in holders and not fact.period]
    known = [(fact, relation_of(fact.property)) for fact in asked if fact.property != SPOUSE]
    return any(
        relation is not None
        and relation.range == ("person",)
        and relation.objects == "one at a time"
        and (of_company or not is_a(fact, fact.subject, ("company",)))
        for fact, relation in known
    )


def _is_of_two_countries(fact: Fact) -> bool:
    """Whether a sentence has another people before the one by which it tells a country: "an Irish-born American"."""
    known = relation_of(fact.property)
    if known is None or known.range != ("country",) or known.domain != ("person",):
        return False
    found = (pair for one in fact.statements for pair in _TWO_PEOPLES.findall(" ".join(one.sentence.split())))
    return any(
        _country_of(one) and _country_of(other) and _country_of(one) != _country_of(other) for one, other in found
    )


def _country_of(word: str) -> str:
    return known.name if (known := country(word)) else ""


def _names_several(fact: Fact) -> bool:
    """Whether a sentence tells of several relatives: "with his brothers Ada's Bo and Cy Lind"."""
    return _is_of_kin(fact) and any(_KIN_OF_SEVERAL.search(one.sentence) for one in fact.statements)


def _is_of_any_class(row: Subgraph, facts: list[Fact]) -> bool:
    """Whether what two conditions ask for has no narrower class than "work", or for a founder than "organization"."""
    noun = kind((classed(fact), fact.subject in row.answers) for fact in facts)
    founder = any(fact.property == FOUNDED_BY and fact.object in row.answers for fact in facts)
    return noun in WIDE or (noun == "organization" and founder)


def _is_unsaid(fact: Fact, facts: list[Fact], answers: tuple[str, ...]) -> bool:
    """Whether a condition says whom the answer employed, what took place there, who owns it, or of what it is part."""
    if fact.subject not in answers:
        return fact.property in OF_OBJECT and fact.object in answers
    return fact.property == OWNER or (
        fact.property in WHOLES and any(is_a(one, fact.subject, ("work",)) for one in facts if one.subject in answers)
    )


def _is_cut(answer: str, facts: list[Fact]) -> bool:
    """Whether an answer of one word is the end of a longer name in a sentence: "Daves" of "Delmer Daves".

    The word before it is of no longer name if it is of a country, a month, a day or another end, or opens a sentence.
    """
    said = {
        " ".join(one.sentence.split())
        for fact in facts
        for one in fact.statements
        if not one.cell and answer in (fact.subject, fact.object) and fact.object_kind == "entity"
    }
    if " " in answer or not answer[:1].isupper() or country(answer):
        return False
    beside = {end.rpartition(" ")[2] for fact in facts for end in (fact.subject, fact.object)}
    before = r"(^|[.;:!?\"“”] )?(\b[A-Z]\w*[a-z]|[\"“]\d+)"
    longer = re.compile(rf"{before} {re.escape(answer)}\b(?!-\w| [A-Z]|['’](?!s\b)\w)")
    found = (each for text in said for each in longer.finditer(text))
    return any(
        not (
            country(one[2])
            or one[2] in beside
            or re.fullmatch(_DAY_OR_MONTH, one[2])
            or (is_common(one[2].lower()) and one[1] is not None)
        )
        for one in found
    )


def _joints(row: Subgraph) -> set[str]:
    """Return what joins the facts of a pattern: its bridges, or what two conditions ask for."""
    return {*row.answers} if row.asked == "pivot" else _bridges(row)


def _may_be_two(name: str, facts: list[Fact]) -> bool:
    """Whether a person joins facts of two documents of which none is about him.

    The John Logan who wrote a film and the one whose brother was a soldier share a name. One of whom the sentences of
    both facts have a name or a kind of work does not.
    """
    arms = [fact for fact in facts if name in (fact.subject, fact.object)]
    if not is_person(kind((fact, fact.subject == name) for fact in arms)):
        return False
    read = [{one.document for one in fact.statements} for fact in arms]
    apart = len(arms) > 1 and all(read) and not set.intersection(*read)
    told = [_told_with(name, fact) for fact in arms] if apart else []
    one_person = any(not one.isdisjoint(other) for one, other in combinations(told, 2))
    return apart and not (one_person or any(_is_about(name, fact) for fact in arms))


def _told_with(name: str, fact: Fact) -> set[str]:
    """Return the other names and the kinds of works in a fact's sentences."""
    texts, schema = [" ".join(one.sentence.split()) for one in fact.statements], schema_in_use()
    said = {word for text in texts for word in re.findall(r"[^\W\d_]{3,}", text)}.difference(re.findall(r"\w+", name))
    plain = {word.lower() for word in said if is_common(word.lower())}
    names = {word for word in said if word[0].isupper() and not (word.lower() in plain or country(word))}
    nouns = {inflection.base(word) for word in plain}
    works = {noun for noun in nouns if schema and schema.fit(schema.entity_class(noun), ("work",)) > 1}
    return works | {word for word in names if not re.fullmatch(_DAY_OR_MONTH, word)}


def _is_about(name: str, fact: Fact) -> bool:
    """Whether a sentence of a fact begins with a person's name, or does without it: "He was born in Lun".

    So does one that begins with his surname or a pronoun and has no first name ("His mother, Bea Orr"), and one that
    gives a fact of his alone behind his full name: "Jonathan Mae Orr (born 1951)" of "Jon Orr".
    """
    first, last = re.escape(name.split(maxsplit=1)[0]), re.escape(name.rsplit(maxsplit=1)[-1])
    between = "" if first == last else rf"(?: [\w.'’“”\"-]+){{0,4}}? {last}\b"  # "Jon Mae Orr"
    opens = re.compile(rf"{first}\b{between}(?! [A-Z])")
    by_surname = re.compile(rf"(?:{last}|He|His|Her|She)\b(?! [A-Z])(?!.*\b{first}\b)")
    stage_name = re.compile(rf"\bknown (?:[a-z]+ ){{1,5}}{re.escape(name)}\b")
    texts = (" ".join(one.sentence.split()) for one in fact.statements)
    alone = fact.subject == name and not is_person(kind(((fact, False),)))
    return any(
        opens.match(text)
        or by_surname.match(text)
        or (
            alone
            and (full := _FULL_NAME.match(text))
            and (stage_name.search(text) or not {*full[0].split()}.isdisjoint(name.split()))
        )
        or not re.search(rf"\b{last}\b", text)
        for text in texts
    )


def _is_large(bridge: str, facts: list[Fact]) -> bool:
    """Whether a bridge is a country, a language or the like: "the capital of the country of origin of Solaris"."""
    schema, known = schema_in_use(), country(bridge)
    if is_continent(bridge) or (known is not None and known.how != "demonym"):
        return True
    what = kind((fact, fact.subject == bridge) for fact in facts if bridge in (fact.subject, fact.object))
    return schema is not None and schema.fit(what, LARGE) > 1


def _is_half(fact: Fact, answers: tuple[str, ...]) -> bool:
    """Whether a year or month is asked for where a sentence of the fact has the day: "2018" of "August 16, 2018"."""
    part = _PART_OF_DATE.fullmatch(fact.object) if fact.object_kind == "date" and fact.object in answers else None
    if part is None:
        return False
    month, year = part[1] or _MONTH, part[2]
    day = re.compile(rf"{month} \d{{1,2}},? {year}|\d{{1,2}}(?:st|nd|rd|th)? {month},? {year}")
    return any(day.search(" ".join(one.sentence.split())) for one in fact.statements)


def _is_furniture(end: str) -> bool:
    return end.startswith("List of ") or end.endswith(" (disambiguation)") or end.lower().strip(" .:»›…") in _FURNITURE


def _is_held_again(fact: Fact) -> bool:
    """Whether a competition is of no year ("the PGA Championship"), and the fact differs from one to the next."""
    schema = schema_in_use()
    if schema is None or fact.property not in HELD_AGAIN or fact.period or _EDITION.search(fact.subject):
        return False
    own = fact.subject_type or schema.named_class(fact.subject)
    return own is not None and schema.fit(own, ("competition",)) > 1


def _names_alike(row: Subgraph, facts: list[Fact]) -> bool:
    """Whether a body asked for has the name of one in the question, and more: "Red Kite Bank" of "Red Kite, Inc."."""
    bodies = [end for fact in facts for end in (fact.subject, fact.object) if is_a(fact, end, ("organization",))]
    named, answers = set(row.named).intersection(bodies), set(row.answers).intersection(bodies)
    return any(_begins_with(one, other) or _begins_with(other, one) for one in named for other in answers)


def _begins_with(name: str, other: str) -> bool:
    """Return whether a name begins with the words of another, two at least, its legal form apart."""
    words, known = spelled(name).words, spelled(other)
    beginnings = {"".join(words[:count]) for count in range(2, len(words))}
    return bool(beginnings & {known.firm or known.joined})


def _says_only_where(facts: list[Fact]) -> bool:
    """Whether all that is said is that one place lies in another; of a building it is worth asking where it is."""
    within = [fact for fact in facts if _is_within(fact)]
    capitals = all(_is_within(fact) or _is_capital(fact) for fact in facts)
    return bool(within) and capitals and (len({fact.key for fact in facts}) > 1 or _may_be_region(facts[0]))


def _is_within(fact: Fact) -> bool:
    known = relation_of(fact.property)
    return known is not None and bool(known.within)


def _is_capital(fact: Fact) -> bool:
    return fact.property in ("P36", "P1376")


def _may_be_region(fact: Fact) -> bool:
    """Whether the subject is of the classes of which the schema says so, as far as is known."""
    schema, known = schema_in_use(), relation_of(fact.property)
    own = schema.entity_class(fact.subject_type) if schema else None
    if schema is None or known is None or own is None:
        return True
    regions = [one for one in known.within if one in schema.classes]
    return schema.fit(own, regions) > 1 or own in map(schema.widest, regions)


def _places(fact: Fact, answers: tuple[str, ...]) -> bool:
    """Whether a condition says of the place asked for in which one it lies, or which place lies in it."""
    asked_within = fact.subject in answers and _may_be_region(fact)
    return _is_within(fact) and (asked_within or fact.object in answers)


def _is_of(fact: Fact, answers: tuple[str, ...]) -> bool:
    """Whether a condition only says from which country the answer is: so may others be, though nobody says it."""
    known = relation_of(fact.property)
    return known is not None and known.range == ("country",) and fact.subject in answers


def _is_met_by_many(fact: Fact) -> bool:
    """Whether a fact says what somebody won or where something is shown or plays: hundreds of the same kind do."""
    known = relation_of(fact.property)
    return known is not None and known.range[:1] in MANY


def _is_told_by_place(row: Subgraph, facts: list[Fact]) -> bool:
    """Whether a person is asked for by a place of his life and by what many meet: of a cast several are from Lun.

    Few meet that somebody is their relative, that they wrote a book, or that they are known for something.
    """
    placed = [fact for fact in facts if fact.subject in row.answers and _is_place_of_life(fact)]
    others = [fact for fact in facts if fact not in placed]
    return bool(placed) and not any(_is_met_by_few(fact, row) for fact in others)


def _is_place_of_life(fact: Fact) -> bool:
    known = relation_of(fact.property)
    return known is not None and known.domain == ("person",) and known.range == ("place",)


def _is_met_by_few(fact: Fact, row: Subgraph) -> bool:
    known = relation_of(fact.property)
    made = known is not None and known.objects != "several" and fact.object in row.answers
    return made or _is_of_kin(fact)


def _is_weak(fact: Fact, row: Subgraph) -> bool:
    """Whether a condition is one that many meet: a year, a place, a star, an artist or a label.

    Two of these tell nothing from the rest: a star has several films a year, and a label several bands of one.
    """
    if fact.property == CAST:
        return True
    if fact.subject not in row.answers:
        return False
    known = relation_of(fact.property)
    placed = known is not None and known.range == ("place",)
    return placed or fact.object_kind == "date" or fact.property in MET_BY_MANY


def _is_place_of_two(row: Subgraph, facts: list[Fact]) -> bool:
    """Whether a place is asked for by two things of which it is the place: so it is of thousands."""
    placed = (fact for fact in facts if fact.object in row.answers and fact.object_kind == "entity")
    known = [relation_of(fact.property) for fact in placed]
    return len(known) == len(facts) and all(one is not None and one.range == ("place",) for one in known)


def _is_of_kin(fact: Fact) -> bool:
    """Whether a fact says of somebody whose relative he is."""
    known = relation_of(fact.property)
    return known is not None and any(map(is_kin, (known.label, *known.object_nouns)))
