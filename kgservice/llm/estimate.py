"""The expected cost of questions, before any is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from kgservice.core.records import Record
from kgservice.llm.budget import tokens_of
from kgservice.llm.client import LLM, Ask


class Estimate(Record):
    """Calls to make and calls answered from disk, and tokens and USD of the first (None: no price is set)."""

    model: str
    calls: int
    kept: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    from_answers: int

    def plus(self, other: Self) -> Self:
        """Return the sum of two estimates."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        sums = {name: getattr(self, name) + getattr(other, name) for name in (*_COUNTS, "from_answers")}
        return self.model_copy(update={**sums, "usd": usd})

    def times(self, factor: float) -> Self:
        """Return the estimate multiplied by a factor."""
        scaled = {name: round(getattr(self, name) * factor) for name in _COUNTS}
        return self.model_copy(update={**scaled, "usd": None if self.usd is None else self.usd * factor})


_COUNTS = ("calls", "kept", "input_tokens", "output_tokens")


def estimate(llm: LLM, asks: Iterable[Ask], output_tokens: int) -> Estimate:
    """Return the estimated cost of questions. `output_tokens` is assumed for prompts without earlier answers.

    `from_answers` is the number of earlier answers behind the estimate of the output. Requests to correct an answer are
    ignored, as they are rare with a suitable model.
    """
    calls = kept = sent = expected = earlier = 0
    means: dict[str, tuple[int, float]] = {}
    for ask in asks:
        if llm.kept(ask):
            kept += 1
            continue
        calls += 1
        sent += tokens_of(ask.prompt.system) + tokens_of(ask.prompt.user)
        if ask.prompt.name not in means:
            means[ask.prompt.name] = llm.answers.mean_output(llm.model, ask.prompt.name)
            earlier += means[ask.prompt.name][0]
        number, mean = means[ask.prompt.name]
        expected += round(mean) if number else min(output_tokens, llm.endpoint.max_tokens)
    usd = llm.price.usd(sent, expected) if llm.price else None
    return Estimate(
        model=llm.name,
        calls=calls,
        kept=kept,
        input_tokens=sent,
        output_tokens=expected,
        usd=usd,
        from_answers=earlier,
    )
