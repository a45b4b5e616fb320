"""Two runs of any evaluation, compared by what their lines have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgservice.core.errors import BadRequest, NotFound
from kgservice.core.records import Record
from kgservice.evaluation.compare import compared_runs
from kgservice.evaluation.shared.run_folder import Identity, Run

IDENTITY = Identity(
    kgservice="1", evaluation="FRAMES 1", corpus="c", generator="g", retriever="bm25", k=5, embedding_model="m",
    judge="strings", seed=0, prompts={}, data="d",
)  # fmt: skip


class Summary(Record):
    """The summary of a run, which has ended."""


def folder(path: Path, *lines: dict[str, Any], ended: bool = True, **changed: Any) -> Path:
    path.mkdir()
    run = Run[Summary](identity=IDENTITY.model_copy(update=changed), summary=Summary() if ended else None)
    (path / "run.json").write_text(run.model_dump_json(), encoding="utf-8")
    (path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def answered(key: str, *ended: str, name: str = "answers", how: str = "outcome") -> dict[str, Any]:
    conditions = ("naive", "oracle", "oracle")
    given = [{"condition": at, how: one, "answer": "x"} for at, one in zip(conditions, ended, strict=False)]
    return {"id": key, "question": "Q?", name: given}


@pytest.mark.parametrize(("name", "how"), [("answers", "outcome"), ("verdicts", "ended")])
def test_answers_by_condition(tmp_path: Path, name: str, how: str) -> None:
    def line(key: str, *ended: str) -> dict[str, Any]:
        return answered(key, *ended, name=name, how=how)

    a = folder(tmp_path / "a", line("1", "correct", "correct", "wrong"), line("2", "wrong", "correct", "correct"))
    b = folder(
        tmp_path / "b", line("1", "wrong", "wrong", "wrong"), line("2", "wrong", "correct", "correct"), line("3")
    )
    found = compared_runs(a, b)
    assert (found.queries, found.only_in_one) == (2, 1)
    assert {name: (row.a, row.b) for name, row in found.measures.items()} == {
        "right, naive": (0.5, 0.0), "right, oracle": (0.75, 0.5),
    }  # fmt: skip


def test_verdicts_on_misleading_documents_are_compared_and_the_exam_is_not(tmp_path: Path) -> None:
    def claim(key: str, misled: str) -> dict[str, Any]:
        verdicts = [
            {"condition": "oracle", "label": "supporting", "ended": "correct"},
            {"condition": "oracle", "label": "misleading", "ended": misled},
            {"condition": "exam", "label": "misleading", "ended": "wrong"},
        ]
        return {"id": key, "verdicts": verdicts}

    a = folder(tmp_path / "a", claim("1", "correct"), claim("2", "wrong"))
    b = folder(tmp_path / "b", claim("1", "wrong"), claim("2", "wrong"))
    assert {name: (row.a, row.b) for name, row in compared_runs(a, b).measures.items()} == {
        "right, oracle": (0.75, 0.5), "right, misleading-only": (0.5, 0.0),
    }  # fmt: skip


def test_what_no_judge_could_judge_is_not_compared(tmp_path: Path) -> None:
    a = folder(tmp_path / "a", answered("1", "correct"), answered("2", "correct"), answered("3", "wrong"))
    b = folder(tmp_path / "b", answered("1", "unjudged"), answered("2", "correct"), answered("3", "wrong"))
    assert {name: (row.a, row.b) for name, row in compared_runs(a, b).measures.items()} == {"right, naive": (0.5, 0.5)}


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"^no such folder or file: .*/gone$"):
        compared_runs(folder(tmp_path / "a", {"id": "1"}), tmp_path / "gone")


def test_measures_without_a_judge_are_compared_whoever_judged(tmp_path: Path) -> None:
    lines = [{"id": key, "measures": {"exact": 1.0, "judge": 0.5}} for key in "12"]
    a, b = folder(tmp_path / "a", *lines), folder(tmp_path / "b", *lines, judge="gpt")
    assert compared_runs(a, b, ["exact"]).measures.keys() == {"exact"}
    for names, words in ((None, "take no judge$"), (["exact", "judge"], "take no judge, unlike judge$")):
        with pytest.raises(BadRequest, match=rf"judged by strings, .* by gpt: .*{words}"):
            compared_runs(a, b, names)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"evaluation": "RAGuard 1"}, "two of one evaluation"),
        ({"data": "e"}, "different questions"),
        ({"judge": "gpt"}, "judged by strings, .* by gpt"),
        ({}, "have no measures"),
    ],
)
def test_what_cannot_be_compared_is_said(tmp_path: Path, changed: dict[str, str], words: str) -> None:
    a, b = folder(tmp_path / "a", {"id": "1"}), folder(tmp_path / "b", {"id": "1"}, **changed)
    with pytest.raises(BadRequest, match=words):
        compared_runs(a, b)


def test_a_run_that_has_not_ended_is_to_be_run_again(tmp_path: Path) -> None:
    a, b = (folder(tmp_path / name, answered("1", "correct"), answered("2", "wrong")) for name in "ab")
    part = folder(tmp_path / "part", answered("1", "correct"), answered("2", "wrong"), ended=False)
    for pair in ((a, part), (part, a)):
        with pytest.raises(BadRequest, match=r"the run in .*part has not ended: run it again to its end first"):
            compared_runs(*pair)
    lines = b / "questions.jsonl"
    lines.write_text(lines.read_text(encoding="utf-8")[:-9], encoding="utf-8")
    with pytest.raises(BadRequest, match=r"the last line of .*questions.jsonl is cut: run it again to its end first"):
        compared_runs(a, b)
