"""Reading in a process of its own: whatever a loader does with a file costs that file alone, and counts add up."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from kgservice.core.errors import NotFound
from kgservice.core.records import Document, Problem
from kgservice.ingest import sources
from kgservice.ingest.sources import LoaderReading, read

LOADER = """
import os, signal, sys, time
from kgservice.core.records import Document
from loaders.shared.loader import DocumentLoader

class HostileLoader(DocumentLoader):
    suffixes = (".txt",)

    def document(self, file):
        kind = file.path.name.partition("-")[2]
        print("d{}")
        if kind == "busy.txt":
            while True:
                pass
        if kind == "large.txt":
            return Document(source="x", text="x" * 10_000_000_000)
        if kind == "dead.txt":
            os.kill(os.getpid(), signal.SIGSEGV)
        if kind == "raises.txt":
            raise RuntimeError("torn page")
        if kind == "surrogate.txt":
            return Document.model_construct(source=file.name, text="\\ud800")
        return Document(source=file.name, text="well", metadata={"number": 1.0, "true": True, "text": "1"})

class PlainLoader:
    def __init__(self, path):
        self.path = path

    def lazy_load(self):
        from langchain_core.documents import Document
        yield Document(page_content="one", metadata={"title": "t", "list": []})
        if "busy" in self.path:
            while True:
                pass
        yield Document(page_content="two")
"""
KINDS = ("well", "busy", "large", "dead", "raises", "surrogate", "well")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install two loaders of somebody else; return a folder with a file of each kind."""
    place, folder = tmp_path / "site", tmp_path / "folder"
    about = place / "hostile_loader-1.0.dist-info"
    about.mkdir(parents=True)
    (place / "hostile_loader.py").write_text(LOADER)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile-loader\nVersion: 1.0\n")
    entries = "[kgservice.loaders]\nhostile = hostile_loader:HostileLoader\nplain = hostile_loader:PlainLoader\n"
    (about / "entry_points.txt").write_text(entries)
    monkeypatch.syspath_prepend(place)
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.setattr(sources, "SECONDS", 0.5)
    folder.mkdir()
    for at, kind in enumerate(KINDS):
        (folder / f"{at}-{kind}.txt").write_text("x")
    return folder


@pytest.mark.whole
def test_a_file_that_ends_the_process_costs_itself_alone(hostile: Path) -> None:
    reading = LoaderReading("hostile", [hostile, hostile / "0-well.txt"])
    assert reading.expected() == len(KINDS) + 1
    found = list(reading)
    assert [(Path(one.source).name.partition("-")[2], getattr(one, "reason", "")) for one in found[: len(KINDS)]] == [
        ("well.txt", ""), ("busy.txt", "too slow"), ("large.txt", "too large"), ("dead.txt", "unreadable"),
        ("raises.txt", "unreadable"), ("surrogate.txt", "could not be read"), ("well.txt", ""),
    ]  # fmt: skip
    (problem,) = (one for one in found if isinstance(one, Problem) and "raises" in one.source)
    assert (problem.state, problem.detail) == ("failed", "RuntimeError: torn page")
    well = [one for one in found if isinstance(one, Document)]
    assert {json.dumps(one.metadata) for one in well} == {'{"number": 1.0, "true": true, "text": "1"}'}


@pytest.mark.whole
def test_of_a_loader_without_files_the_path_is_given_up(hostile: Path, tmp_path: Path) -> None:
    found = list(read("plain", [tmp_path / "busy", tmp_path / "other"]))
    assert Counter(getattr(one, "reason", "read") for one in found) == {"read": 3, "too slow": 1}
    assert found[1].source == str(tmp_path / "busy")
    assert [one.title for one in found if isinstance(one, Document)] == ["t", "t", ""]


def test_no_such_loader() -> None:
    with pytest.raises(NotFound, match=r"choose one of .*triplets"):
        read("nothing", [])


def test_a_huge_line_is_refused_and_the_next_file_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.jsonl.gz", "wb", compresslevel=1) as out:
        out.write(b'{"id": "a", "text": "')
        for _ in range(120):
            out.write(b"words and " * 100_000)
    (tmp_path / "b.jsonl").write_text('{"id": "b", "text": "well"}\n')
    first, second = read("triplets", [tmp_path])
    assert (first.source, getattr(first, "reason", "")) == (f"{tmp_path}/a.jsonl.gz:1", "too large")
    assert second.source == "b"


def test_who_stops_reading_ends_the_process(tmp_path: Path) -> None:
    (tmp_path / "many.jsonl").write_text("".join(f'{{"id": "{n}", "text": "t"}}\n' for n in range(100_000)))
    before = set(psutil.Process().children(recursive=True))
    reading = iter(LoaderReading("triplets", [tmp_path / "many.jsonl"]))
    assert next(reading).source == "0"
    started = set(psutil.Process().children(recursive=True)) - before
    assert started
    reading.close()  # type: ignore[attr-defined]
    assert not any(process.is_running() for process in started)


def test_it_ends_with_a_parent_that_is_killed(hostile: Path) -> None:
    code = f"from kgservice.ingest import sources; sources.SECONDS = 600; list(sources.read('hostile', [{str(hostile)!r}]))"
    with subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ)) as parent:
        process, end = psutil.Process(parent.pid), time.monotonic() + 60
        while not (children := process.children(recursive=True)):
            assert time.monotonic() < end
            time.sleep(0.05)
        parent.kill()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive
