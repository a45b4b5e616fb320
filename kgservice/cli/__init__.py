"""The command line: one module a group of verbs; every verb but mcp takes --json."""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from kgservice import __version__

if TYPE_CHECKING:
    from typer._click import Command, Context

# At the end of each command Python would look for garbage among all that was imported, for 0.1 to 0.2 s.
atexit.register(gc.freeze)

# The module of each verb, in the order of the help. A module has its verb or group under the same name.
_MODULES = {
    "up": "up",
    "load": "documents",
    "status": "status",
    "browse": "status",
    "export": "status",
    "delete": "status",
    "subgraphs": "subgraphs",
    "leaked": "release",
    "ask": "ask",
    "retrieve": "retrieve",
    "gate": "evaluation.gate",
    "reembed": "documents",
    "serve": "serve",
    "mcp": "serve",
    "demo": "tour",
    "doctor": "doctor",
    "spending": "spending",
    "neo4j": "neo4j",
    "wikidata": "wikidata",
    "schema": "schema",
    "documents": "documents",
    "entities": "entities",
    "questions": "questions",
    "release": "release",
    "evaluate": "evaluation.commands",
    "keys": "keys",
}


class Verbs(Mapping[str, "Command"]):
    """The commands by name. Each is imported and built when it is first asked for."""

    def __getitem__(self, name: str) -> Command:
        """Return the command of a name (KeyError for no command)."""
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(_MODULES)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(_MODULES)


@cache
def _command(name: str) -> Command:
    made = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    if isinstance(made, typer.Typer):
        group = get_group(made)
        group.name = name
        return group
    alone = typer.Typer(add_completion=False)
    alone.command()(made)
    return get_command(alone)


class VerbGroup(TyperGroup):
    """The top of the command line, whose commands are Verbs."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands = Verbs()  # type: ignore[assignment]  # nothing is added to it

    def invoke(self, ctx: Context) -> Any:
        """Run a command. On Ctrl-C it ends with status 130, whatever was raised while it ended."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            from kgservice.core.errors import interrupted

            if interrupted(error):
                raise KeyboardInterrupt from error
            raise


app = typer.Typer(
    cls=VerbGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from kgservice.cli.session import echo

        echo(f"kgservice {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turn documents into a knowledge graph in Neo4j, and the graph into questions with exactly one answer."""
