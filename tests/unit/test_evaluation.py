"""Judgements are read or refused, runs compared, repetitiveness and ROC as plain definitions say."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer import BadParameter
from typer.testing import CliRunner

from kgservice.cli import app
from kgservice.cli.evaluation.frames import frames
from kgservice.cli.evaluation.measuring import scored_by
from kgservice.core.errors import BadRequest
from kgservice.evaluation import library
from kgservice.evaluation.plurihop.repetitiveness import nearest_means
from kgservice.evaluation.plurihop.threshold import roc
from kgservice.evaluation.retrieval.query_results import QueryResult, save, saved
from kgservice.evaluation.retrieval.questions import Judged, Judgements, grades, judgements
from kgservice.evaluation.shared.measured_answers import MeasuredRun
from kgservice.metrics.significance import compare, compared, interval
from kgservice.retrieval.bm25 import BM25Retriever
from kgservice.retrieval.rerank import RerankRetriever
from kgservice.retrieval.reranker import ApiScorer
from loaders.news import NewsLoader
from tests.unit.loading import sorted_out

QUERIES = """{"_id": "q1", "text": "one", "metadata": {}}
{"_id": "q2", "text": " "}

{"_id": "q3", "text": "three"}
{"_id": "q1", "text": "again"}
{"_id": 4, "text": "four"}
"""
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\td1 \t1\n4\td1\t1\nq9\td1\t1\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    queries, qrels = tmp_path / "queries.jsonl", tmp_path / "test.tsv"
    queries.write_text(QUERIES, encoding="utf-8")
    qrels.write_text(QRELS, encoding="utf-8")
    return queries, qrels


def test_every_query_is_evaluated_or_counted(files: tuple[Path, Path], tmp_path: Path) -> None:
    found = judgements(files[0], [files[1]])
    assert [(query.id, query.text, query.gold) for query in found.queries] == [
        ("q1", "one", ("d1",)),
        ("4", "four", ("d1",)),
    ]
    assert found.skipped == {
        "judged, but no such query": 1, "no judgement above 0": 1, "no text": 1, "repeated id": 1,
    }  # fmt: skip
    packed = tmp_path / "queries.jsonl.gz"
    packed.write_bytes(gzip.compress(QUERIES.encode()))
    assert judgements(packed, [files[1]]) == found
    for path in files:
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert judgements(files[0], [files[1]]) == found, "a file with a byte order mark"


def test_multihop_rag_is_read_as_published(shared_data: Path, tmp_path: Path) -> None:
    """MultiHopRAG.json and corpus.json, arrays with the field names of its repository, made of the sample's rows."""
    rows = list(_rows(shared_data / "multihop-rag" / "queries_even.jsonl.gz"))
    asked = [{"query": row.pop("question"), **{name: row[name] for name in row if name != "id"}} for row in rows]
    (tmp_path / "MultiHopRAG.json").write_text(json.dumps(asked, indent=2), encoding="utf-8")
    articles = list(_rows(shared_data / "multihop-rag" / "evidence_articles.jsonl.gz"))
    published = [
        {name: row[name] for name in ("title", "author", "source", "published_at", "category", "url")}
        | {"body": "\r\n".join(row["facts"])}
        for row in articles
    ]
    (tmp_path / "corpus.json").write_text(json.dumps(published), encoding="utf-8")
    found = judgements(tmp_path / "MultiHopRAG.json", [])
    null = sum(row["question_type"] == "null_query" for row in rows)
    assert (len(found.queries), found.skipped) == (250 - null, {"no judgement above 0": null})
    assert {one.kind for one in found.queries} == {"comparison", "inference", "temporal"}
    documents, problems = sorted_out(NewsLoader(tmp_path / "corpus.json"))
    assert (len(documents), problems) == (326, {})
    assert {gold for one in found.queries for gold in one.gold} <= {document.source for document in documents}
    with pytest.raises(BadRequest, match="give --qrels with BEIR's queries"):
        judgements(tmp_path / "corpus.json", [])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("test.tsv", "q1\td1\n", "line 1: a judgement is"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\thigh\n", "line 2: a judgement is"),
        ("test.tsv", "q7\td1\t1\n", "do they match"),
        ("queries.jsonl", '{"id": "q1"}\n', "line 1: a query is"),
        ("queries.jsonl", "[1]\n", "line 1: a query is"),
        ("queries.jsonl", "\udcff", "cannot read"),
    ],
)
def test_a_file_that_is_not_as_promised_is_named(files: tuple[Path, Path], name: str, content: str, words: str) -> None:
    files[0].with_name(name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadRequest, match=words):
        judgements(files[0], [files[1]])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="absent"):
        grades([tmp_path / "absent.tsv"])


def test_a_saved_run_comes_back(tmp_path: Path) -> None:
    results = [QueryResult(query="q", retriever="rerank:bm25", found=("d",), measures={"recall@5": 0.5})]
    path = save(results, tmp_path / "new")
    assert path.name == "rerank-bm25.jsonl"
    assert saved(path) == {"q": {"recall@5": 0.5}}
    path.write_text('{"query": 1}\n', encoding="utf-8")
    with pytest.raises(BadRequest, match="no run"):
        saved(path)


def test_a_report_of_other_results_is_refused(tmp_path: Path) -> None:
    judged = Judgements(queries=(Judged(id="q", text="Q?", grades={"d": 1}),), skipped={})

    def report(*found: str, **measures: float) -> MeasuredRun:
        results = [QueryResult(query="q", retriever="mine", found=found, measures=measures)]
        return library.retrieval(judged, results, tmp_path / "run", library.Setting(retriever="mine", k=5))

    first = report("d", **{"recall@5": 1.0})
    assert report("d", **{"recall@5": 1.0}).summary == first.summary
    for found, measures in ((["e"], {"recall@5": 1.0}), (["d"], {"recall@2": 1.0, "recall@5": 1.0})):
        with pytest.raises(BadRequest, match=r"holds another run .options .*results.*name another folder"):
            report(*found, **measures)


def test_equal_runs_do_not_differ_and_clearly_better_ones_do() -> None:
    rng = np.random.default_rng(0)
    worse = rng.uniform(0, 0.5, 60).tolist()
    better = [value + 0.2 + 0.1 * rng.uniform() for value in worse]
    same = compared(worse, worse)
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    found = compared(better, worse)
    assert 0.2 < found.low < found.difference < found.high < 0.3
    assert found.p <= 2 / 9_999
    assert compared(worse, better).p == found.p
    assert compared(better, worse) == found  # the seed decides


def test_few_queries_are_tested_by_all_swaps() -> None:
    a, b = [1.0, 0.8, 0.9, 0.7], [0.5, 0.6, 0.2, 0.4]
    assert compared(a, b).p == pytest.approx(2 / 2**4)  # only the observed swaps and their mirror are as extreme


def test_the_interval_is_near_the_normal_one() -> None:
    values = np.random.default_rng(1).normal(0.5, 0.1, 400)
    low, high = interval(values.tolist())
    expected = stats.norm.interval(0.95, values.mean(), values.std(ddof=1) / 20)
    assert (low, high) == pytest.approx(expected, abs=0.001)


def test_runs_are_compared_over_shared_queries() -> None:
    a = {
        "1": {"recall@5": 1.0, "misleading@5": 1.0},
        "2": {"recall@5": 0.0, "misleading@5": 1.0},
        "3": {"recall@5": 1.0},
    }
    b = {
        "1": {"recall@5": 0.0, "misleading@5": 0.0},
        "2": {"recall@5": 0.0, "misleading@5": 1.0},
        "4": {"recall@5": 1.0},
    }
    found = compare(a, b)
    assert list(found) == ["recall@5", "misleading@5"]
    assert (found["recall@5"].a, found["recall@5"].b) == (0.5, 0.0)
    with pytest.raises(BadRequest, match="'ndcg@5': choose of recall@5"):
        compare(a, b, ["ndcg@5"])
    with pytest.raises(BadRequest, match="share 0 queries"):
        compare(a, {"9": {"recall@5": 1.0}})


@pytest.mark.parametrize("count", [2, 7, 60, 1_203])
def test_repetitiveness_is_the_mean_over_the_nearest(count: int) -> None:
    rng = np.random.default_rng(count)
    vectors = rng.normal(size=(count, 8)).astype(np.float32)
    vectors[count // 2] = vectors[0]  # a repeated chunk is a neighbour, a chunk itself is not
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = nearest_means(vectors)
    assert list(found) == [k for k in (1, 2, 5, 10, 20, 50) if k < count]
    for k, value in found.items():
        total = 0.0
        for index, vector in enumerate(vectors):
            others = sorted(np.delete(vectors @ vector, index).tolist(), reverse=True)
            total += sum(others[:k]) / k
        assert value == pytest.approx(total / count, abs=1e-5)


def test_the_threshold_keeps_what_is_asked_and_drops_as_much_as_it_can() -> None:
    rng = np.random.default_rng(5)
    good, bad = rng.normal(0.6, 0.15, 200).round(2).tolist(), rng.normal(0.4, 0.15, 900).round(2).tolist()
    found = roc(good, bad)
    kept = sum(score > found.chosen.threshold for score in good) / len(good)
    assert found.chosen.relevant_kept == kept >= 0.9
    higher = sorted({score for score in good if score > found.chosen.threshold})[0]
    assert sum(score > higher for score in good) / len(good) < 0.9
    assert found.chosen.irrelevant_kept == sum(score > found.chosen.threshold for score in bad) / len(bad)
    pairs = [(g > b) + (g == b) / 2 for g in good for b in bad]
    assert found.area == pytest.approx(sum(pairs) / len(pairs))
    assert [point.threshold for point in found.points] == sorted(point.threshold for point in found.points)
    assert found.points[0].relevant_kept == 1.0
    with pytest.raises(BadRequest, match="relevant and irrelevant"):
        roc(good, [])


def test_frames_ranks_by_retrievers_that_need_no_other(tmp_path: Path) -> None:
    for name in ("rerank:dense", "rerank", "multistep"):
        with pytest.raises(BadParameter, match="choose one of bm25, dense, hybrid, graph"):
            frames(tmp_path / "q.jsonl", retriever=name)


def test_a_run_is_of_one_cross_encoder() -> None:
    plain = BM25Retriever.model_construct()
    one, two = (
        RerankRetriever.model_construct(scorer=ApiScorer("http://localhost", name, None)) for name in ("a", "b")
    )
    assert scored_by(plain, None) == {}
    assert scored_by(plain, one).keys() == {"scorer"}
    assert scored_by(one) != scored_by(two)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("ask", "Who?", "--budget", "2"), "give --llm"),
        (("evaluate", "dragon", "--results", "r.json", "--retriever", "bm25", "-k", "5"), "--retriever, -k"),
        (("evaluate", "dragon", "--results", "r.json", "--generator", "prompted"), "--generator"),
        (("evaluate", "dragon", "--results", "r.json", "--timeout", "5"), "--timeout"),
        (("evaluate", "dragon", "--sets", "s", "--sandbox"), "--sandbox"),
        (("evaluate", "dragon", "--sets", "s", "--release", "1.0.0"), "--release"),
        (("evaluate", "dragon", "--sets", "s", "--budget", "2"), "none is asked: add --judge, or --generator prompted"),
        (("evaluate", "dragon", "--results", "r.json", "--budget", "2"), "--budget is about a language model"),
        (("evaluate", "raguard", "--claims", "c.csv", "--budget", "2"), "none is asked: add --generator prompted"),
        (("evaluate", "frames", "--questions", "q.jsonl", "--budget", "2"), "--budget is about a language model"),
        (("evaluate", "plurihop", "--budget", "2"), "--budget is about a language model"),
        (("evaluate", "rare", "--no-judge", "--budget", "2"), "--budget is about a language model"),
        (("evaluate", "rare", "--llm-queries", "--budget", "2"), "--llm-queries is about a language model"),
        (("evaluate", "rare", "--back-translate"), "--back-translate is about a language model"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    given: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGS_HOME", str(tmp_path / "none"))
    done = CliRunner(env={"COLUMNS": "400"}).invoke(app, given)
    assert (done.exit_code, words in done.stderr) == (2, True), done.output
    assert not (tmp_path / "none").exists(), "nothing is started for it"
