"""A folder of mixed files: loaded and asked about in one command, answered from, shown, and removed."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.conftest import Run, command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "port.md").write_text("# Port Ambrel\n\nGareth Ollivane was born in Port Ambrel in 1961.\n")
    (folder / "film.html").write_text(
        "<html><body><h1>The Long Quay</h1><p>The Long Quay is a film directed by Gareth Ollivane.</p></body></html>"
    )
    (folder / "minutes.eml").write_text(
        "Subject: Minutes\nDate: Tue, 4 Mar 2031 10:00:00 +0000\n\nPort Ambrel elected Ada Brune as its mayor.\n"
    )
    (folder / "code.py").write_text("import os\n")
    return folder


def test_from_a_folder_to_questions_and_answers(
    kgs: Run, kgs_json: Callable[..., Any], folder: Path, corpus: str
) -> None:
    done = kgs("up", folder, "-c", corpus, "--no-serve")
    assert done.returncode == 0, done.stderr
    assert "documents  in 4 = stored 3 + unchanged 0 + rejected 1 + failed 0" in done.stdout
    assert "code.py: format not read" in done.stdout
    assert "\nquestions  " in done.stdout
    assert "· “Gareth Ollivane was born in Port Ambrel in 1961.”" in done.stdout, done.stdout

    found = kgs_json("ask", "Who was elected mayor of Port Ambrel?", "-c", corpus)
    assert found["answer"] == "Ada Brune"
    (evidence,) = found["evidence"]
    assert evidence["sentence"] == "Port Ambrel elected Ada Brune as its mayor."
    assert evidence["source"].endswith("minutes.eml")
    unknown = kgs("ask", "Which river flows through Kasharra?", "-c", corpus)
    assert (unknown.returncode, unknown.stdout.strip()[:22]) == (0, "Not in these documents")

    counts = kgs_json("status")["corpora"][corpus]
    named = f"{counts['facts']} facts, {counts['entities']} entities of facts, {counts['questions']} active questions"
    assert named in kgs("status").stdout
    assert counts["documents"] == 3
    assert counts["questions"] > 0
    again = kgs("up", folder, "-c", corpus, "--no-serve", "--extract", "rules+reader")
    assert "stored 0 + unchanged 3" in again.stdout
    assert "questions  0 new" in again.stdout
    told = kgs_json("up", folder, "-c", corpus, "--no-serve")
    assert (told["load"]["documents"]["unchanged"], told["questions"]["added"]) == (3, 0)
    assert told["shown"][0]["answers"]

    assert kgs_json("delete", corpus, "--yes")["documents"] == 3
    assert corpus not in kgs_json("status")["corpora"]


def test_load_takes_the_loader_from_the_content_or_by_name(kgs: Run, folder: Path, corpus: str) -> None:
    for number in range(6):
        (folder / f"code{number}.py").write_text("import os\n")
    by_content = kgs("load", folder, "-c", corpus, "--no-vectors")
    assert "stored 3" in by_content.stdout, by_content.stderr
    assert "code2.py: format not read" in by_content.stdout
    assert "… and 2 more that did not get in" in by_content.stdout
    by_name = kgs("load", "markdown", folder, "-c", corpus, "--no-vectors")
    assert "in 1 = stored 0 + unchanged 1" in by_name.stdout, by_name.stderr  # the same document either way


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("load", "nowhere/"), "no such file or folder: nowhere/"),
        (("up", "nowhere.pdf"), "no such file or folder: nowhere.pdf"),
        (("up", ".", "--extract", "llm"), "up reads without a language model"),
        (("load", "pdf"), "give the files or folders that pdf is to read"),
        (("load", "pdfs", "."), "no loader 'pdfs': choose one of any"),
    ],
)
def test_what_is_not_there_is_named(kgs: Run, arguments: tuple[str, ...], said: str) -> None:
    done = kgs(*arguments)
    assert (done.returncode, said in done.stderr) == (1, True), done.stderr


def test_the_version_is_printed(kgs: Run) -> None:
    assert kgs("--version").stdout.startswith("kgservice ")


def is_worker(process: psutil.Process) -> bool:
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:  # it has just ended
        return False


def test_an_interrupted_load_says_how_to_go_on(folder: Path, environment: dict[str, str], corpus: str) -> None:
    for number in range(40):
        (folder / f"long{number}.txt").write_text("Gareth Ollivane was born in Port Ambrel in 1961. " * 300)
    load = [*command("load", folder, "-c", corpus, "--no-vectors")]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job hands down that it is ignored
    with subprocess.Popen(load, env=environment, stderr=subprocess.PIPE, text=True) as process:
        reading = psutil.Process(process.pid)
        while not any(map(is_worker, reading.children(recursive=True))):
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on where this one ended" in " ".join(said.split())


def test_explain_names_every_file_that_is_not_in_and_lost_text_first(kgs: Run, folder: Path, corpus: str) -> None:
    for number in range(6):
        (folder / f"a{number}.txt").touch()
    (folder / "z.json").write_text("{")
    plain, whole, again = (
        kgs("load", folder, "-c", corpus, "--no-vectors", *more) for more in ((), ("--explain",), ("--explain",))
    )
    assert [one.stdout.count(": empty") for one in (plain, whole, again)] == [3, 6, 6]
    told = [line for line in plain.stdout.splitlines() if line.startswith(("  failed: ", "  rejected: "))]
    assert ["z.json" in told[0], "code.py" in told[1], len(told)] == [True, True, 5]
    assert "and 3 more that did not get in (load --explain names them)" in plain.stdout
    assert "more that did not get in" not in whole.stdout
    assert "3 documents are unchanged, so they were not read again" in " ".join(again.stderr.split())


@pytest.mark.parametrize(
    ("verb", "name", "content"),
    [
        ("load", "broken.pdf", b"%PDF-1.4\nbroken\n"),
        ("load", "cut.jsonl", b'{"text": "Ada'),
        ("up", "old.md", "# Café".encode("cp1252")),
    ],
)
def test_a_broken_file_ends_with_what_is_loaded_and_what_is_not(
    kgs: Run, folder: Path, corpus: str, verb: str, name: str, content: bytes
) -> None:
    (folder / name).write_bytes(content)
    options = ("--no-serve",) if verb == "up" else ("--no-vectors",)
    for loaded in ("3 of 5", "3 of 5"):  # the second time they are there already
        done = kgs(verb, folder, "-c", corpus, *options)
        assert done.returncode == 1
        last = done.stderr.strip().splitlines()[-1]
        assert last.startswith(f"{loaded} documents are loaded; 1 failed: ")
        assert name in last
        assert last.endswith("Mend or remove what failed, and run the same command again (exit status 1)")
    assert done.stdout.index("failed: ") < done.stdout.index("  rejected: ")
    (folder / name).unlink()
    assert kgs(verb, folder, "-c", corpus, *options).returncode == 0
