"""A page of a list, and the cursor that leads to the next one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Generic, TypeVar

from pydantic import Field

from kgservice import keys
from kgservice.errors import BadRequest
from kgservice.model import Record

T = TypeVar("T", bound=Record)


class Page(Record, Generic[T]):
    """Some items of a list; `next` is the value of `after` for the page that follows, null after the last one."""

    items: tuple[T, ...]
    next: str | None = Field(None, description="give it as `after` to go on; null: there is no more")


def page_of(items: Iterable[T], limit: int, key: str) -> Page[T]:
    """Return the first `limit` items as a page; `key` names the field that they are ordered by."""
    found = list(islice(items, limit + 1))
    more = len(found) > limit
    return Page(items=tuple(found[:limit]), next=str(getattr(found[limit - 1], key)) if more else None)


def cursor(corpus: str, after: str) -> str:
    """Return where a listing of a corpus starts; a cursor of another corpus is refused (BadRequest)."""
    code = keys.corpus_code(corpus)
    if after and not after.startswith(code):
        raise BadRequest(f"{after!r} is not a cursor of corpus {corpus!r}: give `next` of the page before")
    return after or code
