"""Every retriever on a real Neo4j: what it finds and why, filters that lose nothing, queries that must not break it."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterator, Sequence
from datetime import date

import pytest

from kgservice.core import keys
from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.corpus import Corpus
from kgservice.graph.store import Graph
from kgservice.graph.views import make_view
from kgservice.ingest.pipeline import Recipe, load
from kgservice.retrieval import RETRIEVERS, dense, offered, retrieve, retriever
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.multistep import MultistepRetriever
from kgservice.retrieval.per_document import PluriHopRetriever
from kgservice.retrieval.rerank import RerankRetriever
from kgservice.retrieval.reranker import SentenceScorer, cross_encoder
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import Silent

NAMES = [*RETRIEVERS, "rerank:bm25", "multistep:dense"]
QUERY = "Which city is the capital of Varnia?"
GOLD = {QUERY: ("varnia", "towns")}


class Backwards:
    """A scorer that likes short texts."""

    name, threshold = "backwards", -100.0

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return [-float(len(text)) for text in texts]


def options_of(name: str, embedder: Embedder) -> dict[str, object]:
    """Return what a retriever needs: rerank has no scorer of its own."""
    return {"scorer": SentenceScorer(embedder)} if name.startswith("rerank") else {}


def stated(subject: str, relation: str, obj: str, sentence: str) -> Triplet:
    return Triplet(subject=Term(label=subject), relation=relation, object=Term(label=obj), sentence=sentence)


DOCUMENTS = [
    Document(
        source="varnia",
        title="Varnia",
        text="Varnia is a country by the sea. Its capital is Novosel.",
        published=date(2031, 3, 1),
        triplets=(stated("Varnia", "capital", "Novosel", "Its capital is Novosel."),),
    ),
    Document(
        source="novosel",
        title="Novosel",
        text="Novosel lies on the river Arda. Ada Lind is its mayor.",
        published=date(2031, 4, 1),
        triplets=(
            stated("Novosel", "mayor", "Ada Lind", "Ada Lind is its mayor."),
            stated("Novosel", "lies on", "Arda", "Novosel lies on the river Arda."),
        ),
    ),
    Document(
        source="lind",
        title="Ada Lind",
        text="Ada Lind was born in Karsk in 1980.",
        published=date(2032, 1, 1),
        triplets=(stated("Ada Lind", "born in", "Karsk", "Ada Lind was born in Karsk in 1980."),),
    ),
    Document(
        source="towns",
        title="Towns",
        text="## Ports\n\n" + "The ports of Varnia ship grain and wood. " * 40
        + "\n\n## Capitals\n\n" + "A capital city is where a country is governed from. " * 40,
        triplets=(),
    ),
    *(
        Document(source=f"filler{index}", title=f"Report {index}", published=date(2033, 1, 1 + index),
                 text=f"Report {index} on the capital city of country {index}.", triplets=())
        for index in range(12)
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


@pytest.fixture(scope="module")
def corpus(graph: Graph, embedder: Embedder) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex}"
    report = load(graph, DOCUMENTS, name, Recipe(chunking="chars:500:100"), embedder, Silent())
    assert report.documents.stored == len(DOCUMENTS)
    yield name
    graph.remove_corpus(name)


def sources(corpus: str, hits: Sequence[Hit]) -> list[str]:
    known = {keys.document_key(corpus, document.source): document.source for document in DOCUMENTS}
    return [known[hit.document] for hit in hits]


@pytest.mark.parametrize("name", NAMES)
def test_hits_are_ordered_explained_and_the_same_twice(
    graph: Graph, corpus: str, embedder: Embedder, name: str
) -> None:
    hits = retrieve(graph, corpus, name, QUERY, 7, embedder, gold=GOLD, **options_of(name, embedder))
    assert 1 <= len(hits) <= 7
    assert [(-hit.score, hit.chunk) for hit in hits] == sorted((-hit.score, hit.chunk) for hit in hits)
    assert len({hit.chunk for hit in hits}) == len(hits)
    assert all(hit.why and hit.chunk.startswith(hit.document) for hit in hits)
    assert "varnia" in sources(corpus, hits)
    assert retrieve(graph, corpus, name, QUERY, 7, embedder, gold=GOLD, **options_of(name, embedder)) == hits


@pytest.mark.parametrize("name", NAMES)
def test_filters_leave_nothing_out_that_fits(graph: Graph, corpus: str, embedder: Embedder, name: str) -> None:
    """Fillers about capitals outrank the others: a filter on the first k finds would come back with too few."""
    gold = {QUERY: tuple(document.source for document in DOCUMENTS)}

    def found(**within: object) -> set[str]:
        options = {"within": SearchFilter(**within), "gold": gold}  # type: ignore[arg-type]
        asked = retriever(name, graph, corpus, embedder, k=2, **options, **options_of(name, embedder))
        if isinstance(asked, PluriHopRetriever):
            asked.threshold = -1.0
        return set(sources(corpus, asked.hits(QUERY)))

    assert found(documents=("varnia", keys.document_key(corpus, "towns"))) <= {"varnia", "towns"}
    assert found(documents=("varnia",)) == {"varnia"}
    assert found(published_until=date(2031, 3, 1)) == {"varnia"}
    assert found(published_since=date(2033, 1, 12)) == {"filler11"}
    assert found(published_since=date(2033, 1, 11)) == {"filler10", "filler11"}
    assert found(documents=("varnia",), published_since=date(2031, 3, 2)) == set()
    assert found(documents=("towns",), published_since=date(2000, 1, 1)) == set()  # undated
    with pytest.raises(NotFound, match="no document 'nowhere'"):
        found(documents=("varnia", "nowhere"))
    with pytest.raises(BadRequest, match="turn the two round"):
        found(published_since=date(2031, 3, 2), published_until=date(2031, 3, 1))


def test_a_corpus_as_of_a_day_has_no_vectors(graph: Graph, corpus: str, embedder: Embedder) -> None:
    view = make_view(graph, corpus, date(2033, 1, 11)).corpus
    for name in ("dense", "hybrid"):
        with pytest.raises(BadRequest, match=f"'{view}', a corpus as of a day, has no vectors: use bm25 or graph"):
            retrieve(graph, view, name, QUERY, 5, embedder)
    for name in ("bm25", "graph"):
        assert "varnia" in sources(view, retrieve(graph, view, name, QUERY, 5, embedder))
    graph.remove_corpus(view)


def test_filters_of_dense_hold_where_vectors_are_compared_one_by_one(
    graph: Graph, corpus: str, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    within = SearchFilter(published_until=date(2031, 4, 1))
    by_index = retrieve(graph, corpus, "dense", QUERY, 5, embedder, within=within)
    monkeypatch.setattr(dense, "WIDEST", 0)
    assert retrieve(graph, corpus, "dense", QUERY, 5, embedder, within=within) == by_index
    assert set(sources(corpus, by_index)) == {"varnia", "novosel"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "query",
    ["AND (", "~", '"Varnia', "capital AND", "столица Варнии", "瓦尔尼亚的首都", "\x00", "a\udcffb", "?", " ".join(["capital"] * 10_000)],
)  # fmt: skip
def test_any_query_has_an_answer(graph: Graph, corpus: str, embedder: Embedder, name: str, query: str) -> None:
    gold = {query.encode("utf-8", "replace").decode(): ("varnia",)}
    hits = retrieve(graph, corpus, name, query, 3, embedder, gold=gold, **options_of(name, embedder))
    assert hits == retrieve(graph, corpus, name, query, 3, embedder, gold=gold, **options_of(name, embedder))
    assert len(hits) <= 3


def test_hybrid_tells_both_ranks(graph: Graph, corpus: str, embedder: Embedder) -> None:
    found = retrieve(graph, corpus, "hybrid", QUERY, 3, embedder)
    lists = {
        name: {hit.chunk: rank for rank, hit in enumerate(retrieve(graph, corpus, name, QUERY, 10, embedder), 1)}
        for name in ("bm25", "dense")
    }
    for hit in found:
        ranks = {name: ranked[hit.chunk] for name, ranked in lists.items() if hit.chunk in ranked}
        assert {name: hit.why[f"{name} rank"] for name in ranks} == ranks
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks.values()))


def test_rerank_orders_the_first_stage_by_the_scorer(graph: Graph, corpus: str, embedder: Embedder) -> None:
    first = retrieve(graph, corpus, "bm25", QUERY, 80, embedder)
    found = retrieve(graph, corpus, "rerank:bm25", QUERY, 4, embedder, scorer=Backwards())
    shortest = sorted(first, key=lambda hit: (len(f"{hit.title}. {hit.text}"), hit.chunk))[:4]
    assert [hit.chunk for hit in found] == [hit.chunk for hit in shortest]
    rank = {hit.chunk: rank for rank, hit in enumerate(first, 1)}
    assert [hit.why["first rank"] for hit in found] == [rank[hit.chunk] for hit in found]


def test_rerank_is_refused_without_a_cross_encoder(graph: Graph, corpus: str, embedder: Embedder) -> None:
    """The packaged path has no weights to re-rank by, and says what to set."""
    options = {"graph": graph, "corpus": corpus, "embedder": embedder}
    for refused in (
        lambda: retrieve(graph, corpus, "rerank:bm25", QUERY, 4, embedder, scorer=cross_encoder(Settings())),
        lambda: retriever("rerank", graph, corpus, embedder),
        lambda: RerankRetriever(**options),
        lambda: RerankRetriever(**options, scorer=Backwards()).with_options({"scorer": None}),
        lambda: Corpus(corpus, graph, Settings()).as_retriever("rerank"),
    ):
        with pytest.raises(
            BadRequest, match=r"rerank needs a cross-encoder: set KGS_RERANKER .* or use graph or hybrid"
        ):
            refused()
    assert set(RETRIEVERS) - set(offered(None)) == {"rerank"}
    assert offered(Backwards()) == tuple(RETRIEVERS)


def test_multistep_follows_entities_and_asks_nothing_twice(graph: Graph, corpus: str, embedder: Embedder) -> None:
    question = "Where was the mayor of the capital of Varnia born?"
    asked: list[str] = []

    class Watched:
        def next_query(self, question: str, context: Sequence[Hit], before: Collection[str]) -> str | None:
            assert sorted(before) == sorted(set(asked))
            asked.append("Ada Lind" if asked else question)
            return asked[-1]

    found = retrieve(graph, corpus, "multistep", question, 6, embedder)
    assert sources(corpus, found).index("lind") < 6
    assert [hit.score for hit in found] == [1 / place for place in range(1, len(found) + 1)]
    assert found[0].why == {"iteration": 1, "query": question, "rank": 1}
    assert "lind" not in sources(corpus, retrieve(graph, corpus, "bm25", question, 1, embedder))
    once = MultistepRetriever(graph=graph, corpus=corpus, embedder=embedder, k=3, generator=Watched(), documents=1)
    hits = once.hits(question)
    assert sources(corpus, hits)[1] == "lind"
    assert [hit.why["query"] for hit in hits] == [question, "Ada Lind", question]
    assert len(asked) == 25


def test_plurihop_looks_into_every_document_and_drops_what_is_irrelevant(
    graph: Graph, corpus: str, embedder: Embedder
) -> None:
    asked = PluriHopRetriever(graph=graph, corpus=corpus, embedder=embedder, k=40)
    evidence = asked.evidence(QUERY)
    assert sorted(one.document for one in evidence) == sorted(
        keys.document_key(corpus, document.source) for document in DOCUMENTS
    )
    assert all(1 <= len(one.hits) <= asked.chunks for one in evidence)
    assert [one.relevance for one in evidence] == sorted((one.relevance for one in evidence), reverse=True)
    cut = evidence[5].relevance
    asked.threshold = cut
    hits = asked.hits(QUERY)
    kept = [one for one in evidence if one.relevance > cut]
    assert [hit.document for hit in hits[: len(kept)]] == [one.document for one in kept]
    assert len(hits) == sum(len(one.hits) for one in kept)
    first = hits[sources(corpus, hits).index("varnia")]
    assert first.why["sentence"] in first.text
    assert {"document rank", "relevance", "question", "cosine"} <= set(first.why)


def test_oracle_finds_what_it_is_told(graph: Graph, corpus: str, embedder: Embedder) -> None:
    chunk = retrieve(graph, corpus, "bm25", "mayor", 1, embedder)[0].chunk
    gold = {"anything": ("towns", chunk, keys.document_key(corpus, "lind"), "absent")}
    found = retrieve(graph, corpus, "oracle", "anything", 3, embedder, gold=gold)
    assert set(sources(corpus, found)) == {"towns", "novosel", "lind"}
    assert {hit.why["gold"] for hit in found} == set(gold["anything"]) - {"absent"}
    everything = retrieve(graph, corpus, "oracle", "anything", 100, embedder, gold=gold)
    assert len([name for name in sources(corpus, everything) if name == "towns"]) > 2
    with pytest.raises(BadRequest, match="needs the query's gold"):
        retrieve(graph, corpus, "oracle", "something else", 3, embedder, gold=gold)


def test_summaries_follow_their_documents(graph: Graph, embedder: Embedder) -> None:
    name = f"test-{uuid.uuid4().hex}"
    code = keys.corpus_code(name)

    def summaries() -> dict[str, str]:
        rows = graph.read("read/documents", after=code, until=code + "~", limit=10)
        return {row["document"]["source"]: row["document"].get("summary") for row in rows}

    try:
        load(graph, [Document(source="a", text="Old words.", triplets=())], name, Recipe(), embedder, Silent())
        assert summaries() == {"a": "Old words."}
        load(graph, [Document(source="a", text="New words.", triplets=())], name, Recipe(), None, Silent())
        assert summaries() == {"a": None}
        load(graph, [Document(source="b", text="Other.", triplets=())], name, Recipe(), embedder, Silent())
        assert summaries() == {"a": "New words.", "b": "Other."}
    finally:
        graph.remove_corpus(name)
