"""Replies of models in SQLite, on disk before use, so that no call is paid for twice.

Several processes may share it.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator

from kgservice.core.records import Record

Mode: TypeAlias = Literal["schema", "tool", "plain"]
MODES: tuple[Mode, ...] = ("schema", "tool", "plain")


class Dialect(Record):
    """The parameters that an endpoint understands: how to ask for a form, and the names of its limits."""

    mode: Mode = "schema"
    limit: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    temperature: bool = True


def whole_characters(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, which neither a file nor the database can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


WholeText: TypeAlias = Annotated[str, AfterValidator(whole_characters)]


class Reply(Record):
    """The reply to one paid call, valid or not. Tokens are the endpoint's count, else an estimate."""

    text: WholeText
    finish: WholeText = "stop"
    refusal: WholeText | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


class AnswerFile:
    """The file of replies by key, and of endpoints' dialects.

    Every change is a transaction of its own, so a killed process loses no reply that it had.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None

    def reply(self, key: str, *, failed: bool = True) -> Reply | None:
        """Return the reply to an earlier call, or None. `failed` False: ignore replies of units that failed."""
        row = self._db.execute("SELECT reply, failed FROM reply WHERE key = ?", (key,)).fetchone()
        return Reply.model_validate_json(row[0]) if row and (failed or not row[1]) else None

    def keep(self, key: str, model: str, prompt: str, reply: Reply) -> None:
        """Write a reply to disk."""
        self._db.execute(
            "INSERT OR REPLACE INTO reply (key, model, prompt, reply) VALUES (?, ?, ?, ?)",
            (key, model, prompt, reply.model_dump_json()),
        )

    def mark_failed(self, keys: list[str]) -> None:
        """Mark these calls as part of a failed unit, so that --retry-failed can ask again."""
        self._db.executemany("UPDATE reply SET failed = 1 WHERE key = ?", [(key,) for key in keys])

    def mean_output(self, model: str, prompt: str) -> tuple[int, float]:
        """Return the number of stored answers to a prompt, and their mean length in tokens."""
        query = "SELECT count(*), avg(reply ->> 'output_tokens') FROM reply WHERE model = ? AND prompt = ?"
        number, mean = self._db.execute(query, (model, prompt)).fetchone()
        return number, mean or 0.0

    def dialect(self, endpoint: str, model: str) -> Dialect | None:
        """Return the stored dialect of an endpoint and model, or None."""
        query = "SELECT dialect FROM dialect WHERE endpoint = ? AND model = ?"
        row = self._db.execute(query, (endpoint, model)).fetchone()
        return Dialect.model_validate_json(row[0]) if row else None

    def remember(self, endpoint: str, model: str, dialect: Dialect) -> None:
        """Store the dialect of an endpoint and model."""
        self._db.execute(
            "INSERT OR REPLACE INTO dialect (endpoint, model, dialect) VALUES (?, ?, ?)",
            (endpoint, model, dialect.model_dump_json()),
        )

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")  # survives the death of a process; FULL would also a power cut
            db.execute(
                "CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, "
                "reply TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID"
            )
            db.execute(
                "CREATE TABLE IF NOT EXISTS dialect (endpoint TEXT, model TEXT, dialect TEXT NOT NULL, "
                "PRIMARY KEY (endpoint, model)) WITHOUT ROWID"
            )
            self._connection = db
        return self._connection
