"""A passage that a system found, as the system names it: by our id, by its place in a document, or by its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ConfigDict, Field, ValidationError, model_validator

from kgservice.core.errors import BadRequest
from kgservice.core.records import Record

LONGEST = 100_000  # characters of a passage that are read
MOST = 100  # passages of one question that are read


class FoundPassage(Record):
    """One of: `id`; `document` with `start` and `end`; `text`, better with `document`. Other fields are ignored.

    `id` is a chunk's key, of a release a text's public id. `start` and `end` count characters of the document as it was
    loaded. Where there is a text, it is what counts: `start` and `end` are not needed.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field("", max_length=100, examples=["17"])
    document: str = Field("", max_length=2_000, examples=["reports/isvik.md"])
    start: int | None = Field(None, ge=0, lt=2**53)
    end: int | None = Field(None, ge=0, lt=2**53)
    text: str = Field("", max_length=LONGEST)

    @model_validator(mode="after")
    def _is_named(self) -> FoundPassage:
        span = bool(self.document) and self.start is not None and self.end is not None and self.start < self.end
        if not (self.id or self.text.strip() or span):
            raise ValueError("a passage has an id, a text, or a document with start and end")
        return self


def passage_of(given: object) -> FoundPassage:
    """Read a passage: a text, a number (a public id), or an object of a FoundPassage's fields (BadRequest)."""
    try:
        if isinstance(given, str):
            return FoundPassage(text=given[:LONGEST])
        if isinstance(given, int) and not isinstance(given, bool):
            return FoundPassage(id=str(given))
        if isinstance(given, Mapping):
            return FoundPassage.model_validate(_plain(given))
    except ValidationError as error:
        first = error.errors()[0]
        raise BadRequest(f"a passage is wrong: {'.'.join(map(str, first['loc']))} {first['msg']}".strip()) from error
    raise BadRequest(f"a passage is a text, a number or an object, not {type(given).__name__}")


def _plain(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the fields that are given, a number as an id in its digits, a long text cut."""
    known = {name: given[name] for name in FoundPassage.model_fields if given.get(name) is not None}
    if isinstance(known.get("id"), int):
        known["id"] = str(known["id"])
    if isinstance(known.get("text"), str):
        known["text"] = known["text"][:LONGEST]
    return known
