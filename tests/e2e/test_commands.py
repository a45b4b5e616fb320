"""The verbs of the command line on small inputs: what they print, and what they refuse."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Run

TRIPLETS = [
    {"id": "a", "title": "A", "text": "Acme sits in Lun.", "triplets": [["Acme", "headquartered in", "Lun"]]},
    {"id": "b", "title": "B", "text": "Ada leads Lun.", "triplets": [["Lun", "mayor", "Ada"], ["Lun", "mayor"]]},
    {"id": "c", "title": "C", "text": "Bolt sits in Lun.", "triplets": [["Bolt", "headquartered in", "Lun"]]},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "facts.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in TRIPLETS) + '\n{"id": "none"}\n', encoding="utf-8")
    return path


def test_names_are_resolved_explained_and_parted(
    kgs: Run, kgs_json: Callable[..., Any], corpus: str, tmp_path: Path
) -> None:
    path = tmp_path / "names.tsv"
    path.write_text("head\trelation\ttail\nThe Byrds\tplays\tRock music\nByrds\tfrom\tCrawley\n", encoding="utf-8")
    kgs_json("load", "triplets", path, "-c", corpus, "--no-vectors", "--link", "resolve")
    found = kgs_json("entities", "explain", "The Byrds", "-c", corpus)
    assert (found["id"], found["facts"]) == ("local:Byrds", 2)
    assert [one["decision"]["by"] for one in found["names"] if one["decision"]] == ["exact"]
    refused = kgs("entities", "merge", "The Byrds", "Crawley", "-c", corpus)
    assert (refused.returncode, "split it first" in refused.stderr) == (1, True)
    assert "is kept apart from Byrds" in kgs("entities", "split", "The Byrds", "-c", corpus).stdout


def test_load_list_ask_refresh_remove(kgs: Run, kgs_json: Callable[..., Any], file: Path, corpus: str) -> None:
    report = kgs_json("load", "triplets", file, "-c", corpus, "--no-vectors")
    assert report["documents"] == {
        "in": 4, "stored": 3, "unchanged": 0, "rejected": {"no text": 1}, "failed": {},
    }  # fmt: skip
    assert report["triplets"] == {"in": 4, "kept": 3, "rejected": {"not three parts": 1}}
    assert (report["facts"], report["entities"], report["chunks"]) == (3, 4, 3)
    listed = kgs("documents", "list", "-c", corpus)
    assert "key, day of publication, chunks, document:" in listed.stderr
    assert [line.split("\t")[1:3] for line in listed.stdout.splitlines()] == [["no date", "1"]] * 3

    assert kgs_json("subgraphs", "chain", "-c", corpus, "--asked", "last", "--count") == {
        "pattern": "chain",
        "count": 2,
    }
    row = json.loads(kgs("subgraphs", "chain", "-c", corpus, "--asked", "last", "--json").stdout.splitlines()[0])
    assert row["relations"] == ["headquartered in", "mayor"]
    assert row["answers"] == ["Ada"]
    assert row["readings"][0]["pivots"] == ["Lun"]
    statement = row["readings"][0]["facts"][1]["statements"][0]
    assert statement["sentence"] == "Ada leads Lun."
    assert statement["chunk"].startswith(statement["document"])

    made = kgs_json("questions", "generate", "-c", corpus)
    assert made["eligible"]["chain"] == 2
    listed = kgs("questions", "list", "-c", corpus)
    assert "Who is the mayor of the place where Acme is headquartered?" in listed.stdout
    export = file.with_suffix(".out")
    assert kgs_json("questions", "export", export, "-c", corpus)["questions"] == made["added"]
    exported = json.loads(export.read_text(encoding="utf-8").splitlines()[0])
    assert {"id", "corpus", "pattern", "asked", "question", "answers", "facts", "chunk_ids", "document_keys"} <= set(
        exported
    )

    assert kgs_json("documents", "remove", "b", "-c", corpus)["facts"] == 2
    moved = kgs_json("questions", "refresh", "-c", corpus)
    assert moved["retired"] == {"fact withdrawn": 1}  # the other chain ends with the same fact: one was asked


def test_files_that_are_gone_and_texts_under_several_names_are_counted(
    kgs: Run, kgs_json: Callable[..., Any], tmp_path: Path, corpus: str
) -> None:
    folder = tmp_path / "my texts"
    (folder / "in").mkdir(parents=True)
    for name in ("a", "b", "in/c"):
        (folder / f"{name}.txt").write_text(f"This is the text of {name}.", encoding="utf-8")
    given = ("load", folder, "-c", corpus, "--no-vectors", "--extract", "none")
    nothing = {"folders": {"in": 3, "on_disk": 3, "gone": []}, "same_text": 0, "same_text_example": []}
    assert kgs_json(*given)["leftovers"] == nothing
    (folder / "a.txt").rename(folder / "d.txt")
    (folder / "in" / "c.txt").unlink()
    old, new, gone = (str(folder / name) for name in ("a.txt", "d.txt", "in/c.txt"))
    said = kgs(*given).stdout
    assert "folder     in 4 = on disk 2 + gone 2 (still in the corpus)\n" in said
    assert f"  same text: 1 documents have the text of another one, such as {old} and {new}\n" in said
    removing = next(line for line in said.splitlines() if "to remove them" in line)
    assert removing == f"  to remove them: kgservice documents remove -c {corpus} '{old}' '{gone}'"
    kgs_json(*shlex.split(removing.partition("kgservice ")[2]))
    after = {"folders": {"in": 2, "on_disk": 2, "gone": []}, "same_text": 0, "same_text_example": []}
    assert kgs_json(*given)["leftovers"] == after


def test_a_generation_that_retires_more_than_it_keeps_says_so(
    kgs: Run, kgs_json: Callable[..., Any], file: Path, corpus: str
) -> None:
    kgs_json("load", "triplets", file, "-c", corpus, "--no-vectors")
    first = kgs_json("questions", "generate", "-c", corpus)
    done = kgs("questions", "generate", "-c", corpus, "--patterns", "pluri_hop")
    assert f"warning: {first['added']} questions retired, more than the 0 kept" in done.stderr
    again = done.stderr.partition("to ask both: kgservice ")[2].split()
    assert again[-1].endswith(",single,pluri_hop")
    back = kgs(*again)
    assert (back.returncode, back.stderr) == (0, "")
    assert f"added {first['added']}, kept 0" in back.stdout


def test_another_answer_in_the_text_withholds_a_question(
    kgs: Run, kgs_json: Callable[..., Any], file: Path, corpus: str
) -> None:
    asked, rival = "Who is the mayor of the place where Acme is headquartered?", "Lun had another mayor, Otto Orr."
    file.write_text(f"{file.read_text()}{json.dumps({'id': 'd', 'text': rival, 'triplets': []})}\n", encoding="utf-8")
    kgs_json("load", "triplets", file, "-c", corpus, "--no-vectors")
    made = kgs_json("questions", "generate", "-c", corpus, "--patterns", "chain")
    assert made["rejected"]["the text may have another answer"] >= 1
    assert asked not in kgs("questions", "list", "-c", corpus).stdout
    shown = kgs("questions", "list", "-c", corpus, "--state", "rejected").stdout
    assert asked in shown
    assert f"? Otto Orr “{rival}”" in shown
    kgs_json("questions", "generate", "-c", corpus, "--patterns", "chain", "--no-second-look")
    assert asked in kgs("questions", "list", "-c", corpus).stdout


def test_what_cannot_be_done_is_one_line_that_says_what_to_do(kgs: Run, file: Path, corpus: str) -> None:
    refused = [
        (("load", "triples", file), "no loader 'triples': choose one of"),
        (("load", "triplets", file, "--chunking", "words"), "chars:"),
        (("load", "triplets", file, "--link", "magic"), "choose one of none"),
        (("subgraphs", "chain", "-c", "no such corpus"), "no corpus 'no such corpus'"),
        (("subgraphs", "ring", "-c", corpus), "no pattern 'ring': choose one of single"),
        (("subgraphs", "chain", "--asked", "middle", "-c", corpus), "chain asks for first or last"),
        (("documents", "list", "-c", "no such corpus"), "no corpus"),
        (("questions", "refresh", "-c", "no such corpus"), "no corpus"),
    ]
    for arguments, words in refused:
        done = kgs(*arguments)
        assert done.returncode == 1, arguments
        assert words in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_missing_file_fails_and_the_rest_is_loaded(kgs: Run, file: Path, corpus: str) -> None:
    done = kgs("load", "triplets", file.with_name("absent.jsonl"), file, "-c", corpus, "--no-vectors", "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert report["documents"]["failed"] == {"no such file": 1}
    assert report["documents"]["stored"] == 3


def test_cursor_limit_and_seed(kgs: Run, kgs_json: Callable[..., Any], file: Path, corpus: str) -> None:
    kgs_json("load", "triplets", file, "-c", corpus, "--no-vectors")
    whole = [json.loads(line)["id"] for line in kgs("subgraphs", "single", "-c", corpus, "--json").stdout.splitlines()]
    pages, after = [], ""
    while lines := kgs(
        "subgraphs", "single", "-c", corpus, "--json", "--limit", 3, "--after", after
    ).stdout.splitlines():
        pages += [json.loads(line)["id"] for line in lines]
        after = pages[-1]
    assert pages == whole
    assert len(whole) > 3
    samples = [kgs("subgraphs", "single", "-c", corpus, "--limit", 2, "--seed", 7).stdout for _ in range(2)]
    assert samples[0] == samples[1]
    for arguments, words in [(("--limit", 0), "limit"), (("--after", "zzz"), "not an id"), (("--seed", 1), "limit")]:
        done = kgs("subgraphs", "single", "-c", corpus, *arguments)
        assert done.returncode != 0
        assert words in done.stderr


def test_demo_tells_the_whole_story(kgs_json: Callable[..., Any]) -> None:
    told = kgs_json("demo")
    for name in ("load", "update"):
        counts = told[name]["documents"]
        assert counts["in"] == counts["stored"] + counts["unchanged"] + sum(counts["rejected"].values())
        assert not counts["failed"]
    assert told["load"]["documents"]["stored"] == 40
    assert told["update"]["documents"]["stored"] == 2
    assert told["load"]["relations"]["open"]  # read, not given: what was given has no words of no relation
    measured = told["yardstick"]
    assert 0.7 < measured["read"] / measured["known"] < 1
    assert 0.95 < measured["right"] / measured["compared"] <= 1
    assert all(number > 0 for number in told["questions"]["eligible"].values())
    assert told["questions"]["added"] > 200
    assert told["refresh"]["added"] > 0
    assert {"fact withdrawn", "answer no longer unique"} <= set(told["refresh"]["retired"])
