"""docker-compose.yml and the Dockerfile ask for what the code has: names, commands, ports, health; nothing is started."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from kgservice.api.app import create_app
from kgservice.api.entry.access import Keys, check_public
from kgservice.cli import app
from kgservice.core.errors import SettingsError
from kgservice.core.settings import Settings
from tests.unit.test_api import NoGraph

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(TEXT)
NEO4J, SERVICE = COMPOSE["services"]["neo4j"], COMPOSE["services"]["kgservice"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
GIVEN = {"KGS_NEO4J_PASSWORD": "0123456789abcdef", "KGS_ADMIN_KEY": "9f86d081884c7d659a2feaa0c55ad015"}


def filled(text: str) -> str:
    """Put in what a shell would: ${NAME:?why} and ${NAME} are given, ${NAME:-default} is not."""
    return re.sub(r"\$\{(\w+)(?::([-?])([^}]*))?\}", lambda m: m[3] if m[2] == "-" else GIVEN[m[1]], text)


def environment() -> dict[str, str]:
    """The service's variables, without those that the compose file only passes on."""
    return {name: filled(value) for name, value in SERVICE["environment"].items() if value is not None}


def parsed(command: list[str]) -> dict[str, Any]:
    """Parse a command line as `kgservice` would, without running it."""
    group: Any = typer.main.get_command(app)
    name, *rest = command
    assert name == "kgservice"
    while rest and rest[0] in getattr(group, "commands", {}):
        group = group.commands[rest.pop(0)]
    return dict(group.make_context("kgservice", rest).params)


def test_every_variable_is_a_setting_with_a_value_that_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {f"KGS_{name.upper()}" for name in Settings.model_fields}
    assert set(SERVICE["environment"]) <= fields
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.neo4j_uri == "bolt://neo4j:7687"
    assert settings.neo4j_password is not None
    assert NEO4J["environment"]["NEO4J_AUTH"].startswith(f"{settings.neo4j_user}/${{KGS_NEO4J_PASSWORD")
    check_public("0.0.0.0", Keys(tmp_path / "keys.sqlite", settings.api_keys), settings.api_keys)
    weak = Settings(api_keys=json.loads('{"admin": "secret"}'))
    with pytest.raises(SettingsError, match="too weak"):
        check_public("0.0.0.0", Keys(tmp_path / "keys.sqlite", weak.api_keys), weak.api_keys)


def test_the_head_makes_every_secret_that_is_needed() -> None:
    head = "\n".join(line for line in TEXT.splitlines() if line.startswith("#"))
    needed = set(re.findall(r"\$\{(\w+):\?", TEXT))
    assert needed == set(re.findall(r"(\w+)=\$\(openssl", head)) == set(GIVEN)
    told = re.search(r"docker compose exec (\w+) (kgservice .*)", head)
    assert told is not None
    assert told[1] in COMPOSE["services"]
    assert parsed(shlex.split(told[2]))["name"] == "NAME"


def test_the_command_the_ports_and_the_health_check_are_the_service_s(tmp_path: Path) -> None:
    command = json.loads(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[-1])
    given = parsed(command)
    assert given["host"] == "0.0.0.0"
    assert re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE) == [str(given["port"])]
    assert SERVICE["ports"] == [f"127.0.0.1:{given['port']}:{given['port']}"]
    assert all(port.startswith("127.0.0.1:") for port in NEO4J["ports"])
    (url,) = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", SERVICE["healthcheck"]["test"][-1])
    service = create_app(Settings(home=tmp_path, api_keys={}), NoGraph())
    assert (url[0], url[1] in service.openapi()["paths"]) == (str(given["port"]), True)


def test_what_is_named_is_there() -> None:
    for sources in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE):
        assert all((ROOT / name).exists() for name in sources.split()), sources
    named = {volume.split(":")[0] for service in COMPOSE["services"].values() for volume in service["volumes"]}
    assert named == set(COMPOSE["volumes"])
    assert set(SERVICE["depends_on"]) <= set(COMPOSE["services"])
    assert {volume.split(":")[1] for volume in NEO4J["volumes"]} == {
        "/data",
        "/data/backups",
    }  # its user may write there
    home = environment()["KGS_HOME"]
    assert SERVICE["volumes"] == [f"kgservice:{home}"]
    assert f"mkdir --mode=700 {home} && chown kgservice {home}" in DOCKERFILE
