"""keys: create, list, revoke: who may use the service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer

from kgservice.api.entry.access import Key, Keys, Role
from kgservice.api.entry.audit import Act, Audit
from kgservice.cli.session import AsJson, echo, errors, note, print_json, settings
from kgservice.core.settings import Settings

keys = typer.Typer(no_args_is_help=True, help="API keys of the service. Only their hashes are stored.")

Name = Annotated[str, typer.Argument(help="The owner of the key; submissions belong to this name.")]


@keys.command()
def create(
    name: Name,
    role: Annotated[
        Role,
        typer.Option(help="reader (texts, retrieval, submissions), curator (also loads, questions, Cypher) or admin."),
    ] = "reader",
    expires: Annotated[
        int | None, typer.Option(min=1, max=36_500, help="Days until the key expires; not given: never.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key and print it. It is shown only now, and works at once, also in a running service."""
    with _kept() as (found, values):
        key, secret = found.create(name, role, expires)
        _enter(values, f"keys create {key.name} ({key.id}, {key.role})")
        if as_json:
            print_json({**_shown(key), "key": secret})
            return
        note(f"{key.role} {key.name} ({key.id}); this is the only time that the key is shown:")
        echo(secret)
        if not values.api_keys and len(found.all()) == 1:
            note("every request to the service needs a key from now on, your own too")
            if key.role != "admin":
                note("yours: `kgservice keys create NAME --role admin`")


@keys.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List all keys, oldest first, also revoked ones, with their last use. The secrets are not stored."""
    with _kept() as (found, values):
        for key in found.all():
            line = (
                f"{key.id}  {key.role:<8} {key.created:%Y-%m-%d %H:%M}  {_state(key):<25} {_used(key):<22} {key.name}"
            )
            print_json(_shown(key)) if as_json else echo(line)
        if values.api_keys and not as_json:
            note(f"and KGS_API_KEYS has one for {', '.join(values.api_keys)}")


@keys.command()
def revoke(
    which: Annotated[str, typer.Argument(help="The name or the id of a key.")],
    as_json: AsJson = False,
) -> None:
    """Revoke a key. A running service rejects it at once."""
    with _kept() as (found, values):
        key = found.revoke(which)
        _enter(values, f"keys revoke {key.name} ({key.id}, {key.role})")
        print_json(_shown(key)) if as_json else echo(f"revoked {key.name} ({key.id}, {key.role})")


@contextmanager
def _kept() -> Iterator[tuple[Keys, Settings]]:
    with errors():
        values = settings()
        yield Keys(values.keys, {}), values


def _enter(values: Settings, did: str) -> None:
    Audit(values.home).write(Act(caller="command line", role="admin", did=did))


def _state(key: Key) -> str:
    state = key.state(datetime.now(UTC))
    at = key.revoked if state == "revoked" else key.expires
    return f"{state if state != 'valid' else 'valid until'} {at:%Y-%m-%d %H:%M}" if at else state


def _used(key: Key) -> str:
    return f"used {key.used:%Y-%m-%d %H:%M}" if key.used else "never used"


def _shown(key: Key) -> dict[str, object]:
    return key.model_dump(mode="json", exclude={"sha256"})
