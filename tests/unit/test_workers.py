"""Worker processes end with the process that started them; what is read is kept until its load ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import Future, process
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from kgservice.core.records import Problem, Term, Triplet
from kgservice.extraction.extractor import Passages, Read
from kgservice.extraction.kept_readings import KeptReadings
from kgservice.extraction.workers import RuleExtractor

PARENT = """
from multiprocessing import active_children
from kgservice.core.pools import ProcessPool

pool = ProcessPool(1)
pool.submit(int).result()
print(*(child.pid for child in active_children()), flush=True)
input()
"""


def test_workers_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers
        parent.kill()
        try:
            parent.communicate(timeout=20)  # until none holds the pipe that they inherited
        except subprocess.TimeoutExpired:
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            raise


def test_an_interrupt_while_workers_start_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process._ExecutorManagerThread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), RuleExtractor() as extractor:
        list(extractor.read([Passages("", ("A text.",))]))
    for worker in active_children():
        worker.join()


class Here:
    """A pool of this process that counts what it runs."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def submit(self, work: Any, *given: Any) -> Future[Any]:
        done: Future[Any] = Future()
        done.set_result(self.run_apart(work, *given))
        return done

    def run_apart(self, work: Any, *given: Any) -> Any:
        self.texts += [text for passages in given[-1] for text in passages.texts]
        return [read(text) for passages in given[-1] for text in passages.texts]

    def close(self, *, at_once: bool = False) -> None:
        pass


def read(text: str) -> Read:
    """What a text could state, with the two fields that no JSON of a triplet has."""
    ends = {"subject": Term(label=text, type="city"), "object": Term(label="3", kind="number", value=3.0)}
    one = Triplet(relation="has", sentence=text, doubted="P36", confidence=0.875, **ends)
    lost = Problem(source="s", state="rejected", reason="vague", detail=text)
    return Read([[one], []], (lost,), kinds={text: "GPE"})


def test_a_killed_load_reads_no_document_twice(tmp_path: Path) -> None:
    given = [Passages("", (f"text {number}",), f"d{number}") for number in range(9)]
    first, second, other = Here(), Here(), Here()
    kept = KeptReadings(tmp_path / "readings" / "c.sqlite", "recipe")
    whole = list(RuleExtractor(pool=first, kept=kept).read(given[:5]))
    kept.close(written=False)
    kept = KeptReadings(tmp_path / "readings" / "c.sqlite", "recipe")
    again = list(RuleExtractor(pool=second, kept=kept).read(list(reversed(given))))
    assert again == [read(f"text {number}") for number in reversed(range(9))]
    assert [one.triplets for one in again[4:]] == [one.triplets for one in reversed(whole)]
    assert sorted(second.texts) == [f"text {number}" for number in range(5, 9)]
    kept.close(written=True)
    kept = KeptReadings(tmp_path / "readings" / "c.sqlite", "another recipe")
    list(RuleExtractor(pool=other, kept=kept).read(given))
    assert len(other.texts) == 9
    kept.close(written=True)
    assert list((tmp_path / "readings").iterdir()) == []


def test_two_loads_of_a_corpus_leave_no_readings(tmp_path: Path) -> None:
    first, second = (KeptReadings(tmp_path / "readings" / "c.sqlite", "recipe") for _ in range(2))
    for kept, text in ((first, "a"), (second, "b")):
        list(RuleExtractor(pool=Here(), kept=kept).read([Passages("", (text,), text)]))
    first.close(written=True)
    list(RuleExtractor(pool=Here(), kept=second).read([Passages("", ("c",), "c")]))
    second.close(written=True)
    assert list((tmp_path / "readings").iterdir()) == []
