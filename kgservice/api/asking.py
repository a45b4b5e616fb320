"""Orders that a language model may have a part in: what it may cost at most, and the model of the settings."""

from __future__ import annotations

from pydantic import Field

from kgservice.connect import language_model
from kgservice.errors import BadRequest
from kgservice.journal import Journal
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.model import Record
from kgservice.settings import Settings


class Reading(Record):
    """What an order says about a language model: the most that it may cost, and whether failures are asked again."""

    budget: str | None = Field(None, max_length=40, description="USD (5) or tokens (200000tokens)", examples=[None])
    retry_failed: bool = False


def asked(settings: Settings, journal: Journal, order: Reading) -> LLM:
    """Return the model that an order asks (SettingsError where none is configured; BadRequest without a budget)."""
    if order.budget is None:
        raise BadRequest('a language model costs money: give a budget, such as "5" (USD) or "200000tokens"')
    return language_model(settings, journal, Budget.read(order.budget), retry_failed=order.retry_failed)


def check_asking(settings: Settings, order: Reading, *, asks: bool) -> None:
    """Refuse at once what the job would refuse: nothing is asked here, and no file is made."""
    if asks:
        asked(settings, Journal(settings.home, "check"), order)
    elif order.budget is not None or order.retry_failed:
        raise BadRequest("budget and retry_failed are about a language model: ask for one too")
