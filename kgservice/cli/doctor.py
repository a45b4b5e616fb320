"""doctor: what works here, and what to do about what does not."""

from __future__ import annotations

import typer

from kgservice.cli.session import AsJson, echo, errors, print_json, settings
from kgservice.setup.checks import checks

MARKS = {"ok": "ok    ", "no": "no    ", "off": "off   ", "failed": "FAILED"}


def doctor(as_json: AsJson = False) -> None:
    """Check data folder, Java, database, embedding model, and what the language model's endpoint can do."""
    failed = False
    with errors():
        for check in checks(settings()):
            failed |= check.state == "failed"
            line = f"{MARKS[check.state]} {check.name:<16} {check.detail}"
            print_json(check.model_dump()) if as_json else echo(line)
    raise typer.Exit(int(failed))
