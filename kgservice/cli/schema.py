"""schema show|check: the relations that texts are read for, and whether a file of one's own can be used."""

from __future__ import annotations

from typing import Annotated

import typer

from kgservice.cli.session import AsJson, echo, errors, print_json
from kgservice.core.errors import BadRequest
from kgservice.core.schema import DEFAULT, Relation, check_file, load_schema

SchemaFile = Annotated[str, typer.Option("--schema", help="default, or a TOML file.")]
schema = typer.Typer(no_args_is_help=True, help="The relation schema: which relations texts are read for.")


@schema.command("show")
def show_schema(
    relation: Annotated[str | None, typer.Argument(help="An id (P19) or a label; not given: all.")] = None,
    name: SchemaFile = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Show the relations of a schema, or everything about one."""
    with errors():
        found = load_schema(name)
        if found is None:
            raise BadRequest("the schema none is empty: give default or a file")
        chosen = [found.relation(relation)] if relation else list(found.relations.values())
        for one in chosen:
            if as_json:
                print_json(one.model_dump())
            else:
                print_relation(one) if relation else echo(_line(one))


@schema.command("check")
def check_schema(
    file: Annotated[str, typer.Argument(help="A TOML file in the format of kgservice/core/relations.toml.")],
    as_json: AsJson = False,
) -> None:
    """Check a schema of your own. Prints every error, and exits with status 1 if there is one."""
    with errors():
        found, faults = check_file(file)
        counts = {"relations": len(found.relations) if found else 0, "classes": len(found.classes) if found else 0}
        if as_json:
            print_json({"file": file, **counts, "faults": faults})
        else:
            echo("\n".join([f"{file}: {counts['relations']} relations, {counts['classes']} classes", *faults]))
        if faults:
            raise typer.Exit(1)


def print_relation(one: Relation) -> None:
    """Print everything about a relation."""
    sides = f"an X has {one.objects} Y, a Y has {one.subjects} X"
    echo(f"{_line(one)}\n  {one.description}\n  {sides}{'; symmetric' if one.symmetric else ''}")
    if one.inverse:
        echo(f"  inverse of {one.inverse}")
    for title, values in (
        ("Y is called", one.object_nouns), ("X is called", one.subject_nouns), ("said", one.phrases),
        ("asked for Y", [form for named, form in one.forms if named == "X"]),
        ("asked for X", [form for named, form in one.forms if named == "Y"]),
    ):  # fmt: skip
        if values:
            echo(f"  {title}: {' · '.join(values)}")


def _line(one: Relation) -> str:
    return f"{one.id}\t{one.label}\t{', '.join(one.domain)} → {', '.join(one.range)}"
