"""DRAGON's measures of whole systems: by hand, with the leaderboard's own figures, judged, gone on with, refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.answering.callables import CallableSystem
from kgservice.core.errors import BadRequest
from kgservice.evaluation import library
from kgservice.evaluation.compare import compared_runs
from kgservice.evaluation.dragon import run as dragon
from kgservice.evaluation.dragon.run import Marks, Sets, Submitted, of_folder, of_release, results_of
from kgservice.evaluation.shared.measured_answers import MeasuredAnswer, MeasuredRun
from kgservice.evaluation.shared.run_folder import lines_of
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.metrics.result_scores import is_right, score, with_sums
from kgservice.metrics.stale_answers import stale_rate
from kgservice.releases.archive import Archive
from kgservice.text.matching import NOT_STATED
from tests.llm_server import KEY, LLMServer, filled
from tests.unit.releases import QUESTIONS, making

SAID = {
    "0": {"found_ids": [3, 2], "model_answer": "It is in Isvik."},
    "1": {"found_ids": [1, 0], "model_answer": "ada lind"},
    "2": {"found_ids": [], "model_answer": "no such info"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = {
        "public_texts": [{"public_id": n, "title": f"T{n}", "text": f"Text {n}."} for n in range(4)],
        "public_questions": [{"public_id": n, "question": f"Question {n}?"} for n in QUESTIONS],
        "private_qa": [
            {"public_id": n, "type": kind, "answer": said, "answers": said.split(", "), "text_ids": texts, "id": f"q{n}"}
            for n, (kind, said, texts) in QUESTIONS.items()
        ],
        "private_texts_mapping": [{"id": f"c{n}", "public_id": n} for n in range(4)],
    }  # fmt: skip
    place = tmp_path / "sets"
    place.mkdir()
    for name, lines in rows.items():
        (place / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return place


@pytest.fixture
def sets(folder: Path) -> Sets:
    return of_folder(folder, "demo")


def submitted(tmp_path: Path, sets: Sets, said: Mapping[str, Any] = SAID) -> Submitted:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(said), encoding="utf-8")
    return Submitted("mine", results_of(path, sets))


@pytest.mark.parametrize(
    ("judge", "retrieval", "generation", "total"),
    [(0.784, 0.7916, 0.4715, 0.6824), (0.7753, 0.7783, 0.4517, 0.6684), (0.4899, 0.6238, 0.2411, 0.4516),
     (0.4625, 0.6664, 0.2061, 0.445)],
)  # fmt: skip
def test_the_total_is_that_of_dragons_leaderboard(
    judge: float, retrieval: float, generation: float, total: float
) -> None:
    row = {"hit_rate@10": retrieval, "mrr@10": retrieval, "rouge2": generation, "rougeL": generation}
    assert with_sums(row | {"judge": judge})["total"] == pytest.approx(total, abs=1e-4), "figure 4"
    assert with_sums(row)["total"] == pytest.approx((retrieval + generation) / 2)


def test_results_get_the_portals_scores(tmp_path: Path, sets: Sets) -> None:
    run = library.dragon(sets, submitted(tmp_path, sets), tmp_path / "run")
    items = lines_of(tmp_path / "run", MeasuredAnswer)
    results = results_of(tmp_path / "results.json", sets)
    portal = score([unit.expected for unit in sets.units], {int(key): one for key, one in results.items()})
    assert dragon.scored(items, sets) == portal
    assert run.summary is not None
    assert {name: one.mean for name, one in run.summary.measures.items()} == pytest.approx(portal.measures, abs=1e-4)
    assert portal.measures["mrr@10"] == pytest.approx((1 / 2 + 1 + 0) / 3, abs=1e-4)
    assert run.summary.curves["hit_rate"] == {1: 0.3333, 2: 0.6667}
    assert dragon.results(items) == results
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert "By type" in page
    assert "http" not in page, "the page needs something from elsewhere"


def test_a_function_is_a_system_and_a_run_goes_on(tmp_path: Path, sets: Sets) -> None:
    calls: list[str] = []

    def answers(question: str) -> tuple[str, list[int]]:
        calls.append(question)
        if question == "Question 2?":
            raise ValueError(question)
        return "Isvik", [2]

    run = library.dragon(sets, CallableSystem(answers), tmp_path / "run")
    assert run.summary is not None
    assert run.summary.failed == {"exception (ValueError)": 1}
    assert run.summary.groups["type"]["simple"].measures["match"] == 1.0
    lines = (tmp_path / "run" / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "run" / "questions.jsonl").write_text(lines[0] + lines[1][:20], encoding="utf-8")
    again = library.dragon(sets, CallableSystem(answers), tmp_path / "run")
    assert again.summary == run.summary
    assert sorted(calls) == ["Question 0?", "Question 1?", "Question 1?", "Question 2?", "Question 2?"]


def test_what_failed_is_asked_again_when_told_to(tmp_path: Path, sets: Sets) -> None:
    asked: list[str] = []
    down = {"Question 0?", "Question 2?"}

    def answers(question: str) -> tuple[str, list[int]]:
        asked.append(question)
        if question in down:
            raise ConnectionError
        return f"Isvik, by {question}", [2]

    def lines(name: str) -> bytes:
        return (tmp_path / name / "questions.jsonl").read_bytes()

    def run(name: str, **options: bool) -> MeasuredRun:
        asked.clear()
        return library.dragon(sets, CallableSystem(answers), tmp_path / name, **options)  # type: ignore[arg-type]

    assert run("run").ended.failed == {"exception (ConnectionError)": 2}
    before = lines("run")
    down.clear()
    assert run("run").ended.failed == {"exception (ConnectionError)": 2}
    assert (asked, lines("run")) == ([], before), "nobody said to ask again"
    again = run("run", retry_failed=True)
    assert sorted(asked) == ["Question 0?", "Question 2?"]
    assert again.summary == run("fresh").summary
    assert lines("run") == lines("fresh")


def test_what_the_budget_stopped_is_asked_by_the_next_run(tmp_path: Path, sets: Sets) -> None:
    marks = Marks(remark="r", conciseness=2, consistency=2, extraction=2, completeness=2, accuracy=2, preservation=2)

    def answer(request: Mapping[str, Any]) -> Any:
        return marks.model_dump() if "reference answer" in request["messages"][1]["content"] else filled(request)

    two = {key: SAID[key] for key in "01"}

    def run(server: LLMServer, name: str, **known: Any) -> MeasuredRun:
        files = {"answers": tmp_path / f"{name}.sqlite", "ledger": tmp_path / f"{name}.jsonl"}
        model = LLM(server.url, SecretStr(KEY), "test-model", **files, **known)
        return library.dragon(sets, submitted(tmp_path, sets, two), tmp_path / name, model=model, judge=True)

    with LLMServer(answer) as server:
        fresh = run(server, "fresh")
        poor = run(server, "run", budget=Budget(limit=4_600, unit="tokens"))  # for the endpoint's first test alone
        assert poor.ended.failed == {"judge: budget reached": 2, "no result; judge: budget reached": 1}
        whole = run(server, "run")
        assert whole.summary == fresh.summary
        assert poor.llm and whole.llm
        stages = {name: (one.calls, one.failed, one.usd) for name, one in whole.llm.stages.items()}
        assert stages == {"endpoint": (1, {}, None), "judge answers": (3, {"budget reached": 3}, None)}, "of both"
        assert whole.llm.ledger.endswith("run.jsonl")
        assert run(server, "run").llm == whole.llm, "a session that asks nothing"
    assert (tmp_path / "run" / "questions.jsonl").read_bytes() == (tmp_path / "fresh" / "questions.jsonl").read_bytes()


def test_a_source_that_is_no_number_is_no_text(tmp_path: Path, sets: Sets) -> None:
    run = library.dragon(sets, CallableSystem(lambda _: ("Isvik", ["²", "9" * 5_000, "2"])), tmp_path / "run")
    assert run.ended.failed == {}
    assert {line.found for line in lines_of(tmp_path / "run", MeasuredAnswer)} == {("2",)}


def test_the_example_of_the_documentation(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(folder.parent)
    exec(example, {"__name__": "example"})
    assert float(capsys.readouterr().out) == 0.25, (
        "the first question right (ROUGE-2 of one word is 0), the others wrong"
    )
    assert (folder.parent / "runs" / "mine" / "index.html").exists()


def test_a_refusal_is_the_right_answer_where_no_document_has_one(tmp_path: Path, sets: Sets) -> None:
    wanted = [unit.expected.model_copy(update={"answers": (NOT_STATED,)}) for unit in sets.units]
    units = [unit.model_copy(update={"expected": one}) for unit, one in zip(sets.units, wanted, strict=True)]
    sets = sets.model_copy(update={"units": (sets.units[0], *units[1:])})

    def answer(request: Mapping[str, Any]) -> Any:
        user = request["messages"][1]["content"]
        if "reference answer" in user:
            assert "Question 0?" in user
            return dict.fromkeys(Marks.model_fields, 1) | {"remark": "r"}
        return filled(request)

    with LLMServer(answer) as server:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        model = LLM(server.url, SecretStr(KEY), "test-model", **files)
        library.dragon(sets, submitted(tmp_path, sets), tmp_path / "run", model=model, judge=True)
    rows = [one.measures for one in lines_of(tmp_path / "run", MeasuredAnswer)]
    assert [row["judge"] for row in rows] == [0.5, 0.0, 1.0], "by the model, an answer, a refusal"
    assert rows[2]["judge"] == rows[2]["match"] == rows[2]["rougeL"]


def test_a_judge_marks_by_six_criteria(tmp_path: Path, sets: Sets) -> None:
    marks = Marks(remark="r", conciseness=2, consistency=2, extraction=1, completeness=1, accuracy=0, preservation=0)
    assert marks.score == pytest.approx(6 / 12), "appendix F: the mean of the criteria"

    def answer(request: Mapping[str, Any]) -> Any:
        user = request["messages"][1]["content"]
        if "reference answer" not in user:
            return filled(request)
        assert ("Text 2." in user) == ("Question 0?" in user), "the judge sees the texts that were found"
        return {"accuracy": 7} if "Question 2?" in user else marks.model_dump()

    with LLMServer(answer) as server:
        files = {"answers": tmp_path / "answers.sqlite", "ledger": tmp_path / "calls.jsonl"}
        model = LLM(server.url, SecretStr(KEY), "test-model", **files)
        run = library.dragon(sets, submitted(tmp_path, sets), tmp_path / "run", model=model, judge=True)
    assert run.summary is not None
    assert run.summary.failed == {"judge: wrong form": 1}
    assert (run.summary.measures["judge"].mean, run.summary.measures["judge"].of) == (0.5, 2)
    first = lines_of(tmp_path / "run", MeasuredAnswer)[0].measures
    assert first["total"] == pytest.approx((first["retrieval"] + first["generation"] + 0.5) / 3)
    assert run.identity.prompts.keys() == {"judge_dragon_system"}
    assert run.llm is not None
    assert run.llm.stages["judge answers"].calls == 4, "an answer that does not fit is asked for once more"


def test_two_runs_are_compared_question_by_question(tmp_path: Path, sets: Sets) -> None:
    library.dragon(sets, submitted(tmp_path, sets), tmp_path / "a")
    better = SAID | {"2": {"found_ids": [1], "model_answer": "Orlo, Lun"}}
    library.dragon(sets, submitted(tmp_path, sets, better), tmp_path / "b")
    found = compared_runs(tmp_path / "a", tmp_path / "b", ["total", "match"])
    assert found.queries == 3
    assert found.measures["match"].difference == pytest.approx(2 / 3 - 1)
    assert found.measures["match"].low < 0 <= found.measures["match"].high
    with pytest.raises(BadRequest, match="a folder and a file"):
        compared_runs(tmp_path / "a", tmp_path / "results.json")
    cut = sets.model_copy(update={"units": sets.units[:2]})
    library.dragon(cut, submitted(tmp_path, cut, {"0": SAID["0"]}), tmp_path / "c")
    with pytest.raises(BadRequest, match="different questions"):
        compared_runs(tmp_path / "a", tmp_path / "c")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"9": SAID["0"]}, "1 questions that sets does not ask: 9"),
        ({"0": {"found_ids": [77], "model_answer": ""}}, "question 0: 77 is no text of sets"),
        ({"0": {"found_ids": [1]}}, "0.model_answer: Field required"),
        ([], "results.json: give results as {"),
    ],
)
def test_results_that_do_not_fit_are_refused(tmp_path: Path, sets: Sets, said: Any, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        submitted(tmp_path, sets, said)


@pytest.mark.parametrize(
    ("before", "now", "said", "stale", "current"),
    [
        (["Isvik"], ["Castren"], "Isvik", 1, 0),
        (["Isvik"], ["Castren"], "Castren", 0, 1),
        (["Isvik"], ["Castren"], "Nakuzi", 0, 0),
        (["Acme", "Borea"], ["Acme"], "Acme, Borea", 1, 0),
        (["Acme", "Borea"], ["Acme"], "Acme", 0, 1),
        (["Acme"], ["Acme", "Borea"], "Acme", 1, 0),
        (["Acme"], ["Acme", "Borea"], "Borea and Acme", 0, 1),
        (["Port Ambrel East"], ["Port Ambrel"], "Port Ambrel East", 1, 0),
        (["Port Ambrel"], ["Port Ambrel East"], "Port Ambrel East", 0, 1),
        (["1,700"], ["1700"], "1,700", 0, 1),
    ],
)
def test_an_answer_of_before_is_stale(before: list[str], now: list[str], said: str, stale: int, current: int) -> None:
    found = stale_rate([(before, now, said)], "1.0.0", is_right)
    assert (found.stale, found.current, found.of) == (stale, current, 1)


def test_a_result_file_has_each_question_once(tmp_path: Path, sets: Sets) -> None:
    path, rows = tmp_path / "results.json", json.dumps(SAID)
    path.write_text("\ufeff" + rows, encoding="utf-8")
    assert results_of(path, sets).keys() == SAID.keys(), "a byte order mark, as editors on Windows write it"
    path.write_text(rows[:-1] + ', "0": {"found_ids": [], "model_answer": "the second"}}', encoding="utf-8")
    with pytest.raises(BadRequest, match=r'no JSON object with each question once: Detected duplicate key "0"'):
        results_of(path, sets)
    path.write_text(rows[:-1], encoding="utf-8")
    with pytest.raises(BadRequest, match=r"results\.json is no JSON object with each question once: EOF"):
        results_of(path, sets)


def test_sets_of_a_release_and_of_its_sandbox(tmp_path: Path, folder: Path) -> None:
    archive = Archive(tmp_path / "releases")
    with archive.staging() as staging:
        for path in sorted(folder.glob("*.jsonl")):
            private = path.name.startswith("private")
            lines = path.read_text(encoding="utf-8").splitlines()
            staging.write(f"private/{path.name}" if private else path.name, lines, private=private)
            staging.write(f"sandbox/{path.name}", lines)
        staging.publish(making())
    found = of_release(archive, "latest")
    assert (found.version, found.corpus, len(found.units), found.public["c3"]) == ("1.0.0", "demo", 3, 3)
    assert of_release(archive, "1.0.0", sandbox=True).units == found.units
    with pytest.raises(BadRequest, match="has not DRAGON's four sets"):
        of_folder(tmp_path, "demo")
    for name in ("public_questions", "private_qa"):
        (folder / f"{name}.jsonl").write_text("")
    with pytest.raises(BadRequest, match="sets of sets have 0 questions"):
        of_folder(folder, "demo")
