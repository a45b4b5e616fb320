"""Resolution of a corpus: what is merged, what never is, and that order does not matter."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgservice.core.records import Decision, Document, Term, Triplet
from kgservice.graph.applied_decisions import LOCAL
from kgservice.graph.store import Graph
from kgservice.graph.transaction import Applied
from kgservice.ingest.load_report import LoadCounts
from kgservice.ingest.pipeline import Recipe, write_all
from kgservice.resolution import same_name
from kgservice.resolution.decisions import merge, split
from kgservice.resolution.same_name import Resolved, resolve
from tests.conftest import examples
from tests.graph.documents import Silent

pytestmark = pytest.mark.usefixtures("unsearched")

Arc = tuple[str, str, str]


class Letters:
    """An embedder without a model: names that begin with the same two letters have nearly the same vector."""

    name = "letters"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        at = hashlib.blake2b(text[:2].lower().encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % 64
        return [float(place == at) for place in range(64)]


def put(graph: Graph, corpus: str, *documents: Sequence[Arc], kinds: dict[str, str] | None = None) -> None:
    def term(label: str) -> Term:
        return Term(label=label, kind="entity", type=(kinds or {}).get(label))

    made = [
        Document(
            source=hashlib.sha1(repr(arcs).encode(), usedforsecurity=False).hexdigest(),
            text="said",
            triplets=tuple(Triplet(subject=term(s), relation=r, object=term(o)) for s, r, o in arcs),
        )
        for arcs in documents
    ]
    write_all(graph, made, corpus, Recipe(), LoadCounts(Silent()), lambda *_: None)


def resolved(graph: Graph, corpus: str, names: Sequence[str] | None = None) -> Resolved:
    ids = None if names is None else [LOCAL + one for one in names]
    return resolve(graph, corpus, Letters(), ids)  # type: ignore[arg-type]


def merges(graph: Graph, corpus: str) -> dict[str, str]:
    rows = graph.change(
        lambda tx: list(
            tx.run(
                "MATCH (d:Decision {corpus: $corpus, state: 'merged'}) RETURN d.name AS name, d.label AS label",
                corpus=corpus,
            )
        )
    )
    return {row["name"].removeprefix(LOCAL): row["label"] for row in rows}


def named(graph: Graph, corpus: str, *names: str) -> None:
    put(graph, corpus, *[[(one, "is", f"thing {at}")] for at, one in enumerate(names)])


def test_names_are_merged_by_words_letters_vectors_and_facts(graph: Graph, corpus: str) -> None:
    named(graph, corpus, "the United States", "United States", "Céline Dion", "Celine Dion", "Lima, Peru", "Lima")
    put(graph, corpus, [("IOC", "chose", "Oslo")], [("IOC", "sits in", "Bern")])
    put(graph, corpus, [("International Olympic Committee", "chose", "Oslo")])
    put(graph, corpus, [("International Olympic Committee", "sits in", "Bern")])
    done = resolved(graph, corpus)
    assert merges(graph, corpus) == {
        "the United States": "United States", "Céline Dion": "Celine Dion", "Lima": "Lima, Peru",
        "IOC": "International Olympic Committee",
    }  # fmt: skip
    assert done.by == {"context": 1, "exact": 1, "lexical": 1, "vector": 1}
    assert done.names == done.merged + done.alone + done.by_person
    again = resolved(graph, corpus)
    assert (again.new, again.withdrawn, again.chunks) == (0, 0, 0)


def test_numbers_codes_classes_and_doubt_block_a_merge(graph: Graph, corpus: str) -> None:
    named(
        graph, corpus, "Unit ASR1603", "unit ASR1605", "World War I", "World War II", "John A. Smith", "John B. Smith"
    )
    named(
        graph,
        corpus,
        "Apple",
        "apple",
        "Perth",
        "Perth, Scotland",
        "Perth, Australia",
        "IT",
        "It",
        "Vitamin",
        "Vitamin A",
    )
    put(graph, corpus, [("Big Mercury", "is", "a")], [("big mercury", "is", "b")],
        kinds={"Big Mercury": "planet", "big mercury": "metal"})  # fmt: skip
    done = resolved(graph, corpus)
    assert merges(graph, corpus) == {}
    assert {"other classes", "other initials", "other numbers", "several would fit"} <= done.left.keys()


def test_a_text_says_what_a_name_is_short_for(graph: Graph, corpus: str) -> None:
    def load(source: str, text: str) -> None:
        write_all(
            graph, [Document(source=source, text=text)], corpus, Recipe(extract="none"), LoadCounts(Silent()), ignored
        )

    load("a", "The Northern Song Society (NSS) met. In Oslo the National Swim School met.")
    load("b", "Members of NSS sang. The West Indian Union sang too.")
    done = resolved(graph, corpus)
    assert (merges(graph, corpus)["NSS"], done.by["context"]) == ("The Northern Song Society", 1)
    load("c", "NSS (National Swim School) has a pool.")
    resolved(graph, corpus, ["NSS", "National Swim School"])
    assert "NSS" not in merges(graph, corpus), "of two that texts name neither is sure"


def test_a_name_that_a_text_explains_otherwise_is_not_merged(graph: Graph, corpus: str) -> None:
    texts = ("The Common Monetary Area (CMA) has a bank.", "She won the CMA (Country Music Association in Oslo) award.")
    made = [Document(source=text[:9], text=text) for text in texts]
    write_all(graph, made, corpus, Recipe(extract="none"), LoadCounts(Silent()), ignored)
    resolved(graph, corpus)
    assert "CMA" not in merges(graph, corpus)


def ignored(*_: object) -> None: ...


def test_names_of_many_pages_meet(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = {f"The {word} Singers": f"{word} Singers" for word in ("Royal", "Lunar", "Harmony", "Cambrian", "Zoology")}
    named(graph, corpus, *pairs, *pairs.values())
    monkeypatch.setattr(same_name, "PAGE", 3)
    resolved(graph, corpus)
    assert merges(graph, corpus) == pairs


def test_names_swapped_between_documents_stay_two(graph: Graph, corpus: str) -> None:
    put(graph, corpus, [("Jon Hall", "leads", "Acme"), ("John Hall", "leads", "Bolt")])
    put(graph, corpus, [("John Hall", "leads", "Acme"), ("Jon Hall", "leads", "Bolt")])
    resolved(graph, corpus)
    assert merges(graph, corpus) == {}


def test_what_a_person_decided_is_left_alone(graph: Graph, corpus: str) -> None:
    named(graph, corpus, "The Byrds", "Byrds", "Band of Boys")
    resolved(graph, corpus)
    assert merges(graph, corpus) == {"The Byrds": "Byrds"}
    split(graph, corpus, "The Byrds")
    resolved(graph, corpus)
    assert merges(graph, corpus) == {}
    merge(graph, corpus, "The Byrds", "Band of Boys")
    done = resolved(graph, corpus)
    assert merges(graph, corpus) == {"The Byrds": "Band of Boys"}
    assert done.by_person == 1


def test_only_what_was_made_is_counted(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named(graph, corpus, "The Byrds", "Byrds", "The Kinksons", "Kinksons")
    decide = graph.decide

    def late(name: str, decisions: Sequence[Decision]) -> Applied:  # a person is faster
        monkeypatch.setattr(graph, "decide", decide)
        merge(graph, corpus, "Byrds", "The Byrds")
        return decide(name, decisions)

    monkeypatch.setattr(graph, "decide", late)
    done = resolved(graph, corpus)
    assert merges(graph, corpus) == {"Byrds": "The Byrds", "The Kinksons": "Kinksons"}
    assert (done.merged, done.new, [one.name for one in done.decisions]) == (1, 1, ["local:The Kinksons"])


def test_what_several_things_are_called_is_one_only_in_context(graph: Graph, corpus: str) -> None:
    named(graph, corpus, "The Court", "Court", "first congress", "First Congress", "The Clock Tower", "Clock Tower")
    done = resolved(graph, corpus)
    assert (merges(graph, corpus), done.left) == ({}, {"not alike enough": 3})
    for one in ("The Court", "Court"):
        put(graph, corpus, [(one, "sits in", "Oslo")], [(one, "was led by", "Ann Lee")])
    resolved(graph, corpus)
    assert merges(graph, corpus) == {"The Court": "Court"}


HOSTILE = (
    "مدينة القدس",
    "ירושלים העתיקה",
    "東京 都",
    "Київ",
    "😀 🎉",
    "a" * 10_000,
    "ﬁne ﬁsh",
    "\u202eReversed name",
    "n\u0303ame",
)


def test_hostile_names_neither_crash_nor_merge(graph: Graph, corpus: str) -> None:
    named(graph, corpus, *HOSTILE, "b" + "a" * 9_999, "😀 🎈")
    done = resolved(graph, corpus)
    assert merges(graph, corpus) == {}
    assert done.names == 2 * (len(HOSTILE) + 2)
    merge(graph, corpus, "a" * 10_000, "😀 🎉")
    split(graph, corpus, "a" * 10_000)


SPELT = st.sampled_from(
    ["Lima", "lima", "The Lima", "Lima, Peru", "Lima, Ohio", "Port Lima", "port Lima", "Port-Lima", "Port Limma",
     "the port Lima", "PL", "P.L.", "Peter Long", "Peter L. Long", "Peter M. Long", "Peter Lang"]
)  # fmt: skip


@settings(max_examples=examples(5), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(st.lists(SPELT, min_size=1, max_size=5, unique=True), min_size=2, max_size=4), seed=st.integers()
)
def test_the_order_of_loads_does_not_matter(graph: Graph, batches: list[list[str]], seed: int) -> None:
    corpora = [f"order-{uuid.uuid4().hex}" for _ in range(2)]
    try:
        for batch in batches:
            named(graph, corpora[0], *batch)
            resolved(graph, corpora[0], batch)
        shuffled = random.Random(seed).sample(batches, len(batches))
        for batch in shuffled:
            named(graph, corpora[1], *batch)
        resolved(graph, corpora[1])
        assert merges(graph, corpora[0]) == merges(graph, corpora[1])
        assert resolved(graph, corpora[0]).new == 0
    finally:
        for one in corpora:
            graph.remove_corpus(one)


def test_new_names_cost_what_they_are(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named(graph, corpus, *(f"Person {chr(97 + at // 26)}{chr(97 + at % 26)}x" for at in range(60)), "Acme Works")
    resolved(graph, corpus)
    named(graph, corpus, "ACME works")
    read, seen = graph.read, []

    def watched(name: str, /, **parameters: object) -> object:
        seen.append(name)
        rows = read(name, **parameters)
        assert len(rows) <= 12, name
        return rows

    monkeypatch.setattr(graph, "read", watched)
    done = resolved(graph, corpus, ["ACME works"])
    assert (done.names, done.new, merges(graph, corpus)) == (1, 1, {"Acme Works": "ACME works"})
    assert len(seen) <= 14


def test_names_that_are_not_compared_are_not_read(graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "bcdfghjklmnpqrstvwxz"  # each name has the initials P and A, and no other is spelt like it
    named(graph, corpus, *(f"Pa{letter}o Ar{letter}a" for letter in letters))
    resolved(graph, corpus)
    named(graph, corpus, "Pelta Ardo")
    read, asked = graph.read, list[str]()

    def watched(name: str, /, **parameters: Any) -> object:
        if name == "read/names_known":
            asked.extend(row["name"] for row in parameters["rows"])
        return read(name, **parameters)

    monkeypatch.setattr(graph, "read", watched)
    resolved(graph, corpus, ["Pelta Ardo"])
    assert asked == ["local:Pelta Ardo"]
