"""What questions will cost, before any is asked."""

from __future__ import annotations

from collections.abc import Iterable

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
