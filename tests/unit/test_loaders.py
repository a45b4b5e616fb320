"""Loaders: every record ends as a document or as a counted problem, whatever the file."""

from __future__ import annotations

import ast
import gzip
import json
import tracemalloc
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import loaders
from kgservice.core.records import Document
from loaders.benchmarks.beir import BeirLoader
from loaders.markdown import MarkdownLoader
from loaders.news import NewsLoader
from loaders.shared import files
from loaders.text import TextLoader
from loaders.triplets import TripletsLoader
from tests.unit.loading import jsonl, reasons, sorted_out


def test_loaders_import_nothing_of_the_project_but_records_and_fences() -> None:
    for path in Path(loaders.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            ours = [name for name in names if name.split(".")[0] in ("kgservice", "cypher")]
            assert set(ours) <= {"kgservice.core.records", "kgservice.text.fences"}, path


def test_entry_points_are_there() -> None:
    found = {entry.name: entry.value for entry in entry_points(group="kgservice.loaders")}
    assert {"triplets", "text", "markdown", "news", "beir"} <= set(found)


def test_constructors_do_no_io(tmp_path: Path) -> None:
    for made in (TripletsLoader, TextLoader, MarkdownLoader, NewsLoader, BeirLoader):
        assert reasons(made(tmp_path / "nothing.jsonl", name="x")) == {"no such file": 1}


# files


def test_names_are_relative_inside_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "in"
    (inside / "deep").mkdir(parents=True)
    for path in (inside / "deep" / "a.txt", inside / "b.txt", tmp_path / "c.txt"):
        path.write_text("Text.")
    monkeypatch.chdir(inside)
    assert [d.source for d in sorted_out(TextLoader(Path()))[0]] == ["b.txt", "deep/a.txt"]
    assert [d.source for d in sorted_out(TextLoader(inside / "b.txt"))[0]] == ["b.txt"]
    assert [d.source for d in sorted_out(TextLoader(tmp_path / "c.txt"))[0]] == [(tmp_path / "c.txt").as_posix()]
    assert [d.source for d in sorted_out(TextLoader(inside, name="mine"))[0]] == ["mine/b.txt", "mine/deep/a.txt"]


@pytest.mark.parametrize(
    ("content", "state", "reason"),
    [
        (b"", "rejected", "empty"),
        (b" \n\t\n", "rejected", "empty"),
        (b"a\0b", "rejected", "binary"),
        (b"%PDF-1.7 text", "rejected", "binary"),
        ("naïve".encode("cp1252"), "failed", "encoding"),
        (b"\xff\xfea", "failed", "encoding"),
    ],
)
def test_text_that_is_none(tmp_path: Path, content: bytes, state: str, reason: str) -> None:
    (tmp_path / "a.txt").write_bytes(content)
    assert sorted_out(TextLoader(tmp_path))[1] == {(state, reason): 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_say_what_they_are(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes("Zürich\r\nlies\rin 日本".encode(encoding))
    assert [d.text for d in sorted_out(TextLoader(tmp_path))[0]] == ["Zürich\nlies\nin 日本"]
    record = json.dumps({"id": "é", "text": "日本 é"}, ensure_ascii=False) + "\n"
    (tmp_path / "a.jsonl").write_bytes((record + record.replace("é", "è")).encode(encoding))
    assert [d.source for d in sorted_out(TripletsLoader(tmp_path / "a.jsonl"))[0]] == ["é", "è"]


def test_paths_that_are_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sorted_out(TextLoader(tmp_path))[1] == {("failed", "no files"): 1}
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / ".hidden.txt").write_text("x")
    assert sorted_out(TextLoader(tmp_path))[1] == {("failed", "no such file"): 1}
    assert reasons(TextLoader(tmp_path / "a\0b")) == {"no such file": 1}
    assert reasons(TextLoader(Path("/dev/null"))) == {"unreadable": 1}
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"text " * 1000)[:30])
    (tmp_path / "no.txt.gz").write_bytes(b"not gzip")
    assert reasons(TextLoader(tmp_path)) == {"unreadable": 2, "no such file": 1}

    def refuse(_: Path) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(files, "opened", refuse)
    assert reasons(TextLoader(tmp_path / ".hidden.txt")) == {"unreadable": 1}


def test_links_that_lead_out_of_the_folder(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    (folder / "sub").mkdir(parents=True)
    outside.mkdir()
    for path in (outside / "secret.txt", outside / "other.txt", folder / "sub" / "own.txt"):
        path.write_text(path.stem)
    (folder / "a.txt").symlink_to(outside / "secret.txt")
    (folder / "b.txt").symlink_to(Path("..") / "outside" / "secret.txt")
    (folder / "c.txt").symlink_to(folder / "sub" / "own.txt")
    (folder / "d.txt").symlink_to(folder / "a.txt")  # through a link within
    (folder / "passwords").symlink_to("/etc/passwd")  # another loader's, if anybody's
    (folder / "tree").symlink_to(outside)
    (folder / "round").symlink_to(folder)
    (folder / "sub" / "itself.txt").symlink_to(folder / "sub" / "itself.txt")
    documents, problems = sorted_out(TextLoader(folder, name="f"))
    assert [(one.source, one.text) for one in documents] == [("f/c.txt", "own"), ("f/sub/own.txt", "own")]
    assert problems == {("rejected", "link out of the folder"): 4, ("failed", "unreadable"): 1}
    loader = TextLoader(folder, name="f", follow_links=True)
    documents, problems = sorted_out(loader)
    assert loader.count() == len(documents) + 1
    assert {one.source.removeprefix("f/"): one.text for one in documents} == {
        "a.txt": "secret", "b.txt": "secret", "c.txt": "own", "d.txt": "secret", "sub/own.txt": "own",
        "tree/secret.txt": "secret", "tree/other.txt": "other",
    }  # fmt: skip
    assert problems == {("failed", "unreadable"): 1}
    (tmp_path / "way").symlink_to(folder / "sub")  # named by who loads: it may lead anywhere
    assert [one.source for one in sorted_out(TextLoader(tmp_path / "way", name="w"))[0]] == ["w/own.txt"]
    assert [one.text for one in sorted_out(TextLoader(folder / "a.txt"))[0]] == ["secret"]


def test_files_beside_are_no_links_out_either(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside.jsonl"
    folder.mkdir()
    jsonl(outside, [{"_id": "1", "text": "secret", "grantee": "x"}])
    (folder / "corpus.jsonl").symlink_to(outside)
    assert sorted_out(BeirLoader(folder))[1] == {("rejected", "link out of the folder"): 1}
    assert [one.text for one in sorted_out(BeirLoader(folder, follow_links=True))[0]] == ["secret"]
    file = files.File(folder / "plan.html", "plan.html")
    (folder / "metadata.csv").symlink_to(outside)
    assert files.beside(file, "metadata.csv") is None
    (folder / "own.csv").write_text("id")
    assert files.beside(file, "own.csv") == folder / "own.csv"


@pytest.mark.whole
def test_too_large_and_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb, blank = tmp_path / "bomb.txt.gz", tmp_path / "blank.jsonl.gz"
    with gzip.open(bomb, "wb") as out:
        for _ in range(130):
            out.write(b"x" * 1_000_000)
    blank.write_bytes(gzip.compress(b"\n" * 25_000_000))
    tracemalloc.start()
    assert reasons(TextLoader(bomb)) == {"too large": 1}
    assert reasons(TripletsLoader(bomb)) == {"too large": 1}
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * files.MAX_DOCUMENT  # the file has 130 MB
    assert reasons(TripletsLoader(blank)) == {"too large": 1}
    long = jsonl(tmp_path / "long.jsonl", [{"id": "a", "text": "x" * 6_000_000}, {"id": "b", "text": "x"}])
    documents, problems = sorted_out(TripletsLoader(long))
    assert [d.source for d in documents] == ["b"]
    assert problems == {("rejected", "too large"): 1}
    monkeypatch.setattr(files, "MAX_SKIPPED", 1_000_000)
    assert reasons(TripletsLoader(long)) == {"too large": 1}


@pytest.mark.whole
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("w") as out:
        for at in range(20_000):
            out.write(json.dumps({"id": f"d{at}", "text": "word " * 200, "triplets": [["a", "b", str(at)]]}) + "\n")
    tracemalloc.start()
    assert sum(isinstance(item, Document) for item in TripletsLoader(path).read()) == 20_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000  # the file has 20 MB


# triplets
