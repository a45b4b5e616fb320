"""The names of things as a sentence says them: with "the" or without, and by their class where a bracket gives it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kgservice.core.records import Fact, Source
from kgservice.core.schema import load_schema
from kgservice.extraction.tables.lists import listed_row
from kgservice.names.mentions import BRACKET
from kgservice.questions.wording.entity_classes import implied, typed
from kgservice.text import inflection
from kgservice.text.english import AUXILIARIES, BE, PREPOSITIONS, is_agent

TOLD = 2  # what `Schema.fit` returns at least for a type that is of the classes
_THE = re.compile(  # names with these last words mostly have "the" in running text
    r"(United (?!Airlines)\w+|((?!of )[\w&]+ )*(Republic|Union|Islands|Kingdom|Empire|Netherlands|Philippines|Bahamas|"
    r"Maldives|Olympics|Mountains|Alps|War|Sea|Ocean|River|Dynasty|Congress|Army|Navy|Senate|Parliament|Compact|Pact|"
    r"Pledge|Treaty|Olympic Games|House of Representatives|Communist Party|Soviet Union|University of [\w ]+|"
    r"Renaissance|Stock Exchange|Foundation|Reserve|Convention|Authority|Library|Peninsula|Legislature|Corps|"
    r"Constitution|Fund|Assembly|Agency|Democrats|Organi[sz]ation|Department|Championships|Association|Movement|Conference|Revolution|"
    r"Prize|Society|Museum|Awards|Party|Council|Committee|Subcommittee|Commission|Caucus|Board|Federation|Bureau|League|"
    r"(Bureau|Department|Ministry|Museum|Federation|Association|Institute|Church|Academy|Office) of [\w ]+)|"
    r"Board of Directors of .+)$"
)
_AFTER_NAME = PREPOSITIONS | AUXILIARIES | BE | frozenset("and or but has had have that which who".split())
_CLAUSE_START = re.compile(r"(?:^|[.;:,] |\b(?:although|as|because|if|that|when|where|while) )$")
_ARTICLE = re.compile(r"(?i)^(?:an?|the) ")
_GENITIVE = re.compile(r"(?<=s)[’'](?=(?: [\da-z]\S*)+$)|[’']s(?=(?: [\da-z]\S*)+$)")  # not "Ocean's Eleven character"
_JOIN = r"[ \u2010-\u2015-]"  # a space or a dash
_JOINT = re.compile(_JOIN)
_CLAUSE_END = re.compile(r"[.;:,]|\b(?:and|but|or|that|when|where|which|while|who)\b")


def spoken_name(fact: Fact, label: str) -> str:
    """Return the name of an end, with "the" if the fact's sentences have it or the name is known for it.

    "The" at the start of a name becomes "the" where it is none of the name's words.
    """
    if (row := listed_row(label)) and all(one.cell for one in fact.statements):
        return row.spoken
    if (found := BRACKET.search(label)) and (class_ := _said_class(found[0].strip(" ()"))):
        return f"the {class_} {label[: found.start()]}"
    if label[:4].lower() == "the ":
        return f"the {label[4:]}" if _is_only_an_article(fact, label) else label
    known_for_it = _THE.match(label) and not is_a(fact, label, ("work", "person"))
    return f"the {label}" if known_for_it or _is_written_with_the(label, fact.statements) else label


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
    known_for_it = _THE.match(label[4:]) or is_a(
        fact, label, ("team", "league", "event", "body of water", "armed force")
    )
    return bool(known_for_it) and not is_a(fact, label, ("work",))


def is_a(fact: Fact, label: str, classes: tuple[str, ...]) -> bool:
    """Return whether an end is of one of the classes, by its type or by the relation."""
    subject, schema = label == fact.subject, load_schema()
    known = (typed(fact, subject), implied(fact, subject))
    return schema is not None and any(schema.fit(one, classes) >= TOLD for one in known if one)


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
    return _GENITIVE.sub("", _ARTICLE.sub("", bracket))


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
