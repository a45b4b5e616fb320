"""The price of a language model's tokens."""

from __future__ import annotations

from pydantic import Field

from kgservice.core.records import Record


class Price(Record):
    """USD for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def usd(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of a call with so many tokens, in USD."""
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000
