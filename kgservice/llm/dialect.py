"""Detection of an endpoint's abilities: JSON schemas, else tools, else plain text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from pydantic import BaseModel

from kgservice.core.errors import SettingsError
from kgservice.core.records import Record
from kgservice.llm.answers import MODES, Dialect, Mode, Reply
from kgservice.llm.endpoint import CallRefused, Message
from kgservice.llm.form import Unfit, read

SETTINGS = "KGS_LLM_BASE_URL, KGS_LLM_API_KEY and KGS_LLM_MODEL, or the role's own (KGS_LLM_JUDGE_MODEL …)"
TRIES = 6  # calls in one mode: a parameter may need another name, and models make mistakes

Send = Callable[[list[Message], type[BaseModel], Dialect], Awaitable[Reply]]


class Capital(BaseModel):
    """The capital of a country."""

    country: str
    capital: str
    letters_in_capital: int


class Trial(Record):
    """The trial of one mode: the dialect that works, or the fault."""

    mode: Mode
    dialect: Dialect | None
    fault: str = ""


QUESTION: list[Message] = [
    ("system", "You answer questions of geography."),
    ("user", "What is the capital of France, and how many letters has its name?"),
]


async def trials(send: Send) -> AsyncIterator[Trial]:
    """Yield the trial of each mode with a small question, the best mode first.

    Raises SettingsError if the endpoint, key or model is wrong.
    """
    for mode in MODES:
        yield await _trial(send, Dialect(mode=mode))


async def _trial(send: Send, dialect: Dialect) -> Trial:
    """Return the trial of one mode: until an answer is valid, or the same fault occurs twice."""
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
                raise SettingsError(f"{error}: check {SETTINGS}") from error
            fault, before = str(error), dialect
            dialect = _renamed(dialect, fault)
            if dialect == before:
                break
    return Trial(mode=dialect.mode, dialect=None, fault=fault)


def _renamed(dialect: Dialect, error: str) -> Dialect:
    """Return the dialect without the parameter that an error names.

    Newer models take no temperature and rename the limit.
    """
    if dialect.limit == "max_tokens" and "max_completion_tokens" in error:
        return dialect.model_copy(update={"limit": "max_completion_tokens"})
    if dialect.temperature and "temperature" in error:
        return dialect.model_copy(update={"temperature": False})
    return dialect


def later(mode: Mode) -> tuple[Mode, ...]:
    """Return this mode and those that demand less of the endpoint."""
    return MODES[MODES.index(mode) :]
