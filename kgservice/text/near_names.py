"""The known name that a mistyped one is nearest to, for messages."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(given: str, known: Iterable[str]) -> str | None:
    """Return the known name that is nearest to a mistyped one, whatever their case, or None if none is near."""
    lower = {name.casefold(): name for name in known}
    close = get_close_matches(given.casefold(), lower, n=1)
    return lower[close[0]] if close else None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return the end of a message, "; did you mean 'mine'?", or "" if no known name is near."""
    near = nearest(given, known)
    return f"; did you mean {near!r}?" if near is not None else ""
