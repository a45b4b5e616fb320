"""pluri_hop equals its definition in plain Python, made from the documents themselves."""

from __future__ import annotations

import itertools
import uuid
from collections import defaultdict
from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.records import Document, Scalar, Subgraph, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, count, page, subgraphs
from kgservice.questions.selection import Plan, generate, refresh
from tests.conftest import examples

Row = tuple[str, str, tuple[str, ...], frozenset[str], frozenset[tuple[str, str, frozenset[str]]]]

TRIPLES = st.lists(
    st.tuples(
        st.sampled_from(("Alma", "Boro", "Cora", "Dita")),
        st.sampled_from(("revenue", "seat")),
        st.sampled_from(("1", "2", "3", "1 USD", "Alma", "Fado")),
    ),
    max_size=3,
)
DOCUMENTS = st.lists(
    st.builds(
        Document,
        source=st.uuids().map(str),
        text=st.just("A report."),
        doc_type=st.sampled_from(["report", "report", "survey"]),
        metadata=st.fixed_dictionaries(
            {}, optional={"year": st.sampled_from([2030, 2031]), "country": st.just("Velmora")}
        ),
        published=st.sampled_from([None, date(2031, 2, 1), date(2032, 2, 1)]),
        triplets=TRIPLES.map(lambda arcs: tuple(triplet(*arc) for arc in arcs)),
    ),
    min_size=4,
    max_size=9,
    unique_by=lambda document: document.source,
)
CHOICES = st.builds(
    SubgraphOptions,
    asked=st.sampled_from([None, None, "list", "count", "min", "max"]),
    relation=st.sampled_from([None, None, "seat"]),
    published_since=st.sampled_from([None, None, date(2032, 1, 1)]),
)


class NoJournal:
    def problem(self, *_: object, **__: object) -> None: ...


def triplet(subject: str, relation: str, other: str) -> Triplet:
    return Triplet(subject=Term(label=subject), relation=relation, object=Term(label=other))


def put(graph: Graph, corpus: str, documents: list[Document]) -> None:
    write_all(graph, documents, corpus, Recipe(), LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]


def defined(documents: list[Document], choice: SubgraphOptions) -> Iterator[Row]:
    """Every question of the definition (design: section 3), with the documents that state each of its facts."""
    scopes: dict[tuple[str, str, Scalar], list[Document]] = defaultdict(list)
    for document in documents:
        own = dict(document.metadata) | ({"published": document.published.year} if document.published else {})
        for name, value in own.items():
            scopes[document.doc_type, name, value].append(document)
    for (doc_type, name, value), scope in scopes.items():
        outside = [document for document in documents if document.doc_type == doc_type and document not in scope]
        for relation in ("revenue", "seat") if outside else ():
            stating: dict[tuple[str, str], list[Document]] = defaultdict(list)
            for document, item in ((at, item) for at in scope for item in at.triplets or ()):
                if item.relation == relation:
                    stating[item.subject.label, item.object.label].append(document)
            if choice.relation in (None, relation) and _eligible(stating, choice):
                facts = frozenset(
                    (*ends, frozenset(document.source for document in at)) for ends, at in stating.items()
                )
                for asked, answers in _answers(facts):
                    if choice.asked in (None, asked):
                        yield asked, relation, (doc_type, name, str(value)), answers, facts


def _eligible(stating: dict[tuple[str, str], list[Document]], choice: SubgraphOptions) -> bool:
    subjects = {subject for subject, _ in stating}
    return (
        len({document.source for at in stating.values() for document in at}) >= 3
        and 2 <= len(subjects) == len(stating)
        and all(subject != other for subject, other in stating)
        and all(_timely(at, choice) for at in stating.values())
    )


def _timely(documents: list[Document], choice: SubgraphOptions) -> bool:
    since = choice.published_since
    return since is None or any(document.published and document.published >= since for document in documents)


def _answers(facts: frozenset[tuple[str, str, frozenset[str]]]) -> Iterator[tuple[str, frozenset[str]]]:
    yield "list", frozenset(f"{subject}: {other}" for subject, other, _ in facts)
    yield "count", frozenset([str(len(facts))])
    values = [other.split() for _, other, _ in facts]
    if all(value[0].isdigit() for value in values) and len({tuple(value[1:]) for value in values}) == 1:
        ranked = sorted((float(other.split()[0]), subject) for subject, other, _ in facts)
        if ranked[0][0] < ranked[1][0]:
            yield "min", frozenset([ranked[0][1]])
        if ranked[-1][0] > ranked[-2][0]:
            yield "max", frozenset([ranked[-1][1]])


def told(row: Subgraph, sources: dict[str, str]) -> Row:
    (reading,) = row.readings
    facts = frozenset(
        (fact.subject, fact.object, frozenset(sources[statement.document] for statement in fact.statements))
        for fact in reading.facts
    )
    return row.asked, row.relations[0], row.named, frozenset(row.answers), facts


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=DOCUMENTS, choice=CHOICES)
def test_rows_equal_the_definition(graph: Graph, documents: list[Document], choice: SubgraphOptions) -> None:
    corpus = f"pluri-{uuid.uuid4().hex}"
    put(graph, corpus, documents)
    sources = {keys.document_key(corpus, document.source): document.source for document in documents}
    found = list(subgraphs(graph, corpus, "pluri_hop", choice))
    assert {told(row, sources) for row in found} == set(defined(documents, choice))
    assert len(found) == count(graph, corpus, "pluri_hop", choice)
    assert all(one.id < two.id for one, two in itertools.pairwise(found))
    if len(found) > 1:
        rest = page(graph, corpus, "pluri_hop", choice, limit=None, after=found[0].id, seed=None)
        assert list(rest) == found[1:]
    graph.remove_corpus(corpus)


def reports(*values: str) -> list[Document]:
    years = [2030] * len(values) + [2031]
    return [
        Document(source=f"r{n}", text="A report.", doc_type="report", metadata={"year": year}, triplets=(arc,))
        for n, (year, arc) in enumerate(
            zip(years, (triplet(f"Firm {n}", "revenue", value) for n, value in enumerate((*values, "9"))), strict=True)
        )
    ]


def test_a_question_spans_the_reports_of_a_year(graph: Graph, corpus: str) -> None:
    put(graph, corpus, reports("5 USD", "7 USD", "6 USD"))
    found = {row.asked: row for row in subgraphs(graph, corpus, "pluri_hop", SubgraphOptions())}
    assert {asked: row.answers for asked, row in found.items()} == {
        "list": ("Firm 0: 5 USD", "Firm 1: 7 USD", "Firm 2: 6 USD"),
        "count": ("3",),
        "min": ("Firm 0",),
        "max": ("Firm 1",),
    }
    assert {row.named for row in found.values()} == {("report", "year", "2030")}


@pytest.mark.parametrize(
    ("values", "asked"),
    [
        (("5", "5", "6"), {"list", "count", "max"}),  # two are the smallest
        (("5 USD", "6 EUR", "7 USD"), {"list", "count"}),
        (("5", "Varnia", "7"), {"list", "count"}),
        (("5", "6"), set()),  # two documents
    ],
)
def test_what_cannot_be_asked_is_not_listed(
    graph: Graph, corpus: str, values: tuple[str, ...], asked: set[str]
) -> None:
    put(graph, corpus, reports(*values))
    assert {row.asked for row in subgraphs(graph, corpus, "pluri_hop", SubgraphOptions())} == asked


@pytest.mark.parametrize(("comes_first", "kept"), [(False, 1), (True, 0)])
def test_its_questions_follow_a_new_report(graph: Graph, corpus: str, comes_first: bool, kept: int) -> None:
    known = reports("5 USD", "7 USD", "6 USD")
    put(graph, corpus, known)
    assert generate(graph, corpus, Plan(patterns=("pluri_hop",))).added == 4
    assert refresh(graph, corpus).kept == 4
    # a scope is known by its first document: where the new one is that, all is asked anew; else the smallest stays
    first = min(keys.document_key(corpus, one.source) for one in known if one.metadata["year"] == 2030)
    sources = map("later {}".format, itertools.count())
    source = next(s for s in sources if (keys.document_key(corpus, s) < first) is comes_first)
    later = Document(
        source=source, text="A report.", doc_type="report", metadata={"year": 2030},
        triplets=(triplet("Firm 9", "revenue", "8 USD"),),
    )  # fmt: skip
    put(graph, corpus, [later])
    done = refresh(graph, corpus)
    assert (done.added, done.kept, done.retired) == (4 - kept, kept, {"answer no longer unique": 4 - kept})
    texts = {q.asked: q.question for q in question_store.questions(graph, corpus, state="active")}
    assert texts["max"] == ("Which subject has the largest revenue, going by all reports whose year is 2030?")
    assert {q.answers for q in question_store.questions(graph, corpus, state="active") if q.asked == "max"} == {
        ("Firm 9",)
    }


def test_a_scope_that_was_not_read_whole_has_no_questions(graph: Graph, corpus: str) -> None:
    put(graph, corpus, reports("5", "6", "7"))
    unread = Document(source="unread", text="Another.", doc_type="report", metadata={"year": 2030})
    write_all(
        graph, [unread], corpus, Recipe(extract="none"), LoadCounts(NoJournal()), lambda *_: None  # type: ignore[arg-type]
    )  # fmt: skip
    assert not list(subgraphs(graph, corpus, "pluri_hop", SubgraphOptions()))
