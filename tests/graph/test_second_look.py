"""A question is withheld where the text may have another answer, and comes back when the text has none any more."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from kgservice.cli.questions import described
from kgservice.core import keys
from kgservice.core.records import Document, Question, Term, Triplet
from kgservice.extraction.readers.relation_reader import Joined, RelationReader
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store, second_look
from kgservice.questions.export.layouts import exported
from kgservice.questions.second_look import (
    CLASH,
    NAME,
    SEVERAL,
    SURE,
    SURE_TOGETHER,
    TWICE,
    UNSEARCHED,
    UNSURE,
    WITHHELD,
)
from kgservice.questions.selection import ONCE, Plan, generate, refresh
from tests.graph.test_refresh import NoJournal

pytestmark = pytest.mark.usefixtures("unsearched")

Given = tuple[str, str, str, str]  # subject, relation, object, sentence
SOLARIS: Given = ("Veldt Harbour", "P57", "Ilse Maron", "Veldt Harbour is a film directed by Ilse Maron.")
BORN: Given = ("Ilse Maron", "P19", "Lunsk", "Ilse Maron was born in Lunsk.")
CITIZEN: Given = ("Ilse Maron", "P27", "France", "Ilse Maron is a citizen of France.")
CAPITAL: Given = ("Norvia", "P36", "Lunsk", "The capital of Norvia is Lunsk.")


def put(
    graph: Graph, corpus: str, source: str, text: str, *given: Given, title: str = "", confidence: float = 1
) -> None:
    """Load a document of a text and the facts that were read in it; "" removes it."""
    if not text:
        graph.remove(corpus, [keys.document_key(corpus, source)])
        return
    triplets = tuple(
        Triplet(subject=Term(label=s), relation=r, object=Term(label=o), sentence=said, confidence=confidence)
        for s, r, o, said in given
    )
    made = Document(source=source, title=title, text=text, triplets=triplets)
    recipe = Recipe(schema_name="default")
    write_all(graph, [made], corpus, recipe, LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]


def asked(graph: Graph, corpus: str, pattern: str, asked: str, relation: str) -> Question:
    found = question_store.questions(graph, corpus, pattern=pattern)
    return next(one for one in found if one.asked == asked and one.facts[0].property == relation)


@pytest.mark.parametrize(
    ("text", "title", "rival"),
    [
        ("Veldt Harbour was also directed by Otto Brand.", "", "Otto Brand"),  # a phrase of the schema
        ("It was helmed by Otto Brand, too.", "Veldt Harbour", "Otto Brand"),  # a pronoun in its own article
        ("Veldt Harbour cost a lot. Otto Brand directed it.", "", "Otto Brand"),  # a pronoun after a sentence about it
        ("Otto Brand was the man behind the camera of Veldt Harbour.", "", "Otto Brand"),  # words of no relation
        ("Veldt Harbour was directed by Ilse Maron.", "", None),  # the answer
        ("Veldt Harbour was directed by Maron.", "", None),  # the answer, in another spelling
        ("The Long Quay was directed by Otto Brand.", "", None),  # another film
        ("Otto Brand wrote a novel about the sea.", "", None),
    ],
)
def test_another_answer_in_the_text(graph: Graph, corpus: str, text: str, title: str, rival: str | None) -> None:
    put(graph, corpus, "a", SOLARIS[3], SOLARIS)
    put(graph, corpus, "b", text, title=title)
    generate(graph, corpus, Plan(patterns=("single",)))
    found = asked(graph, corpus, "single", "object", "P57")
    if rival is None:
        assert not found.rivals
        assert found.reason != WITHHELD
        return
    assert (found.state, found.reason) == ("rejected", WITHHELD)
    assert [one.answer for one in found.rivals] == [rival]
    assert found.rivals[0].sentence in text
    assert found.rivals[0].document == keys.document_key(corpus, "b")
    assert f"? {rival}" in described(found)
    assert exported(found)["rivals"][0]["answer"] == rival


@pytest.mark.parametrize(
    ("said", "rivals"),
    [
        ("Veldt Harbour was directed by Ilse Maron and Otto Brand.", ["Otto Brand"]),  # one list
        ("Veldt Harbour was directed by the painter Ilse Maron and the poet and novelist Otto Brand.", ["Otto Brand"]),
        ("Veldt Harbour was directed by Ilse Maron, who was born in Lunsk.", []),
        ("Veldt Harbour was directed by Ilse Maron and praised by the critic Otto Brand.", []),
        ("Written by Ilse Maron and Otto Brand, Veldt Harbour was directed by Ilse Maron.", []),  # a list of writers
    ],
)
def test_what_its_own_sentence_says_beside_the_answer(graph: Graph, corpus: str, said: str, rivals: list[str]) -> None:
    put(graph, corpus, "a", said, (*SOLARIS[:3], said))
    generate(graph, corpus, Plan(patterns=("single",)))
    assert [one.answer for one in asked(graph, corpus, "single", "object", "P57").rivals] == rivals


@pytest.mark.parametrize(
    ("text", "rejected"),
    [
        ("Ilse Maron grew up in Varn.", False),  # one for ever: only what contradicts it counts
        ("Ilse Maron was born in Lunsk, near Varn.", False),
        ("Ilse Maron was born in Varn.", True),
    ],
)
def test_a_side_that_is_one_for_ever_is_only_contradicted(
    graph: Graph, corpus: str, text: str, *, rejected: bool
) -> None:
    put(graph, corpus, "a", BORN[3], BORN)
    put(graph, corpus, "b", text)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert (asked(graph, corpus, "single", "object", "P19").reason == WITHHELD) == rejected


def test_a_fact_is_asked_about_while_one_of_its_statements_is_sure(graph: Graph, corpus: str) -> None:
    again = (*BORN[:3], "Lunsk is where Ilse Maron was born.")
    put(graph, corpus, "a", BORN[3], BORN, confidence=SURE_TOGETHER - 0.01)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "object", "P19").reason == UNSURE
    put(graph, corpus, "b", again[3], again, confidence=SURE_TOGETHER)
    assert refresh(graph, corpus).added == 1
    assert asked(graph, corpus, "single", "object", "P19").state == "active"
    put(graph, corpus, "b", "")
    assert refresh(graph, corpus).retired == {UNSURE: 1}
    assert generate(graph, corpus, Plan(patterns=("single",), second_look=False)).added == 1


@pytest.mark.parametrize(("other", "state"), [(0.9, "active"), (SURE_TOGETHER, "rejected")])
def test_an_unsure_fact_is_asked_about_only_beside_a_surer_one(
    graph: Graph, corpus: str, other: float, state: str
) -> None:
    put(graph, corpus, "a", SOLARIS[3], SOLARIS, confidence=other)
    put(graph, corpus, "b", BORN[3], BORN, confidence=SURE)
    generate(graph, corpus, Plan(patterns=("single", "chain")))
    assert asked(graph, corpus, "single", "object", "P19").reason == UNSURE
    chains = question_store.questions(graph, corpus, pattern="chain")
    assert {one.asked: one.state for one in chains}["last"] == state


def test_a_side_that_usually_has_several_members_is_not_said_to_have_one(graph: Graph, corpus: str) -> None:
    given = ("Ilse Maron", "P27", "Norvia", "Ilse Maron is a citizen of Norvia.")
    put(graph, corpus, "a", given[3], given)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "subject", "P27").reason == SEVERAL
    assert asked(graph, corpus, "single", "object", "P27").state == "active"


@pytest.mark.parametrize(("said", "reason"), [("wife", ""), ("second wife", SEVERAL)])
def test_who_is_numbered_is_not_the_only_one(graph: Graph, corpus: str, said: str, reason: str) -> None:
    given = ("Ilse Maron", "P26", "Otto Brand", f"Ilse Maron was the {said} of Otto Brand.")
    put(graph, corpus, "a", given[3], given)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "object", "P26").reason == reason


@pytest.mark.parametrize(
    ("said", "several"),
    [
        ("Ilse Maron founded Veltrin.", False),
        ("Ilse Maron is the co-founder of Veltrin.", True),
        ("Ilse Maron is a founding member of Veltrin.", True),
        ("Ilse Maron cofounded Veltrin.", True),
        ("Ilse Maron, a co-author of the plan, founded Veltrin.", False),
    ],
)
def test_who_did_something_with_others_is_not_the_only_one(graph: Graph, corpus: str, said: str, several: bool) -> None:
    put(graph, corpus, "a", said, ("Veltrin", "P112", "Ilse Maron", said))
    generate(graph, corpus, Plan(patterns=("single",)))
    found = {one.asked: one.reason for one in question_store.questions(graph, corpus, pattern="single")}
    assert (found["object"] == SEVERAL) == several
    assert found.get("subject") != SEVERAL


def test_a_number_before_one_end_says_nothing_of_the_other(graph: Graph, corpus: str) -> None:
    names = ("Ilse Maron", "Otto Brand", "Ana Sela", "Tor Lind")
    for at, name in enumerate(names):
        given = (f"Lunsk {at} Inc.", "P169", name, f"{name} was the first CEO of Lunsk {at} Inc.")
        put(graph, corpus, name, given[3], given)
    generate(graph, corpus, Plan(patterns=("single",), share=1))
    found = question_store.questions(graph, corpus, pattern="single")
    assert sorted(one.answers[0] for one in found if one.state == "active") == [f"Lunsk {at} Inc." for at in range(4)]


def test_a_side_that_usually_has_several_members_is_no_complete_list(graph: Graph, corpus: str) -> None:
    for name in ("Ilse Maron", "Otto Brand"):
        put(
            graph,
            corpus,
            name,
            f"{name} is a citizen of Norvia.",
            (name, "P27", "Norvia", f"{name} is a citizen of Norvia."),
        )
    generate(graph, corpus, Plan(patterns=("set_of_subjects",)))
    assert asked(graph, corpus, "set_of_subjects", "members", "P27").reason == SEVERAL


def test_what_there_is_one_of_is_neither_listed_nor_a_condition_where_the_graph_has_two(
    graph: Graph, corpus: str
) -> None:
    for number, (subject, relation, end, said) in enumerate(
        [
            ("Ilse Maron", "P25", "Ana Sela", "Ana Sela was the mother of Ilse Maron."),
            ("Ilse Maron", "P25", "Rolfa Dahl", "Ilse Maron's mother was Rolfa Dahl."),
            ("Low Water", "P50", "Ana Sela", "The novel Low Water was written by Ana Sela."),
            ("Low Water", "P50", "Tor Lind", "The novel Low Water was written by Tor Lind."),
        ]
    ):
        put(graph, corpus, f"{number}", said, (subject, relation, end, said))
    generate(graph, corpus, Plan(patterns=("set_of_objects", "conditional_inverted_star")))
    assert asked(graph, corpus, "set_of_objects", "members", "P25").reason == CLASH
    assert asked(graph, corpus, "conditional_inverted_star", "pivot", "P25").reason == CLASH


def test_of_two_in_one_post_none_is_asked_for(graph: Graph, corpus: str) -> None:
    wrote = [("Low Water", "P50", name, f"The novel Low Water is by {name}.") for name in ("Ana Sela", "Otto Brand")]
    told = "{}, who wrote a novel, is the head of state of Norvia."
    held = [("Norvia", "P35", name, told.format(name)) for name in ("Ana Sela", "Tor Lind")]
    for fact in (*wrote, *held):
        put(graph, corpus, fact[3], fact[3], fact)
    generate(graph, corpus, Plan(patterns=("conditional_inverted_star",)))
    assert asked(graph, corpus, "conditional_inverted_star", "pivot", "P35").reason == CLASH


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Veldt Harbour, of which Otto Brand and Ana Sela spoke in Varn, won in Oslo.", ""),  # says nothing of the two
        ("“We paid for Veldt Harbour,” the studio said.", ""),
        ("Veldt Harbour cost 3 million USD.", ""),
        ("Veldt Harbour opened in November.", ""),
        ("It was shown at the 3rd Varn Film Festival.", "Veldt Harbour"),  # persons have no numbers
        ("It came out with a Phonovar soundtrack.", "Veldt Harbour"),  # nor is one introduced by half a name
        ("The film Veldt Harbour stars Otto Brand, Ana Sela and Rolf Dahl.", ""),  # "film" alone says no director
        ("Otto Brand gave it a prize at the Varn Film Festival.", "Veldt Harbour"),  # a festival is nobody
        ("With the Lunsk archive in mind, it took a winter.", "Veldt Harbour"),  # half a name, after "With the"
        ("# Otto Brand on Veldt Harbour\n\nWe spoke.", ""),  # a headline leaves out what it is about
        ("Otto Brand (Veldt Harbour)\n\nWe spoke.", "Otto Brand (Veldt Harbour)"),  # nor does a title say it
        ("Ilse Maron came with Veldt Harbour to the festival of Otto Brand.", ""),  # beside the answer, and no sign
    ],
)
def test_what_is_no_rival(graph: Graph, corpus: str, text: str, title: str) -> None:
    put(graph, corpus, "a", SOLARIS[3], SOLARIS)
    put(graph, corpus, "b", text, title=title)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert not asked(graph, corpus, "single", "object", "P57").rivals


@pytest.mark.parametrize(
    ("text", "rivals"),
    [
        ("She moved to Hollywood.", []),  # no country, for all that is known
        ("Ilse Maron is a citizen of the Soviet Union.", ["Soviet Union"]),  # in no list of today: the reader tells it
        ("Ilse Maron is a Lunsk-born citizen.", []),  # no country stands alone here, whatever the reader says
        ("She was naturalised in Germany.", ["Germany"]),
        ("She is a German film director.", ["German"]),
        ("She saw a German penal colony.", []),  # of a thing that is no person
        ("The Quell Empire honoured her.", ["The Quell Empire"]),  # the noun of the name says so
    ],
)
def test_only_a_country_is_another_country(graph: Graph, corpus: str, text: str, rivals: list[str]) -> None:
    put(graph, corpus, "a", CITIZEN[3], CITIZEN)
    put(graph, corpus, "b", text, title="Ilse Maron")
    generate(graph, corpus, Plan(patterns=("single",)))
    assert [one.answer for one in asked(graph, corpus, "single", "object", "P27").rivals] == rivals


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (("Ada Orr", "was mayor of", "Lunsk"), "rejected"),
        (("Ada Orr", "is mayor of", "Lunsk"), "active"),
        (("Ada Orr", "chaired", "Globex"), "rejected"),
        (("Ada Orr", "chairs", "Globex"), "active"),
        (("Ada Orr", "was elected mayor of", "Lunsk"), "active"),
        (("Globex", "was headquartered in", "Lunsk"), "rejected"),
        (("Ada Orr", "joined", "Labour Party"), "active"),
        (("Ada Orr", "was buried in", "Lunsk"), "active"),
        (("Globex Inc.", "was incorporated in", "Delaware"), "active"),
    ],
)
def test_who_was_mayor_is_not_asked_of_now(graph: Graph, corpus: str, given: tuple[str, str, str], state: str) -> None:
    given = (*given, f"{' '.join(given)}.")
    put(graph, corpus, "a", given[3], given)
    generate(graph, corpus, Plan(patterns=("single",), second_look=False))
    found = list(question_store.questions(graph, corpus, pattern="single"))
    assert state in {one.state for one in found}
    assert ("may be over" in {one.reason for one in found}) == (state == "rejected")


def test_a_value_is_named_nowhere(graph: Graph, corpus: str) -> None:
    given = ("Norvia", "P571", "1952", "Norvia was established in 1952.")
    put(graph, corpus, "a", given[3], given)
    done = generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "subject", "P571").reason in (
        UNSEARCHED,
        "asked by a value alone",
    )
    assert [one.filter for one in done.filters][-3:] == [NAME, ONCE, "share"]


def test_a_year_is_not_asked_for_where_another_passage_has_the_day(graph: Graph, corpus: str) -> None:
    given = ("Low Water", "P577", "1952", "Low Water is a film released in 1952.")
    put(graph, corpus, "a", given[3], given, title="Lun films")
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "object", "P577").state == "active"
    put(graph, corpus, "b", "Low Water was released on 16 May 1952.", title="Low Water")
    refresh(graph, corpus)
    assert asked(graph, corpus, "single", "object", "P577").reason == WITHHELD


@pytest.mark.parametrize("title", ["Ada and the Sea", "45 Sailors", "Havet som aldri sover", "Tide, tide"])
def test_a_work_is_looked_for_by_its_whole_title(graph: Graph, corpus: str, title: str) -> None:
    given = (title, "P57", "Ilse Maron", f"{title} is a film directed by Ilse Maron.")
    put(graph, corpus, "a", given[3], given, title=title)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert asked(graph, corpus, "single", "object", "P57").state == "active"
    put(graph, corpus, "b", "It was helmed by Otto Brand, too.", title=title)
    refresh(graph, corpus)
    assert asked(graph, corpus, "single", "object", "P57").reason == WITHHELD


def test_each_step_of_a_chain_is_looked_at(graph: Graph, corpus: str) -> None:
    for name, given in (("a", SOLARIS), ("b", BORN), ("c", CAPITAL)):
        put(graph, corpus, name, given[3], given)
    plan = Plan(patterns=("chain",))
    done = generate(graph, corpus, plan)
    assert (done.added, done.rejected) == (1, {SEVERAL: 1})  # who directs has several films
    put(graph, corpus, "d", "Otto Brand directed Veldt Harbour.")
    done = refresh(graph, corpus)
    assert done.retired == {WITHHELD: 1}
    put(graph, corpus, "d", "")
    assert refresh(graph, corpus).added == 1
    put(graph, corpus, "d", "Veldt Harbour took cues from Otto Brand.")  # nothing else is said, and a film may have two
    assert refresh(graph, corpus).retired == {WITHHELD: 1}


@pytest.mark.parametrize(
    ("said", "withheld"),
    [
        (
            "It was a favourite with fans at WaveLun.",
            False,
        ),  # the only other name of a sentence says nothing of a bridge
        ("It was written by its members Otto Brand and Ana Sela.", False),  # persons are no "band that recorded"
        ("It was recorded by the band Low Water.", True),
    ],
)
@pytest.mark.parametrize("own", ["band", None])  # without a class its facts tell it: who recorded and was formed
def test_what_else_a_bridge_may_be_is_of_the_class_that_the_question_says(
    graph: Graph, corpus: str, said: str, own: str | None, *, withheld: bool
) -> None:
    """Read with the classes that texts give: the band, its members, the other band."""
    ends = {
        "Red Kites": own,
        "Low Water": "band",
        "Otto Brand": "person",
        "Ana Sela": "person",
        "Blue Tide": "album",
    }
    told = "Blue Tide is an album by the band Red Kites."
    formed = "Red Kites were formed in 2001. Low Water played beside them, and so did Otto Brand and Ana Sela."
    others = [("Low Water", "P571", "1999"), ("Otto Brand", "P3373", "Ana Sela")]
    facts = [
        ("a", told, [("Blue Tide", "P175", "Red Kites")]),
        ("b", formed, [("Red Kites", "P571", "2001"), *others]),
        ("c", f"Blue Tide came out. {said}", [("Otto Brand", "P3373", "Ana Sela"), ("Low Water", "P571", "1999")]),
    ]
    for name, text, stated in facts:
        triplets = tuple(
            Triplet(
                subject=Term(label=s, type=ends.get(s)), relation=r, object=Term(label=o, type=ends.get(o)),
                sentence=formed if r != "P175" else told,
            )
            for s, r, o in stated
        )  # fmt: skip
        made = Document(source=name, title="Blue Tide" if name == "c" else "", text=text, triplets=triplets)
        write_all(graph, [made], corpus, Recipe(schema_name="default"), LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]
    generate(graph, corpus, Plan(patterns=("chain",)))
    found = [one for one in question_store.questions(graph, corpus, pattern="chain") if one.asked == "last"]
    assert [one.reason for one in found] == [WITHHELD if withheld else ""]


@pytest.mark.parametrize(
    ("said", "withheld"),
    [
        ("Acme has offices in Oslo, Varn and Lunsk, Germany.", False),  # cities are no country
        ("Lunsk is located in France.", True),
    ],
)
def test_what_is_no_other_country_of_a_place(graph: Graph, corpus: str, said: str, *, withheld: bool) -> None:
    based = ("Globex", "P159", "Lunsk", "Globex is headquartered in Lunsk.")
    lies = [("Lunsk", "P17", "Germany", f"The {what} of Lunsk, Germany, is old.") for what in ("fair", "tower")]
    for given in (based, *lies):
        put(graph, corpus, given[3], given[3], given)
    put(graph, corpus, "c", said)
    generate(graph, corpus, Plan(patterns=("chain",)))
    found = [one for one in question_store.questions(graph, corpus, pattern="chain") if one.asked == "last"]
    assert [one.reason for one in found] == [WITHHELD if withheld else ""]


def test_where_a_place_lies_is_no_other_place(graph: Graph, corpus: str) -> None:
    given = ("Acme", "P159", "Lunsk", "Acme is a maker of sails headquartered in Lunsk, Estmark.")
    put(graph, corpus, "a", given[3], given)
    generate(graph, corpus, Plan(patterns=("single",)))
    assert not asked(graph, corpus, "single", "object", "P159").rivals


def test_a_year_is_a_condition_where_nothing_else_that_meets_the_other_is_told_of_it(graph: Graph, corpus: str) -> None:
    for at, (s, r, o, said) in enumerate(
        [
            ("Veldt Harbour", "P57", "Ilse Maron", "The film Veldt Harbour was directed by Ilse Maron."),
            ("Veldt Harbour", "P577", "1971", "Veldt Harbour came out in 1971."),
            ("High Tide", "P57", "Ilse Maron", "High Tide was directed by Ilse Maron."),
        ]
    ):
        put(graph, corpus, str(at), said, (s, r, o, said))
    plan = Plan(patterns=("conditional_star",))
    generate(graph, corpus, plan)
    assert asked(graph, corpus, "conditional_star", "pivot", "P57").state == "active"
    put(graph, corpus, "more", "Ilse Maron was proud of High Tide (1971).")
    assert refresh(graph, corpus).retired == {WITHHELD: 1}
    put(graph, corpus, "more", "")
    assert refresh(graph, corpus).added == 1


def test_a_condition_that_another_thing_meets_in_the_text(graph: Graph, corpus: str) -> None:
    """Two films are by Maron and two star Sela, one has both: until a text says that of another."""
    plays = [("Veldt Harbour", "P161", "Ana Sela"), ("Low Water", "P161", "Ana Sela")]
    by = [("Veldt Harbour", "P57", "Ilse Maron"), ("High Tide", "P57", "Ilse Maron")]
    for at, (s, r, o) in enumerate((*plays, *by)):
        said = f"The film {s} stars {o}." if r == "P161" else f"The film {s} was directed by {o}."
        put(graph, corpus, str(at), said, (s, r, o, said))
    plan = Plan(patterns=("conditional_star", "conditional_inverted_star", "conditional_chain", "star"))
    generate(graph, corpus, plan)
    found = [one for one in question_store.questions(graph, corpus) if one.asked == "pivot"]
    assert [(one.answers, one.state) for one in found] == [(("Veldt Harbour",), "active")]
    put(graph, corpus, "more", "High Tide stars nobody. Ilse Maron directed Low Water.")
    assert refresh(graph, corpus).retired == {WITHHELD: 1}
    put(graph, corpus, "more", "Ilse Maron directed Dry Land.")
    assert refresh(graph, corpus).added == 1


def test_two_conditions_that_many_meet_are_not_asked(graph: Graph, corpus: str) -> None:
    """Of three members of one club and three of another, one is in both: until it is told of two in each alone."""
    members = (("Ada Orr", "Bo Lind", "Cy Voss"), ("Ada Orr", "Di Kovac", "Eli Brandt"))
    told = [(name, "P463", "Lun Club") for name in members[0]] + [(name, "P69", "Quay College") for name in members[1]]
    for at, (s, r, o) in enumerate(told):
        said = f"{s} is a member of the {o}." if r == "P463" else f"{s} studied at {o}."
        put(graph, corpus, str(at), said, (s, r, o, said))
    plan = Plan(patterns=("conditional_star",))
    assert generate(graph, corpus, plan).rejected == {WITHHELD: 1}
    put(graph, corpus, "5", "")
    assert refresh(graph, corpus).added == 1


def test_what_else_is_of_a_country_nobody_counts(graph: Graph, corpus: str) -> None:
    for at, place in enumerate(("Norway", "Lunsk Harbour")):
        said = f"The Orr Act applies to {place}."
        put(graph, corpus, str(at), said, (f"Orr Act {place[0]}", "P1001", place, said))
    generate(graph, corpus, Plan(patterns=("single",)))
    found = [one for one in question_store.questions(graph, corpus) if one.asked == "subject"]
    assert {one.facts[0].object: one.reason == SEVERAL for one in found} == {"Norway": True, "Lunsk Harbour": False}


def test_a_set_of_one_thing_by_two_names_is_not_asked(graph: Graph, corpus: str) -> None:
    said = "The Long Quay was directed by Ana Nesta and by Princess Ana Nesta."
    put(
        graph,
        corpus,
        "a",
        said,
        *(("The Long Quay", "P57", name, said) for name in ("Ana Nesta", "Princess Ana Nesta")),
    )
    assert generate(graph, corpus, Plan(patterns=("set_of_objects",))).rejected == {TWICE: 1}


def test_two_of_what_there_is_one_at_a_time_are_not_in_one_sentence(graph: Graph, corpus: str) -> None:
    said = "Alan Vane was married to Nora Vane, later Nora Powell."
    put(graph, corpus, "a", said, *(("Alan Vane", "P26", name, said) for name in ("Nora Vane", "Nora Powell")))
    plan = Plan(patterns=("set_of_objects",))
    assert generate(graph, corpus, plan).rejected == {CLASH: 1}
    put(graph, corpus, "a", "Alan Vane married Ida Orr.", ("Alan Vane", "P26", "Ida Orr", "Alan Vane married Ida Orr."))
    put(
        graph,
        corpus,
        "b",
        "Alan Vane married Eva Holt.",
        ("Alan Vane", "P26", "Eva Holt", "Alan Vane married Eva Holt."),
    )
    assert refresh(graph, corpus).added == 1


def test_without_the_look_nothing_is_withheld(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", SOLARIS[3], SOLARIS)
    put(graph, corpus, "b", "Veldt Harbour was also directed by Otto Brand.")
    done = generate(graph, corpus, Plan(patterns=("single",), second_look=False))
    assert WITHHELD not in done.rejected
    assert NAME not in [one.filter for one in done.filters]


def test_no_sentence_is_read_twice_by_the_same_weights(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, real = list[str](), RelationReader.read

    def counted(reader: RelationReader, text: str, *asked: Any, **options: Any) -> list[Joined]:
        read.append(text)
        return real(reader, text, *asked, **options)

    monkeypatch.setattr(RelationReader, "read", counted)
    rival = "Otto Brand was the man behind the camera of Veldt Harbour."
    put(graph, corpus, "a", SOLARIS[3], SOLARIS)
    put(graph, corpus, "b", rival)
    plan = Plan(patterns=("single",))
    generate(graph, corpus, plan)
    first = asked(graph, corpus, "single", "object", "P57")
    assert sorted(read) == sorted({*read}) == sorted([SOLARIS[3], rival])
    generate(graph, corpus, plan)
    assert len(read) == 2
    assert asked(graph, corpus, "single", "object", "P57") == first
    new = "Veldt Harbour was praised by Ana Sela."
    put(graph, corpus, "c", new)
    refresh(graph, corpus)
    assert read[2:] == [new]
    monkeypatch.setattr(second_look, "weights_digest", lambda: "other weights")
    generate(graph, corpus, plan)
    assert sorted(read[3:]) == sorted([SOLARIS[3], rival, new])


def test_the_look_counts_what_the_filter_before_it_passed(graph: Graph, corpus: str) -> None:
    cities, mayors = (
        ("Lunsk", "Orwick", "Tarn", "Velm", "Durst"),
        ("Ada Orr", "Bo Lind", "Cy Ast", "Di Fenn", "Ed Gale"),
    )
    for city, mayor in zip(cities, mayors, strict=True):
        said = f"{mayor} is the mayor of {city}."
        put(graph, corpus, city, said, (city, "P6", mayor, said))  # its question may ask for either end
    first = generate(graph, corpus, Plan(patterns=("single",)))
    for done in (first, refresh(graph, corpus)):
        rows = {one.filter: one for one in done.filters}
        names = ("graph correspondence", NAME, ONCE, "share")
        assert rows["graph correspondence"].passed or done is not first
        for before, next_ in itertools.pairwise(rows[name] for name in names):
            assert next_.passed + sum(next_.rejected.values()) == before.passed
