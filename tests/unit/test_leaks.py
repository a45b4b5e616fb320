"""Copies of a release's questions and texts in other pages."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from benchmarks.leaked import edited, rows
from kgservice.core.errors import BadRequest
from kgservice.releases.canary import canary, marked, unmarked
from kgservice.releases.leaks import ForeignPage, Traces, pages_of

TEXT = (
    "Port Ambrel is a harbour town at the mouth of the Selm. Its shipyard, founded in 1871 by Ada Lind, built ferries "
    "until the war, and after it the long grey barges that still carry grain to Velmora every autumn."
)
QUESTION = "Who leads the university of which Aurelian Robotics is a partner?"
WORD = "kgservice:canary:1"
TRACES = Traces([(3, QUESTION), (4, "Who leads Acme?"), (5, "Who leads Varn Town?")], [(7, TEXT)], WORD)
CLEAN = "The committee met on Tuesday to discuss the budget of the coming year, and adjourned without a vote. "


def test_what_is_found_and_what_is_not() -> None:
    for page, questions, texts, known in (
        (TEXT, (), (7,), False),
        (CLEAN * 30 + TEXT.upper() + CLEAN * 30, (), (7,), False),
        (TEXT.replace("harbour", "little harbour").replace("grey ", ""), (), (7,), False),
        (TEXT.split(". ")[1], (), (7,), False),
        (f"Q: {QUESTION} A: Bo Hart", (3,), (), False),
        ("who leads the university of which aurelian robotics was a partner", (3,), (), False),
        ("Say: who leads Varn Town?", (5,), (), False),
        (f"x {WORD} y", (), (), True),
    ):
        leak = TRACES.find(ForeignPage("p", page))
        assert leak is not None, page
        assert (leak.questions, leak.texts, leak.canary) == (questions, texts, known)
    for page in (
        "",
        CLEAN * 9,
        "Who leads Acme?",
        "Which partner of Aurelian leads a university in Lun?",
        "Its shipyard was founded in 1871.",
    ):
        assert TRACES.find(ForeignPage("p", page)) is None, page
    assert str(TRACES.find(ForeignPage("a.txt", f"{QUESTION} {WORD}"))) == "a.txt: canary, 1 question (id 3)"
    assert Traces([], []).find(ForeignPage("p", TEXT)) is None


def test_pieces_that_many_share_tell_nothing() -> None:
    towns = ["Isvik", "Orlo", "Lun", "Kest", "Varn", "Tember"]
    texts = [f"{town} is a village in the district of the lower Selm valley in the south of Velmora." for town in towns]
    traces = Traces([], list(enumerate(texts[:-1])))
    assert traces.find(ForeignPage("p", texts[-1])) is None
    found = traces.find(ForeignPage("p", texts[2]))
    assert found is not None
    assert 2 in found.texts


def test_pages_of_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo")
    (tmp_path / "in").mkdir()
    with gzip.open(tmp_path / "in" / "b.jsonl.gz", "wt") as out:
        out.write(json.dumps({"q": "three", "more": [{"a": "four"}, 5]}) + "\nnot json\n")
    names = {Path(page.name).name: page.text for page in pages_of([tmp_path])}
    assert names == {"a.txt": "one\ntwo", "b.jsonl.gz:1": "three\nfour", "b.jsonl.gz:2": "not json\n"}
    with pytest.raises(BadRequest, match="cannot read"):
        list(pages_of([tmp_path / "none.txt"]))
    packed = gzip.compress(TEXT.encode())
    for damaged in (b"no gzip", packed[:-20], packed[:12] + b"\xff" * 40):
        (tmp_path / "c.gz").write_bytes(damaged)
        with pytest.raises(BadRequest, match="cannot read"):
            list(pages_of([tmp_path / "c.gz"]))


def test_a_canary_is_put_in_once_and_taken_out() -> None:
    word = canary("secret")
    assert word == canary("secret") != canary("other")
    row = json.dumps({"a": 1})
    (once,) = marked([row], word)
    assert list(marked([once], word)) == [once]
    assert json.loads(once) == {"a": 1, "canary": word}
    assert unmarked(json.loads(once)) == {"a": 1}


def test_copies_of_real_passages(shared_data: Path) -> None:
    luck = random.Random(0)
    texts = [row["text"] for row in rows("hipporag/2wikimultihopqa_corpus.jsonl.gz")[:1200]]
    others = [row["text"] for row in rows("hipporag/musique_train100_corpus.jsonl.gz")[:300]]
    held = [(number, text) for number, text in enumerate(texts) if len(text.split()) >= 8]
    traces = Traces([], held)

    def found(text: str, number: int) -> bool:
        leak = traces.find(ForeignPage("p", f"{luck.choice(others)} {text} {luck.choice(others)}"))
        return leak is not None and number in leak.texts

    some = luck.sample(held, 100)
    assert all(found(text, number) for number, text in some)
    assert sum(found(edited(text, luck), number) for number, text in some) >= 90
    assert sum(traces.find(ForeignPage("p", text)) is not None for text in others) <= 1
