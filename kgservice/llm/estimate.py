"""What questions will cost, before any is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from kgservice.core.records import Record
from kgservice.llm.budget import tokens_of
from kgservice.llm.client import LLM, Ask


class Estimate(Record):
    """Calls to make and calls that are answered on disk; tokens and USD of the first (None: no price is set)."""

    model: str
    calls: int
    kept: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    from_answers: int

    def plus(self, other: Self) -> Self:
        """Return the estimate of both."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        sums = {name: getattr(self, name) + getattr(other, name) for name in (*_COUNTS, "from_answers")}
        return self.model_copy(update={**sums, "usd": usd})

    def times(self, factor: float) -> Self:
        """Return the estimate of so many times as much."""
        scaled = {name: round(getattr(self, name) * factor) for name in _COUNTS}
        return self.model_copy(update={**scaled, "usd": None if self.usd is None else self.usd * factor})


_COUNTS = ("calls", "kept", "input_tokens", "output_tokens")


def estimate(llm: LLM, asks: Iterable[Ask], output_tokens: int) -> Estimate:
    """Estimate what the questions cost; `output_tokens` is a guess at an answer, used until a prompt's own are known.

    `from_answers` is how many earlier answers the estimate of the output rests on. Requests to mend an answer are left
    out: they are few, or the model does not suit.
    """
    calls = kept = sent = expected = known = 0
    means: dict[str, tuple[int, float]] = {}
    for one in asks:
        if llm.kept(one):
            kept += 1
            continue
        calls += 1
        sent += tokens_of(one.prompt.system) + tokens_of(one.prompt.user)
        if one.prompt.name not in means:
            means[one.prompt.name] = llm.answers.mean_output(llm.model, one.prompt.name)
            known += means[one.prompt.name][0]
        number, mean = means[one.prompt.name]
        expected += round(mean) if number else min(output_tokens, llm.endpoint.max_tokens)
    usd = llm.price.usd(sent, expected) if llm.price else None
    return Estimate(
        model=llm.model,
        calls=calls,
        kept=kept,
        input_tokens=sent,
        output_tokens=expected,
        usd=usd,
        from_answers=known,
    )
