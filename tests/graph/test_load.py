"""Loading: once or twice, in order or at once, changed or removed, the graph is what the documents say now."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core import keys
from kgservice.core.errors import BadRequest
from kgservice.core.records import Document, Problem, Term, Triplet
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from tests.conftest import Address, examples
from tests.graph.documents import Arc, Silent, document, loaded, report
from tests.graph.snapshot import snapshot

pytestmark = pytest.mark.usefixtures("unsearched")

ARCS: list[Arc] = [("A", "r", "B"), ("B", "r", "C"), ("A", "q", "C"), ("C", "q", "C"), ("A", "r", "D"), ("D", "r", "B")]


def many(number: int) -> list[Document]:
    return [
        document(f"d{n}", [(f"E{n}", "near", f"E{n + 1}"), (f"E{n}", "in", "Hub")], [(f"E{n}", "of", f"K{n % 7}")])
        for n in range(number)
    ]


def test_a_load_stores_facts_with_their_sentences_and_counters(graph: Graph, corpus: str) -> None:
    report = loaded(graph, corpus, [document("d", ARCS[:3], ARCS[3:]), document("e", ARCS[:1])])
    assert report.model_dump(by_alias=True)["documents"] == {
        "in": 2, "stored": 2, "unchanged": 0, "rejected": {}, "failed": {},
    }  # fmt: skip
    assert (report.chunks, report.triplets.kept, report.facts, report.entities) == (3, 7, 6, 4)
    _, relationships = snapshot(graph, corpus)
    facts = {r["properties"]["sentences"][0]: r["properties"] for r in relationships if r["type"] == "FACT"}
    assert facts["A r B."]["objects"] == 2
    assert facts["A r B."]["subjects"] == 2
    assert len(facts["A r B."]["chunks"]) == 2
    assert facts["A r B."]["sentences"] == ["A r B."] * 2
    assert facts["C q C."]["subjects"] == 2
    nodes, _ = snapshot(graph, corpus)
    degree = {n["properties"]["label"]: n["properties"]["degree"] for n in nodes if "Entity" in n["labels"]}
    only_mentioned = {"Part 0": 0, "Part 1": 0}  # headings; not among the totals
    assert degree == {"A": 3, "B": 3, "C": 4, "D": 2} | only_mentioned


def test_loading_twice_changes_nothing(graph: Graph, corpus: str) -> None:
    loaded(graph, corpus, many(40))
    before = snapshot(graph, corpus)
    report = loaded(graph, corpus, many(40))
    assert report.documents.unchanged == 40
    assert snapshot(graph, corpus) == before


def test_a_changed_document_takes_back_what_only_it_said(graph: Graph, corpus: str) -> None:
    first, second = document("d", ARCS[:2], ARCS[2:4]), document("e", ARCS[:1])
    loaded(graph, corpus, [first, second])
    report = loaded(graph, corpus, [document("d", ARCS[2:4])])
    assert (report.documents.stored, report.facts, report.entities) == (1, 3, 3)
    untouched = document("d", ARCS[2:4])
    fresh = f"{corpus}-fresh"
    try:
        report = loaded(graph, fresh, [untouched, second])
        assert (report.facts, report.entities) == (3, 3)
    finally:
        graph.remove_corpus(fresh)


def test_a_database_of_an_earlier_version_is_counted_and_marked_once(graph: Graph, corpus: str) -> None:
    film = document("e", [("True Grit (1969 film)", "in", "B")], type_="film")
    loaded(graph, corpus, [document("d", ARCS[:4]), film])
    graph.prepare()  # on Neo4j 2026 it gives the corpus the full-text index that this module's loads leave out
    expected, totals = snapshot(graph, corpus), graph.totals(corpus)
    earlier = "MATCH (c:Corpus {name: $corpus}) REMOVE c.documents, c.chunks, c.facts, c.entities, c.mention_types"
    graph.change(lambda tx: tx.run(earlier, corpus=corpus).consume())
    assert graph.totals(corpus) == totals
    graph.change(lambda tx: tx.run("MATCH (e:Entity {corpus: $corpus}) REMOVE e.bracketed", corpus=corpus).consume())
    untyped = "MATCH (:Entity {corpus: $corpus})<-[m:MENTIONS]-() REMOVE m.type"
    graph.change(lambda tx: tx.run(untyped, corpus=corpus).consume())
    graph.prepare()
    assert snapshot(graph, corpus) == expected
    assert sum("bracketed" in node["properties"] for node in expected[0]) == 1


LIVES = st.lists(
    st.tuples(
        st.sampled_from("def"),
        st.lists(st.lists(st.sampled_from(ARCS), min_size=1, max_size=3, unique=True), max_size=3),
        st.sampled_from([None, "city", "firm"]),  # the class that the document gives its subjects
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lives=LIVES)
def test_any_life_of_documents_ends_as_a_fresh_load(
    graph: Graph, lives: list[tuple[str, list[list[Arc]], str | None]]
) -> None:
    from kgservice.core import keys

    corpus = f"test-{uuid.uuid4().hex}"
    last: dict[str, Document] = {}
    try:
        for source, groups, type_ in lives:
            if groups:
                last[source] = document(source, *groups, type_=type_)
                loaded(graph, corpus, [last[source]])
            else:
                graph.remove(corpus, [keys.document_key(corpus, source)])
                last.pop(source, None)
        moved = snapshot(graph, corpus, without=("version",))
        graph.remove_corpus(corpus)
        loaded(graph, corpus, last.values())
        fresh = snapshot(graph, corpus, without=("version",))
        assert [n for n in moved[0] if n["labels"] != ["Corpus"]] == [n for n in fresh[0] if n["labels"] != ["Corpus"]]
        assert moved[1] == fresh[1]
    finally:
        graph.remove_corpus(corpus)


def test_writers_at_once_neither_deadlock_nor_duplicate(graph: Graph, corpus: str) -> None:
    documents = many(60)
    loaded(graph, corpus, documents)
    expected = snapshot(graph, corpus)
    graph.remove_corpus(corpus)
    shares = [documents[n::3] + documents[(n + 1) % 3 :: 3] for n in range(3)]
    with ThreadPoolExecutor(6) as pool:
        reports = list(pool.map(lambda share: loaded(graph, corpus, share), [*shares, *reversed(shares)]))
    assert snapshot(graph, corpus) == expected
    assert all(not report.documents.failed for report in reports)


def test_facts_of_tables_say_which_cell(graph: Graph, corpus: str) -> None:
    ends = {"subject": Term(label="Acme"), "object": Term(label="$5", unit="USD")}
    known = Triplet(relation="sales", period="fiscal 2031", **ends)
    said = Document(source="said", text="Sales of Acme in fiscal 2031 were $5.", triplets=(known,))
    loaded(graph, corpus, [said, report("a")], schema_name="none")
    one, two = [["row 1, column 1"], ["row 1, column 2"]], [["row 2, column 1"], ["row 2, column 2"]]
    assert cells(graph, corpus) == {"sales": [["", "row 1, column 1"], ["row 1, column 2"]], "costs": two}
    loaded(graph, corpus, [report("a", "| Costs | $3 | $5 |", "| Sales | $5 | |")], schema_name="none")
    assert cells(graph, corpus) == {"sales": [["", "row 2, column 1"]], "costs": one}
    loaded(graph, corpus, [report("a", "| Costs | $3 | $5 |")], schema_name="none")
    assert cells(graph, corpus)["sales"] == [None]
    facts = [
        row.readings[0].facts[0]
        for row in subgraphs(graph, corpus, "single", SubgraphOptions(asked="object", relation="costs"))
    ]
    assert {fact.object: fact.statements[0].cell for fact in facts} == {
        "$3": "row 1, column 1", "$5": "row 1, column 2",
    }  # fmt: skip


def cells(graph: Graph, corpus: str) -> dict[str, list[list[str] | None]]:
    """The cells that state each fact, by relation, each list and the lists in order."""
    found: dict[str, list[list[str] | None]] = {}
    for row in snapshot(graph, corpus)[1]:
        if row["type"] == "FACT":
            said = row["properties"].get("cells")
            found.setdefault(row["properties"]["relation"], []).append(said and sorted(said))
    return {relation: sorted(lists, key=str) for relation, lists in found.items()}


def test_a_load_after_an_interrupted_removal_ends_as_a_fresh_one(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = [document(f"d{n}", [("Alma", "near", f"Town {n}")], [(f"Town {n}", "in", "Kest")]) for n in range(4)]
    loaded(graph, corpus, documents)
    expected = snapshot(graph, corpus, without=("version",))
    command = graph.command

    def interrupted(name: str, /, **parameters: object) -> None:
        if name != "write/remove_corpus":
            return command(name, **parameters)
        text = (  # its first batch
            "MATCH (n:Corpus {code: $code}) REMOVE n.documents, n.chunks, n.facts, n.entities WITH n "
            "MATCH (c:Chunk) WHERE $code < c.key < $until WITH c ORDER BY c.key LIMIT 3 DETACH DELETE c"
        )
        graph.change(lambda tx: tx.run(text, parameters).consume())
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(graph, "command", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graph.remove_corpus(corpus)
    assert loaded(graph, corpus, documents).documents.stored == 4
    code = keys.corpus_code(corpus)
    past = "MATCH (p:PastDocument) WHERE p.key STARTS WITH $code RETURN count(p) AS number"
    assert graph.change(lambda tx: tx.run(past, code=code).single(strict=True)["number"]) == 0
    assert snapshot(graph, corpus, without=("version",)) == expected


def test_two_corpora_never_touch(graph: Graph, corpus: str) -> None:
    other = f"{corpus}-other"
    try:
        loaded(graph, corpus, many(5))
        before = snapshot(graph, corpus)
        loaded(graph, other, [document("d0", ARCS)])
        graph.remove_corpus(other)
        assert snapshot(graph, corpus) == before
    finally:
        graph.remove_corpus(other)


def test_every_document_ends_in_one_state_with_a_reason(graph: Graph, corpus: str) -> None:
    newer, older = date(2031, 5, 1), date(2030, 5, 1)
    loaded(graph, corpus, [document("d", ARCS, published=newer)])
    documents = [
        document("d", ARCS[:1], published=older),
        document("e", ARCS, published=newer),
        document("e", ARCS, published=newer),
        document("f", ARCS),
        document("g", ARCS, published=older),
        Problem(source="h", state="failed", reason="unreadable"),
    ]
    report = loaded(graph, corpus, documents, since=date(2031, 1, 1))
    assert report.documents.given == 6
    assert report.documents.stored == 1
    assert report.documents.rejected == {"duplicate id": 1, "no date": 1, "older than --since": 2}
    assert report.documents.failed == {"unreadable": 1}
    report = loaded(graph, corpus, documents[:1])
    assert report.documents.rejected == {"older version": 1}


def test_triplets_in_are_kept_or_rejected(graph: Graph, corpus: str) -> None:
    twice = Triplet(subject=Term(label="A"), relation="r", object=Term(label="B"))
    bad = Problem(source="d", state="rejected", reason="empty end")
    report = loaded(graph, corpus, [Document(source="d", text="A r B.", triplets=(twice, twice), malformed=(bad,))])
    assert report.triplets.given == 3
    assert report.triplets.kept == 1
    assert report.triplets.rejected == {"empty end": 1, "stated twice": 1}


def test_what_a_source_states_beside_its_text_is_counted_and_kept(graph: Graph, corpus: str) -> None:
    def says(relation: str, other: str, sentence: str) -> Triplet:
        return Triplet(subject=Term(label="Acme"), relation=relation, object=Term(label=other), sentence=sentence)

    cover = "| Ohio | 12 |\n| --- | --- |\n| (State) | (Number) |"
    told = (says("is incorporated in", "Ohio", cover), says("is in", "Utah", "nowhere"))
    found = Document(source="d", text=f"{cover}\n\nA r B.", triplets=(says("r", "B", "A r B."),), stated=told)
    report = loaded(graph, corpus, [found])
    assert (report.triplets.given, report.triplets.kept) == (4, 2)
    assert report.triplets.rejected == {"lines in no one chunk": 1, "a single row": 1}  # the table's own cell
    _, relationships = snapshot(graph, corpus)
    facts = {r["properties"]["label"]: r["properties"]["sentences"] for r in relationships if r["type"] == "FACT"}
    assert facts == {"place of incorporation": [cover], "r": ["A r B."]}


def test_a_bad_recipe_is_refused_before_anything_is_read(graph: Graph, corpus: str) -> None:
    for recipe in ({"chunking": "words"}, {"link": "magic"}):
        with pytest.raises(BadRequest):
            load(graph, iter(()), corpus, Recipe(**recipe), None, Silent())


def test_a_routed_address_reads_what_it_wrote(address: Address, corpus: str) -> None:
    uri = "neo4j" + address.uri[address.uri.index("://") :]
    with Graph.open(uri, address.user, address.password) as routed:
        for number in range(3):
            loaded(routed, corpus, [document(f"{number}", [("Acme", "based in", f"Lun {number}")])])
            assert routed.totals(corpus).facts == number + 1
        assert routed._bookmarks is not None
