"""The cost of calls, and a limit that a run's spending never passes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal, Self

from pydantic import Field

from kgservice.core.errors import LLMFailure, SettingsError
from kgservice.core.price import Price
from kgservice.core.records import Record

BYTES_A_TOKEN = 4  # for English; used in estimates
FEWEST_BYTES_A_TOKEN = 2  # for tables and other scripts; used in budgets
REACHED = "budget reached"  # the reason of a failure
_BUDGET = re.compile(r"(?i)\$?((?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d+)?) ?(usd|tokens?)?")


class Budget(Record):
    """The most that a run may spend, in USD or in tokens (input and output together)."""

    limit: float = Field(ge=0)
    unit: Literal["USD", "tokens"]

    @classmethod
    def read(cls, text: str) -> Self:
        """Read "5", "$5", "5 USD" or "200,000 tokens". Raises SettingsError if it is none of these."""
        match = _BUDGET.fullmatch(text.strip())
        if not match or ("$" in text and (match[2] or "usd").lower() != "usd"):
            raise SettingsError(f"no budget {text!r}: give USD (5, $5 or 0.5) or tokens (200000tokens)")
        unit: Literal["USD", "tokens"] = "tokens" if (match[2] or "usd").lower().startswith("token") else "USD"
        return cls(limit=float(match[1].replace(",", "")), unit=unit)


def tokens_of(text: str, bytes_a_token: int = BYTES_A_TOKEN) -> int:
    """Return an estimate of a text's tokens, without the model's own tokenizer."""
    return -(-len(text.encode("utf-8", "replace")) // bytes_a_token)


class _Tally:
    """The spent and the reserved part of one budget."""

    def __init__(self) -> None:
        self.spent = self.held = 0.0
        self.changed = asyncio.Condition()


class Purse:
    """A budget with reservations: what is spent and reserved together never passes the limit.

    A call reserves its highest cost until its cost is known. It waits if it would fit once others release theirs, and
    is rejected if it cannot fit. An endpoint may bill more output tokens than it was allowed (mostly reasoning), so
    every later call reserves the largest such bill, and only calls then in progress can pass the limit. Until the first
    bill, calls run one at a time. `shared`: a purse of another model on the same budget.
    """

    def __init__(self, budget: Budget | None, price: Price | None, shared: Purse | None = None) -> None:
        if budget and budget.unit == "USD" and price is None:
            raise SettingsError(
                "a budget in USD needs the model's price: set KGS_LLM_PRICES, for instance "
                '{"gpt-4.1-mini": {"input": 0.4, "output": 1.6}} (USD a million tokens), or give a budget in tokens'
            )
        self.budget, self.price = budget, price
        self._tally: _Tally = shared._tally if shared else _Tally()
        self._largest_answer = 0  # tokens billed
        self._billed = False

    @asynccontextmanager
    async def hold(self, input_tokens: int, output_tokens: int) -> AsyncIterator[None]:
        """Reserve the highest cost of a call while it runs. Raises LLMFailure REACHED."""
        if self.budget is None:
            yield
            return
        async with self._tally.changed:
            while True:
                most = self._cost(input_tokens, max(output_tokens, self._largest_answer))
                if self._tally.spent + most > self.budget.limit:
                    raise LLMFailure(REACHED, self._reached(self.budget, most))
                if self._tally.spent + self._tally.held + most <= self.budget.limit and (
                    self._billed or not self._tally.held
                ):
                    break
                await self._tally.changed.wait()
            self._tally.held += most
        try:
            yield
        finally:
            async with self._tally.changed:
                self._tally.held -= most
                self._tally.changed.notify_all()

    def pay(self, input_tokens: int, output_tokens: int) -> None:
        """Count the cost of a call."""
        self._tally.spent += self._cost(input_tokens, output_tokens)
        self._largest_answer = max(self._largest_answer, output_tokens)
        self._billed = self._billed or input_tokens + output_tokens > 0

    def _cost(self, input_tokens: int, output_tokens: int) -> float:
        if self.budget and self.budget.unit == "tokens":
            return input_tokens + output_tokens
        return self.price.usd(input_tokens, output_tokens) if self.price else 0.0

    def _reached(self, budget: Budget, most: float) -> str:
        return (
            f"{self._tally.spent:,.6g} of {budget.limit:,.6g} {budget.unit} are spent and this call may cost "
            f"{most:,.4g}; run it again with a larger --budget: what is answered is not paid for again"
        )
