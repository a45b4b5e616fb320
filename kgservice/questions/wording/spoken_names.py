"""The names of things as a sentence says them: with "the" or without, and by their class where a bracket gives it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kgservice.core.records import Fact, Source
from kgservice.core.schema import load_schema
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.countries import country
from kgservice.names.mentions import BRACKET, is_common
from kgservice.names.persons import RANKS
from kgservice.questions.wording.entity_classes import implied, in_short, typed
from kgservice.questions.wording.relation_questions import fits, relation_of
from kgservice.text import inflection
from kgservice.text.english import AUXILIARIES, BE, PLAYED, PREPOSITIONS, is_agent

TOLD = 2  # what `Schema.fit` returns at least for a type that is of the classes
_THE = re.compile(  # names with these last words mostly have "the" in running text
    r"(United (?!Airlines)\w+|((?!of )[\w&]+ )*(Republic|Union|Islands|Kingdom|Empire|Netherlands|Philippines|Bahamas|"
    r"Maldives|Olympics|Mountains|Alps|War|Sea|Ocean|River|Dynasty|Congress|Army|Navy|Senate|Parliament|Compact|Pact|"
    r"Programme|Program|Project|Scheme|"
    r"Pledge|Treaty|Olympic Games|House of Representatives|Communist Party|Soviet Union|University of [\w ]+|"
    r"Renaissance|Stock Exchange|Foundation|Reserve|Convention|Authority|Library|Peninsula|Legislature|Corps|"
    r"Constitution|Fund|Assembly|Agency|Democrats|Organi[sz]ation|Department|Championships|Association|Movement|Conference|Revolution|"
    r"(Battle|Siege) of [\w ]+|"
    r"Prize|Society|Museum|Awards|Party|Council|Committee|Subcommittee|Commission|Caucus|Board|Federation|Bureau|League|"
    r"(Bureau|Department|Ministry|Museum|Federation|Association|Institute|Church|Academy|Office) of [\w ]+)|"
    r"Board of Directors of .+|((?!of )[\w&.’'-]+ )+(Cup|Derby|Festival|Gala|Grand Prix|Marathon|Parade|Theat(er|re)))$"
)
_YEARLY_BEFORE = r"\b(?:[Tt]he (?:annual|inaugural)|(?:[Tt]his|[Ll]ast|[Nn]ext) [a-z]+[’']s)(?: [a-z]+)?"  # an event
_TIMES = frozenset("day days eve month night week weekend year".split())
_AFTER_NAME = PREPOSITIONS | AUXILIARIES | BE | frozenset("and or but has had have that which who".split())
_CLAUSE_START = re.compile(r"(?:^|[.;:,] |\b(?:although|as|because|if|that|when|where|while) )$")
_ARTICLE = re.compile(r"(?i)^(?:an?|the) ")
_GENITIVE = re.compile(r"(?<=s)[’'](?=(?: [\da-z]\S*)+$)|[’']s(?=(?: [\da-z]\S*)+$)")  # not "Ocean's Eleven character"
_JOIN = r"[ \u2010-\u2015-]"  # a space or a dash
_JOINT = re.compile(_JOIN)
_CLAUSE_END = re.compile(r"[.;:,]|\b(?:and|but|or|that|when|where|which|while|who)\b")
_IN_BRACKETS = r" ?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
# what stands between a title and its verb
_ASIDE = rf"""["”]?(?:{_IN_BRACKETS}|[^()]{{,60}}\))?(?:,[^.;]{{,80}}?,|,)?"""
_SAID_TO_BE = re.compile(rf"""{_ASIDE} (?:is|was) (?:an?|the) |["”]?,["”]? an? """)  # or '"Gold", a film by'
_PREPOSITION = re.compile(rf"\b(?:{'|'.join(sorted(PREPOSITIONS))})\b")
_CLOSED = re.compile(r"""[,.!?]?["”]""")
_CALLED_SO = r"(?: (?:called|entitled|named|titled|such as|like|including|(?:is|was)(?= [\"“])))?,?:? "
_OF_YEAR = (  # "(1973)", "is a 1973 album", "is an album by Ada Orr, released in July 1973"
    r"(?:\((\d{4})\)|(?:is|was) an? (\d{4}) |(?:is|was) (?:an?|the) [^.;]{1,90}?\b(?:made|published|released|written)\b"
    r"[^.;,\d]{0,60}? (?:in|on) (?:\w+ )?(?:\d{1,2},? )?(?:\w+ )?(\d{4})\b)"
)
_PART_OF_SHOW = re.compile(r"(?:(?:[A-Z][\w.]*) )?(?:season|series) \d+")
_NAME = re.compile(r"(?:[A-Z][\w.'’!&:-]*|of|the|and|in|a|to|\d+)(?: (?:[A-Z][\w.'’!&:-]*|of|the|and|in|a|to|\d+))*")
_TITLES = r"""(?:["“][^"“”]{1,80}["”](?: \([^()]*\))?,? (?:and |or )?)+"""
_BEFORE_VERBS = AUXILIARIES | frozenset("he i it she they to we who you".split())
_BARE = frozenset("hearts harriers rangers rovers spurs swifts wanderers wolves".split())  # clubs without "the"
_YEARLY = re.compile(r"(?:1[5-9]|20)\d\d(?:[–-]\d{2,4})? [A-Z]")  # "the 2009–10 Lun League"
_A_SERIES = re.compile(r"[^:]+ (?:Trilogy|Tetralogy|Saga|Series|Quartet|Cycle|Chronicles)")
_SERIES = "series|novels|books|films|stories|trilogy|saga|comics"
_BY_WHOM = ("P50", "P57", "P58", "P86", "P162", "P170", "P123", "P110")  # who made a work or published it
_RANKS = "|".join(sorted(RANKS))
_RANK = (  # "3rd Baron Orr", "Countess Palatine of Lun"
    rf"\d+(?:st|nd|rd|th) (?:{_RANKS})\b(?:(?: of)? [A-Z][\w'’-]*)*|"
    rf"(?:Grand )?(?:{_RANKS})(?: Palatine)? of(?: the)?(?: [A-Z][\w'’-]*)+"
)
_BEFORE = 120  # characters around a title that are searched for its class


def spoken_name(fact: Fact, label: str, *, bare: bool = False) -> str:
    """Return the name of an end, with "the" if the fact's sentences have it or the name is known for it.

    "The" at the start of a name becomes "the" where it is none of the name's words. The title of a work has its class
    before it, unless the title tells it or it is to be `bare`: "the film Solaris".
    """
    if (row := listed_row(label)) and all(one.cell for one in fact.statements):
        return row._replace(place=spoken_name(fact, row.place)).spoken if row.is_part else row.spoken
    if (found := BRACKET.search(label)) and (said := _with_its_bracket(fact, label, found)):
        return said
    if label[:4].lower() == "the ":
        return f"the {label[4:]}" if _is_only_an_article(fact, label) else _titled(fact, label, bare=bare)
    known_for_it = _THE.match(label) and not is_a(fact, label, ("work", "person"))
    known_for_it = known_for_it or (_YEARLY.match(label) is not None and not is_a(fact, label, ("work", "person")))
    known_for_it = known_for_it or (fact.property in _BY_WHOM and _A_SERIES.fullmatch(label) is not None)
    opens = any(one.sentence.startswith(label) for one in fact.statements)
    titled = opens and is_a(fact, label, ("work",))  # "Raiders of Lun (also called Ada and the Raiders of Lun)"
    led = known_for_it or (not titled and _is_written_with_the(label, fact.statements)) or _is_called_the(fact, label)
    led = led or (_is_held_yearly(label, fact.statements) and not is_a(fact, label, ("work", "person")))
    return f"the {label}" if led else _titled(fact, label, bare=bare)


def _is_called_the(fact: Fact, label: str) -> bool:
    """Return whether a name ends with the plural that a team is called by: "the Lions" of "Lun Lions".

    A team mostly is, what else is called so by the sentences.
    """
    first, _, last = label.rpartition(" ")
    if not first or not inflection.is_plural(last.lower()) or is_a(fact, label, ("person", "work", "place")):
        return False
    if is_a(fact, label, ("team",)) and last.lower() not in _BARE and inflection.may_be_noun(last.lower()):
        return True
    return any(re.search(rf"\b[Tt]he {re.escape(last)}\b", one.sentence) for one in fact.statements)


def _is_held_yearly(label: str, statements: Iterable[Source]) -> bool:
    """Return whether a sentence tells of an event of each year by a noun: "this weekend's Lun Regatta", no "Week"."""
    first, _, noun = label.lower().rpartition(" ")
    if not first or noun in _TIMES or not is_common(noun):
        return False
    name = re.compile(rf"{_YEARLY_BEFORE} {name_pattern(label)}\b")
    return any(name.search(" ".join(one.sentence.split())) for one in statements)


def dated_name(fact: Fact, label: str) -> str:
    """Return the spoken name of an end, of a work with the year that the fact's sentences give it: many share a title.

    "The 1973 album Low Water" of "Low Water is an album by Ada Orr, released in July 1973".
    """
    name, what = spoken_name(fact, label), typed(fact, label == fact.subject)
    if not what or name != f"the {what} {label}":
        return name
    title = re.escape(label)
    years = re.compile(rf"""{title}["”]? {_OF_YEAR}|\b(\d{{4}}) (?:[a-z]+ )?{re.escape(what)},? ["“]?{title}\b""")
    told = (years.search(" ".join(one.sentence.split())) for one in fact.statements if not one.cell)
    year = next((next(filter(None, found.groups())) for found in told if found), "")
    return f"the {year} {what} {label}" if year else name


def _with_its_bracket(fact: Fact, label: str, bracket: re.Match[str]) -> str:
    """Return a name with its bracket said in words, "" if it cannot be said.

    "The miniseries The Stand", "the EastEnders character Dan Sullivan", "season 11 of The Apprentice" or, of something
    whose class is unknown in a work, "Dan Sullivan of EastEnders".
    """
    name, within = label[: bracket.start()], bracket[0].strip(" ()")
    class_ = f"{within} player" if within in PLAYED and is_a(fact, label, ("person",)) else _said_class(within)
    if class_ or _is_stated(fact, within):
        is_told = label == fact.object and _is_his_role(fact, class_)  # no "directed by the director Ada Orr"
        return name if is_told else f"the {class_ or within} {name}"
    if _PART_OF_SHOW.fullmatch(within):
        return f"{within} of {name}"
    what = typed(fact, label == fact.subject)
    if _is_where(fact, label, within):
        return f"{name} {'of' if is_a(fact, label, ('person',)) else 'in'} {within}"
    if not _NAME.fullmatch(within) or _is_class(what, ("piece of music",)):  # "Gold (Red Kite)" is a song's whole title
        return ""
    if _is_class(what, ("work", "character")) and what != "work":
        return f"the {_ARTICLE.sub('', within)} {what} {name}"
    return f"{name} of {within}" if next(_work_told(fact, within), "") and not what else ""


def _is_his_role(fact: Fact, noun: str) -> bool:
    """Return whether a relation calls its object by a noun: "director", "writer" of who wrote a book."""
    known = relation_of(fact.property)
    return known is not None and noun in (known.label, known.noun, *known.object_nouns)


def _is_stated(fact: Fact, within: str) -> bool:
    """Return whether a sentence says what a bracket does: "is a collection of", of "short story collection"."""
    noun = within.rpartition(" ")[2]
    follows = rf"(?=[.,;:)]|$| (?:{'|'.join(sorted(PREPOSITIONS))}|and|that|where|which|who|whose)\b)"
    said = re.compile(rf"\b(?:is|was) an? (?:[\w'’,-]+ ){{0,5}}{re.escape(noun)}{follows}")
    whole = within.islower() or within == noun
    return whole and any(said.search(" ".join(one.sentence.split())) for one in fact.statements)


def _is_where(fact: Fact, label: str, within: str) -> bool:
    """Return whether the bracket of a name is the place where the thing is, as its class or a comma tells."""
    if country(within) or (", " in within and all(map(_NAME.fullmatch, within.split(", ")))):
        return not is_a(fact, label, ("work",))
    return is_a(fact, label, ("place",)) and _NAME.fullmatch(within) is not None


def _titled(fact: Fact, label: str, *, bare: bool) -> str:
    """Return the title of a work with its class, any other name as it is. "The Grey Novel" tells its class.

    So has a band that a word of the dictionary calls, "the band Jet", and a series is called so behind its name.
    """
    what, schema = typed(fact, label == fact.subject), load_schema()
    if is_a(fact, label, ("person",)):
        return _with_rank(fact, label)
    if " " not in label and _is_class(what, ("band",)) and is_common(label.lower()) and not bare:
        return f"the {what} {label}"
    if series := _series_of(fact, label):
        return f"the {label} {series}"
    if bare or schema is None or what == "work" or not _is_class(what, ("work",)):
        return label
    words = label.lower().split()
    told = what.rsplit(maxsplit=1)[-1] in words or schema.entity_class(words[-1]) == schema.entity_class(what)
    return label if told else f"the {what} {label}"


def _with_rank(fact: Fact, label: str) -> str:
    """Return a person's name with the rank that a sentence has behind it: "Ada Maria, Countess Palatine of Lun"."""
    if "," in label or " of " in label:
        return label
    found = (_ranked(label).search(" ".join(one.sentence.split())) for one in fact.statements if not one.cell)
    return next((f"{label}, {one[1]}" for one in found if one), label)


@lru_cache(maxsize=4096)
def _ranked(label: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(label)}, ({_RANK})")


def _series_of(fact: Fact, label: str) -> str:
    """Return what the fact's sentences call a series behind its name, "" if nothing: "the Pitt and Monk series"."""
    if not is_a(fact, label, ("work",)) or fact.property not in _BY_WHOM:
        return ""
    said = re.compile(rf"\b{re.escape(label)}[\"”]?(?: and [\"“]?[A-Z][^,.;()]{{1,40}}?)? ({_SERIES})\b(?! of\b)")
    texts = (" ".join(one.sentence.split()) for one in fact.statements)
    return next((found[1] for text in texts if (found := said.search(text))), "")


def classed(fact: Fact) -> Fact:
    """Return a fact with the classes that its sentences or a title's bracket give its ends.

    The bracket comes first. The sentences are asked where the class of an end is unknown, and for works and bands.
    """
    types = {"subject_type": _class_told(fact, fact.subject), "object_type": _class_told(fact, fact.object)}
    told = {name: type_ for name, type_ in types.items() if type_}
    return fact.model_copy(update=told) if told else fact


def _class_told(fact: Fact, label: str) -> str:
    of_subject, schema = label == fact.subject, load_schema()
    if schema is None or not (of_subject or fact.object_kind == "entity"):
        return ""
    if (found := BRACKET.search(label)) and (class_ := _said_class(found[0].strip(" ()"))):
        noun = class_.rpartition(" ")[2]
        return noun if schema.entity_class(noun) else ""
    if schema.entity_class(fact.subject_type if of_subject else fact.object_type):
        return ""
    told = _work_told(fact, BRACKET.sub("", label))
    return next((noun for noun in told if fits(fact, noun, of_subject=of_subject)), "")


def _work_told(fact: Fact, title: str) -> Iterator[str]:
    """Yield what the fact's sentences call a work: 'their album "Gold"', "Gold is the fifteenth studio album by"."""
    for one in fact.statements:
        if title in one.sentence and not one.cell:
            yield from _nouns_of(title, " ".join(one.sentence.split()))


@lru_cache(maxsize=4096)
def _nouns_of(title: str, text: str) -> tuple[str, ...]:
    """Return what a text calls a work, place after place."""
    before, noun, nouns = _work_patterns()
    found = list[str]()
    for at in _places(title, text):
        led, rest = text[max(0, at - _BEFORE) : at], text[at + len(title) :]
        told = before.search(led)
        if told and _is_whole(told, rest) and not _is_verb(led, told.start()):
            found.append(nouns[told["noun"] or told["nouns"]])
        elif said_to_be := _SAID_TO_BE.match(rest):
            said = rest[said_to_be.end() : said_to_be.end() + _BEFORE]
            end = _PREPOSITION.search(said)
            called = noun.finditer(said, 0, end.start() if end else len(said))
            found += [nouns[one["noun"]] for one in called if _leads_on(said[one.end() :])]
    return tuple(found)


def _places(name: str, text: str) -> Iterator[int]:
    """Yield where a name stands in a text as whole words."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around):
            yield at
        at = text.find(name, at + 1)


def _is_whole(before: re.Match[str], rest: str) -> bool:
    """Return whether a title ends where its quotation mark or comma closes: not "Gold" in 'the album "Gold Dust"'."""
    if before["quote"]:
        return _CLOSED.match(rest) is not None
    return not before[0].endswith(", ") or rest[:1] in (",", ".", ";")


def _is_verb(text: str, at: int) -> bool:
    """Return whether the noun at a place of a text is a verb there: 'to play "Gold"', 'they film "Gold"'."""
    return text[:at].rstrip().rpartition(" ")[2].lower() in _BEFORE_VERBS


def _leads_on(after: str) -> bool:
    """Return whether a text goes on after a noun that is whole: "album by", "film directed", but not "film score"."""
    word = re.match(r"(?: \([^()]*\))? ([\w-]+)", after)
    joins = PREPOSITIONS | {"and", "starring", "that", "which"}
    return word is None or word[1] in joins or inflection.is_past(word[1])


@lru_cache(maxsize=1)
def _work_patterns() -> tuple[re.Pattern[str], re.Pattern[str], dict[str, str]]:
    """Return what tells the class of a work or band before its name, their nouns, and the noun of each form."""
    schema = load_schema()
    classes = schema.classes if schema else {}
    works = [name for name in classes if name != "software" and _is_class(name, ("work", "band"))]
    words = {word for name in works for word in (name, *classes[name].words)} - {"work", "music"}
    nouns = {form: _shortest(word) for word in words for form in (inflection.plural(word), word)}
    longest_first = sorted(nouns, key=lambda form: (-len(form), form))
    several = "|".join(sorted(map(inflection.plural, words), key=longest_first.index))
    return (
        re.compile(
            rf"\b(?:(?P<noun>{'|'.join(longest_first)}){_CALLED_SO}|(?P<nouns>{several}){_CALLED_SO}{_TITLES})"
            r"""(?P<quote>["“])?$"""
        ),
        re.compile(rf"\b(?P<noun>{'|'.join(sorted(words, key=longest_first.index))})\b"),
        nouns,
    )


def _shortest(noun: str) -> str:
    """Return the last word of a noun if it means the same class: "album" of "studio album", "EP" of "extended play"."""
    schema, noun = load_schema(), in_short(noun)
    last = noun.rpartition(" ")[2]
    return last if schema and schema.class_of.get(last) == schema.entity_class(noun) else noun


def _is_only_an_article(fact: Fact, label: str) -> bool:
    """Return whether "The" of a name has a capital only because a sentence begins with it.

    The fact's sentences say so within them: "of the Coral Fund", "of The Who". Where they do not, the last word of the
    name or its class does ("The Detroit Lions"), but not of a work's title: the play "The Birthday Party".
    """
    name = re.escape(label[4:])
    texts = [" ".join(one.sentence.split()) for one in fact.statements]
    if any(re.search(rf"\bthe {name}\b", text) for text in texts):
        return True
    if any(re.search(rf"[a-z,;] The {name}\b", text) for text in texts):
        return False
    known_for_it = (
        label[4:5].isdigit()
        or _THE.match(label[4:])
        or is_a(fact, label, ("team", "league", "event", "body of water", "armed force"))
    )
    return bool(known_for_it) and not is_a(fact, label, ("work",))


def is_a(fact: Fact, label: str, classes: tuple[str, ...]) -> bool:
    """Return whether an end is of one of the classes, by its type or by the relation."""
    subject = label == fact.subject
    return any(_is_class(one, classes) for one in (typed(fact, subject), implied(fact, subject)) if one)


def _is_class(noun: str, classes: tuple[str, ...]) -> bool:
    """Return whether a noun is one of classes: "song" of "work"."""
    schema = load_schema()
    return schema is not None and schema.fit(noun, classes) >= TOLD


def _said_class(bracket: str) -> str:
    """Return the text in a title's brackets to its first comma if it is a class: "film", "poet", not "Family Guy".

    It has neither an article nor a genitive before its noun: "Beatles song" of "The Beatles' song". A season is its
    team's: "Lunsk FC (1960–61 season)" is no season called so.
    """
    bracket = bracket.partition(",")[0]
    schema, noun = load_schema(), re.sub(r"^\d{4} ", "", bracket).rpartition(" ")[2]
    known = schema.entity_class(noun) if schema and noun.islower() and noun != "season" else None
    if known in (None, "place") and not (noun.islower() and is_agent(noun)):
        return ""
    said = _ARTICLE.sub("", bracket)
    return _GENITIVE.sub("", said) if said[:1].isupper() else said  # "children's magazine" stays


def name_pattern(name: str) -> str:
    """Return a pattern of a name, between whose words a text may have spaces or dashes: "Orr–Berg Band", "Orr Berg"."""
    return _JOIN.join(map(re.escape, _JOINT.split(name)))


def _is_written_with_the(label: str, statements: Iterable[Source]) -> bool:
    """Return whether a sentence has "the" before the whole name: "the Houston Rockets are", not "the Apple watch".

    A verb in the present follows in the third person or, where the name is plural, in its base form, and has words
    after it: "the Rhine flows into", "the Dallas Cowboys play in". "Stores" and "shares" are nouns as well.
    """
    texts, begins = [" ".join(one.sentence.split()) for one in statements], f"he {_JOINT.split(label, maxsplit=1)[0]}"
    if not any(begins in text for text in texts):  # nearly always, and a pattern costs more than all that
        return False
    name = re.compile(rf"\b[Tt]he {name_pattern(label)}(?=(?:[,.;:)]|$| \()| ([a-z]+)(?: (\w+))?)")
    found = [one for text in texts for one in name.finditer(text)]
    bare = re.compile(rf"(?<!\b[Tt]he )\b{name_pattern(label)}\b")
    return any(
        not one[1]
        or one[1] in _AFTER_NAME
        or inflection.is_past(one[1])
        or (one[2] and _acts_now(label, one) and not any(map(bare.search, texts)))
        for one in found
    )


def _acts_now(label: str, found: re.Match[str]) -> bool:
    """Return whether a word is the verb of a name in the present: "flows" of a river, "play" of the Cowboys.

    A word that is a noun too is the verb where the name begins its clause, which has no other verb: "the Acme shares in
    Lun fell".
    """
    word, text = found[1], found.string
    several = inflection.is_plural(label.rsplit(maxsplit=1)[-1].lower())
    if not inflection.may_be_verb(word) or (inflection.base(word) == word) != several:
        return False
    if not inflection.may_be_noun(word):
        return True
    after = _CLAUSE_END.split(text[found.end(1) :])[0].split()
    return _CLAUSE_START.search(text[: found.start()]) is not None and not any(map(_is_finite, after))


def _is_finite(word: str) -> bool:
    verb = inflection.may_be_verb(word) and not inflection.may_be_noun(word) and inflection.base(word) != word
    return word in BE | AUXILIARIES or word in ("has", "have", "had") or inflection.is_past(word) or verb
