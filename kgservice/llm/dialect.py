"""Finds out what an endpoint can do: whether it keeps to a JSON schema, else calls tools, else answers in words."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from pydantic import BaseModel

from kgservice.errors import SettingsError
from kgservice.llm.answers import MODES, Dialect, Mode, Reply
from kgservice.llm.endpoint import Message, Refused
from kgservice.llm.form import Unfit, read

TRIES = 3  # of a way of asking, where the answer is not of the form: models slip

Send = Callable[[list[Message], type[BaseModel], Dialect], Awaitable[Reply]]


class Capital(BaseModel):
    """The capital of a country."""

    country: str
    capital: str
    letters_in_capital: int


QUESTION: list[Message] = [
    ("system", "You answer questions of geography."),
    ("user", "What is the capital of France, and how many letters has its name?"),
]


async def find_dialect(send: Send) -> Dialect:
    """Return the best way of asking that works, found by small questions (SettingsError if none does)."""
    dialect, seen = Dialect(), ""
    for mode in MODES:
        found, said = await try_mode(send, dialect.model_copy(update={"mode": mode}))
        if found is not None:
            return found
        seen += f"; {mode}: {said}"
    raise SettingsError(
        f"the model gives no answer that can be read{seen}: run `kgservice doctor`, try another KGS_LLM_MODEL"
    )


async def try_mode(send: Send, dialect: Dialect) -> tuple[Dialect | None, str]:
    """Ask in one way; return the dialect, its limits under the names that are understood, or what went wrong."""
    said = ""
    for _ in range(TRIES + len(Dialect.model_fields)):
        try:
            read(await send(QUESTION, Capital, dialect), Capital)
            return dialect, ""
        except Unfit as error:
            if said == str(error):
                return None, said
            said = str(error)
        except Refused as error:
            if error.status in (401, 403, 404):
                raise SettingsError(f"{error}: check KGS_LLM_BASE_URL, KGS_LLM_API_KEY and KGS_LLM_MODEL") from error
            changed = _renamed(dialect, str(error))
            if changed == dialect:
                return None, str(error)
            dialect = changed
    return None, said


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
