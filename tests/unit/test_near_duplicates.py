"""Articles that say nearly the same: of one load and of loads before it, as far as the corpus holds them."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest

from kgservice.core.records import Document, Problem, Version
from kgservice.ingest.leftovers import LoadedFiles
from kgservice.ingest.load_report import FolderCounts
from kgservice.ingest.near_duplicates import NearDuplicates, _bands_before, _sketch

WORDS = [f"word{at}" for at in range(200)]
TEXT, NEARLY = " ".join(WORDS), " ".join([*WORDS[:-2], "other", "end"])


def article(source: str, text: str = TEXT, kind: str = "news") -> Document:
    return Document(source=source, text=text, doc_type=kind)


class Corpora:
    """What each corpus holds, and what loads make of articles."""

    def __init__(self, folder: Path) -> None:
        self.held: dict[str, set[str]] = {}
        self._path = folder / "articles.sqlite"

    def versions(self, corpus: str, sources: list[str]) -> Mapping[str, Version]:
        held = self.held.get(corpus, set())
        return {source: Version(content_hash="x", published=None) for source in sources if source in held}

    def load(self, found: Sequence[Document | Problem], corpus: str = "c") -> tuple[list[str], list[str]]:
        self.compared = NearDuplicates(self._path, corpus, self.versions)
        outcomes = list(self.compared.once(found))
        stored = [one.source for one in outcomes if isinstance(one, Document)]
        self.held.setdefault(corpus, set()).update(stored)
        problems = [f"{one.source}: {one.reason}, {one.detail}" for one in outcomes if isinstance(one, Problem)]
        return stored, problems


def test_of_one_load_the_first_stays(tmp_path: Path) -> None:
    half = " ".join(WORDS[100:] + ["new"] * 100)
    texts = [TEXT, NEARLY, half, "short", "short"]
    stored, problems = Corpora(tmp_path).load([article(f"u{at}", text) for at, text in enumerate(texts)])
    assert stored == ["u0", "u2", "u3", "u4"]
    assert problems == ["u1: near duplicate, almost the text of u0"]


def test_what_the_corpus_holds_already_is_found_and_loading_again_changes_nothing(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path)
    assert corpora.load([article("first")]) == (["first"], [])
    again = [article("first"), article("second", NEARLY)]
    twin = ["second: near duplicate, almost the text of first"]
    assert corpora.load(again) == (["first"], twin)
    assert corpora.load(again[1:]) == ([], twin)
    assert corpora.load(again[1:], "another corpus") == (["second"], [])


def test_an_article_may_take_the_place_of_one_that_was_removed_or_says_other_things_now(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path)
    corpora.load([article("first")])
    corpora.held["c"].clear()
    assert corpora.load([article("second", NEARLY)])[0] == ["second"]
    corpora.load([article("second", " ".join(reversed(WORDS)))])
    assert corpora.load([article("third")])[0] == ["third"]


def series(count: int, changed: int) -> list[Document]:
    """Articles from one template of 300 words, each with as many words of its own."""
    drawn = random.Random(3)
    words = [f"word{at}" for at in range(300)]

    def text(name: int) -> str:
        own = set(drawn.sample(range(10, 290), changed))
        return " ".join(f"own{name} {at}" if at in own else word for at, word in enumerate(words))

    return [article(f"u{name}", text(name)) for name in range(count)]


def test_what_shares_a_band_is_a_near_duplicate_only_if_it_overlaps_by_four_fifths(tmp_path: Path) -> None:
    apart = series(40, 12)  # two of them overlap by some .5
    assert Corpora(tmp_path / "a").load(apart) == ([one.source for one in apart], [])
    near = series(40, 2)  # by .88
    assert len(Corpora(tmp_path / "b").load(near)[0]) < 5


def test_an_article_from_before_the_minhashes_were_kept_is_found_by_its_bands(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path)
    corpora.load([article("first")])
    sketch = _sketch(TEXT)
    assert sketch is not None
    with closing(sqlite3.connect(tmp_path / "articles.sqlite")) as db, db:
        for table in ("sketch", "part"):
            db.execute(f"DELETE FROM {table}")
        db.executemany("INSERT INTO band VALUES ('c', ?, 'first')", [(band,) for band in _bands_before(sketch)])
    assert corpora.load([article("second", NEARLY)])[1] == ["second: near duplicate, almost the text of first"]
    assert corpora.load([article("first", " ".join(reversed(WORDS))), article("second", NEARLY)])[1] == []
    with closing(sqlite3.connect(tmp_path / "articles.sqlite")) as db:
        counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("band", "sketch", "part")]
    assert counts == [0, 2, 42]


def test_what_is_too_old_to_be_stored_has_no_near_duplicate(tmp_path: Path) -> None:
    old, new = (article(name, text).model_copy(update={"published": date(year, 1, 1)})
                for name, text, year in (("old", TEXT, 2030), ("new", NEARLY, 2031)))  # fmt: skip
    graph = SimpleNamespace(versions=Corpora(tmp_path).versions)
    found = LoadedFiles(graph, tmp_path, "c", [old, new], since=date(2031, 1, 1))  # type: ignore[arg-type]
    assert [(one.source, getattr(one, "reason", "")) for one in found] == [("old", "older than --since"), ("new", "")]


def test_the_working_directory_tells_of_files_that_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.md").write_text("x")
    others = ["https://x.org/a.html", "/data/a.md", "Q1 | P1 | Q2", "7", "plan", "x.org/page"]
    held = ["here.md", "gone.md", "sub/rows.jsonl#3", *others]
    graph = SimpleNamespace(
        versions=dict, read=lambda *_, folder, **__: [{"source": one} for one in held if one.startswith(folder)]
    )
    for given in (Path(), tmp_path):
        found = LoadedFiles(graph, tmp_path, "c", (), [given]).leftovers().folders  # type: ignore[arg-type]
        assert found == FolderCounts(given=3, on_disk=1, gone=("gone.md", "sub/rows.jsonl#3"))


def test_only_news_is_compared(tmp_path: Path) -> None:
    problem = Problem(source="p", state="rejected", reason="no text")
    found = [article("a", kind="text"), problem, article("b", kind="text")]
    stored, problems = Corpora(tmp_path).load(found)
    assert stored == ["a", "b"]
    assert len(problems) == 1
    with closing(sqlite3.connect(tmp_path / "articles.sqlite")) as db:
        assert [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")] == ["text"]


def test_the_same_text_under_several_names_is_counted_and_stays(tmp_path: Path) -> None:
    corpora = Corpora(tmp_path)

    def same(*names: str, text: str = "Short.") -> tuple[int, tuple[str, ...]]:
        assert corpora.load([article(name, text, "text") for name in names]) == ([*names], [])
        return corpora.compared.same_texts(), corpora.compared.example()

    assert same("a", "b", *"cdefghij") == (9, ("a", "b"))  # of several in one load the first is not counted
    assert same("a", "b", *"cdefghij") == (9, ("a", "b"))
    assert same("a") == (1, ("a", "b"))  # the others are held
    assert same("new/a", "new/b") == (2, ("a", "b"))
    assert same("x", "y", text=" ") == (0, ())
    corpora.held["c"].clear()
    assert same("a") == (0, ())
    assert same("a", text="Other.") == (0, ())
    assert same("b") == (0, ())
