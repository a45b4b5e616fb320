"""evaluate rare as a person runs it: measured, gone on with, compared, and refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run

FOUNDERS = {
    "Tolvane": ("Irena Kost", "Norrholt"), "Kelmar": ("Yumi Tachi", "Isvik"), "Dastan": ("Oskar Brandt", "Lunford"),
    "Corvane": ("Mirela Voss", "Castren"),
}  # fmt: skip


@pytest.fixture
def asked(kgs_json: Callable[..., Any], tmp_path: Path, corpus: str) -> str:
    documents = []
    for name, (person, place) in FOUNDERS.items():
        said = [(name, "founded by", person, f"{name} was founded by {person}."),
                (name, "headquartered in", place, f"{name} is headquartered in {place}.")]  # fmt: skip
        text = " ".join([*(one[3] for one in said), "The report also says that the harbour was widened twice."])
        triplets = [dict(zip(("subject", "relation", "object", "sentence"), one, strict=True)) for one in said]
        documents.append(json.dumps({"id": name, "title": f"Report {name}", "text": text, "triplets": triplets}))
    (tmp_path / "four.jsonl").write_text("\n".join(documents), encoding="utf-8")
    kgs_json("load", "triplets", tmp_path / "four.jsonl", "-c", corpus)
    kgs_json("questions", "generate", "-c", corpus)
    return corpus


def test_measured_gone_on_with_and_compared(kgs: Run, kgs_json: Callable[..., Any], asked: str, tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    first = kgs_json("evaluate", "rare", "-c", asked, "-k", "1", "--retriever", "bm25", "--report", one)
    found = first["summary"]
    assert found["questions"] >= 4
    assert found["scores"]["overall"]["of"] == found["answers"] == sum(map(len, cells(one)))
    assert found["scores"]["query"]["robust"] > 0
    assert found["known_by_heart"] == 0
    assert "Robustness of extractive" in (one / "index.html").read_text(encoding="utf-8")

    lines = (one / "questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    two.mkdir()
    (two / "run.json").write_text((one / "run.json").read_text(encoding="utf-8"), encoding="utf-8")
    (two / "questions.jsonl").write_text("".join(lines[:2]) + lines[2][:50], encoding="utf-8")
    again = kgs_json("evaluate", "rare", "-c", asked, "-k", "1", "--retriever", "bm25", "--report", two)
    assert again["summary"] == found, "a run that was stopped ends elsewhere"
    assert (two / "questions.jsonl").read_text(encoding="utf-8") == "".join(lines)

    compared = kgs_json("evaluate", "compare", one, two)["scores"]
    assert (compared["query"]["z"], compared["query"]["p"]) == (0, 1)

    refused = [
        (("-k", "2", "--report", one), "holds another run"),
        (("--generator", "parrot", "--report", tmp_path / "x"), "no generator 'parrot'"),
        (("--generator", "prompted", "--report", tmp_path / "x"), "KGS_LLM_BASE_URL"),
    ]
    for options, words in refused:
        done = kgs("evaluate", "rare", "-c", asked, *options)
        assert done.returncode == 1
        assert words in done.stderr
        assert "Traceback" not in done.stderr
    gone = kgs(
        "evaluate",
        "rare",
        "-c",
        asked,
        "--generator",
        "http://127.0.0.1:9/",
        "--limit",
        "1",
        "--report",
        tmp_path / "y",
    )
    assert gone.returncode == 1
    assert "no reply (ConnectError)" in gone.stdout


def cells(folder: Path) -> list[list[Any]]:
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["cells"] for line in lines]
