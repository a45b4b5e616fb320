"""What an answer must be to be given: about what the question names, of the type it asks for, and no echo of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from kgservice.answering.reader.answer_type import CLASSES, answer_types, asked_noun
from kgservice.answering.reader.fact_question import asked_facts
from kgservice.answering.reader.naming import NamedPart
from kgservice.answering.reader.passage_statements import PassageStatement, stem, stems
from kgservice.answering.reader.value_years import share_years, year_spans, years_of_value
from kgservice.core.schema import DEFAULT, Relation, load_schema
from kgservice.names.spelling import name as spelt
from kgservice.text.english import AUXILIARIES, BE
from kgservice.text.matching import normalised
from kgservice.text.values import is_currency, is_money, read_value

_ASKS_EXTENT = re.compile(r"(?i)\bhow (long|far|tall|high|old|deep|wide)\b")
_HOW_MUCH = re.compile(r"(?i)\bhow much\b")
_MONEY = frozenset("revenue revenues income profit profits price cost costs".split())
_PERCENT = frozenset("growth percentage".split())
_ASKS_PRICE = re.compile(  # with the verb at the end: no "how much did X cut its costs"
    r"(?i)\bhow much (?:do|does|did|will|would) .*(?<!\bthe )(?<!\bits )(?<!\btheir )(?<!\bhis )(?<!\bher )(?<!\ba )"
    r"\b(?:cost|pay)(?: (?:for|to|in|on|at|by|per) .*)?\W*$"
)
_LENGTH = re.compile(  # a unit of length, or of the length of a text: "metres tall", "km", "light-years"
    r"(?:^|[\s\d-])(?:[kcmµn]?m|ft|in|mi|yd|(?:kilo|centi|milli)?met(?:re|er)s?|feet|foot|inch(?:es)?|yards?|"
    r"light[ -]years?|miles?|storeys?|stories|floors?|fathoms?|pages?|words?|lines?|characters?)\b"
)
_TIME = re.compile(
    r"(?:^|[\s\d-])(?:[mµn]?s|secs?|(?:milli)?seconds?|min|mins|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|"
    r"quarters?|seasons?|(?<!light[ -])years?|yrs?|decades?|centur(?:y|ies))\b"
)
_NO_MONEY = re.compile(
    r"%|percent|(?:people|persons|men|women|children|employees|workers|members|inhabitants|times|[km]?g|kilograms?|"
    r"tonn?e?s?|[km]m[²³]|m[²³]|ha|hectares?|acres?|[kMGT]?Wh?|lit(?:re|er)s?)\b"
)
_RISES = frozenset(("high", "far", "deep", "wide"))  # asked of rates and amounts, too
_AMOUNT = re.compile(r"%|percent|pp\b|points?\b|°|degrees?\b")
_RUN = re.compile(r"[A-Z0-9][\w&.’'-]*(?:(?: (?:of|the|de|von|van|and|&))* [A-Z0-9][\w&.’'-]*)*")
_BEHIND = re.compile(r"(?<![\w.,])\d[\d.,]*(?: (?!\d)[^\s,;:()]+)*? (?:in|at|for|from) [^,;:()\d]+")
_FIRST = re.compile(r"^\W*\w+(?:[’']s)? ")
_KINDS = {"person": ("person", "organization"), "place": ("place",), "date": ("date",), "number": ("number",)}
_BROAD = frozenset(("person", "organization", "place"))


class AnswerCheck:
    """The demands of one question on its answers. `focus`: stems of what is asked, without what only identifies it."""

    def __init__(self, question: str, focus: Collection[str]) -> None:
        self._kinds, self._noun = answer_types(question), asked_noun(question)
        self._names, self._years = question_names(question), year_spans(question)
        named = stems(" ".join(self._names))
        self._told = stems(question) - named
        extent = _ASKS_EXTENT.search(question)
        self._asks_extent, self._asks_price = extent[1].lower() if extent else "", bool(_ASKS_PRICE.search(question))
        self._measured = asked_noun(_HOW_MUCH.sub("what", question))
        wanted = frozenset(focus) - named - CLASSES - {stem(self._noun)}
        self._focus = wanted - {stem(self._asks_extent)} or wanted or self._told  # "how high": no text need say "high"
        asked = asked_facts(question)
        self._relations = [] if any(_is_nested(one.name, self._names) for one in asked) else asked
        self._by_word = not self._noun and bool(self._kinds)

    def passes(self, name: NamedPart, path: Sequence[PassageStatement]) -> bool:
        """Return whether the question may be answered by a name of the last of these statements."""
        return (
            self._is_typed(name)
            and not self._is_echo(name)
            and self._is_about(path)
            and self._is_of_the_time(name, path)
            and self._is_of_its_name(name, path[-1])
            and self._is_said(path)
        )

    def _is_typed(self, name: NamedPart) -> bool:
        """Return whether a name is of the type that the question's word ("who", "when", "birthplace") asks for."""
        if self._kinds & {"date", "number"}:
            return name.kind in self._kinds and (name.kind != "number" or self._is_measured(name.label))
        if not self._by_word:
            spot = self._kinds == {"place"} and stem(self._noun) not in CLASSES  # a birthplace
            return not self._kinds & _BROAD or name.kind not in ("date", "number", "person" if spot else "")
        wanted = {kind for one in self._kinds for kind in _KINDS.get(one, (one,))}
        return name.kind in wanted

    def _is_measured(self, value: str) -> bool:
        """Return whether a number may be the extent that is asked for: no time for a height, no cars for a length.

        A price is no extent, rate or number of people; a revenue is an amount of money, and growth is none.
        A height, a distance and the like may be a rate or an amount: "how far did the shares fall".
        """
        kind, _, unit = read_value(value)
        unit = (unit or "") if kind == "number" else value
        if self._measured in _MONEY | _PERCENT:  # an amount without a unit may be either: a table's head says which
            return not unit or is_money(unit) == (self._measured in _MONEY)
        length, time = _LENGTH.search(unit) is not None, _TIME.search(unit) is not None
        if self._asks_price:
            return not (length or time or _NO_MONEY.match(unit))
        if not self._asks_extent:
            return True
        if length or time:
            return (
                length if self._asks_extent in ("tall", "high", "deep", "wide") else time or self._asks_extent != "old"
            )
        if not unit:
            return self._asks_extent in ("old", "far", "high")
        rate = _AMOUNT.match(unit) is not None or is_currency(unit)
        return self._asks_extent == "high" or (rate and self._asks_extent in _RISES)

    def _is_echo(self, name: NamedPart) -> bool:
        """Return whether a name has the question's own words: of what it asks, or, a title, its whole name."""
        if name.kind in ("date", "number"):
            return False
        if name.at < 0 and any(f" {normalised(one)} " in f" {name.form} " for one in self._names):
            return True
        return bool(self._kinds & _BROAD) and bool(stems(name.form) & self._told - {stem(self._noun)})

    def _is_about(self, path: Sequence[PassageStatement]) -> bool:
        """Return whether each name of the question is in the statements, or in the title of one.

        A relation of the schema is asked of a name, so the last statement has it.
        """
        path = path[-1:] if self._relations else path
        text = normalised(" ".join(f"{one.title} {one.text}" for one in path))
        words, joined = f" {text} ", text.replace(" ", "")
        return all(_is_in(name, words, joined) for name in self._names)

    def _is_of_the_time(self, name: NamedPart, path: Sequence[PassageStatement]) -> bool:
        """Return whether the statements and their titles have a year of the question, or one of the two has none.

        A value in a statement of several years is not said of others than the year asked for.
        """
        told = year_spans("; ".join(f"{one.title}; {one.text}" for one in path))
        if self._years and told and not share_years(self._years, told):
            return False
        text = path[-1].text
        if name.kind == "number" and share_years(self._years, year_spans(name.label)):  # "2029 it"
            return False
        if name.kind != "number" or path[-1].cell or not share_years(self._years, year_spans(text)):
            return True
        return share_years(self._years, years_of_value(name.label, text))

    def _is_of_its_name(self, name: NamedPart, last: PassageStatement) -> bool:
        """Return whether no other number of the sentence has a name of the question behind it: "203 in Canada"."""
        if name.kind != "number" or last.cell:
            return True
        own = re.compile(rf"(?<![\w.,$€£]){re.escape(name.label)}(?!\w)")
        found = own.search(last.text)
        behind = {one.start(): one[0] for one in _BEHIND.finditer(last.text)}
        told = [at for at, part in behind.items() if any(f" {one}" in part for one in self._names)]
        return not told or found is None or any(found.start() <= at < found.end() for at in told)

    def _is_said(self, path: Sequence[PassageStatement]) -> bool:
        """Return whether the statements have a word of the relation, or most words of what is asked."""
        own = frozenset[str]().union(*(one.stems for one in path))
        if self._relations:
            return any(not own.isdisjoint(relation_stems(one.relation)) for one in self._relations)
        return 2 * len(own & self._focus) > len(self._focus) or not self._focus


def _is_nested(asked: str, names: Collection[str]) -> bool:
    """Return whether a thing asked about is told by a name of the question: "Acme's founder", "the CEO of Acme"."""
    for name in names:
        before, found, after = asked.partition(name)
        post = before.removesuffix("the ").removesuffix(" of ") if before else after[2:]
        if found and post != before and bool(before) != (after[:2] in ("'s", "’s")):
            return normalised(post) in relation_nouns()
    return False


def question_names(question: str) -> tuple[str, ...]:
    """Return the proper names of a question. A noun of the schema in capitals ("CEO") is none, nor begins one.

    >>> question_names("Who is the CFO of Harbour Freight Systems?"), question_names("Who won the race in 2031?")
    (('Harbour Freight Systems',), ())
    """
    first = _FIRST.match(question)
    rest = question[first.end() :] if first else question
    found = (re.sub(r"[’']s?$", "", _without_post(run).rstrip(".,")) for run in _RUN.findall(rest))
    return tuple(
        dict.fromkeys(run for run in found if any(map(str.isalpha, run)) and normalised(run) not in relation_nouns())
    )


def _without_post(run: str) -> str:
    post, _, rest = run.partition(" of ")
    return rest.removeprefix("the ") if rest and post.isupper() and normalised(post) in relation_nouns() else run


@lru_cache(maxsize=1)
def relation_nouns() -> frozenset[str]:
    """Return the nouns of the schema's relations and classes, normalised."""
    schema = load_schema(DEFAULT)
    if schema is None:
        return frozenset()
    nouns = {noun for one in schema.relations.values() for noun in (one.label, *one.object_nouns, *one.subject_nouns)}
    return frozenset(map(normalised, nouns | {*schema.class_of}))


@lru_cache(maxsize=1024)
def _stems_of(id_: str) -> frozenset[str]:
    schema = load_schema(DEFAULT)
    one = schema.relations[id_] if schema else None
    if one is None:
        return frozenset()
    said = (one.label, *one.object_nouns, *one.subject_nouns, *one.phrases)
    return stems(" ".join(re.sub(r"\b[XY]\b", "", words) for words in said)) - AUXILIARIES - BE - {"x", "y"}


def relation_stems(relation: Relation) -> frozenset[str]:
    """Return the stems of the words that say a relation."""
    return _stems_of(relation.id)


def _is_in(name: str, words: str, joined: str) -> bool:
    """Return whether a name is in a text, with or without its legal form ("Acme Inc."), apart or as one word."""
    form, firm = normalised(name), spelt(name).firm
    return f" {form} " in words or (len(firm) > 3 and firm in joined) or spelt(name).joined in joined
