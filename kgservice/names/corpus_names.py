"""Names of corpora: what a new one may be called, and what a corpus as of a day is called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from kgservice.core.errors import BadRequest
from kgservice.core.terminal import harmless
from kgservice.text.near_names import did_you_mean

LONGEST, SHOWN = 100, 20  # characters of a name; corpora that a message names
_VIEW = re.compile(r"(.+)@(\d{4}-\d\d-\d\d)", re.DOTALL)


def view_name(corpus: str, day: date) -> str:
    """Return the name of the view of a corpus on a day.

    >>> view_name("mine", date(2031, 5, 1))
    'mine@2031-05-01'
    """
    return f"{corpus}@{day.isoformat()}"


def named_source(corpus: str) -> str | None:
    """Return the corpus that a name says to be shown on a day, None if it is no name of a view.

    >>> named_source("mine@2031-05-01"), named_source("mine")
    ('mine', None)
    """
    found = _VIEW.fullmatch(corpus)
    return found[1] if found else None


def check_new_name(corpus: str) -> None:
    """Raise BadRequest if a new corpus cannot have a name. A corpus that is there keeps whatever name it has.

    >>> check_new_name("mine")
    >>> check_new_name("mine@2031-05-01")
    Traceback (most recent call last):
    kgservice.core.errors.BadRequest: no corpus can be called 'mine@2031-05-01': so is 'mine' as of a day
    """
    if not _is_plain(corpus):
        why = f"a name has 1 to {LONGEST} characters, no control characters, and no space at either end"
        raise BadRequest(f"no corpus can be called {_shown(corpus)!r}: {why}")
    if source := named_source(corpus):
        raise BadRequest(f"no corpus can be called {corpus!r}: so is {source!r} as of a day")


def none_called(corpus: str, names: Sequence[str]) -> str:
    """Return the message that there is no corpus of a name: which there are, some of them, and the one likely meant."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    there = ", ".join(name if _is_plain(name) else repr(_shown(name)) for name in names[:SHOWN])
    near = did_you_mean(corpus, names)
    return f"no corpus {_shown(corpus)!r}; there are: {there or 'none yet, load one first'}{more}{near}"


def _is_plain(name: str) -> bool:
    steered = harmless(name) != name or not {"\n", "\t"}.isdisjoint(name)
    return name == name.strip() and 1 <= len(name) <= LONGEST and not steered


def _shown(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
