"""The journal of a run in <home>/runs/: every rejected or failed item by name, and the report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self

from kgservice.core.records import Problem, Record
from kgservice.core.storage import owner_only

_STAMP = "%Y%m%dT%H%M%S.%f"
LOADS = ("load", "up", "files", "demo")  # the verbs of runs that load documents
EMPTY = {"empty", "no text"}  # reasons for which no text is lost
PROBLEMS = 20  # of a run, at most
LOOKED, LAST, READ = 300, 100_000, 5_000_000  # runs searched; bytes of a last line; bytes searched for problems


class Journal:
    """A file `<stamp>-<verb>.jsonl` with a line a problem, written at once, and the run's report as its last line.

    There is no file before the first line, so a dry run leaves none. The graph holds the results, so a killed run is
    resumed by running it again.
    """

    def __init__(self, home: Path, verb: str, corpus: str = "") -> None:
        stamp, self._corpus = datetime.now(UTC).strftime(_STAMP), corpus
        self.path = home / "runs" / f"{stamp}-{verb}.jsonl"
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        owner_only(self.path.parent).chmod(0o700)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            self._line({"stopped": f"{type(error).__name__}: {error}"})
        if self._file is not None:
            self._file.close()

    def problem(self, problem: Problem, *, item: str = "document") -> None:
        """Write a rejected or failed item. `item` is document, triplet or question."""
        self._line({"item": item, **problem.model_dump()})

    def problems(self, item: str) -> Iterator[Problem]:
        """Yield the problems of a kind of item, in order."""
        if self._file is None:
            return
        with self.path.open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if line.get("item") == item:
                    yield Problem(**{name: line[name] for name in Problem.model_fields})

    def left_out(self) -> Iterator[Problem]:
        """Yield the documents that did not get in: first those that failed, last those without text."""
        for rank in range(3):
            yield from (one for one in self.problems("document") if _rank(one) == rank)

    def finish(self, report: Record) -> None:
        """Write the run's report and its corpus."""
        self._line({"report": report.model_dump(by_alias=True), **({"corpus": self._corpus} if self._corpus else {})})

    def _line(self, value: dict[str, object]) -> None:
        if self._file is None:
            self._file = self.path.open("w", encoding="utf-8")
        self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._file.flush()


def _rank(problem: Problem) -> int:
    return 0 if problem.state == "failed" else 2 if problem.reason in EMPTY else 1


class StoredRun(NamedTuple):
    """A run that loaded documents: its start (UTC), its report as JSON, and its first problems with documents."""

    at: datetime
    report: dict[str, Any]
    problems: tuple[Problem, ...]


def loads(home: Path, corpus: str, limit: int) -> Iterator[StoredRun]:
    """Yield the last finished loads of a corpus, newest first, among the last 300 runs."""
    folder = home / "runs"
    named = (path for verb in LOADS for path in folder.glob(f"*-{verb}.jsonl"))
    newest = sorted(named, key=lambda path: path.name, reverse=True)[:LOOKED]
    yield from islice((run for path in newest if (run := _run(path, corpus))), limit)


def _run(path: Path, corpus: str) -> StoredRun | None:
    """Return a finished run of a corpus, or None if it is of another corpus or did not finish."""
    with suppress(OSError, ValueError, LookupError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LAST))
        last = json.loads(file.read().splitlines()[-1])
        if last.get("corpus") == corpus and "report" in last:
            file.seek(0)
            lines = (json.loads(line) for line in file.read(READ).splitlines(keepends=True) if line.endswith(b"\n"))
            rejected = (
                Problem(**{name: entry[name] for name in Problem.model_fields}) for entry in lines if _document(entry)
            )
            at = datetime.strptime(path.name.partition("-")[0], _STAMP).replace(tzinfo=UTC)
            return StoredRun(at, last["report"], tuple(islice(rejected, PROBLEMS)))
    return None


def _document(line: dict[str, Any]) -> bool:
    return line.get("item") == "document"
