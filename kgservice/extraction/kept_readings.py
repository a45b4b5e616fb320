"""What documents were read for, in SQLite until their load ends, so that a killed load reads no document twice.

The graph itself keeps what a load has written. This file keeps what was read and is not written yet: minutes of reading
in a batch, and all of it before a bulk import.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from kgservice.core import keys
from kgservice.core.storage import owner_only
from kgservice.extraction.extractor import Passages, Read

AT_ONCE = 500  # keys in one query
_READ = TypeAdapter(Read)


class KeptReadings:
    """The readings of a corpus by the hash of (recipe, document), as JSON. Several threads may share it."""

    def __init__(self, path: Path, recipe: str) -> None:
        self._path, self._recipe = path, recipe
        owner_only(path.parent)
        path.touch(mode=0o600)
        self._db = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")  # survives the death of a process; a power cut costs a reading
        self._db.execute("CREATE TABLE IF NOT EXISTS reading (key TEXT PRIMARY KEY, read TEXT NOT NULL) WITHOUT ROWID")
        self._lock = threading.Lock()

    def known(self, given: Sequence[Passages]) -> list[Read | None]:
        """Return the reading of each document, None if there is none."""
        wanted = [self._key(passages) for passages in given]
        found: dict[str, str] = {}
        with self._lock:
            for at in range(0, len(wanted), AT_ONCE):
                some = wanted[at : at + AT_ONCE]
                places = ", ".join("?" * len(some))
                found |= dict(self._db.execute(f"SELECT key, read FROM reading WHERE key IN ({places})", some))  # noqa: S608
        return [_read(found[key]) if key in found else None for key in wanted]

    def keep(self, given: Sequence[Passages], reads: Sequence[Read]) -> None:
        """Write the readings of documents to disk."""
        rows = [(self._key(passages), _text(read)) for passages, read in zip(given, reads, strict=True)]
        with self._lock:
            self._db.execute("BEGIN")
            self._db.executemany("INSERT OR REPLACE INTO reading VALUES (?, ?)", rows)
            self._db.execute("COMMIT")

    def close(self, *, written: bool) -> None:
        """Close the file, and remove it if all that it holds is `written` to the graph.

        Another load of the corpus may still have it open: SQLite's own files beside it go too, as that one leaves them.
        """
        self._db.close()
        for path in self._path.parent.glob(f"{self._path.name}*") if written else ():
            path.unlink(missing_ok=True)

    def _key(self, passages: Passages) -> str:
        return keys.digest(32, self._recipe, passages)


def _text(read: Read) -> str:
    """Return a reading as JSON; the fields that no other JSON of a triplet has stand beside it."""
    beside = [[[one.doubted, one.confidence] for one in triplets] for triplets in read.triplets]
    return json.dumps([_READ.dump_python(read, mode="json"), beside], ensure_ascii=False)


def _read(text: str) -> Read:
    value, beside = json.loads(text)
    read = _READ.validate_python(value)
    triplets = [
        [
            one.model_copy(update={"doubted": doubted, "confidence": confidence})
            for one, (doubted, confidence) in zip(own, known, strict=True)
        ]
        for own, known in zip(read.triplets, beside, strict=True)
    ]
    return read._replace(triplets=triplets)
