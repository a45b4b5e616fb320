"""pluri_hop equals its definition in plain Python, made from the documents themselves."""

from __future__ import annotations

import itertools
import random
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import date
from zlib import crc32

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from kgservice.answering.document_filter import DocumentScope
from kgservice.core import keys
from kgservice.core.records import Document, Scalar, Subgraph, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, count, page, subgraphs
from kgservice.questions.selection import Plan, generate, refresh
from tests.conftest import examples
from tests.graph.documents import INSPECTED, inspections

pytestmark = pytest.mark.usefixtures("unsearched")

SUBJECTS = ("Alma", "Boro", "Cora", "Dita")
OBJECTS = {"revenue": ("1", "2", "3", "1 USD"), "seat": ("Fado", "Fado", "Fado", "Alma")}

Row = tuple[str, str, tuple[str, ...], frozenset[str], frozenset[tuple[str, str, frozenset[str]]]]


@st.composite
def drawn(draw: st.DrawFn) -> list[Document]:
    """Some reports by few subjects, most of which say the same as before; often also one a year by two subjects.

    From a seed, as most lists ask nothing.
    """
    rng = random.Random(draw(st.integers(0, 2**32)))
    years = (2030, 2031, rng.choice((2032, 2032, 2032, 2033)))
    usual = {(s, r): rng.choice(OBJECTS[r]) for s in SUBJECTS for r in OBJECTS}
    found = []
    if yearly := rng.random() < 0.6:
        for subject, year in itertools.product(SUBJECTS[:2], (*years, 2027)):
            figure = triplet(subject, "revenue", rng.choice(OBJECTS["revenue"][:3]))
            known = {"year": year, "country": "Isle"}
            found.append(
                Document(source=f"{subject} {year}", text="A report.", doc_type="report", metadata=known,
                         published=date(2032, 2, 1), triplets=(figure,))
            )  # fmt: skip
    for number in range(rng.randint(0, 3) if yearly else rng.randint(9, 18)):
        metadata: dict[str, Scalar] = {"country": rng.choice(("Velmora", "Isle"))} if rng.random() < 0.8 else {}
        arcs = [(rng.choice(SUBJECTS), rng.choice([*OBJECTS])) for _ in range(rng.randint(1, 2))]
        objects = [usual[arc] if rng.random() < 0.9 else rng.choice(OBJECTS[arc[1]]) for arc in arcs]
        found.append(
            Document(
                source=str(number),
                text="A report.",
                doc_type=rng.choice(["report"] * 7 + ["survey"]),
                metadata=metadata | ({"year": rng.choice(years)} if rng.random() < 0.8 else {}),
                published=rng.choice((None, date(2031, 2, 1), date(2032, 2, 1))),
                triplets=tuple(triplet(*arc, other) for arc, other in zip(arcs, objects, strict=True)),
            )
        )
    return found


CHOICES = st.builds(
    SubgraphOptions,
    asked=st.sampled_from([None, None, None, "list", "count", "min", "max", "most", "often", "rose", "fell"]),
    max_years=st.sampled_from([1, 2, 4, 4]),
    max_properties=st.sampled_from([1, 2, 2]),
    relation=st.sampled_from([None, None, None, "seat"]),
    published_since=st.sampled_from([None, None, date(2032, 1, 1)]),
)


class NoJournal:
    def problem(self, *_: object, **__: object) -> None: ...


def triplet(subject: str, relation: str, other: str) -> Triplet:
    return Triplet(subject=Term(label=subject), relation=relation, object=Term(label=other))


def confidence(source: str) -> float:
    """Return the confidence of all that a document states, which hardly another one has."""
    return crc32(source.encode()) % 100 / 100


def put(graph: Graph, corpus: str, documents: list[Document]) -> None:
    given = [
        one.model_copy(
            update={
                "triplets": tuple(
                    item.model_copy(update={"confidence": confidence(one.source)}) for item in one.triplets or ()
                )
            }
        )
        for one in documents
    ]
    write_all(graph, given, corpus, Recipe(), LoadCounts(NoJournal()), lambda *_: None)  # type: ignore[arg-type]


def defined(documents: list[Document], choice: SubgraphOptions) -> Iterator[Row]:
    """Every question of the definition (design: section 3), with the documents that state each of its facts."""
    for named, scope in _scopes(documents, choice):
        outside = [document for document in documents if document.doc_type == named[0] and document not in scope]
        for relation in ("revenue", "seat") if outside and len(scope) > 2 else ():
            stating: dict[tuple[str, str], list[Document]] = defaultdict(list)
            for document, item in ((at, item) for at in scope for item in at.triplets or ()):
                if item.relation == relation and document not in stating[item.subject.label, item.object.label]:
                    stating[item.subject.label, item.object.label].append(document)
            if choice.relation in (None, relation):
                for asked, other, facts, answers in (*_asked(stating), *_trends(stating, named)):
                    if choice.asked in (None, asked) and _eligible(facts, choice):
                        its = frozenset(
                            (*ends, frozenset(document.source for document in at)) for ends, at in facts.items()
                        )
                        yield asked, relation, (*named, *other), answers, its


def _scopes(documents: list[Document], choice: SubgraphOptions) -> Iterator[tuple[tuple[str, ...], list[Document]]]:
    """Every choice of documents with the words that name it: a type and one or two properties, none of them idle."""
    for doc_type in {document.doc_type for document in documents}:
        typed = [document for document in documents if document.doc_type == doc_type]
        conditions: dict[tuple[str, str], list[Document]] = {}
        ends: dict[tuple[str, str], set[int]] = {}
        for name in ("country", "published", "year"):
            own = {document.source: _property(document, name) for document in typed}
            values = sorted({value for value in own.values() if value is not None}, key=str)
            for value in values:
                conditions[name, str(value)] = [document for document in typed if own[document.source] == value]
            years = [value for value in values if isinstance(value, int)]
            for one, two in itertools.combinations(years, 2):
                if two - one < choice.max_years:
                    within = [at for at in typed if own[at.source] is not None and one <= own[at.source] <= two]  # type: ignore[operator]
                    conditions[name, f"from {one} to {two}"] = within
                    ends[name, f"from {one} to {two}"] = {one, two}
        for words, scope in conditions.items():
            yield (doc_type, *words), scope
        for one, two in itertools.product(conditions, conditions) if choice.max_properties > 1 else ():
            both = [document for document in conditions[one] if document in conditions[two]]
            needed = len(both) < min(len(conditions[one]), len(conditions[two]))
            met = all(ends.get(at, set()) <= {_property(document, at[0]) for document in both} for at in (one, two))
            if one[0] < two[0] and {one[0], two[0]} != {"published", "year"} and needed and met:
                yield (doc_type, *one, *two), both


def _property(document: Document, name: str) -> Scalar | None:
    return dict(document.metadata).get(name) if name != "published" else document.published and document.published.year


Stating = dict[tuple[str, str], list[Document]]


def _asked(stating: Stating) -> Iterator[tuple[str, tuple[str, ...], Stating, frozenset[str]]]:
    """Every question about these facts: its kind, the object that it names, its facts and its answers."""
    subjects = [subject for subject, _ in stating]
    if 2 <= len(subjects) == len(set(subjects)):
        for asked, answers in _answers(stating):
            yield asked, (), stating, answers
    for other in {other for _, other in stating if other[0].isalpha()}:
        facts = {ends: at for ends, at in stating.items() if ends[1] == other}
        most = max(map(len, facts.values()))
        first = frozenset(subject for (subject, _), at in facts.items() if len(at) == most)
        thrice = frozenset(subject for (subject, _), at in facts.items() if len(at) > 2)
        if len(facts) > 1 and most > 1 and len(first) == 1:
            yield "most", (other,), facts, first
        if 0 < len(thrice) < len(facts):
            yield "often", (other,), facts, thrice


def _trends(stating: Stating, named: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], Stating, frozenset[str]]]:
    """Every question in which years of a range one subject's number is larger, smaller than in the year before."""
    spans = [
        (name, words.split()[1::2]) for name, words in zip(named[1::2], named[2::2], strict=True) if " to " in words
    ]
    for name, (first, last) in spans:
        for subject in {subject for subject, _ in stating}:
            own = {ends: at for ends, at in stating.items() if ends[0] == subject}
            said = {(_property(document, name), other) for (_, other), at in own.items() for document in at}
            years = [[other for year, other in said if year == now] for now in range(int(first), int(last) + 1)]
            values = [each[0].split() for each in years if len(each) == 1 and each[0][0].isdigit()]
            if len(values) == len(years) and len({tuple(value[1:]) for value in values}) == 1:
                for asked, sign in (("rose", 1), ("fell", -1)):
                    steps = enumerate(itertools.pairwise(float(value[0]) for value in values), int(first) + 1)
                    found = frozenset(str(year) for year, (before, now) in steps if (now - before) * sign > 0)
                    if found:
                        yield asked, (subject,), own, found


def _eligible(stating: Stating, choice: SubgraphOptions) -> bool:
    return (
        len({document.source for at in stating.values() for document in at}) >= 3
        and all(subject != other for subject, other in stating)
        and all(_timely(at, choice) for at in stating.values())
    )


def _timely(documents: list[Document], choice: SubgraphOptions) -> bool:
    since = choice.published_since
    return since is None or any(document.published and document.published >= since for document in documents)


def _answers(facts: Collection[tuple[str, str]]) -> Iterator[tuple[str, frozenset[str]]]:
    yield "list", frozenset(f"{subject}: {other}" for subject, other in facts)
    yield "count", frozenset([str(len(facts))])
    values = [other.split() for _, other in facts]
    if all(value[0].isdigit() for value in values) and len({tuple(value[1:]) for value in values}) == 1:
        ranked = sorted((float(other.split()[0]), subject) for subject, other in facts)
        if ranked[0][0] < ranked[1][0]:
            yield "min", frozenset([ranked[0][1]])
        if ranked[-1][0] > ranked[-2][0]:
            yield "max", frozenset([ranked[-1][1]])


def told(row: Subgraph, sources: dict[str, str]) -> Row:
    (reading,) = row.readings
    stated = [one for fact in reading.facts for one in fact.statements]
    assert all(one.confidence == confidence(sources[one.document]) for one in stated)
    facts = frozenset(
        (fact.subject, fact.object, frozenset(sources[statement.document] for statement in fact.statements))
        for fact in reading.facts
    )
    return row.asked, row.relations[0], row.named, frozenset(row.answers), facts


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents=drawn(), choice=CHOICES)
def test_rows_equal_the_definition(graph: Graph, documents: list[Document], choice: SubgraphOptions) -> None:
    corpus = f"pluri-{uuid.uuid4().hex}"
    put(graph, corpus, documents)
    sources = {keys.document_key(corpus, document.source): document.source for document in documents}
    found = list(subgraphs(graph, corpus, "pluri_hop", choice))
    assert {told(row, sources) for row in found} == set(defined(documents, choice))
    assert len(found) == count(graph, corpus, "pluri_hop", choice)
    for row in found:
        event(f"{row.asked}, {len(row.named)} words")
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


def test_which_has_most_and_three_or_more_over_years_in_one_park(graph: Graph, corpus: str) -> None:
    """PluriHop's own: "In windpark W03 (2022-2024), which turbine has the most gearbox-wear reports?" (table 1)."""
    put(graph, corpus, inspections())
    narrow = subgraphs(graph, corpus, "pluri_hop", SubgraphOptions(asked="often"))
    assert {row.named[1:3]: row.answers for row in narrow} == {("park", "W03"): ("Alma",), ("park", "W04"): ("Cora",)}
    wide = SubgraphOptions(max_years=3, max_properties=2)
    generate(graph, corpus, Plan(patterns=("pluri_hop",), choice=wide, second_look=False, share=1))
    active = {one.question: one for one in question_store.questions(graph, corpus, state="active")}
    scope = "going by all inspections whose park is W03 and whose year is from 2029 to 2031"
    most = f"What has Gearbox Wear as its defect in the most documents, {scope}?"
    often = f"Name everything that has Gearbox Wear as its defect in three or more documents, {scope}."
    assert active[most].answers == active[often].answers == ("Alma",)
    chosen = DocumentScope(graph, corpus).within(most).documents
    inside = [at for at in INSPECTED if at[0] == "W03" and at[2] > 2027]
    assert set(chosen or ()) == {keys.document_key(corpus, f"{turbine} {year}") for _, turbine, year in inside}
    assert {fact.subject for fact in active[most].facts} == {"Alma", "Boro"}


def test_in_which_years_a_figure_rose_and_fell(graph: Graph, corpus: str) -> None:
    """PluriHop's own: "Has Jane Doe's kidney function been steadily declining over the past 3 years?" (4.2)."""
    known = [
        ("Alma", 2029, "5 t"),
        ("Alma", 2030, "7 t"),
        ("Alma", 2031, "6 t"),
        ("Boro", 2027, "3 t"),
        ("Boro", 2029, "1 t"),
        ("Boro", 2031, "2 t"),
    ]
    put(graph, corpus, [
        Document(source=f"{who} {year}", title=f"{who}: report of {year}", text=f"The output of {who} was {value}.",
                 doc_type="report", metadata={"year": year}, triplets=(triplet(who, "output", value),))
        for who, year, value in known
    ])  # fmt: skip
    wide = SubgraphOptions(max_years=3)
    generate(graph, corpus, Plan(patterns=("pluri_hop",), choice=wide, second_look=False, share=1))
    active = {one.question: one for one in question_store.questions(graph, corpus, state="active")}
    scope = "going by all reports whose year is from 2029 to 2031"
    rose = f"In which years was the output of Alma higher than in the year before, {scope}?"
    fell = f"In which years was the output of Alma lower than in the year before, {scope}?"
    assert (active[rose].answers, active[fell].answers) == (("2030",), ("2031",))
    assert {fact.object for fact in active[rose].facts} == {"5 t", "7 t", "6 t"}
    assert not any("output of Boro" in question for question in active), "of 2030 nothing is known"
    assert len(DocumentScope(graph, corpus).within(rose).documents or ()) == 5


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
