"""Questions about ready-made Russian triplets (DRAGON), worded by templates and pymorphy3's morphology."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kgservice.core.records import Fact, Kind, Reading, Source, Subgraph
from kgservice.questions.filters import grammar, leakage
from kgservice.questions.filters.cascade import CASCADE
from kgservice.questions.wording import russian
from kgservice.questions.wording.templates import worded

DIBROV, BAR, ORENBURG, RUSSIA = "Дмитрий Дибров", "М-бар", "Оренбург", "Россия"


def fact(subject: str, relation: str, other: str, kind: Kind = "entity") -> Fact:
    said = Source(chunk="c", document="d", sentence=f"{subject} {relation} {other}.")
    return Fact(key=subject + other, subject=subject, relation=relation, property=relation, object=other,
                object_kind=kind, statements=(said,))  # fmt: skip


def row(pattern: str, asked: str, answers: tuple[str, ...], *facts: Fact) -> Subgraph:
    named = [end for one in facts for end in (one.subject, one.object) if end not in answers]
    apart = [Reading(pivots=(), facts=(one,)) for one in facts]
    readings = apart if asked == "members" else [Reading(pivots=(), facts=facts)]
    return Subgraph(id="q", pattern=pattern, asked=asked, relations=[one.relation for one in facts],
                    named=list(dict.fromkeys(named)), answers=answers, readings=readings)  # fmt: skip


@pytest.mark.parametrize(
    ("triplet", "object_asked", "subject_asked"),
    [
        ((DIBROV, "встретился с", "Мария Захарова"),
         "С кем или чем встретился Дмитрий Дибров?", "Кто или что встретился с Марией Захаровой?"),
        (("Мария Захарова", "встретилась с", DIBROV),
         "С кем или чем встретилась Мария Захарова?", "Кто или что встретился с Дмитрием Дибровым?"),
        ((DIBROV, "выступил в", BAR),
         "Где или в чём выступил Дмитрий Дибров?", "Кто или что выступил в объекте «М-бар»?"),
        ((DIBROV, "вступил в", "Государственная дума"),
         "В кого или что вступил Дмитрий Дибров?", "Кто или что вступил в Государственную думу?"),
        ((RUSSIA, "столица", "Москва"),
         "Кто или что является столицей России?", "Для кого или чего Москва является столицей?"),
        (("Юпитер", "главный редактор", DIBROV),
         "Кто или что является главным редактором Юпитера?",
         "Для кого или чего Дмитрий Дибров является главным редактором?"),
        ((RUSSIA, "является членом", "ООН"),
         "Членом кого или чего является Россия?", "Кто или что является членом ООН?"),
        ((DIBROV, "возглавляет", "Министерство обороны России"),
         "Кого или что возглавляет Дмитрий Дибров?", "Кто или что возглавляет Министерство обороны России?"),
        ((DIBROV, "руководит", "Нижний Новгород"),
         "Кем или чем руководит Дмитрий Дибров?", "Кто или что руководит Нижним Новгородом?"),
    ],
)  # fmt: skip
def test_a_fact_is_asked_from_both_ends(triplet: tuple[str, str, str], object_asked: str, subject_asked: str) -> None:
    known = fact(*triplet)
    for asked, answer, question in (("object", triplet[2], object_asked), ("subject", triplet[0], subject_asked)):
        given = row("single", asked, (answer,), known)
        assert worded(given) == question
        assert {one.name: one.fault(given, question) for one in CASCADE if one.fault(given, question)} == {}


def test_a_date_is_asked_by_when() -> None:
    founded = fact("FAW", "основан в", "1953", "date")
    assert worded(row("single", "object", ("1953",), founded)) == "Когда основан FAW?"


def test_a_set_asks_for_all() -> None:
    facts = fact(DIBROV, "выступил в", ORENBURG), fact(DIBROV, "выступил в", "Казань")
    given = row("set_of_objects", "members", (ORENBURG, "Казань"), *facts)
    assert worded(given) == "Назовите все ответы: где или в чём выступил Дмитрий Дибров?"
    facts = fact("Борис Ельцин", "родился в", RUSSIA), fact(DIBROV, "родился в", RUSSIA)
    given = row("set_of_subjects", "members", ("Борис Ельцин", DIBROV), *facts)
    assert worded(given) == "Назовите все ответы: кто или что родился в России?"
    assert not any(one.fault(given, worded(given)) for one in CASCADE)
    facts = fact("Борис Ельцин", "встретился с", "Мария Захарова"), fact(DIBROV, "встретился с", "Мария Захарова")
    given = row("set_of_subjects", "members", ("Борис Ельцин", DIBROV), *facts)
    assert not any(one.fault(given, worded(given)) for one in CASCADE), "Марией Захаровой is Мария Захарова"


def test_an_answer_in_another_case_is_told() -> None:
    given = row("single", "object", ("Москва",), fact(RUSSIA, "столица", "Москва"))
    assert leakage.answer_told(given, "Кто или что является столицей России, кроме Москвы?") == "answer in the question"


def test_two_conditions_meet() -> None:
    star = fact(DIBROV, "встретился с", "Мария Захарова"), fact(DIBROV, "выступил в", ORENBURG)
    assert worded(row("conditional_star", "pivot", (DIBROV,), *star)) == (
        "Кто или что встретился с Марией Захаровой и выступил в Оренбурге?"
    )
    inverted = fact(DIBROV, "встретился с", "Борис Ельцин"), fact(RUSSIA, "президент", "Борис Ельцин")
    assert worded(row("conditional_inverted_star", "pivot", ("Борис Ельцин",), *inverted)) == (
        "Назовите того или то, с кем или чем встретился Дмитрий Дибров и кто или что является президентом России."
    )
    chain = fact(RUSSIA, "столица", "Москва"), fact("Москва", "мэр", DIBROV)
    assert worded(row("conditional_chain", "pivot", ("Москва",), *chain)) == (
        "Назовите того или то, кто или что является столицей России и для кого или чего Дмитрий Дибров является мэром."
    )


@pytest.mark.parametrize("relation", ["сезон открыт с", "не является", "закрыто", "зустрівся з", "столиця"])
def test_what_no_template_fits_is_refused(relation: str) -> None:
    given = row("single", "object", (ORENBURG,), fact(DIBROV, relation, ORENBURG))
    assert grammar.rejection_reason(given, worded(given)) == "no templates in the language of its relation"


def test_most_of_dragons_relations_have_a_template(shared_data: Path) -> None:
    with gzip.open(shared_data / "dragon" / "relation_mapping.json.gz", "rt", encoding="utf-8") as file:
        names = sorted(filter(russian.is_russian, set(json.load(file).values())))
    asked = [worded(row("single", "object", (ORENBURG,), fact(DIBROV, name, ORENBURG))) for name in names]
    assert (sum(not text.startswith(("What", "Who", "Where", "When")) for text in asked), len(names)) == (1503, 1944)


def test_bridges_are_not_worded() -> None:
    chain = fact(RUSSIA, "столица", "Москва"), fact("Москва", "мэр", DIBROV)
    given = row("chain", "last", (DIBROV,), *chain)
    assert grammar.rejection_reason(given, worded(given)) == "no templates in the language of its relation"


def test_without_the_package_nothing_is_worded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(russian, "installed", lambda: False)
    russian.is_russian.cache_clear()
    given = row("single", "object", ("Москва",), fact(RUSSIA, "столица", "Москва"))
    assert grammar.rejection_reason(given, worded(given)) == "no templates in the language of its relation"
    russian.is_russian.cache_clear()


@pytest.mark.parametrize(
    ("name", "genitive", "accusative"),
    [
        ("Эмманюэль Макрон", "Эмманюэля Макрона", "Эмманюэля Макрона"),
        ("Ангела Меркель", "Ангелы Меркель", "Ангелу Меркель"),
        ("Санкт-Петербург", "Санкт-Петербурга", "Санкт-Петербург"),
        ("Соединённые Штаты", "Соединённых Штатов", "Соединённые Штаты"),
        ("Шевченко", "Шевченко", "Шевченко"),
        ("«Газпром»", "объекта «Газпром»", "объект «Газпром»"),
    ],
)
def test_names_are_declined(name: str, genitive: str, accusative: str) -> None:
    assert (russian.declined(name, "gent"), russian.declined(name, "accs")) == (genitive, accusative)
