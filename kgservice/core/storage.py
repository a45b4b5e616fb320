"""The data folder (KGS_HOME): access for its owner only, and errors if it cannot be written."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kgservice.core.errors import StorageError, StorageFull

SPACE = 500_000_000  # bytes; with less, Neo4j stops writing
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_HANDLES = {errno.EMFILE, errno.ENFILE}
_SHUT = {errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}


def owner_only(folder: Path) -> Path:
    """Make a folder and its missing parents with access for their owner only. Existing ones do not change."""
    for path in reversed([folder, *folder.parents]):
        if not path.exists():
            path.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def new_folder(home: Path, prefix: str) -> Iterator[Path]:
    """Yield a new folder in the data folder, removed at the end; first remove those that killed programs left there.

    The caller sees to it that no other program has one of this prefix.
    """
    for left in home.glob(f"{prefix}*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=prefix, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def storage_error(error: BaseException) -> StorageError | None:
    """Return the StorageError for a system error about the data folder, None if it is about something else."""
    number, where = _number(error), f" ({error.filename})" if isinstance(error, OSError) and error.filename else ""
    if number in _FULL:
        return StorageFull(f"the disk is full{where}: make room and do it again; what was written before stays")
    if number in _HANDLES:
        return StorageError("no more files can be opened: raise the limit (ulimit -n) and do it again")
    if number in _SHUT:
        return StorageError(
            f"a file cannot be opened or written{where}: {os.strerror(number)}; see its folder's rights"
        )
    return None


def storage_problem(home: Path) -> tuple[str, int | None]:
    """Return why the data folder cannot be written ("": it can), and its free bytes, if known."""
    try:
        free = shutil.disk_usage(home).free
        with open(os.devnull, "rb"):  # noqa: PTH123 - is there a handle left?
            pass
    except OSError as error:
        return str(storage_error(error) or "the data folder is not there"), None
    if not os.access(home, os.W_OK):
        return "the data folder cannot be written", free
    if free < SPACE:
        return f"only {free / 1e6:,.0f} MB are free, and {SPACE / 1e6:,.0f} are needed", free
    return "", free


def _number(error: BaseException) -> int:
    """Return the system's number of an error. SQLite has numbers of its own and hides a lack of handles."""
    if isinstance(error, OSError):
        return error.errno or 0
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF if isinstance(error, sqlite3.Error) else 0
    if code == sqlite3.SQLITE_CANTOPEN:
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as cause:
            return cause.errno or 0
        return errno.EACCES
    numbers = {sqlite3.SQLITE_FULL: errno.ENOSPC, sqlite3.SQLITE_READONLY: errno.EROFS, sqlite3.SQLITE_IOERR: errno.EIO}
    return numbers.get(code, 0)
