"""A release as a repository for the Hub: the library `datasets` reads it, nothing private is in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kgservice.cli import app
from kgservice.leaderboard import ladder
from kgservice.leaderboard.submissions import Submissions
from kgservice.releases.archive import ANSWERS, MAPPING, Archive
from tests.unit.releases import QUESTIONS, making
from tests.unit.test_submissions import RIGHT, WRONG, approved, given

PUBLIC = {
    "public_texts.jsonl": [{"public_id": n, "title": f"T{n}", "text": f"Text {n}."} for n in range(4)],
    "public_questions.jsonl": [{"public_id": n, "question": f"Question {n}?"} for n in QUESTIONS],
    "train.jsonl": [],
}
PRIVATE = {
    ANSWERS: [
        {"public_id": n, "id": f"q{n}", "type": kind, "answer": said, "answers": [said], "text_ids": texts}
        for n, (kind, said, texts) in QUESTIONS.items()
    ],
    MAPPING: [{"id": f"c{n}", "public_id": n} for n in range(4)],
}


def test_a_release_for_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    datasets: Any = pytest.importorskip("datasets")
    monkeypatch.setattr(ladder, "ANSWERS", 0)
    monkeypatch.setenv("KGS_HOME", str(tmp_path))
    archive, store = Archive(tmp_path / "releases"), Submissions(tmp_path / "submissions.sqlite")
    for _ in range(2):
        with archive.staging() as staging:
            for name, rows in (PUBLIC | PRIVATE).items():
                staging.write(name, map(json.dumps, rows), private=name in PRIVATE)
            staging.write("CARD.md", ["# demo", "Each with exactly one answer."])
            staging.publish(making())
    approved(archive, store, given(RIGHT, "right"))
    approved(archive, store, given(WRONG, "wrong"))
    folder = tmp_path / "hub"
    done = CliRunner().invoke(app, ["release", "hub", str(folder), "--release", "1.0.0", "--json"])
    assert done.exit_code == 0, done.output
    written = json.loads(done.stdout)["files"]
    assert written == ["README.md", "public_questions.jsonl", "public_texts.jsonl", "results.json", "train.jsonl"]
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == written
    assert datasets.get_dataset_config_names(str(folder)) == ["texts", "questions"]
    for name, path in (("texts", "public_texts.jsonl"), ("questions", "public_questions.jsonl")):
        assert (
            datasets.load_dataset(str(folder), name, split="train", cache_dir=str(tmp_path / "cache")).to_list()
            == PUBLIC[path]
        )
    boards = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    first, second = boards["1.0.0"], boards["1.1.0"]
    assert [place["system"] for place in first["systems"]] == ["right", "wrong"]
    assert [place["measures"].keys() for place in first["systems"]] == [{"total"}] * 2, "an open release shows no more"
    assert (first["total_of"], first["judge"], first["closed"], second["systems"]) == (2, None, False, [])
    text = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())
    assert not [said for _, said, _ in QUESTIONS.values() if said in text]
    store.close("1.0.0")
    CliRunner().invoke(app, ["release", "hub", str(folder), "--release", "1.0.0"])
    boards = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert boards["1.0.0"]["closed"]
    assert "match" in boards["1.0.0"]["systems"][0]["measures"]
