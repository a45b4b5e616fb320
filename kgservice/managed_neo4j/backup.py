"""Dump, load and bulk import of the managed server's database, with the server stopped for as long as it takes."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Unpack

from kgservice.core.errors import ServerError
from kgservice.managed_neo4j.folder import (
    PARTS,
    folder_of,
    has_store,
    locked,
    put_back,
    read_state,
    store_series,
    write_conf,
    written_by,
)
from kgservice.managed_neo4j.jars import RELEASES, series_of, version_of_series
from kgservice.managed_neo4j.server import Options, admin, dump, start, stop, version_of

Table = tuple[str, Sequence[Path]]


def backup(home: Path, cache: Path, file: Path, **options: Unpack[Options]) -> Path:
    """Dump the database into `file` (replaced only when the dump is complete); the server then runs as it did before.

    Not in the file: the password. Raises ServerError.
    """
    file = file.expanduser().resolve()
    if not file.parent.is_dir():
        raise ServerError(f"no folder {file.parent} for the backup: create it")
    if file.is_dir() or not os.access(file.parent, os.W_OK):  # said before the server is stopped
        why = "it is a folder: name a file in it" if file.is_dir() else f"this user may not write in {file.parent}"
        raise ServerError(f"cannot write the backup {file}: {why}")
    if folder_of(home).is_dir():  # to look into another one would make it
        with stopped(home, cache, **options) as folder:
            if has_store(folder):
                return dump(home, cache, file, **options)
    raise ServerError(f"nothing to back up in {folder_of(home)}: no server was ever started there")


def restore(home: Path, cache: Path, file: Path, **options: Unpack[Options]) -> None:
    """Put the database of a dump in place of the present one, which stays as it is when the dump cannot be loaded.

    The password stays this folder's own: it is not in the dump. Raises ServerError.
    """
    file = file.expanduser().resolve()
    if not file.is_file():
        raise ServerError(f"no backup {file}")
    with stopped(home, cache, **options), file.open("rb") as archive:
        _replace(home, cache, options, "database", "load", "neo4j", "--from-stdin", stdin=archive)


def bulk_import(
    home: Path, cache: Path, nodes: Sequence[Table], relationships: Sequence[Table], **options: Unpack[Options]
) -> str:
    """Build the database from CSV files, in place of the present one; returns what the import tool printed.

    A table is a label or type ("" when the file has a :LABEL or :TYPE column; several labels as "A:B") and its files,
    the first of which begins with the header. Ids are strings; a relationship without its nodes is an error.
    A failed import leaves the present database as it is. Raises ServerError.
    """
    within = folder_of(folder_of(home) / "incoming")  # the tool's working directory
    tables = [f"--nodes={_table(table, within)}" for table in nodes]
    tables += [f"--relationships={_table(table, within)}" for table in relationships]
    settings = (
        "--id-type=string",
        "--skip-bad-relationships=false",
        "--multiline-fields=true",
        "--array-delimiter=U+001F",
        "--verbose",
    )
    with stopped(home, cache, **options) as folder:
        (folder / "logs").mkdir(exist_ok=True)
        report = f"--report-file={folder / 'logs' / 'import.report'}"
        return _replace(home, cache, options, "database", "import", "full", "neo4j", *settings, report, *tables)


@contextmanager
def stopped(home: Path, cache: Path, **options: Unpack[Options]) -> Iterator[Path]:
    """Hold the server of a data folder stopped; afterwards it runs if it ran before, also after an error.

    A replacement of its database that did not end is undone.
    """
    with locked(home) as folder:
        ran = stop(home)
        try:
            put_back(folder)
            yield folder
        finally:
            if ran:
                start(home, cache, **options)


def _table(table: Table, within: Path) -> str:
    name, files = table
    # The tool splits a list of files at each comma, so a path is relative: a data folder may have one in its own path.
    # It reads a name as a regular expression: Windows' backslashes would be escapes.
    paths = ",".join(Path(os.path.relpath(path.resolve(), within)).as_posix() for path in files)
    return f"{name}={paths}" if name else paths


def _replace(home: Path, cache: Path, options: Options, *args: str, stdin: IO[bytes] | None = None) -> str:
    """Build a database beside the present one, then swap them: after a failure the present one is back, after a kill
    with the next start, backup or replacement.

    A present one of another series is upgraded before, as the two share the database of users.
    """
    folder = folder_of(home)
    version = version_of(home, options.get("version"))
    if (number := written_by(home)) and series_of(number) != RELEASES[version].series:
        start(home, cache, **options)
        stop(home)
    beside = folder / "incoming"
    try:
        write_conf(folder_of(beside), RELEASES[version].series, 7687, 7474, "1g", "64m")
        with _ports_held(home):
            text = admin(beside, cache, version, *args, stdin=stdin)
        series = store_series(folder_of(beside))
        if series and series > RELEASES[version].series:
            raise ServerError(
                f"that database is of Neo4j {version_of_series(series)}, which {RELEASES[version].number} cannot open: "
                f"set KGS_NEO4J_VERSION={version_of_series(series)}, or set KGS_HOME to a new folder"
            )
        for part in PARTS:
            present, old = folder / "data" / part / "neo4j", beside / f"old-{part}"
            present.parent.mkdir(parents=True, exist_ok=True)
            if present.exists():
                present.replace(old)
            else:
                old.mkdir()
            (folder_of(beside) / "data" / part / "neo4j").replace(present)
        beside.replace(folder / "replaced")
    finally:
        put_back(folder)
    return text


@contextmanager
def _ports_held(home: Path) -> Iterator[None]:
    """Hold the ports of a stopped server: whoever was connected must not find another folder's server there."""
    server = read_state(home)
    with ExitStack() as held:
        for port in (server.bolt_port, server.http_port) if server else ():
            listener = held.enter_context(socket.socket())
            if sys.platform != "win32":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with suppress(OSError):  # another program was quicker: the start then says so or takes other ports
                listener.bind(("127.0.0.1", port))
                listener.listen()
        yield
