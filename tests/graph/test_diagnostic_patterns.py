"""Questions that test a system: nothing is stated, something false is said by the way, two documents disagree."""

from __future__ import annotations

import uuid
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.records import Document, Question, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store
from kgservice.questions.patterns import DIAGNOSTIC, SubgraphOptions, subgraphs
from kgservice.questions.retirement import ANSWERED, WITHDRAWN
from kgservice.questions.second_look import TWICE, WITHHELD
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.text.matching import NOT_STATED, answered, matches
from kgservice.text.values import read_value
from tests.conftest import examples
from tests.graph.oracle import Arc, Known
from tests.graph.test_patterns import NoJournal, compare, confidence, load

pytestmark = pytest.mark.usefixtures("unsearched")

SCHEMA = """
[classes]
city = {}
firm = {}
date = {}
[relations."t:p"]
label = "p"
description = "one at a time"
domain = ["city", "firm"]
range = ["city", "firm", "date"]
objects = "one at a time"
usual = ["city"]
ask_object = ["What is p of X?"]
ask_subject = ["What has p Y?"]
[relations."t:q"]
label = "q"
description = "one for ever"
domain = ["city", "firm"]
range = ["city", "firm", "date"]
objects = "one"
usual = ["city", "firm"]
ask_object = ["What is q of X?"]
ask_subject = ["What has q Y?"]
[relations."t:r"]
label = "r"
description = "many"
domain = ["city", "firm"]
range = ["city", "firm"]
ask_object = ["What is r of X?"]
ask_subject = ["What has r Y?"]
"""
TYPES = {"A": "city", "B": "city", "C": "firm", "D": "city", "E": "city", "F": "firm"}
DAYS = [date(2030, 1, 5), date(2030, 2, 5), None, date(2031, 1, 1)]
ARC = st.builds(
    Arc, st.sampled_from("ABCDEFG"), st.sampled_from(["t:p", "t:p", "t:q", "t:q", "t:r", "open:s"]),
    st.sampled_from(["A", "B", "C", "D", "E", "F", "G", "1990", "2001", "2001-05"]), st.sampled_from(["", "", "", "2031"]),
)  # fmt: skip
CHOICES = st.sampled_from([
    SubgraphOptions(), SubgraphOptions(), SubgraphOptions(max_partners=1), SubgraphOptions(relation="t:q", max_partners=2),
    SubgraphOptions(type="firm"), SubgraphOptions(published_since=DAYS[1]), SubgraphOptions(relation="t:p", published_until=DAYS[1]),
])  # fmt: skip
DOCUMENTS = st.lists(st.lists(ARC, min_size=2, max_size=8), min_size=2, max_size=4)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=DOCUMENTS, choice=CHOICES)
def test_rows_equal_the_definition(graph: Graph, documents: list[list[Arc]], choice: SubgraphOptions) -> None:
    corpus = f"oracle-{uuid.uuid4().hex}"
    known = Known(
        types=TYPES,
        values={name: read_value(name) for name in ("1990", "2001", "2001-05")},
        published={f"{index:020d}": DAYS[index % len(DAYS)] for index in range(len(documents))},
        key=lambda name: keys.entity_key(corpus, f"local:{name}"),
        functional=frozenset(["t:p", "t:q"]),
        usual={"t:p": frozenset(["city"]), "t:q": frozenset(["city", "firm"])},
        confidence=confidence,
    )
    facts = load(graph, corpus, documents, known)
    graph.update("write/schema", corpus=corpus, schema=SCHEMA)
    compare(graph, corpus, facts, choice, known, *DIAGNOSTIC)
    graph.remove_corpus(corpus)


Given = tuple[str, str, str, str]  # subject, relation, object, sentence
VELTRIN: Given = ("Veltrin", "P112", "Ada Orr", "Veltrin is a company that Ada Orr founded.")
BORN: Given = ("Ada Orr", "P19", "Lunsk", "Ada Orr was born in the town of Lunsk.")
MARRIED: Given = ("Ada Orr", "P26", "Tom Vale", "Ada Orr married Tom Vale.")
OTHER: Given = ("Bo Lund", "P19", "Zerqabad", "Bo Lund was born in the town of Zerqabad.")
FOUNDED: Given = ("Corvane Homes", "P571", "1952", "Corvane Homes was founded in 1952.")
LATER: Given = ("Corvane Homes", "P571", "1961", "Corvane Homes was founded in 1961.")
KINDS = {"Veltrin": "company", "Corvane Homes": "company", "Lunsk": "city", "Zerqabad": "city", "Ada Orr": "person"}
PLAN = Plan(patterns=DIAGNOSTIC)


def put(graph: Graph, corpus: str, source: str, *given: Given, text: str = "", on: date | None = None) -> None:
    """Load a document of the sentences of its facts and of a text beside them."""
    triplets = tuple(
        Triplet(subject=Term(label=s, type=KINDS.get(s)), relation=r, object=Term(label=o, type=KINDS.get(o)), sentence=said)
        for s, r, o, said in given
    )  # fmt: skip
    said = " ".join([*(one[3] for one in given), text])
    made = [Document(source=source, text=said, triplets=triplets, published=on)]
    recipe = Recipe(schema_name="default")
    write_all(graph, made, corpus, recipe, LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]


def asked(graph: Graph, corpus: str, pattern: str, about: str) -> Question | None:
    found = question_store.questions(graph, corpus, pattern=pattern)
    return next((one for one in found if about in one.question and one.state != "retired"), None)


def test_what_no_document_states_is_asked_until_one_does(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", VELTRIN)
    put(graph, corpus, "b", FOUNDED)
    generate(graph, corpus, PLAN)
    found = asked(graph, corpus, "unanswerable", "When was Veltrin founded?")
    assert found is not None
    assert (found.state, found.answers, found.metadata["lacks"]) == ("active", (NOT_STATED,), "P571")
    assert asked(graph, corpus, "unanswerable", "When was Corvane Homes founded?") is None
    put(graph, corpus, "c", text="Veltrin dates from 1988, when it was founded.")  # no fact, but a sentence
    refresh(graph, corpus)
    found = asked(graph, corpus, "unanswerable", "When was Veltrin founded?")
    assert found is not None
    assert (found.state, found.reason) == ("rejected", WITHHELD)
    assert found.rivals[0].answer == "1988"
    graph.remove(corpus, [keys.document_key(corpus, "c")])
    assert refresh(graph, corpus).added == 1
    put(graph, corpus, "d", ("Veltrin", "P571", "1988", "Veltrin was founded in 1988."))
    assert refresh(graph, corpus).retired == {ANSWERED: 1}


def test_something_false_is_said_by_the_way(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", BORN, MARRIED)
    put(graph, corpus, "b", OTHER, ("Bo Lund", "P26", "Eva Stern", "Bo Lund married Eva Stern."))
    generate(graph, corpus, PLAN)
    rows = list(subgraphs(graph, corpus, "false_premise", SubgraphOptions()))
    assert len(rows) == 1  # of the two people the one whose key is smaller
    named, false = rows[0].named
    found = asked(graph, corpus, "false_premise", named)
    assert found is not None
    assert found.state == "active"
    assert f"{named}, who was born in {false}" in found.question
    assert found.answers == ({"Ada Orr": "Lunsk", "Bo Lund": "Zerqabad"}[named],)
    assert found.metadata["premise"] == false
    put(graph, corpus, "c", text=f"{named} grew up in {false}.")
    refresh(graph, corpus)
    found = asked(graph, corpus, "false_premise", named)
    assert found is not None
    assert (found.state, found.reason) == ("rejected", WITHHELD)


def test_two_documents_disagree(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", FOUNDED, on=date(2031, 5, 1))
    put(graph, corpus, "b", LATER, on=date(2030, 5, 1))
    generate(graph, corpus, PLAN)
    found = asked(graph, corpus, "conflict", "Corvane Homes")
    assert found is not None
    assert (found.state, found.question) == (
        "active", "When was Corvane Homes founded? The documents disagree: give both answers.",
    )  # fmt: skip
    assert found.answers == ("1961", "1952")
    assert found.metadata["dates"] == "2030-05-01, 2031-05-01"
    put(graph, corpus, "b", FOUNDED, on=date(2031, 6, 1))
    assert refresh(graph, corpus).retired == {WITHDRAWN: 1}


def test_the_same_in_other_words_is_no_conflict_and_one_document_does_not_disagree(graph: Graph, corpus: str) -> None:
    head = ("Veltrin", "P169", "Ada Orr", "The CEO of Veltrin is Ada Orr.")
    put(graph, corpus, "a", head, on=date(2031, 5, 1))
    put(graph, corpus, "b", ("Veltrin", "P169", "Orr", "The CEO of Veltrin is Orr."), on=date(2031, 6, 1))
    put(graph, corpus, "c", FOUNDED, LATER, on=date(2031, 6, 1))
    done = generate(graph, corpus, Plan(patterns=("conflict",)))
    assert done.rejected in ({TWICE: 1}, {})
    assert asked(graph, corpus, "conflict", "Corvane") is None


def test_diagnostic_patterns_leave_facts_to_single_questions(graph: Graph, corpus: str) -> None:
    put(graph, corpus, "a", BORN, MARRIED)
    put(graph, corpus, "b", OTHER, ("Bo Lund", "P26", "Eva Stern", "Bo Lund married Eva Stern."))
    alone = generate(graph, corpus, Plan(patterns=("single",)))
    both = generate(graph, corpus, Plan(patterns=("single", "false_premise")))
    assert both.added == 1
    assert both.kept == alone.added


@pytest.mark.parametrize(
    ("said", "right"),
    [("The documents do not say when.", True), ("I don't know.", True), ("1988", False), ("", False)],
)
def test_only_a_refusal_answers_what_is_not_stated(said: str, right: bool) -> None:
    assert matches(said, [NOT_STATED]) == bool(answered(said, NOT_STATED)) == right
