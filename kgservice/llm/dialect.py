"""Finds out what an endpoint can do: whether it keeps to a JSON schema, else calls tools, else answers in words."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from pydantic import BaseModel

from kgservice.core.errors import SettingsError
from kgservice.core.records import Record
from kgservice.llm.answers import MODES, Dialect, Mode, Reply
from kgservice.llm.endpoint import CallRefused, Message
from kgservice.llm.form import Unfit, read

TRIES = 6  # of one way of asking: a parameter may have to be renamed, and models slip

Send = Callable[[list[Message], type[BaseModel], Dialect], Awaitable[Reply]]


class Capital(BaseModel):
    """The capital of a country."""

    country: str
    capital: str
    letters_in_capital: int


class Trial(Record):
    """One way of asking, tried: the dialect that works, or what went wrong."""

    mode: Mode
    dialect: Dialect | None
    fault: str = ""


QUESTION: list[Message] = [
    ("system", "You answer questions of geography."),
    ("user", "What is the capital of France, and how many letters has its name?"),
]


async def trials(send: Send) -> AsyncIterator[Trial]:
    """Try each way of asking by a small question, the best one first (SettingsError where none can be tried)."""
    for mode in MODES:
        yield await _trial(send, Dialect(mode=mode))


async def _trial(send: Send, dialect: Dialect) -> Trial:
    """Ask in one way until an answer fits, or the same thing goes wrong twice."""
    fault = ""
    for _ in range(TRIES):
        try:
            read(await send(QUESTION, Capital, dialect), Capital)
            return Trial(mode=dialect.mode, dialect=dialect)
        except Unfit as error:
            if fault == str(error):
                break
            fault = str(error)
        except CallRefused as error:
            if error.status in (401, 403, 404):
                raise SettingsError(f"{error}: check KGS_LLM_BASE_URL, KGS_LLM_API_KEY and KGS_LLM_MODEL") from error
            fault, known = str(error), dialect
            dialect = _renamed(dialect, fault)
            if dialect == known:
                break
    return Trial(mode=dialect.mode, dialect=None, fault=fault)


def _renamed(dialect: Dialect, said: str) -> Dialect:
    """The dialect without the parameter that an error names: newer models take no temperature and rename the limit."""
    if dialect.limit == "max_tokens" and "max_completion_tokens" in said:
        return dialect.model_copy(update={"limit": "max_completion_tokens"})
    if dialect.temperature and "temperature" in said:
        return dialect.model_copy(update={"temperature": False})
    return dialect


def later(mode: Mode) -> tuple[Mode, ...]:
    """Return this way of asking and those that ask for less of the endpoint."""
    return MODES[MODES.index(mode) :]
