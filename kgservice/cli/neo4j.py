"""neo4j start, stop, status, backup, restore: the managed server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from kgservice.cli.session import AsJson, echo, errors, note, print_json, settings
from kgservice.core.settings import Settings
from kgservice.managed_neo4j import backup as dumps
from kgservice.managed_neo4j import server
from kgservice.managed_neo4j.folder import Server

neo4j = typer.Typer(no_args_is_help=True, help="The managed Neo4j: a private server that needs no Docker.")

File = Annotated[Path, typer.Argument(help="The dump file. The server stops while it is written or loaded.")]


def _say(text: str) -> None:
    note(text)


def _options(values: Settings) -> server.Options:
    return {
        "version": values.neo4j_version,
        "bolt_port": values.neo4j_bolt_port,
        "http_port": values.neo4j_http_port,
        "heap": values.neo4j_heap,
        "pagecache": values.neo4j_pagecache,
        "say": _say,
    }


@contextmanager
def _managed() -> Iterator[Settings]:
    """Read the settings; exit with status 2 if KGS_NEO4J_URI names a database that is not managed here."""
    with errors():
        values = settings()
        if values.neo4j_uri:
            echo(
                f"kgservice: KGS_NEO4J_URI is set ({values.neo4j_uri}), and that database is not ours to stop, back up "
                "or restore: use its own tools, or unset KGS_NEO4J_URI for the managed server",
                err=True,
            )
            raise typer.Exit(2)
        yield values


def _report(found: Server | None, as_json: bool) -> None:
    if found is None:
        print_json({"running": False}) if as_json else echo("not running")
        return
    if as_json:
        print_json(
            {
                "running": True,
                "version": found.version,
                "uri": found.uri,
                "browser": found.browser,
                "user": server.USER,
                "password_file": found.password_file,
                "pid": found.pid,
            }
        )
        return
    echo(f"Neo4j     {found.version}")
    echo(f"Bolt      {found.uri}")
    echo(f"Browser   {found.browser}")
    echo(f"user      {server.USER}")
    echo(f"password  in {found.password_file}")


def _report_given(values: Settings, as_json: bool) -> None:
    if as_json:
        print_json({"running": None, "uri": values.neo4j_uri, "user": values.neo4j_user, "managed": False})
    else:
        echo(f"no server is started: KGS_NEO4J_URI names {values.neo4j_uri}")


@neo4j.command()
def start(as_json: AsJson = False) -> None:
    """Start the server of KGS_HOME if it does not run yet. It keeps running after this command."""
    with errors():
        values = settings()
        if values.neo4j_uri:
            _report_given(values, as_json)
            return
        _report(server.start(values.home, values.cache, **_options(values)), as_json)


@neo4j.command()
def stop(as_json: AsJson = False) -> None:
    """Stop the server of KGS_HOME. The data stays."""
    with _managed() as values:
        stopped = server.stop(values.home)
        print_json({"stopped": stopped}) if as_json else echo("stopped" if stopped else "not running")


@neo4j.command()
def status(as_json: AsJson = False) -> None:
    """Show whether the server of KGS_HOME runs, its version and its address."""
    with errors():
        values = settings()
        if values.neo4j_uri:
            _report_given(values, as_json)
            return
        _report(server.running(values.home), as_json)


@neo4j.command()
def backup(file: File, as_json: AsJson = False) -> None:
    """Write the database into one file (Neo4j's dump format)."""
    with _managed() as values:
        written = dumps.backup(values.home, values.cache, file, **_options(values))
        size = written.stat().st_size
        print_json({"backup": written, "bytes": size}) if as_json else echo(f"{written} ({size:,} bytes)")


@neo4j.command()
def restore(file: File, as_json: AsJson = False) -> None:
    """Replace the database with a backup."""
    with _managed() as values:
        dumps.restore(values.home, values.cache, file, **_options(values))
        print_json({"restored": file}) if as_json else echo(f"restored from {file}")
