"""evaluate on BEIR files as a person runs it: load, measure, compare."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgservice.evaluation.shared.measured_answers import MeasuredRun
from kgservice.evaluation.shared.run_folder import saved_run
from tests.e2e.conftest import Run

TEXTS = {
    "d1": "Novosel is the capital of Varnia.",
    "d2": "Orlo is the capital of Kest.",
    "d3": "Grain is shipped from the port of Novosel.",
    "d4": "The mayor of Orlo opened a bridge.",
}
QUERIES = {"q1": "capital of Varnia", "q2": "capital of Kest", "q3": "port for grain", "q4": "nobody judged this"}
GOLD = {"q1": ["d1"], "q2": ["d2", "d4"], "q3": ["d3", "lost"]}


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    corpus = [json.dumps({"_id": name, "title": "", "text": text}) for name, text in TEXTS.items()]
    queries = [json.dumps({"_id": name, "text": text}) for name, text in QUERIES.items()]
    qrels = [f"{query}\t{document}\t1" for query, gold in GOLD.items() for document in gold]
    (tmp_path / "corpus.jsonl").write_text("\n".join(corpus), encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text("\n".join(queries), encoding="utf-8")
    (tmp_path / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *qrels]), encoding="utf-8")
    (tmp_path / "mislead.tsv").write_text("q1\td2\t1\nq2\td3\t1\n", encoding="utf-8")
    return tmp_path


def test_measure_compare_and_repetitiveness(kgs: Run, kgs_json: Callable[..., Any], beir: Path, corpus: str) -> None:
    kgs_json("load", "beir", beir, "-c", corpus, "--extract", "none")
    files = ("--queries", beir / "queries.jsonl", "--qrels", beir / "qrels.tsv")
    done = kgs(
        "evaluate", "retrieval", *files, "--retriever", "bm25", "--retriever", "oracle", "-k", "1,3", "-c", corpus,
        "--misleading", beir / "mislead.tsv", "--save", beir / "runs", "--report", beir / "report", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    bm25, oracle = (json.loads(line) for line in done.stdout.splitlines())
    assert (bm25["retriever"], bm25["queries"], bm25["missing_gold"]) == ("bm25", 3, 1)
    assert bm25["skipped"] == {"no judgement above 0": 1}
    assert bm25["recall@1"] == pytest.approx((1 + 0.5 + 0.5) / 3, abs=1e-6)
    assert bm25["misleading@3"] == 0.5  # d2 also speaks of a capital; q3 cannot be misled
    assert oracle["recall@3"] == pytest.approx((1 + 1 + 0.5) / 3, abs=1e-6)
    assert oracle["all@3"] == pytest.approx(2 / 3, abs=1e-6)
    assert set(bm25["interval"]) == {name for name in bm25 if "@" in name}
    saved = [json.loads(line) for line in (beir / "runs" / "bm25.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["query"] for row in saved] == ["q1", "q2", "q3"]
    assert saved[0]["found"][0] == "d1"

    page = (beir / "report" / "bm25" / "index.html").read_text(encoding="utf-8")
    assert "Retrieval by k" in page
    assert "http" not in page, "the page needs something from elsewhere"

    found = kgs_json("evaluate", "compare", beir / "report" / "oracle", beir / "report" / "bm25")
    assert (found["queries"], found["only in one"]) == (3, 0)
    row = found["measures"]["recall@3"]
    assert row["difference"] == pytest.approx(row["a"] - row["b"])
    assert 0 < row["p"] <= 1

    evidence = {"q1": ["d1"], "q2": ["d2", "d2", "d4"], "q4": []}  # as MultiHop-RAG publishes it, by address
    asked = [
        {"query": QUERIES[name], "answer": "x", "evidence_list": [{"url": url, "fact": "x"} for url in urls]}
        | {"question_type": f"{'temporal' if name == 'q1' else 'inference'}_query"}
        for name, urls in evidence.items()
    ]
    (beir / "MultiHopRAG.json").write_text(json.dumps(asked, indent=2), encoding="utf-8")
    published = ("--queries", beir / "MultiHopRAG.json", "-k", "2", "-c", corpus, "--report", beir / "typed")
    typed = kgs_json("evaluate", "retrieval", *published)
    assert (typed["queries"], typed["recall@2"], typed["skipped"]) == (2, 0.75, {"no judgement above 0": 1})
    groups = saved_run(beir / "typed" / "bm25", MeasuredRun).ended.groups
    assert {name: group.questions for name, group in groups["type"].items()} == {"inference": 1, "temporal": 1}

    repeated = kgs_json("evaluate", "repetitiveness", "-c", corpus)
    assert (repeated["documents"], repeated["chunks"]) == (4, 4)
    assert 1 >= repeated["r@1"] >= repeated["r@2"] > -1
    assert "r@5" not in repeated

    cut = kgs_json("evaluate", "threshold", *files, "-c", corpus)
    assert (cut["relevant"], cut["irrelevant"]) == (4, 8)
    assert cut["chosen"]["relevant_kept"] >= 0.9


def test_what_cannot_be_evaluated_is_one_line(kgs: Run, beir: Path, corpus: str) -> None:
    queries = beir / "queries.jsonl"
    files = ("--queries", queries, "--qrels", beir / "qrels.tsv")
    refused = [
        (("retrieval", *files, "-c", "nowhere"), "no corpus 'nowhere'"),
        (("retrieval", *files, "--retriever", "bm26"), "choose one of bm25"),
        (("retrieval", *files, "-k", "2,five"), "such as 2,5,10"),
        (("compare", queries, queries), "is no run"),
    ]
    for arguments, words in refused:
        done = kgs("evaluate", *arguments)
        assert done.returncode == 1, arguments
        assert words in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
