"""Who changed what, or was refused: a line of JSON an act in KGS_HOME/audit.jsonl, for the owner's eyes only.

The file is opened for each line, so it can be moved away at any time. No line has a key in it, nor a submission's id:
who has a key of KGS_API_KEYS and that id could withdraw it.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field

from kgservice.core.records import Record
from kgservice.core.storage import owner_only
from kgservice.leaderboard.submissions import tag_of

FILE = "audit.jsonl"
_SUBMISSION = re.compile(r"(?<=/submissions/)[0-9a-f]{32}")


def shown(path: str) -> str:
    """Return a path with the tag of a submission in place of its id."""
    return _SUBMISSION.sub(lambda found: tag_of(found[0]), path)


class Act(Record):
    """What was done: `did` is the method and path, or a command; `about` what its route adds."""

    at: datetime = Field(default_factory=lambda: datetime.now(UTC))
    request: str = ""
    caller: str
    role: str
    address: str = ""
    did: str
    status: int | None = None
    about: dict[str, str | int | bool] = Field(default_factory=dict)


class Audit:
    """The file of acts."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE

    def write(self, act: Act) -> None:
        """Add an act; lines of several processes do not mix."""
        owner_only(self._path.parent)
        line = act.model_dump_json(exclude_defaults=True) + "\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)
