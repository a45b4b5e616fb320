"""Formats of other tools, each opened by its owner's library."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from kgservice.core.errors import BadRequest, SettingsError
from kgservice.exchange.exchange_rows import Tables, qrels
from kgservice.exchange.parquet import write_parquet
from kgservice.exchange.ragas_samples import write_ragas
from kgservice.exchange.trec import write_run, write_trec
from kgservice.metrics.ranking import measures
from loaders.benchmarks.ragas import RagasLoader
from tests.unit.loading import sorted_out

TEXTS = [
    {"id": f"t{n}", "document": f"d{n // 2}.md", "title": "Isvik", "start": 0, "end": 9, "text": f"Text\n{n} ü."}
    for n in range(6)
]
QUESTIONS = [
    {"id": "q1", "pattern": "single", "asked": "object", "question": "Who\tleads it?", "answers": ["Ada"]},
    {"id": "q2", "pattern": "chain", "asked": "last", "question": "Where?", "answers": ["Lun", "Orlo"]},
]
EVIDENCE = [
    {"question": q, "fact": f"f{t}", "subject": "s", "relation": "r", "object": "o", "text": t, "document": "d0.md",
     "start": 1, "end": 4, "sentence": "ext"}
    for q, t in (("q1", "t0"), ("q2", "t3"), ("q2", "t1"))
]  # fmt: skip
FOUND = Tables(TEXTS, QUESTIONS, EVIDENCE)
RUN = {"q1": ["t5", "t0", "t5"], "q2": ["t1", "t4", "t2", "t3"]}


def test_trec_eval_gives_our_measures(tmp_path: Path) -> None:
    assert [(one.name, one.lines) for one in write_trec(FOUND, tmp_path)] == [
        ("topics.tsv", 2), ("qrels.txt", 3), ("collection.jsonl", 6),
    ]  # fmt: skip
    write_run(RUN, "bm25 new", tmp_path / "runs" / "bm25.run")
    with (tmp_path / "qrels.txt").open() as gold, (tmp_path / "runs" / "bm25.run").open() as run:
        judged, ranked = pytrec_eval.parse_qrel(gold), pytrec_eval.parse_run(run)
    assert judged == qrels(EVIDENCE)
    names = {
        "recall@5": "recall_5",
        "ndcg@5": "ndcg_cut_5",
        "map@5": "map_cut_5",
        "precision@5": "P_5",
        "mrr@5": "recip_rank",
    }
    rows = pytrec_eval.RelevanceEvaluator(
        judged, {"recall.5", "ndcg_cut.5", "map_cut.5", "P.5", "recip_rank"}
    ).evaluate(ranked)
    for query, found in RUN.items():
        ours = measures(list(dict.fromkeys(found)), judged[query], [5])
        assert {name: rows[query][theirs] for name, theirs in names.items()} == pytest.approx(
            {name: ours[name] for name in names}, abs=1e-9
        )
    assert (tmp_path / "topics.tsv").read_text() == "q1\tWho leads it?\nq2\tWhere?\n"
    first = json.loads((tmp_path / "collection.jsonl").read_text().splitlines()[0])
    assert first == {"id": "t0", "contents": "Isvik\nText\n0 ü."}
    with pytest.raises(BadRequest, match="'a b' cannot be written"):
        write_run({"q1": ["a b"]}, "x", tmp_path / "x.run")


def test_datasets_reads_the_parquet(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        datasets = pytest.importorskip("datasets")
        write_parquet(FOUND, "towns", tmp_path / "set")
        for table, rows in (("questions", QUESTIONS), ("evidence", EVIDENCE), ("texts", TEXTS)):
            read = datasets.load_dataset(str(tmp_path / "set"), table, split="test", cache_dir=str(tmp_path / "cache"))
            assert read.to_list() == rows
        assert datasets.get_dataset_config_names(str(tmp_path / "set")) == ["questions", "evidence", "texts"]


def test_a_table_without_rows_is_written(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    written = {one.name: one.lines for one in write_parquet(FOUND._replace(evidence=[]), "towns", tmp_path)}
    assert written["evidence.parquet"] == 0
    assert (tmp_path / "croissant.json").exists()


def test_mlcroissant_validates_and_reads_it(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mlcroissant = pytest.importorskip("mlcroissant")
        write_parquet(FOUND, "towns", tmp_path)
        read = mlcroissant.Dataset(jsonld=str(tmp_path / "croissant.json"))
        assert not read.metadata.ctx.issues.errors
        missing = "\n".join(read.metadata.ctx.issues.warnings)  # an export is no publication: it has neither
        assert len(read.metadata.ctx.issues.warnings) == missing.count("datePublished") + missing.count("org/version")
        rows = [*read.records("evidence")]
    assert [_plain(row, "evidence") for row in rows] == EVIDENCE


def _plain(row: dict[str, Any], table: str) -> dict[str, Any]:
    found = {name.removeprefix(f"{table}/"): value for name, value in row.items()}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def test_parquet_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SettingsError, match=r"pip install pyarrow"):
        write_parquet(FOUND, "towns", tmp_path)


def test_rocrate_and_prov_open_the_folder(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from prov.model import ProvDerivation, ProvDocument, ProvEntity
        from rocrate.rocrate import ROCrate

        written = {one.name: one.lines for one in write_parquet(FOUND, "towns", tmp_path)}
        crate = ROCrate(str(tmp_path))
        assert crate.root_dataset["name"] == "towns"
        files = {entity.id for entity in crate.get_by_type("File")}
        assert files == {path.name for path in tmp_path.iterdir()} - {"ro-crate-metadata.json"}
        assert [one["instrument"]["name"] for one in crate.get_by_type("CreateAction")] == ["kgservice"]
        document = ProvDocument.deserialize(tmp_path / "provenance.json", format="json")
        assert (
            len(list(document.get_records(ProvDerivation))) == written["provenance.json"] == len(EVIDENCE) + len(TEXTS)
        )
        assert len(list(document.get_records(ProvEntity))) == len(TEXTS) + len(QUESTIONS) + 3
        ontology = document.serialize(format="rdf", rdf_format="ttl")
        again = ProvDocument.deserialize(content=ontology, format="rdf", rdf_format="ttl")
        assert {str(one) for one in again.get_records(ProvEntity)} == {
            str(one) for one in document.get_records(ProvEntity)
        }


def test_ir_datasets_reads_the_trec_files(tmp_path: Path) -> None:
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import JsonlDocs, TrecQrels, TsvQueries
    from ir_datasets.util import LocalDownload

    write_trec(FOUND, tmp_path)
    documents = JsonlDocs(
        LocalDownload(tmp_path / "collection.jsonl"), mapping={"doc_id": "id", "text": "contents"}, lang="en"
    )
    queries = TsvQueries(LocalDownload(tmp_path / "topics.tsv"), lang="en")
    read = Dataset(documents, queries, TrecQrels(LocalDownload(tmp_path / "qrels.txt"), {1: "holds evidence"}))
    assert {one.doc_id: one.text for one in read.docs_iter()} == {
        row["id"]: f"{row['title']}\n{row['text']}" for row in TEXTS
    }
    assert {one.query_id: one.text for one in read.queries_iter()} == {"q1": "Who leads it?", "q2": "Where?"}
    judged: dict[str, dict[str, int]] = {}
    for one in read.qrels_iter():
        judged.setdefault(one.query_id, {})[one.doc_id] = one.relevance
    assert judged == qrels(EVIDENCE)


def test_samples_of_ragas_come_back(tmp_path: Path) -> None:
    (written,) = write_ragas(FOUND, tmp_path)
    rows = [json.loads(line) for line in (tmp_path / written.name).read_text().splitlines()]
    assert rows[1] == {
        "user_input": "Where?",
        "reference": "Lun; Orlo",
        "reference_contexts": ["Text\n1 ü.", "Text\n3 ü."],
    }
    documents, problems = sorted_out(RagasLoader(tmp_path / written.name))
    assert [one.text for one in documents if one.doc_type == "question"] == ["Who\tleads it?", "Where?"]
    assert [one.text for one in documents if one.doc_type == "text"] == ["Text\n0 ü.", "Text\n1 ü.", "Text\n3 ü."]
    assert not problems
