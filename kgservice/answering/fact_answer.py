"""The answer to a question from a fact of the graph: the named thing is an entity, the relation one of the schema or a
figure of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kgservice.answering.fact_rows import FactAnswer, SureStatement, period_time, sure_statements
from kgservice.answering.figure_answer import figure_of_year
from kgservice.answering.reader.answer_type import answer_types, asked_noun, asks_all
from kgservice.answering.reader.comparison import NAME, AskedComparison, comparisons
from kgservice.answering.reader.fact_question import (
    AskedFact,
    AskedFigure,
    asked_facts,
    asked_figure,
    asked_figures,
    label_words,
    quoted_places,
    same_label,
    without_name,
)
from kgservice.answering.reader.question_parts import conditions, described_things
from kgservice.answering.reader.value_years import years_of_value
from kgservice.core import keys
from kgservice.core.schema import DEFAULT, load_schema
from kgservice.extraction.phrasebook import HOLDING
from kgservice.extraction.tables.lists import listed_row
from kgservice.graph.store import Graph
from kgservice.names.mentions import form
from kgservice.names.spelling import name as spelt
from kgservice.retrieval.bm25 import lucene_query, words
from kgservice.text.inflection import base
from kgservice.text.left_posts import tells_of_leaving
from kgservice.text.values import read_value

HOPS = 2  # things that a question describes, one by the other
BRIDGE = "Q"  # stands for a thing that the graph gave
SEVERAL = 4  # answers that are named; of more the passages are read
PASSAGES, ENTITIES, TABLE_ROWS, FACTS = 500, 50, 1_000, 5_000  # looked at for a name

_OF_THEN = re.compile(r"(?i)\b(?:was|were|did|had)\b")
_OF_PART = re.compile(r"(?i)\b(?:for|of) the \w")  # "Acme's revenue for the product Cement"
_BIRTH = re.compile(r"\bborn\b\D{0,40}(?:\d\d?\b\D{1,20})?\d{4}\b")  # "born in Lun on 3 May 1970"
_WAS = frozenset("had served was were".split())


class FactEnds(NamedTuple):
    """The things that facts give: label, keys of entities, and where it is stated. `one`: of several one is right."""

    labels: tuple[str, ...]
    keys: tuple[frozenset[str], ...]
    places: tuple[tuple[str, str], ...]
    one: bool

    @property
    def answer(self) -> str:
        return (" or " if self.one else ", ").join(self.labels)


def fact_answer(graph: Graph, corpus: str, question: str) -> FactAnswer | None:
    """Return the answer that facts of the graph give to a question, None if they give none, or more than a few.

    It is "" where nothing but a fact of the graph could answer, and there is none.
    """
    question = re.sub(r'"([^"]+)"', r"“\1”", question)
    row = _row_told(graph, corpus, question)
    if row and (found := _row_figure(graph, row)):
        return found
    names = _Names(graph, corpus)
    if found := _by_comparison(graph, corpus, question, names):
        return found
    asked, ends = _ends(graph, question, names)
    for figure in () if asked else asked_figures(question):
        if (entities := names[figure.name]) and (found := _figure_of(graph, entities, figure)):
            return found
    ends = ends or _by_bridge(graph, question, names) or _by_both(graph, question, names)
    return FactAnswer(ends.answer, ends.places) if ends else None


def _by_comparison(graph: Graph, corpus: str, question: str, names: _Names) -> FactAnswer | None:
    """Return the one of two things that has the larger or smaller, earlier or later value."""
    for one in comparisons(question):
        first, second = (_value(graph, corpus, one, name, names) for name in one.names)
        if first and second and (is_more := _is_more(first[1].answer, second[1].answer)) is not None:
            places = tuple(dict.fromkeys((*first[1].places, *second[1].places)))
            return FactAnswer((first if is_more == one.greatest else second)[0], places)
    return None


def _value(
    graph: Graph, corpus: str, compared: AskedComparison, name: str, names: _Names
) -> tuple[str, FactAnswer] | None:
    """Return what a thing is called and the number or date by which it is compared, None if facts give none."""
    for title in compared.titles(name):
        for asked in compared.questions if names[title] else ():
            names[BRIDGE], question = names[title], asked.replace(NAME, BRIDGE)
            ends = _ends(graph, question, names)[1]
            figures = (_figure_of(graph, names[BRIDGE], one) for one in asked_figures(question) if one.name == BRIDGE)
            found = FactAnswer(ends.answer, ends.places) if ends else next(filter(None, figures), None)
            if found and _is_value(found):
                return title, found
    stated = (fact_answer(graph, corpus, asked.replace(NAME, name)) for asked in compared.questions)
    return next(((name, found) for found in stated if found and _is_value(found)), None)


def _is_value(found: FactAnswer) -> bool:
    return read_value(found.answer)[0] in ("date", "number")


def _is_more(one: str, other: str) -> bool | None:
    """Return whether a value is larger or later than another, None if they are equal or cannot be compared.

    >>> _is_more("3 May 1970", "1969"), _is_more("3 May 1970", "1970"), _is_more("5 km", "7 m")
    (True, None, None)
    """
    (kind, value, unit), (its_kind, its_value, its_unit) = read_value(one), read_value(other)
    if kind != its_kind or unit != its_unit or value is None or its_value is None:
        return None
    if kind == "date":
        size = min(len(str(value)), len(str(its_value)))
        value, its_value = str(value)[:size], str(its_value)[:size]
        return None if value == its_value else value > its_value
    return None if value == its_value else float(value) > float(its_value)


class _Names(dict[str, list[str]]):
    """The entities that a name may mean, looked for once."""

    def __init__(self, graph: Graph, corpus: str) -> None:
        super().__init__()
        self._graph, self._corpus = graph, corpus

    def __missing__(self, name: str) -> list[str]:
        self[name] = entities_called(self._graph, self._corpus, name)
        return self[name]


def _ends(graph: Graph, question: str, names: _Names, *, all_ends: bool = False) -> tuple[bool, FactEnds | None]:
    """Return whether a question asks for one fact of a thing that the graph has, and what its facts give."""
    asked = asked_facts(question)
    for name in dict.fromkeys(one.name for one in asked):
        if entities := names[name]:
            own = [one for one in asked if one.name == name]
            return True, _related(graph, question, entities, own, all_ends=all_ends)
    return False, None


def _by_bridge(graph: Graph, question: str, names: _Names, hops: int = HOPS) -> FactEnds | None:
    """Return what is asked of a thing that the question describes by a fact: "the town where Acme is based"."""
    for described in described_things(question):
        _, bridge = _ends(graph, described.question, names)
        if bridge and len(bridge.keys) == 1:
            names[BRIDGE * hops] = sorted(bridge.keys[0])
            rest = question.replace(described.written, BRIDGE * hops)
            _, ends = _ends(graph, rest, names)
            if ends := ends or (_by_bridge(graph, rest, names, hops - 1) if hops > 1 else None):
                return ends._replace(places=(*bridge.places, *ends.places)) if ends.labels else ends
    return None


def _by_both(graph: Graph, question: str, names: _Names) -> FactEnds | None:
    """Return the one thing that meets both conditions of a question."""
    one, other = (_ends(graph, condition, names, all_ends=True)[1] for condition in conditions(question) or ("", ""))
    if not one or not other:
        return None
    both = [(at, to) for at, own in enumerate(one.keys) for to, its in enumerate(other.keys) if own & its]
    if len(both) != 1:
        return None
    at, to = both[0]
    return FactEnds((one.labels[at],), (one.keys[at],), (one.places[at], other.places[to]), one=True)


class _AskedRow(NamedTuple):
    """A row of a table that a question asks about: the words that name it or what it is a part of, and its entities.

    `question` asks the same of those words: "What was Acme's revenue?" for "… for the product Cement?".
    """

    question: str
    said: str
    keys: list[str]


def _row_told(graph: Graph, corpus: str, question: str) -> _AskedRow | None:
    """Return the row of a table that a question names, of several the one named at most length.

    "the product Cement in “Acme”", "Acme's revenue for the product Cement".
    """
    told: dict[str, _AskedRow] = {}
    for place in quoted_places(question):
        for one in _like(graph, corpus, question, [f") of “{place.lower()}”"], place, TABLE_ROWS):
            row = listed_row(one["label"])
            if row and (found := re.search(rf"(?i)(?<!\w){re.escape(row.spoken)}", question)):
                told.setdefault(found[0], _AskedRow(question, found[0], [])).keys.append(one["key"])
    for one in _like(graph, corpus, question, [") of "], question, TABLE_ROWS) if _OF_PART.search(question) else ():
        row = listed_row(one["label"])
        part = re.search(rf"(?i) (?:for|of) {re.escape(row.said)}(?!\w)", question) if row and row.is_part else None
        if row and part and (rest := question.replace(part[0], "", 1)).find(row.place) > 0:
            told.setdefault(part[0], _AskedRow(rest, row.place, [])).keys.append(one["key"])
    return told[max(told, key=len)] if told else None


def _row_figure(graph: Graph, row: _AskedRow) -> FactAnswer | None:
    """Return the figure of a table's row that a question asks for.

    Where it asks for a number that the row does not have, the answer is "": what passages say is of the whole table.
    """
    figure = asked_figure(row.question, row.said)
    found = _figure_of(graph, row.keys, figure) if figure else None
    return found or (FactAnswer("", ()) if answer_types(row.question) == {"number"} else None)


def _figure_of(graph: Graph, entities: Sequence[str], figure: AskedFigure) -> FactAnswer | None:
    rows = _facts(graph, entities, (), (), figures=True)
    return figure_of_year([row for row in rows if same_label(label_words(row["label"]), figure.label)], figure.year)


def entities_called(graph: Graph, corpus: str, name: str) -> list[str]:
    """Return the keys of the entities that a name may mean: of this form, else without a legal form ("Acme Corp.")."""
    things = [row for row in _like(graph, corpus, name, name.lower().split()[:1], name, ENTITIES) if row["degree"]]
    wanted = spelt(name)
    cores = {wanted.joined, wanted.firm} - {""}
    return [
        row["key"]
        for row in things
        if form(row["label"]) == form(name)
        or not cores.isdisjoint({spelt(row["label"]).joined, spelt(row["label"]).firm})
    ]


def _like(graph: Graph, corpus: str, text: str, parts: Sequence[str], name: str, limit: int) -> list[dict[str, Any]]:
    """Return the entities of the passages most like a text whose names have all these parts, and those of a name."""
    code, asked = keys.corpus_code(corpus), words(text)
    if not form(name) or not asked:
        return []
    rows = graph.read(
        "read/entities_like", text=f"+corpus_code:{code} +({lucene_query(asked)})", passages=PASSAGES,
        words=list(parts), form=keys.form_key(corpus, form(name)), code=code, until=code + "~", limit=limit,
    )  # fmt: skip
    kinds = ("entity", "date") if name[0].isdigit() else ("entity",)
    return [row.data() for row in rows if row["kind"] in kinds]


def _related(
    graph: Graph, question: str, entities: Sequence[str], asked: Sequence[AskedFact], *, all_ends: bool
) -> FactEnds | None:
    """Return the ends by the first relation that a question may mean and the graph has of its thing."""
    schema = load_schema(DEFAULT)
    if schema is None:
        return None
    wanted = [(*schema.stored(one.relation.id), one.of_subject, one.relation.symmetric) for one in asked]
    sides = [(id_, of_subject != swapped, symmetric) for id_, swapped, of_subject, symmetric in wanted]
    objects = [id_ for id_, of_subject, symmetric in sides if of_subject or symmetric]
    subjects = [id_ for id_, of_subject, symmetric in sides if not of_subject or symmetric]
    rows = _facts(graph, entities, objects, subjects, figures=False)
    question = without_name(question, asked[0].name)
    noun = asked_noun(question)
    class_ = schema.entity_class(noun) if noun else None
    rows = [
        row
        for row in rows
        if (not class_ or schema.fit(row["type"] or row["kind"], [class_])) and _typed(row, question)
    ]
    for id_, of_subject, symmetric in sides:
        own = [row for row in rows if row["relation"] == id_ and (symmetric or row["of_subject"] == of_subject)]
        if own:
            side = schema.relations[id_].objects if of_subject else schema.relations[id_].subjects
            every = asks_all(question)
            one = side.startswith("one") and not every
            differ = one and len({row["answer"] for row in own}) > 1
            follow = differ and side == "one at a time"
            if side == "one at a time" and not _OF_THEN.search(question):
                own = [row for row in own if not _is_left(row)]
            if not own:  # who holds the post now is not said
                return FactEnds((), (), (), one)
            return _named(
                own,
                one=one,
                every=every or all_ends,
                published=_published(graph, own) if differ else {},
                of_now=follow and not _OF_THEN.search(question),
                follow=follow,
            )
    return None


def _typed(row: Mapping[str, Any], question: str) -> bool:
    """Return whether a fact's end is a date or number if and only if the question asks for one."""
    kinds = answer_types(question) & {"date", "number"}
    return row["kind"] in kinds if kinds else row["kind"] == "entity" or bool(asked_noun(question))


def _named(
    rows: Sequence[Mapping[str, Any]],
    *,
    one: bool,
    every: bool = False,
    published: Mapping[str, str] | None = None,
    follow: bool = False,
    of_now: bool = False,
) -> FactEnds | None:
    """Return the ends of facts, of a relation with one end the newest, unless every one is wanted.

    Where statements of one time differ, all are given: "Ada Lind or Bo Falk". `published`: the date of each document.
    `follow`: one end comes after another, so that the newest year of their sentences counts. `of_now`: what is told of
    the past alone gives way to what is not.
    """
    said: dict[str, list[SureStatement]] = {}
    labels, entities, newest = dict[str, str](), dict[str, set[str]](), dict[str, tuple[str, str]]()
    for row in rows:
        if sure := list(sure_statements(row)):
            key = form(row["answer"]) or row["answer"]
            labels.setdefault(key, row["answer"])
            entities.setdefault(key, set()).add(row["key"])
            said.setdefault(key, []).extend(sure)
            newest[key] = max(newest.get(key, ("", "")), period_time(row["period"] or ""))
    if not said or (len(said) > SEVERAL and not one and not every):
        return None
    order = sorted(said, key=lambda key: (newest[key], len(said[key])), reverse=True)
    if one:
        latest = [key for key in order if newest[key] == newest[order[0]]]
        dates = published or {}
        latest = _newest({key: [dates.get(told.chunk[: keys.KEY], "") for told in said[key]] for key in latest})
        if of_now:
            latest = [key for key in latest if not all(map(_is_over, said[key]))] or latest
        if follow:
            latest = _newest({key: [_year(labels[key], told.sentence) for told in said[key]] for key in latest})
        order = _apart(latest, labels)
    return FactEnds(
        tuple(labels[key] for key in order),
        tuple(frozenset(entities[key]) for key in order),
        tuple(said[key][0].place for key in order),
        one,
    )


def _newest(times: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ends that are stated at the last time, and those stated at a time that is not known, ""."""
    last = max(time for each in times.values() for time in each)
    return [key for key, each in times.items() if "" in each or last in each]


def _is_left(row: Mapping[str, Any]) -> bool:
    """Return whether all statements of a fact tell that its end has left a post: "Acme fired its chairman Bo Lind"."""
    return all(tells_of_leaving(sentence, row["answer"]) for sentence in row["sentences"])


def _is_over(told: SureStatement) -> bool:
    """Return whether a statement tells of the past, "was mayor of", and not how it began: "was elected mayor of"."""
    first, _, rest = told.words.partition(" ")
    return first in _WAS and base(rest.partition(" ")[0]) not in HOLDING


def _year(label: str, sentence: str) -> str:
    """Return the last year that a sentence may say an end of, "" if it has none but that of a birth."""
    spans = years_of_value(label, _BIRTH.sub("born", sentence))
    return max((year for span in spans for year in span.years), default="")


def _apart(ends: Iterable[str], labels: Mapping[str, str]) -> list[str]:
    """Return the ends that differ from those before: "Lun, Velmora" is no other than "Lun", "May 2031" than "2031"."""
    apart: dict[str, str] = {}
    for end in ends:
        kind, value, _ = read_value(labels[end])
        words = f" {str(value).replace('-', ' ') if kind == 'date' else end} "
        if not any(words in other or other in words for other in apart.values()):
            apart[end] = words
    return list(apart)


def _published(graph: Graph, rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the date of each dated document that states one of these facts, by its key."""
    documents = sorted({chunk[: keys.KEY] for row in rows for chunk in row["chunks"]})
    found = graph.read("read/said_documents_of", keys=documents)
    return {row["key"]: str(row["published"]) for row in found if row["published"] is not None}


def _facts(
    graph: Graph, entities: Sequence[str], objects: Sequence[str], subjects: Sequence[str], *, figures: bool
) -> list[dict[str, Any]]:
    rows = graph.read(
        "read/facts_asked",
        keys=list(entities),
        objects=list(objects),
        subjects=list(subjects),
        figures=figures,
        limit=FACTS,
    )
    return [row.data() for row in rows]
