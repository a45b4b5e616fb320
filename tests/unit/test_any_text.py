"""Whatever stands in a label, a subgraph gets words and every filter an opinion: one fact never ends a generation."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgservice.core.records import Fact, Reading, Source, Subgraph
from kgservice.questions.draw_order import place
from kgservice.questions.export.layouts import exported
from kgservice.questions.filters.cascade import CASCADE
from kgservice.questions.filters.duplicates import near_duplicates
from kgservice.questions.patterns import PATTERNS
from kgservice.questions.question_record import QuestionWords, question_of
from kgservice.questions.wording.templates import SHAPES, worded
from kgservice.text.matching import NOT_STATED
from tests.conftest import LARGEST, examples

ODD = (
    "-",
    "_",
    "—",
    "(",
    "]",
    "“",
    "?",
    "'s",
    ".",
    " ",
    "\u00a0",
    "\u200b",
    "́",
    "İ",
    "ß",
    "ﬁ",
    "5",
    "ly",
    "\\",
    "{}",
    "%s",
)
REAL = (
    "is", "has", "is the", "of", "born in", "was born", "has been", "did", "capital", "located in", "directed by",
    "is _", "_ of", "in _", "has _ of", "is the -", "- by", "co-", "re-ed", "increased by", "is in", "sales increased by",
    "Acme Inc. in fiscal 2031", "Ada", "in 2031", "1990", "$3 million", "person", "company", "sister of", "the", "first",
)  # fmt: skip
LABEL = st.one_of(st.sampled_from(ODD), st.sampled_from(REAL), st.text(min_size=1, max_size=12),
                  st.lists(st.sampled_from((*ODD, *REAL)), min_size=2, max_size=4).map(" ".join))  # fmt: skip
TYPE = st.one_of(st.none(), st.none(), LABEL)
FACTS = {"chain3": 3, "star3": 3, "inverted_star3": 3, "single": 1, "unanswerable": 1, "pluri_hop": 3}
ENDS = [(pattern, asked) for pattern, ends in PATTERNS.items() for asked in ends]


@st.composite
def facts(draw: Any, count: int) -> tuple[Fact, ...]:
    """Facts with any text in every label; `worded` looks at no key."""
    made = []
    for number in range(count):
        sentence = draw(st.one_of(st.just(""), LABEL))
        cell = draw(st.sampled_from(["", "", "row 1, column 1"]))
        kind = draw(st.sampled_from(["entity", "entity", "number", "date"]))
        made.append(
            Fact(
                key=f"f{number}", subject=draw(LABEL), relation=draw(LABEL), object=draw(LABEL),
                statements=(Source(chunk="c", document="d", sentence=sentence, cell=cell),),
                subject_type=draw(TYPE), object_type=draw(TYPE), object_kind=kind,
            )
        )  # fmt: skip
    return tuple(made)


def ends(pattern: str, asked: str, found: tuple[Fact, ...]) -> tuple[list[str], list[str], list[str]]:
    """The named, answering and bridging labels of a pattern's facts, from which side does not matter here."""
    first, last = found[0], found[-1]
    if asked in ("object", "subject"):
        both = [first.subject], [first.object]
        return (*(both if asked == "object" else both[::-1]), [])
    if asked == "members":
        subjects, objects = [fact.subject for fact in found], [fact.object for fact in found]
        return ([first.subject], objects, []) if pattern == "set_of_objects" else ([first.object], subjects, [])
    if asked == "nothing":
        return [first.subject], [NOT_STATED], []
    if asked == "values":
        return [first.subject], [first.object, last.object], []
    if pattern in ("comparison", "false_premise"):
        return [first.subject, last.subject], [first.subject], []
    if pattern == "pluri_hop":
        return [first.subject, last.object, "2031"], [fact.subject for fact in found], []
    if asked == "pivot":
        others = [
            fact.object if of else fact.subject
            for fact, of in zip(found, SHAPES[pattern.removeprefix("conditional_")], strict=True)
        ]
        return others, [first.object], []
    labels = [first.subject, last.object]
    return ([labels[0]], [labels[1]], [first.object]) if asked == "last" else ([labels[1]], [labels[0]], [first.object])


@st.composite
def subgraphs(draw: Any, pattern: str, asked: str) -> Subgraph:
    found = draw(facts(FACTS.get(pattern, 2)))
    named, answers, pivots = ends(pattern, asked, found)
    apart = asked in ("members", "values")
    readings = [(fact,) for fact in found] if apart else [found]
    return Subgraph(
        id="x", pattern=pattern, asked=asked, relations=[fact.relation for fact in found], named=named, answers=answers,
        readings=[Reading(pivots=pivots, facts=one) for one in readings], entities=("n", "a"),
    )  # fmt: skip


@pytest.mark.parametrize(("pattern", "asked"), ENDS)
@settings(max_examples=1_500 if LARGEST else examples(60), deadline=None)
@given(data=st.data())
def test_any_text_is_worded_judged_and_exported(pattern: str, asked: str, data: st.DataObject) -> None:
    row = data.draw(subgraphs(pattern, asked))
    text = worded(row)
    assert text.strip()
    for one in CASCADE:
        assert isinstance(one.fault(row, text), str)
    question = question_of("c", row, QuestionWords(text), "active")
    assert json.loads(json.dumps(exported(question), ensure_ascii=False))["question"] == text
    assert not near_duplicates([question])
    assert place(row, 1) == place(row, 1) != place(row, 2)
