"""Orders that a language model may have a part in: what it may cost at most, and the model of the settings."""

from __future__ import annotations

from pydantic import Field

from kgservice.core.errors import BadRequest
from kgservice.core.journal import Journal
from kgservice.core.records import Record
from kgservice.core.settings import Role, Settings
from kgservice.llm.budget import Budget
from kgservice.llm.client import LLM
from kgservice.setup.connect import language_model


class ModelOrder(Record):
    """What an order says about a language model: the most that it may cost, and whether failures are asked again."""

    budget: str | None = Field(None, max_length=40, description="USD (5) or tokens (200000tokens)", examples=[None])
    retry_failed: bool = False


def ordered_model(settings: Settings, journal: Journal, order: ModelOrder, role: Role | None = None) -> LLM:
    """Return the model of a role that an order asks.

    Raises SettingsError if none is configured, BadRequest without a budget.
    """
    if order.budget is None:
        raise BadRequest('a language model costs money: give a budget, such as "5" (USD) or "200000tokens"')
    return language_model(settings, journal, Budget.read(order.budget), retry_failed=order.retry_failed, role=role)


def check_asking(settings: Settings, order: ModelOrder, *, asks: bool, role: Role | None = None) -> None:
    """Refuse at once what the job would refuse: nothing is asked here, and no file is made."""
    if asks:
        ordered_model(settings, Journal(settings.home, "check"), order, role)
    elif order.budget is not None or order.retry_failed:
        raise BadRequest("budget and retry_failed are about a language model: ask for one too")
