"""The audit: changes and refusals with their callers, a line of JSON each in KGS_HOME/audit.jsonl, for the owner only.

The file is opened for each line, so it can be moved at any time. No line has a key or a submission's id: with a key of
KGS_API_KEYS and that id, a reader of the file could withdraw the submission.
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
    """A change or refusal. `did` is the method and path, or a command. `about` has additions of the route."""

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
        """Append an act. Lines of several processes do not mix."""
        owner_only(self._path.parent)
        line = act.model_dump_json(exclude_defaults=True) + "\n"
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line.encode("utf-8", "backslashreplace"))
        finally:
            os.close(file)
