"""Small SQLite files that several processes change, a transaction at a time, readable by their owner only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kgservice.core.storage import owner_only


@contextmanager
def transaction(path: Path, table: str) -> Iterator[sqlite3.Connection]:
    """Open the file for one transaction, committed at the end of the block or rolled back if it fails.

    `table` is the argument of CREATE TABLE IF NOT EXISTS: name (columns).
    """
    if not path.exists():
        owner_only(path.parent)
        path.touch(mode=0o600)
    with closing(sqlite3.connect(path, timeout=60, isolation_level="IMMEDIATE")) as db, db:
        db.execute(f"CREATE TABLE IF NOT EXISTS {table}")
        yield db
