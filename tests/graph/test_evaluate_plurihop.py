"""evaluate plurihop, dragon and rare over a graph: reports in the papers' layouts, written by us, asked in three ways."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgservice.answering.aggregate import RuleAggregator
from kgservice.answering.callables import CallableGenerator
from kgservice.answering.document_filter import DocumentScope
from kgservice.answering.systems import ReadsDocuments, ReadsPassages
from kgservice.core import keys
from kgservice.core.records import Document, Term, Triplet
from kgservice.evaluation import library
from kgservice.evaluation.compare import compared_runs
from kgservice.evaluation.plurihop.questions import of_corpus
from kgservice.evaluation.rare import run_records
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer, MeasuredRun
from kgservice.evaluation.shared.run_folder import lines_of, saved_run
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.questions.selection import Plan, generate
from kgservice.retrieval.dense import DenseRetriever
from kgservice.retrieval.per_document import PluriHopRetriever
from kgservice.retrieval.rerank import RerankRetriever
from kgservice.retrieval.reranker import SentenceScorer
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import Silent
from tests.llm_server import KEY, LLMServer, filled, form

CORPUS = "test-evaluate-plurihop"
PARTS = ["Which turbine is it about?", "What is its iron content?"]
IRON = {"T01": 6, "T02": 41, "T03": 12, "T04": 9}  # mg/kg in the gear oil, wind park W03, in 2024


def report(turbine: str, iron: int, year: int) -> Document:
    """An oil report as PluriHopWIND has them: always the same words, another turbine, another year."""
    said = f"The iron content of turbine W03{turbine} was {iron} mg/kg."
    return Document(
        source=f"oil-{turbine}-{year}", title=f"W03{turbine}: oil report {year}", doc_type="oil_report",
        text=f"Laboratory report on the gear oil of turbine W03{turbine}. {said} The oil was not changed in {year}.",
        metadata={"year": year},
        triplets=(Triplet(subject=Term(label=f"W03{turbine}", type="turbine"), relation="iron content",
                          object=Term(label=f"{iron} mg/kg"), sentence=said),),
    )  # fmt: skip


@pytest.fixture(scope="module")
def wind(graph: Graph) -> Iterator[str]:
    documents = [report(turbine, iron, 2024) for turbine, iron in IRON.items()] + [report("T01", 5, 2019)]
    load(graph, documents, CORPUS, Recipe(), Embedder(), Silent())
    generate(
        graph, CORPUS, Plan(patterns=("pluri_hop", "single"), second_look=False)
    )  # nobody can search for "6 mg/kg"
    yield CORPUS
    graph.remove_corpus(CORPUS)


def reader(question: str, contexts: Sequence[str]) -> str:
    """Read the first value of a report of the year that is asked for; it cannot put two reports together."""
    year = re.findall(r"\b20\d\d\b", question)
    found = [re.search(r"was (\d+ mg/kg)", text) for text in contexts if not year or f"oil report {year[0]}" in text]
    return next((one[1] for one in found if one), "no such info")


def test_pluri_hop_questions_in_three_ways(graph: Graph, wind: str, tmp_path: Path) -> None:
    chosen, embedder = of_corpus(graph, wind, None, 0), Embedder()
    options = {"graph": graph, "corpus": wind, "embedder": embedder}
    documents = ReadsDocuments(
        PluriHopRetriever(**options, threshold=-1.0), CallableGenerator(reader), RuleAggregator()
    )
    passages = ReadsPassages(
        RerankRetriever(**options, scorer=SentenceScorer(embedder), under=DenseRetriever), CallableGenerator(reader)
    )
    library.plurihop(chosen, documents, tmp_path / "documents")
    one = library.plurihop(chosen, passages, tmp_path / "passages")
    asked = {item.groups["kind"]: item for item in lines_of(tmp_path / "documents", MeasuredAnswer)}
    assert {kind: item.answer for kind, item in asked.items() if kind != "list"} == {
        "count": "4", "min": "W03T01", "max": "W03T02",
    }  # fmt: skip
    assert all(item.measures["f1"] == 1.0 for item in asked.values()), asked["list"].said
    assert all(item.measures["document f1"] == 1.0 for item in asked.values()), "the report of 2019 was left out"
    assert one.summary is not None
    assert one.summary.measures["document precision"].mean == pytest.approx(4 / 5)
    assert one.summary.groups["kind"]["list"].measures["recall"] == 0.0, "a value without its turbine"
    compared = compared_runs(tmp_path / "documents", tmp_path / "passages", ["f1"])
    assert compared.measures["f1"].a == 1.0
    assert compared.measures["f1"].low > 0


def model(request: Any) -> Any:
    """Takes questions apart, reads a report as `reader` does, and lists what reports say; one question it cannot take."""
    fields, told = set((form(request) or {}).get("properties", {})), request["messages"][1]["content"]
    if fields == {"hypothetical_summary", "questions"}:
        asked = [] if "how many" in told else PARTS
        return {"hypothetical_summary": "Laboratory report on the gear oil of a turbine.", "questions": asked}
    if fields == {"answers"}:
        assert [*re.findall(r'^Question \d: "(.*)"$', told, re.M)] == PARTS
        turbine, iron = re.search(r"turbine (\w+) was (.*/kg)", told).groups()  # type: ignore[union-attr]
        known = {"W03T02": [turbine, "no such info"], "W03T04": [turbine]}
        return {"answers": known.get(turbine, [turbine, iron])}
    if fields == {"answer", "relevant_documents"}:
        parts = re.findall(r"about\? (\w+)\nWhat is its iron content\? (.*)", told)
        return {"answer": "; ".join(map(": ".join, parts)), "relevant_documents": [1, 3]}
    return filled(request)


def test_a_model_takes_questions_apart_and_reads_documents(
    kgs: Any, wind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ("evaluate", "plurihop", "-c", wind, "--generator", "prompted", "--no-judge", "--report")
    with LLMServer(model) as server:
        for name, value in (("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "test-model")):
            monkeypatch.setenv(f"KGS_LLM_{name}", value)
        done = kgs(*given, tmp_path / "run")
        paid = sum(server.asked.values())
        again = kgs(*given, tmp_path / "again", "--budget", "10tokens")
        monkeypatch.setenv("KGS_HOME", str(tmp_path / "elsewhere"))
        poor = kgs(*given, tmp_path / "poor", "--budget", "10tokens")
        assert sum(server.asked.values()) == paid, "nothing is asked twice, and nothing beyond the budget"
    asked = {item.groups["kind"]: item for item in lines_of(tmp_path / "run", MeasuredAnswer)}
    assert set(asked["list"].answer.split("; ")) == {"W03T01: 6 mg/kg", "W03T03: 12 mg/kg"}, done.output
    assert len(asked["list"].found) == 2
    assert asked["list"].failure == "a document was not read: not as many answers as questions"
    assert asked["count"].failure == "taken apart: nothing to ask documents"
    assert (done.exit_code, "decompose" in done.output, "read documents" in done.output) == (1, True, True)
    run = saved_run(tmp_path / "run", MeasuredRun)
    assert run.llm is not None
    assert {"decompose", "read_document", "aggregate_pages", "aggregate_answers"} == set(run.identity.prompts)
    assert run.llm.stages["read documents"].calls == 4, "what two questions ask a document alike is paid once"
    assert "budget" not in again.output
    assert (poor.exit_code, "larger --budget" in poor.stderr) == (1, True)


def translating(request: Any) -> Any:
    """Translates, and says the same in other words on the way back."""
    told = request["messages"][1]["content"]
    if set((form(request) or {}).get("properties", {})) == {"questions"}:
        asked = re.search(r'name="question">\n(.*)\n</data', told, re.DOTALL)[1]  # type: ignore[index]
        detail = ", though the access road was resurfaced," if "irrelevant" in told else ""
        return {"questions": [asked, f"Do you know{detail} {asked[0].lower()}{asked[1:]}", "What is the oil of Isvik?"]}
    if set((form(request) or {}).get("properties", {})) != {"text"}:
        return filled(request)
    text = re.search(r'name="text">\n(.*)\n</data', told, re.DOTALL)[1]  # type: ignore[index]
    if '"French"' in told:
        return {"text": f"FR {text}"}
    back = re.sub(r"The iron .* of (turbine \w+) was (.*/kg)\.", r"In \1 was \2 of iron.", text[3:])
    return {"text": back.replace("The oil was not changed in 2019.", "During 2019 nobody put any new oil into it.")}


def test_a_model_rewords_passages_and_questions(
    kgs: Any, wind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (
        "evaluate",
        "rare",
        "-c",
        wind,
        "--retriever",
        "bm25,dense,graph",
        "--back-translate",
        "--llm-queries",
        "--report",
    )
    refused = kgs(*given, tmp_path / "no")
    assert (refused.exit_code, "add --judge" in refused.stderr) == (2, True)
    with LLMServer(translating) as server, LLMServer(translating, key="sk-translator-1") as elsewhere:
        for name, value in (
            ("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "test-model"), ("JUDGE_MODEL", "a-judge"),
            ("TRANSLATOR_BASE_URL", elsewhere.url), ("TRANSLATOR_API_KEY", elsewhere.key),
        ):  # fmt: skip
            monkeypatch.setenv(f"KGS_LLM_{name}", value)
        done = kgs(*given, tmp_path / "run", "--judge")
    assert done.exit_code == 0, done.output
    assert (server.keys, elsewhere.keys) == ({KEY}, {"sk-translator-1"})
    host, other_host = (one.url.split("/")[2] for one in (server, elsewhere))
    run = saved_run(tmp_path / "run", run_records.RareRun)
    assert run.identity.judge == f"strings, then a-judge at {host}"
    assert run.identity.options["reworded by"] == f"test-model at {other_host}"
    assert run.identity.options["queries by"] == f"test-model at {host}"
    assert f"strings, then a-judge at {host}" in done.output
    written = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "run").iterdir())
    assert f"a-judge at {host}" in written and "sk-" not in written
    assert {"translate", "perturb_grammar", "perturb_irrelevant"} <= set(run.identity.prompts)
    [line] = lines_of(tmp_path / "run", run_records.JudgedQuestion)
    queries = {made.kind: made for made in line.queries}
    assert queries["grammar"].text == f"Do you know {line.question[0].lower()}{line.question[1:]}"
    assert "the access road was resurfaced" in queries["irrelevant"].text
    assert queries["grammar"].candidates == queries["irrelevant"].candidates == 1, "of three, one keeps the question"
    [reworded] = [made for made in line.passages if made.kind == "reworded"]
    assert reworded.texts[0].endswith(
        "In turbine W03T01 was 5 mg/kg of iron. During 2019 nobody put any new oil into it."
    )
    assert 0 < reworded.similarity < 1
    assert reworded.changed >= 0.25, "what changes less is no rewording"
    assert run.summary is not None and run.summary.changed["passages: reworded"] == reworded.changed
    assert {cell.passages for cell in line.cells} > {"reworded"}
    retrieved = [cell for cell in line.cells if cell.passages == "retrieved" and cell.query == "original"]
    assert [cell.retriever for cell in retrieved] == ["bm25", "dense", "graph"], "one context each"
    assert {name: one.of for name, one in run.summary.by_retriever.items()} == {"bm25": 1, "dense": 1, "graph": 1}
    assert run.summary.scores.retrieval.robust == sum(one.robust for one in run.summary.by_retriever.values())
    assert "By retriever" in (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert run.llm is not None
    assert run.llm.stages["translate"].calls == 2, "there and back"


def test_a_question_says_where_to_look(graph: Graph, wind: str) -> None:
    told = DocumentScope(graph, wind)
    asked = "What is the iron content of each turbine, going by all oil reports"
    assert told.within(f"{asked} whose year is 2019?").documents == (keys.document_key(wind, "oil-T01-2019"),)
    assert len(told.within(f"{asked} whose year is 2024?").documents) == 4
    assert len(told.within(f"{asked}?").documents) == 5
    for other in ("What is the iron content?", "What is it, going by all annual reports?"):
        assert not told.within(other).is_narrow


def test_questions_of_a_file_look_where_they_are_told(kgs: Any, wind: str, tmp_path: Path) -> None:
    rows = [
        {"id": "1", "question": "What was the iron content of W03T01?", "answer": "5 mg/kg", "documents": ["oil-T01-2019"]},
        {"id": "2", "question": "What was the iron content of W03T09?", "answer": "1 mg/kg", "documents": ["oil-T09-2024"]},
    ]  # fmt: skip
    loong = {"id": "3", "level": "1", "set": "1", "length": "9", "type": "financial", "language": "en", "question": rows[0]["question"],
             "instruction": "", "doc": ["oil-T01-2019"], "answer": "5 mg/kg"}  # fmt: skip
    for name, lines in (("ours", rows), ("loong", [loong])):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    given = ("evaluate", "plurihop", "--system", "naive", "-c", wind, "--questions")
    done = kgs(*given, tmp_path / "ours.jsonl", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["summary"]["skipped"] == {"a document is not in the corpus": 1}
    assert found["summary"]["repetitiveness"]["1"] > 0.8, "the reports repeat each other"
    done = kgs(*given, tmp_path / "loong.jsonl", "--report", tmp_path / "run")
    assert done.exit_code == 0, done.output
    [item] = lines_of(tmp_path / "run", MeasuredAnswer)
    assert len(item.found) == 1, "only the document that the question is about was looked at"
    assert item.groups["set"] == "1: 10K-50K"


def test_dragon_over_a_graph(kgs: Any, wind: str, tmp_path: Path) -> None:
    assert kgs("questions", "export", tmp_path / "sets", "-c", wind, "--layout", "dragon").exit_code == 0
    given = ("evaluate", "dragon", "--sets", tmp_path / "sets", "-c", wind)
    done = kgs(*given, "--retriever", "bm25", "--report", tmp_path / "run", "--scores", tmp_path / "scores.json")
    assert done.exit_code == 0, done.output
    scores = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert scores["measures"]["hit_rate@10"] == 1.0
    again = kgs(*given, "--results", tmp_path / "run" / "results.json", "--scores", tmp_path / "again.json", "--json")
    assert again.exit_code == 0, again.output
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == scores, (
        "what was said is worth the same"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plurihop", "-c", "no-such-corpus"), "no corpus"),
        (("plurihop", "-c", CORPUS, "--generator", "parrot"), "no generator 'parrot'"),
        (("plurihop", "-c", CORPUS, "--generator", "prompted"), "KGS_LLM_BASE_URL"),
        (("dragon", "--release", "9.0.0"), "no release '9.0.0'"),
        (("dragon", "--sets", "absent"), "DRAGON's four sets"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(kgs: Any, wind: str, arguments: tuple[str, ...], words: str) -> None:
    done = kgs("evaluate", *arguments)
    assert done.exit_code == 1
    assert words in done.stderr
    assert "Traceback" not in done.output
