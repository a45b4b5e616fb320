"""What a language model costs: the options that bound it, the estimate before, the sums after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, echo, errors, note_rest, print_json, settings
from kgservice.core.errors import NotFound
from kgservice.llm.estimate import Estimate
from kgservice.llm.ledger import By, Spending, StageSpending, spent_by

WIDTH = 24  # of a stage's name

BudgetOption = Annotated[
    str | None, typer.Option("--budget", help="Most that a model may spend: USD (5) or tokens (200000tokens).")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print what a model would cost, and change nothing.")]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask the model again where it failed.")]


def spending(
    ledger: Annotated[
        Path | None, typer.Argument(help="A file of calls; not given: the newest of KGS_HOME/runs.")
    ] = None,
    by: Annotated[By, typer.Option(help="What to group the calls by.")] = "stage",
    limit: Annotated[int, typer.Option(min=1, help="Most rows, the most expensive first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show what a run's model calls cost, by stage, document, unit (window or question) or prompt."""
    with errors():
        known = sorted((settings().home / "runs").glob("*.calls.jsonl"))
        if ledger is None and not known:
            raise NotFound("no run has called a language model yet: there is no list of calls in KGS_HOME/runs")
        found = spent_by(path := ledger or known[-1], by)
        shown = dict(list(found.items())[:limit])
        note_rest(len(shown), len(found))
        if as_json:
            print_json({"ledger": path, "by": by, by: {name: sums.model_dump() for name, sums in shown.items()}})
            return
        echo(f"{path}: {len(found):,} of {by}")
        for name, sums in shown.items():
            print_sums(name, sums, "this model")


def print_estimate(found: Estimate) -> None:
    """Print what a run would cost."""
    rest = f"from {found.from_answers:,} earlier answers" if found.from_answers else "a guess before the first answers"
    echo(f"calls      {found.calls:,} to {found.model}; {found.kept:,} more are answered on disk")
    echo(f"tokens     about {found.input_tokens:,} in, {found.output_tokens:,} out ({rest})")
    echo(f"cost       {_usd(found.usd, found.model)}; nothing was asked, nothing was stored")


def print_spending(spent: Spending) -> None:
    """Print what a run cost, one line a stage."""
    for stage, sums in spent.stages.items():
        print_sums(stage, sums, spent.model)
    if len(stages := spent.stages.values()) > 1:
        prices = [sums.usd for sums in stages]
        usd = None if None in prices else sum(price for price in prices if price is not None)
        tokens = sum(sums.input_tokens + sums.output_tokens for sums in stages)
        calls = sum(sums.calls for sums in stages)
        echo(f"{'in all':<{WIDTH}} {calls:,} calls; {tokens:,} tokens; {_usd(usd, spent.model)}")


def print_sums(name: str, sums: StageSpending, model: str) -> None:
    """Print what one stage cost."""
    also = ((sums.kept, "from disk"), (sums.lost, "without a reply"), (sums.tried_again, "turned away"))
    calls = ", ".join([f"{sums.calls:,} calls", *(f"{number:,} {what}" for number, what in also if number)])
    echo(f"{name:<{WIDTH}} {calls}; tokens {sums.input_tokens:,} in, {sums.output_tokens:,} out")
    echo(f"{'':<{WIDTH}} {_usd(sums.usd, model)}; {sums.seconds:,.1f} s of calls")
    for reason, number in sums.failed.items():
        echo(f"  failed {name}: {number:,} {reason}")


def _usd(usd: float | None, model: str) -> str:
    return f"{usd:,.4f} USD" if usd is not None else f"no price is set for {model} (KGS_LLM_PRICES, by model)"
