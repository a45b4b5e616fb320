"""The fields of a JSON record. A field of the wrong form raises Refused, with a countable reason."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from kgservice.core.records import Problem, Scalar

Json = dict[str, object]
MAX_INTEGER = 2**63  # Neo4j integers have 64 bits
BROKEN = {"encoding", "malformed file", "malformed line", "bad date", "bad metadata"}
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


class Refused(ValueError):  # noqa: N818
    """The rejection of a record, or the failure of one whose text is lost as it is broken (its reason is in BROKEN)."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.detail = detail

    def problem(self, source: str) -> Problem:
        """Return the rejection or failure as a Problem."""
        state: Literal["rejected", "failed"] = "failed" if self.reason in BROKEN else "rejected"
        return Problem(source=source, state=state, reason=self.reason, detail=self.detail)


def folded(text: str) -> str:
    """Return the text with each run of white space as one space, and none at the ends."""
    return " ".join(text.split())


def string(record: Json, *keys: str) -> str:
    r"""Return the first present field, with line ends as \n, "" if none is present or it is null.

    Raises Refused if it is no text.
    """
    for key in keys:
        value = record.get(key)
        if isinstance(value, str):
            return value.replace("\r\n", "\n").replace("\r", "\n") if "\r" in value else value
        if value is not None:
            raise Refused("malformed line", f'"{key}" must be a text, not {type(value).__name__}')
    return ""


def identity(record: Json, keys: tuple[str, ...], file: str, line: int) -> str:
    """Return the record's own id, else its file and `idx` (or integer id), else its file and line number."""
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
    """Return an ISO date or date and time, in UTC without a zone, or None for "". Raises Refused if it is none."""
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


def day(text: str) -> date | None:
    """Return the day of "2031-03-14", "2031-3-4", "March 14, 2031", "14 March 2031" or a date and time.

    Dates and times are those of ISO 8601 and of mail (RFC 5322). Any other text has None.
    """
    for form in ("%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y-%m-%d"):
        with suppress(ValueError):
            return datetime.strptime(folded(text).title(), form).date()
    with suppress(Refused):
        when = moment(text)
        return when.date() if when else None
    with suppress(ValueError, TypeError, IndexError):
        return parsedate_to_datetime(text).date()
    return None


def published(record: Json) -> datetime | None:
    """Return the time of publication from `published` or `published_at`, or None. Raises Refused if it is no date."""
    for key in ("published", "published_at"):
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise Refused("bad date", f'"{key}" must be a text such as "2031-03-14", not {type(value).__name__}')
    return moment(string(record, "published") or string(record, "published_at"))


def is_scalar(value: object) -> bool:
    """Return whether the database can store the value as a property."""
    if isinstance(value, int):
        return -MAX_INTEGER <= value < MAX_INTEGER
    return isinstance(value, str) or (isinstance(value, float) and math.isfinite(value))


def metadata(record: Json) -> dict[str, Scalar]:
    """Return the `metadata` object without nulls.

    Raises Refused if a value is no text, number or truth value.
    """
    fields = record.get("metadata")
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise Refused("bad metadata", f'"metadata" must be an object, not {type(fields).__name__}')
    wrong = sorted(key for key, value in fields.items() if value is not None and not is_scalar(value))
    if wrong:
        raise Refused("bad metadata", f"only texts, numbers and true/false can be kept, not {', '.join(wrong)[:200]}")
    return {key: value for key, value in fields.items() if value is not None}
