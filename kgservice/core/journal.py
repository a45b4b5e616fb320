"""What happened in a run: every rejected or failed item by name, and the report, in <home>/runs/."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from kgservice.core.records import Problem, Record
from kgservice.core.storage import owner_only

_STAMP = "%Y%m%dT%H%M%S.%f"
LOADS = ("load", "up", "files", "demo")  # the verbs of runs that load documents
LOOKED, LAST, READ = 300, 100_000, 5_000_000  # runs looked at; bytes of a last line, and read for problems


class Journal:
    """Writes `<stamp>-<verb>.jsonl`, a problem a line as it happens; the last line is the run's report.

    What was done is in the graph itself, so a run that was killed is resumed by running it again.
    """

    def __init__(self, home: Path, verb: str, corpus: str = "") -> None:
        stamp, self._corpus = datetime.now(UTC).strftime(_STAMP), corpus
        self.path = home / "runs" / f"{stamp}-{verb}.jsonl"

    def __enter__(self) -> Self:
        owner_only(self.path.parent).chmod(0o700)
        self._file = self.path.open("w", encoding="utf-8")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            self._line({"stopped": f"{type(error).__name__}: {error}"})
        self._file.close()

    def problem(self, problem: Problem, *, item: str = "document") -> None:
        """Record what was rejected or failed; `item` is document, triplet or question."""
        self._line({"item": item, **problem.model_dump()})

    def problems(self, item: str) -> Iterator[Problem]:
        """Yield what has been recorded of a kind of item, in its order."""
        with self.path.open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                if line.get("item") == item:
                    yield Problem(**{name: line[name] for name in Problem.model_fields})

    def finish(self, report: Record) -> None:
        """Record the run's report, and of which corpus it is."""
        self._line({"report": report.model_dump(by_alias=True), **({"corpus": self._corpus} if self._corpus else {})})

    def _line(self, value: dict[str, object]) -> None:
        self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._file.flush()


class StoredRun(NamedTuple):
    """A run that loaded documents: when it began (UTC), its report as JSON, and the first documents not let in."""

    at: datetime
    report: dict[str, Any]
    problems: tuple[Problem, ...]


def loads(home: Path, corpus: str, limit: int, problems: int = 20) -> Iterator[StoredRun]:
    """Yield the last runs that loaded documents into a corpus and ended, newest first, of the last 300 runs of all."""
    folder = home / "runs"
    named = (path for verb in LOADS for path in folder.glob(f"*-{verb}.jsonl"))
    newest = sorted(named, key=lambda path: path.name, reverse=True)[:LOOKED]
    yield from islice((run for path in newest if (run := _run(path, corpus, problems))), limit)


def _run(path: Path, corpus: str, problems: int) -> StoredRun | None:
    """A run of a corpus; None for one of another corpus, and for one that did not end."""
    with suppress(OSError, ValueError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LAST))
        last = json.loads(file.read().splitlines()[-1:][0])
        if last.get("corpus") == corpus and "report" in last:
            file.seek(0)
            lines = (json.loads(line) for line in file.read(READ).splitlines(keepends=True) if line.endswith(b"\n"))
            found = (Problem(**{name: one[name] for name in Problem.model_fields}) for one in lines if _document(one))
            at = datetime.strptime(path.name.partition("-")[0], _STAMP).replace(tzinfo=UTC)
            return StoredRun(at, last["report"], tuple(islice(found, problems)))
    return None


def _document(line: dict[str, Any]) -> bool:
    return line.get("item") == "document"
