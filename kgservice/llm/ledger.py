"""The ledger: a line a call on disk (stage, unit, tokens, cost, time, how it ended), and its sums by stage."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Literal, TypeAlias

from pydantic import BaseModel, Field

from kgservice.llm.budget import Price
from kgservice.model import Record

Ended: TypeAlias = Literal["paid", "kept", "lost", "not paid"]


class Entry(Record):
    """One call. `ended`: paid; kept: answered from disk; lost: no reply, counted as paid in full; not paid."""

    stage: str
    unit: str
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
    """Sums of one stage; `usd` is None where the model's price is not set, `failed` counts units without an answer."""

    calls: int = 0
    kept: int = Field(0, description="answered from disk, at no cost")
    lost: int = Field(0, description="calls without a reply; may have been charged for, and are counted so")
    tried_again: int = Field(0, description="calls that the endpoint turned away, at no cost")
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = Field(0.0, description="time of the calls, one after another")
    failed: dict[str, int] = Field(default_factory=dict)


class Spending(Record):
    """What a run spent, by stage, and where each call is written down."""

    model: str
    ledger: str
    stages: dict[str, StageSpending]


class Ledger:
    """Writes each call to `path` as it ends, and sums up by stage; holds no more than the sums."""

    def __init__(self, path: Path, price: Price | None) -> None:
        self.path, self._price = path, price
        self._stages: defaultdict[str, StageSpending] = defaultdict(StageSpending)
        self._file: IO[str] | None = None

    def enter(self, entry: Entry) -> None:
        """Write down one call."""
        usd = self._price.usd(entry.input_tokens, entry.output_tokens) if self._price else None
        entry = entry.model_copy(update={"usd": usd})
        self._line(entry.model_dump(exclude_defaults=True))
        sums = self._stages[entry.stage]
        match entry.ended:
            case "paid":
                sums.calls += 1
            case "kept":
                sums.kept += 1
            case "lost":
                sums.lost += 1
            case "not paid":
                sums.tried_again += 1
        sums.input_tokens += entry.input_tokens
        sums.output_tokens += entry.output_tokens
        sums.usd = None if usd is None or sums.usd is None else sums.usd + usd
        sums.seconds += entry.seconds

    def fail(self, stage: str, unit: str, reason: str) -> None:
        """Write down that a unit ended without an answer."""
        self._line({"stage": stage, "unit": unit, "failed": reason})
        failed = self._stages[stage].failed
        failed[reason] = failed.get(reason, 0) + 1

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
