"""Reads the fields of a JSON record: what is not as promised raises Refused, with a countable reason."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime

from kgservice.core.records import Problem, Scalar

Json = dict[str, object]
MAX_INTEGER = 2**63  # Neo4j integers have 64 bits
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


class Refused(ValueError):  # noqa: N818
    """A record that does not get in."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail

    def problem(self, source: str) -> Problem:
        """The same as a record."""
        return Problem(source=source, state="rejected", reason=self.reason, detail=self.detail)


def folded(text: str) -> str:
    """The text with every run of white space made one space, and none at the ends."""
    return " ".join(text.split())


def string(record: Json, *keys: str) -> str:
    """The first of the fields that is there, as it stands; "" if none is or it is null."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str):
            return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value
        if value is not None:
            raise Refused("malformed line", f'"{key}" must be a text, not {type(value).__name__}')
    return ""


def identity(record: Json, keys: tuple[str, ...], file: str, line: int) -> str:
    """The record's own id, else its file and `idx` (or whole-number id), else its file and line number."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    for key in (*keys, "idx"):
        value = record.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return f"{file}#{str(value).strip()}"
    return f"{file}#{line}"


def moment(text: str) -> datetime | None:
    """An ISO date or date and time; None for ""; without a zone it is taken as UTC."""
    text = text.strip()
    if not text:
        return None
    try:
        if not DATE.fullmatch(text):
            raise ValueError(text)
        value = datetime.fromisoformat(text)
    except ValueError:
        raise Refused("bad date", f'"{text[:40]}" is no date; write 2031-03-14 or 2031-03-14T09:30:00Z') from None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def published(record: Json) -> datetime | None:
    """When the record was published, from `published` or `published_at`."""
    for key in ("published", "published_at"):
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise Refused("bad date", f'"{key}" must be a text such as "2031-03-14", not {type(value).__name__}')
    return moment(string(record, "published") or string(record, "published_at"))


def is_scalar(value: object) -> bool:
    """True for what the database can hold as one value."""
    if isinstance(value, int):
        return -MAX_INTEGER <= value < MAX_INTEGER
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))


def metadata(record: Json) -> dict[str, Scalar]:
    """The `metadata` object without its nulls; every value must be a text, a number or a truth value."""
    given = record.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise Refused("bad metadata", f'"metadata" must be an object, not {type(given).__name__}')
    wrong = sorted(key for key, value in given.items() if value is not None and not is_scalar(value))
    if wrong:
        raise Refused("bad metadata", f"only texts, numbers and true/false can be kept, not {', '.join(wrong)[:200]}")
    return {key: value for key, value in given.items() if value is not None}
