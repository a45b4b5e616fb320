"""Words become relations of the schema by their phrases and the classes of their ends; what fits none stays open."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Entity, LinkedTriplet, Term, Triplet
from kgservice.core.schema import DEFAULT, NONE, Relation, load_schema
from kgservice.extraction.phrasebook import MAPPED, UNKNOWN, phrasebook, phrases
from kgservice.names.local_entities import entity, link
from kgservice.text.values import typed

SCHEMA, BOOK = load_schema(DEFAULT), phrasebook(DEFAULT)


def put(subject: str, relation: str, obj: str, *types: str | None) -> LinkedTriplet:
    """Return a statement put into the default schema; `types` of subject and object."""
    first, last = (*types, None, None)[:2]
    triplet = Triplet(
        subject=Term(label=subject, type=first),
        relation=relation,
        object=typed(Term(label=obj, type=last)),
        sentence="s",
    )
    assert BOOK is not None
    (found,), counts = BOOK.put(link([triplet]))
    assert sum(counts.values()) == 1 and (counts[MAPPED] == 0) == found.relation.startswith("open:")
    return found


@pytest.mark.parametrize(
    ("stated", "relation", "turned"),
    [(("Ada", "was born in", "London"), "P19", False), (("Ada", "was born in", "1815"), "P569", False),
     (("Tarkovsky", "directed", "Solaris"), "P57", True), (("Solaris", "was directed by", "Tarkovsky"), "P57", False),
     (("Oslo", "is the capital of", "Norway"), "P36", True), (("Norway", "capital", "Oslo"), "P36", False),
     (("Tim", "was appointed chief executive of", "Acme"), "P169", True), (("Acme", "are incorporated in", "Ohio"), "kgs:incorporated_in", False),
     (("Acme", "was originally incorporated in", "Ohio"), "kgs:incorporated_in", False),
     (("Acme", "total net sales", "$5 million"), "P2139", False), (("Acme", "has", "300 employees"), "P1128", False),
     (("Lun", "has", "9,000 inhabitants"), "P1082", False), (("Bay", "is a bay in", "Ohio", None, "state"), "P131", False),
     (("Lun", "is located in", "Estmark", "city", "country"), "P17", False), (("Lun", "is in", "Asia", "city", "continent"), "P30", False),
     (("Acme", "parent of", "Bolt", "company", "company"), "P749", True), (("Solaris", "P57", "Tarkovsky"), "P57", False),
     (("Ada", "formerly played for", "Lun", "person", "team"), "P54", False),
     (("Ellis", "P131", "United States"), "P17", False), (("Ellis", "is in", "the USA", "city"), "P17", False),
     (("Ellis", "is in", "Georgia", "city"), "P131", False), (("Ellis", "P131", "Kansas", "city"), "P131", False),
     (("Lun Cup", "P276", "New York", "event"), "P276", False), (("Lun Cup", "is in", "Peru", "event"), "P17", False)],
)  # fmt: skip
def test_words_mean_a_relation_between_their_ends(stated: tuple[str, ...], relation: str, turned: bool) -> None:
    found = put(*stated)
    assert found.relation == relation
    assert (found.subject.label, found.object.label) == ((stated[2], stated[0]) if turned else (stated[0], stated[2]))
    assert SCHEMA is not None and found.label == SCHEMA.relations[relation].label
    assert found.said == (found.label if stated[1] in SCHEMA.relations else stated[1])  # an id is nobody's words


@pytest.mark.parametrize(
    ("stated", "reason"),
    [(("Ada", "was awarded", "M.Sc."), "object of another class"), (("Ada", "won", "PhD"), "object of another class"),
     (("Ada", "received", "Master of Arts"), "object of another class"),
     (("Amazon", "tumbled", "4 per cent"), UNKNOWN), (("Lun", "has", "7 bridges"), UNKNOWN), (("Ada", "was formerly mayor of", "Lun"), UNKNOWN),
     (("Solaris", "was born in", "London", "film"), "subject of another class"),
     (("Ada", "was directed by", "London", "film", "city"), "object of another class"),
     (("Ada", "attended", "Lun Gala", "person", "organization"), "object of another class"),
     (("Ada", "attended", "Lun Festival", "person"), "object of another class"),
     (("X", "directed", "36 films"), "object of another class")],
)  # fmt: skip
def test_what_fits_no_relation_stays_open_for_a_reason(stated: tuple[str, ...], reason: str) -> None:
    assert BOOK is not None
    found = put(*stated)
    assert (found.relation, found.label, found.said) == (f"open:{stated[1]}", stated[1], stated[1])

    assert (found.subject.label, found.object.label) == (stated[0], stated[2])
    assert BOOK.meaning(stated[1], found.subject, found.object) == reason


@pytest.mark.parametrize(
    ("said", "means"), [("girlfriend", True), ("boyfriend", True), ("lover", False), ("mistress", False)]
)
def test_a_lover_is_no_partner(said: str, means: bool) -> None:
    assert (put("Ada Orr", f"is {said} of", "Lun Kost").relation == "P451") == means


@pytest.mark.parametrize(
    ("heading", "means"), [("date", False), ("produce", False), ("Mayor", True), ("born in", True)]
)
def test_a_heading_of_one_word_is_a_noun(heading: str, means: bool) -> None:
    ends = {"subject": Term(label="Ada Orr"), "object": Term(label="Lun Kost")}
    triplet = Triplet(relation=heading, sentence="| Ada Orr | Lun Kost |", cell="row 1, column 2", **ends)
    assert BOOK is not None
    _, counts = BOOK.put(link([triplet]))
    assert counts[MAPPED] == means
    assert put("Ada Orr", "dated", "Lun Kost").relation == "P451"


def test_inverse_relations_are_stored_as_one_and_symmetric_ones_are_marked() -> None:
    assert put("Oslo", "P1376", "Norway") == put("Norway", "P36", "Oslo")
    assert put("Ada", "married", "Bo").mirrored and not put("Ada", "was born in", "Lun").mirrored


def test_without_a_schema_relations_stay_as_they_are() -> None:
    assert phrasebook(NONE) is None


@settings(deadline=None)  # the first example reads the file
@given(st.sampled_from(sorted(SCHEMA.relations if SCHEMA else ())))
def test_each_phrase_means_its_relation_or_one_that_fits_the_ends_as_well(name: str) -> None:
    assert SCHEMA is not None and BOOK is not None
    relation = SCHEMA.relations[name]
    for phrase, turned in phrases(relation):
        first, last = _of_class(relation.domain[0]), _of_class(relation.range[0])
        subject, obj = (last, first) if turned else (first, last)
        found = BOOK.meaning(" ".join(phrase.split()), subject, obj)
        assert not isinstance(found, str), phrase
        as_said = (subject, obj) if not found.turned else (obj, subject)
        assert _fit(found.relation, *as_said) >= _fit(relation, first, last), phrase


def _fit(relation: Relation, subject: Entity, obj: Entity) -> int:
    assert SCHEMA is not None
    types = (one.type if one.kind == "entity" else one.kind for one in (subject, obj))
    return sum(
        SCHEMA.fit(type_, classes) for type_, classes in zip(types, (relation.domain, relation.range), strict=True)
    )


def _of_class(name: str) -> Entity:
    value = {"number": "5", "date": "1999"}.get(name)
    label = value or ("Europe" if name == "continent" else "B")
    return entity(typed(Term(label=label, type=None if value else name)))


def test_a_verb_is_no_noun_that_looks_like_it() -> None:
    assert put("Air Deccan", "ordered", "30 Airbus A320 planes").relation == "open:ordered"
    assert put("Panthera leo", "order", "Carnivora").relation == "P171"


def test_an_amount_is_no_product() -> None:
    assert put("Microsoft", "sold", "19.9 million units").relation.startswith("open:")


def test_an_id_whose_ends_do_not_fit_is_said_in_words() -> None:
    found = put("Ada Orr", "P108", "2031")
    assert (found.relation, found.label, found.said) == ("open:employer", "employer", "employer")
