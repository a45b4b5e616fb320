"""release create, list and diff as a person runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.conftest import Run

TOWNS = "Isvik Orlo Lun Kest Varn Tember Hollin Dask Brume Selm Anvik Porto".split()
MAYORS = "Ada Lind,Bo Hart,Cy Dane,Di Frost,Ed Marsh,Fa Quill,Gil Thorn,Hana Wexe,Ivo Brandt,Jo Sorel,Kit Vane,Lea Moss"


def written(path: Path, mayors: list[str]) -> Path:
    records = [
        {"id": town, "title": town, "text": f"{mayor} is the mayor of {town}.", "triplets": [[mayor, "mayor of", town]]}
        for town, mayor in zip(TOWNS, mayors, strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_create_list_diff(
    kgs: Run, kgs_json: Callable[..., Any], environment: dict[str, str], tmp_path: Path, corpus: str
) -> None:
    mayors, out = MAYORS.split(","), tmp_path / "versions"
    environment["KGS_RELEASE_KEY"] = kgs("release", "key").stdout.strip()
    kgs_json("load", "triplets", written(tmp_path / "a.jsonl", mayors), "-c", corpus, "--no-vectors")
    kgs_json("questions", "generate", "-c", corpus)
    first = kgs_json("release", "create", "-c", corpus, "--out", out)
    asked, given = first["counts"]["test"]["single"], first["counts"]["given"]
    assert given == asked + first["counts"]["train"].get("single", 0) + sum(first["counts"]["left_out"].values())

    kgs_json(
        "load", "triplets", written(tmp_path / "b.jsonl", [*mayors[:6], *mayors[:5:-1]]), "-c", corpus, "--no-vectors"
    )
    done = kgs("release", "create", "-c", corpus, "--out", out)
    assert (done.returncode, "questions refresh" in done.stderr) == (1, True)
    kgs_json("questions", "refresh", "-c", corpus)
    told = kgs("release", "create", "-c", corpus, "--out", out, "--per-pattern", 100)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("1.1.0")
    assert "questions  in" in told.stdout
    listed = kgs("release", "list", "--out", out, "--json").stdout.splitlines()
    assert [json.loads(line)["version"] for line in listed] == ["1.0.0", "1.1.0"]
    found = kgs_json("release", "diff", "1.0.0", "latest", "--out", out)
    assert found["kept"] + len(found["retired"]) == asked
    assert {one["reason"] for one in found["retired"]} == {"fact withdrawn"}
    shown = kgs("release", "diff", "1.0.0", "1.1.0", "--out", out).stdout
    assert "[fact withdrawn (changed: " in shown
    done = kgs("release", "openings", "1.0.0", "--out", out)
    assert (done.returncode, done.stdout) == (0, ""), "1.0.0 is open"
    assert f"0 of {asked} answers of 1.0.0 opened" in done.stderr
    rows = kgs("release", "openings", "1.0.0", "--all", "--out", out).stdout.splitlines()
    assert len(rows) == asked
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "openings.jsonl").write_text("\n".join(rows), encoding="utf-8")
    shutil.copy(out / "1.0.0" / "commitments.jsonl", tmp_path / "mine")
    done = subprocess.run(
        [sys.executable, out / "1.0.0" / "check_release.py", tmp_path / "mine"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"0 questions proved, {asked} opened, 0 files compared, 0 faults\n")
    audit, hidden = tmp_path / "audit", (out / "1.0.0" / "private" / "certificate.jsonl").read_bytes()
    assert kgs("release", "private", "1.0.0", audit, "--out", out).returncode == 0
    assert (audit / "private" / "certificate.jsonl").read_bytes() != hidden
    shutil.copy(out / "1.0.0" / "commitments.jsonl", audit)
    done = subprocess.run(
        [sys.executable, out / "1.0.0" / "check_release.py", audit], capture_output=True, text=True, check=False
    )
    assert (done.returncode, f"{asked} questions proved" in done.stdout) == (0, True), done.stdout + done.stderr
    question = json.loads(rows[0])["opened"]["question"]
    (tmp_path / "crawl.txt").write_text(f"Yesterday somebody wrote: {question} And nobody knew.", encoding="utf-8")
    done = kgs("leaked", tmp_path / "crawl.txt", "--release", "1.0.0", "--out", out)
    assert (done.returncode, "crawl.txt: 1 question (" in done.stdout) == (1, True)
    assert kgs("leaked", tmp_path / "mine" / "commitments.jsonl", "--out", out).returncode == 0
    done = kgs("release", "diff", "1.0.0", "3.0.0", "--out", out)
    assert (done.returncode, "no release '3.0.0'" in done.stderr) == (1, True)
    assert len(done.stderr.strip().splitlines()) == 1
