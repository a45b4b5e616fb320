"""The ledger: a line a call on disk (stage, unit, document, tokens, cost, time, result), and sums."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, TypeAlias

from pydantic import BaseModel, Field

from kgservice.core.errors import BadRequest
from kgservice.core.price import Price
from kgservice.core.records import Record

Ended: TypeAlias = Literal["paid", "kept", "lost", "not paid"]
By: TypeAlias = Literal["stage", "document", "unit", "prompt"]


class LedgerEntry(Record):
    """One call. `ended`: paid, kept (answered from disk), lost (no reply, counted as paid in full) or not paid."""

    stage: str
    unit: str
    document: str = ""
    prompt: str
    model: str
    ended: Ended
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    estimated: bool = False
    seconds: float = 0.0
    reason: str | None = None


class StageSpending(BaseModel):
    """The sums of one stage, document, unit or prompt.

    `usd` is None if the model has no price. `failed` counts units without an answer, by reason.
    """

    calls: int = 0
    kept: int = Field(0, description="answered from disk, at no cost")
    lost: int = Field(0, description="calls without a reply; may have been charged for, and are counted so")
    tried_again: int = Field(0, description="calls that the endpoint turned away, at no cost")
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = Field(0.0, description="time of the calls, one after another")
    failed: dict[str, int] = Field(default_factory=dict)

    def add(self, entry: LedgerEntry) -> None:
        """Count one call."""
        match entry.ended:
            case "paid":
                self.calls += 1
            case "kept":
                self.kept += 1
            case "lost":
                self.lost += 1
            case "not paid":
                self.tried_again += 1
        self.input_tokens += entry.input_tokens
        self.output_tokens += entry.output_tokens
        self.usd = None if entry.usd is None or self.usd is None else self.usd + entry.usd
        self.seconds += entry.seconds

    def fail(self, reason: str) -> None:
        """Count one unit without an answer."""
        self.failed[reason] = self.failed.get(reason, 0) + 1

    def with_other(self, other: StageSpending) -> StageSpending:
        """Return the sums of both."""
        counts = {
            name: getattr(self, name) + getattr(other, name)
            for name in ("calls", "kept", "lost", "tried_again", "input_tokens", "output_tokens", "seconds")
        }
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return StageSpending(**counts, usd=usd, failed=dict(Counter(self.failed) + Counter(other.failed)))


class Spending(Record):
    """The spending of a run by stage, and the path of its ledger."""

    model: str
    ledger: str
    stages: dict[str, StageSpending]

    def after(self, earlier: Spending | None) -> Spending:
        """Return the sums of this session and earlier ones, with the path of the last ledger that has calls."""
        if earlier is None or not self.stages:
            return earlier or self
        names = sorted(self.stages.keys() | earlier.stages.keys())
        nothing = StageSpending()
        stages = {name: self.stages.get(name, nothing).with_other(earlier.stages.get(name, nothing)) for name in names}
        return self.model_copy(update={"stages": stages})


class Ledger:
    """A file of calls, appended as each ends, with sums by stage. Only the sums are in memory."""

    def __init__(self, path: Path, price: Price | None) -> None:
        self.path, self._price = path, price
        self._stages: defaultdict[str, StageSpending] = defaultdict(StageSpending)
        self._file: IO[str] | None = None

    def enter(self, entry: LedgerEntry) -> None:
        """Write one call."""
        usd = self._price.usd(entry.input_tokens, entry.output_tokens) if self._price else None
        entry = entry.model_copy(update={"usd": usd})
        self._line(entry.model_dump(exclude_defaults=True))
        self._stages[entry.stage].add(entry)

    def fail(self, stage: str, unit: str, document: str, reason: str) -> None:
        """Write a unit without an answer."""
        fields = {"stage": stage, "unit": unit} | ({"document": document} if document else {})
        self._line({**fields, "failed": reason})
        self._stages[stage].fail(reason)

    def spending(self, model: str) -> Spending:
        """Return the sums so far."""
        stages = {name: sums.model_copy(deep=True) for name, sums in sorted(self._stages.items())}
        return Spending(model=model, ledger=str(self.path), stages=stages)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _line(self, value: dict[str, object]) -> None:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8")
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._file.write(json.dumps({"at": at} | value, ensure_ascii=False) + "\n")
        self._file.flush()


def spent_by(path: Path, what: By) -> dict[str, StageSpending]:
    """Return the sums of a ledger, the most expensive first. Raises BadRequest if the file is none."""
    sums: defaultdict[str, StageSpending] = defaultdict(StageSpending)
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                entry = json.loads(line)
                del entry["at"]
                name = entry.get(what) or f"(no {what})"
                if "failed" in entry:
                    sums[name].fail(entry["failed"])
                else:
                    sums[name].add(LedgerEntry.model_validate(entry))
    except (OSError, ValueError, KeyError) as error:
        raise BadRequest(f"{path} is no ledger of calls (runs/….calls.jsonl in KGS_HOME): {error}") from error
    return dict(sorted(sums.items(), key=lambda group: (-(group[1].usd or 0), -group[1].input_tokens, group[0])))
