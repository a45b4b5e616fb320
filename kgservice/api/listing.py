"""A page of a list, and the cursor that leads to the next one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Generic, TypeVar

from pydantic import Field

from kgservice.core.records import Record

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
