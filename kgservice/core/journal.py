"""What happened in a run: every rejected or failed item by name, and the report, in <home>/runs/."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from kgservice.core.records import Problem, Record
from kgservice.core.storage import owner_only


class Journal:
    """Writes `<stamp>-<verb>.jsonl`, a problem a line as it happens; the last line is the run's report.

    What was done is in the graph itself, so a run that was killed is resumed by running it again.
    """

    def __init__(self, home: Path, verb: str) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%f")
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
        """Record the run's report."""
        self._line({"report": report.model_dump(by_alias=True)})

    def _line(self, value: dict[str, object]) -> None:
        self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
        self._file.flush()
