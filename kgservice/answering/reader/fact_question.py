"""What a question asks of one named thing, in words of the schema or by the label of a figure.

"Who audits Acme?" asks for the object of "is audited by", "What did Ada Orr direct?" for the subjects of "director".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from kgservice.answering.reader.answer_type import answer_types, asked_noun, put_as_question
from kgservice.core.schema import DEFAULT, Relation, Schema, load_schema
from kgservice.text.english import ARTICLES, AUXILIARIES, BE, PREPOSITIONS
from kgservice.text.inflection import base

LONGEST = 30  # words of a question that is compared with the schema
NAME = "X"  # stands for the named thing, between words in lower case

_WORD = re.compile(r"[^\W_]+(?:[’'.&/-][^\W_]+)*\.?|&")
_END = re.compile(r"\b[XY]\b")
_ASKING = frozenset("who whom whose what which when where how".split())
_IDLE = (
    ARTICLES | BE | AUXILIARIES | _ASKING | frozenset("of that name names be been being has have had many much".split())
)
_GENITIVE = re.compile(r"[’']s?$")
_YEAR = re.compile(r"\b(?:1[89]|20|21)\d\d\b")
_PERIOD = re.compile(  # "in fiscal 2031", "for the year ended March 31, 2031"
    r"(?i)[, ]+(?:(?:in|for|at|as of|on|during)(?: the)? )?(?:(?:fiscal|financial|calendar) )?(?:years? |FY ?)?"
    r"(?:end(?:ed|ing) )?(?:on )?(?:[a-z]+ \d{1,2},? )?(?:1[89]|20|21)\d\d(?=\W*$)"
)
_PLACE = re.compile(r"\bin “([^”]+)”")
_TOTAL = frozenset(("total",))


class AskedFact(NamedTuple):
    """A named thing and the relation asked of it. `of_subject`: the name is the subject, the object is asked for."""

    name: str
    relation: Relation
    of_subject: bool


class AskedFigure(NamedTuple):
    """A named thing, the words of a figure's label, and its year, "" for none."""

    name: str
    label: frozenset[str]
    year: str


def asked_facts(question: str) -> list[AskedFact]:
    """Return what a question may ask of a named thing, the longest name first, [] if it is in no words of the schema.

    >>> [(one.name, one.relation.label, one.of_subject) for one in asked_facts("Who audits Acme Corp.?")]
    [('Acme Corp.', 'audited by', True)]
    """
    schema, known, question = load_schema(DEFAULT), _known_words(), put_as_question(question)
    found = []
    for name, rest in _named(question):
        for key in rest:
            for relation, of_subject in known.get(key, ()):
                one = AskedFact(name, relation, of_subject)
                if one not in found and schema and _fits(without_name(question, name), relation, of_subject, schema):
                    found.append(one)
    return sorted(found, key=lambda one: -len(one.name))


def asked_figures(question: str) -> list[AskedFigure]:
    """Return which figure a question may ask for, [] if it names nothing or no figure.

    >>> [(one.name, sorted(one.label), one.year) for one in asked_figures("What were Acme's net sales in fiscal 2031?")]
    [('Acme', ['net', 'sale'], '2031')]
    """
    if not re.match(r"(?i)(?:what|how (?:much|many))\b", question):
        return []
    plain, year = _period_apart(question)
    found = [
        _figure(name, key, year)
        for name, keys in _named(plain)
        for key in keys[:1]
        if name[:1].isupper() and _figure_asked(without_name(question, name))
    ]
    return [one for one in found if one.label]


def without_name(question: str, name: str) -> str:
    """Return a question with NAME for a proper name, whose words do not say what is asked: "Acme Bank's profit"."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", NAME, question) if name[:1].isupper() else question


def asked_figure(question: str, said: str) -> AskedFigure | None:
    """Return which figure a question asks for of a thing that it names in these words, None if no label is left.

    >>> one = asked_figure("What was the tax of the site Lun in “Acme” in 2031?", "the site Lun in “Acme”")
    >>> one and (sorted(one.label), one.year)
    (['tax'], '2031')
    """
    plain, year = _period_apart(question)
    before, found, after = plain.partition(said)
    label = _key(f"{before} {NAME} {after}")
    return _figure(said, label, year) if found and len(label) > 1 else None


def quoted_places(question: str) -> list[str]:
    """Return the places of tables that a question names: "Acme" of "the product Cement in “Acme”"."""
    return list(dict.fromkeys(_PLACE.findall(question)))


def _period_apart(question: str) -> tuple[str, str]:
    """Return a question without the period at its end, and the year of that, "" if it has none."""
    period = _PERIOD.search(question)
    year = _YEAR.search(period[0]) if period else None
    return question[: period.start()] if period else question, year[0] if year else ""


def _figure(name: str, key: Collection[str], year: str) -> AskedFigure:
    return AskedFigure(name, frozenset(key) - {NAME, "in", "for"}, year)


def label_words(label: str) -> frozenset[str]:
    """Return the words of a figure's label as a question's are compared with them."""
    return frozenset(_key(label))


def same_label(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two labels have the same words, but for "total"."""
    return one - _TOTAL == other - _TOTAL


def _figure_asked(question: str) -> bool:
    """Return whether a number may answer: one is asked for, or nothing says what is ("What was Acme's net margin?")."""
    return answer_types(question) <= {"number"}


def _fits(question: str, relation: Relation, of_subject: bool, schema: Schema) -> bool:
    """Return whether the asked end of a relation is of the type that a question asks for."""
    classes = relation.range if of_subject else relation.domain
    noun, kinds = asked_noun(question), answer_types(question)
    if noun and schema.entity_class(noun):
        return schema.fit(noun, classes) > 0
    if not kinds or noun:
        return True
    kinds |= {"organization"} if "person" in kinds else set()
    broad = {broadest for name in classes for broadest in schema.broadest(name)} | {*classes}
    return not kinds.isdisjoint(broad)


def _named(question: str) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield each run of words that may be a name, and the keys of the other words around it."""
    spans = list(_WORD.finditer(question))
    if len(spans) > LONGEST:
        return
    schema, noun, small = load_schema(DEFAULT), asked_noun(question), not any(one[0][0].isupper() for one in spans[1:])
    counted = question.lower().startswith(("how many ", "how much "))
    for first in range(1, len(spans)):
        for last in range(first, len(spans)):
            written = question[spans[first].start() : spans[last].end()]
            if written.lower() in _IDLE or not (small or written[0].isupper() or written[0].isdigit()):
                continue
            before, after = question[: spans[first].start()], question[spans[last].end() :]
            whole = _key(f"{before} {NAME} {after}")
            keys = [whole]
            if (noun and (base(noun),) == whole[:1]) or counted:
                keys.append(whole[1:])
            if len(whole) > 1 and whole[-1] in PREPOSITIONS:
                keys.append(whole[:-1])
            at = whole.index(NAME)
            if at and schema and schema.entity_class(whole[at - 1]):  # "the film Solaris"
                keys.append(whole[: at - 1] + whole[at:])
            yield _GENITIVE.sub("", written), keys


def _key(text: str) -> tuple[str, ...]:
    """Return the words of a text in their base forms, without articles, auxiliaries and question words."""
    words = [word if word == NAME else _GENITIVE.sub("", word.lower()).rstrip(".") for word in _WORD.findall(text)]
    return tuple(word if word == NAME or word in PREPOSITIONS else base(word) for word in words if word not in _IDLE)


@lru_cache(maxsize=1)
def _known_words() -> dict[tuple[str, ...], list[tuple[Relation, bool]]]:
    """Return the relations and known ends that words around a name mean."""
    schema, found = load_schema(DEFAULT), defaultdict[tuple[str, ...], list[tuple[Relation, bool]]](list)
    for relation in schema.relations.values() if schema else ():
        for words, of_subject in _ways(relation):
            key = _key(words)
            if NAME in key and len(key) > 1 and (relation, of_subject) not in found[key]:
                found[key].append((relation, of_subject))
    return found


def _ways(relation: Relation) -> Iterator[tuple[str, bool]]:
    """Yield ways to ask for the object or subject of a relation of the named thing."""
    for named, form in relation.forms:
        if "DOES" not in form and "NOUN" not in form:
            yield form.replace("TYPE", "").replace("Y", NAME), named == "X"
    for phrase in relation.phrases:
        subject, obj = phrase.replace("Y", ""), re.sub(r"\bX\b", "", phrase).replace("Y", NAME)
        yield subject, True
        yield obj, False
        *most, last = _END.sub(" ", subject).split() or [""]
        if last in PREPOSITIONS and last != "by":  # "where was X born", not "in"
            yield f"{NAME} {' '.join(most)}", True
    for noun in (relation.label, *relation.object_nouns):
        yield f"{noun} of {NAME}", True
        yield f"{NAME} {noun}", True
        yield f"has {NAME} as its {noun}", False
    for noun in relation.subject_nouns:
        yield f"{noun} of {NAME}", False
        yield f"{NAME} {noun}", False
