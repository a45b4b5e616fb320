"""The Docker files: what is pinned, who runs, and no tools of development in the image. No engine is needed to read them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
TOOLS = {"pytest", "mypy", "ruff", "hypothesis", "schemathesis", "playwright", "testcontainers", "hatchling"}


def pinned(name: str) -> dict[str, str]:
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE))


def service() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    return read


def test_the_image_has_the_tested_versions_and_no_tools() -> None:
    whole, image = pinned("requirements-dev.lock"), pinned("requirements.lock")
    assert set(whole) >= TOOLS
    assert not set(image) & TOOLS
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    assert {re.split(r"[\[<>=~! ]", need)[0] for need in needs} <= set(image)
    assert image.items() <= whole.items()
    assert "--hash=sha256:" in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_what_the_image_is_made_from_is_pinned() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^ARG PYTHON=python:3\.\d+\.\d+-slim-\w+$", text, re.MULTILINE)
    assert re.search(r"uv==\d+\.\d+\.\d+", text)
    assert "--require-hashes -r requirements.lock" in text
    assert re.search(r"^USER [1-9]\d*$", text, re.MULTILINE)
    assert re.fullmatch(r"neo4j:\$\{NEO4J_TAG:-\d+\.\d+\.\d+-community(@sha256:\w+)?\}", service()["neo4j"]["image"])


def test_the_service_may_write_its_data_only() -> None:
    one = service()["kgservice"]
    assert one["read_only"] is True
    assert one["cap_drop"] == ["ALL"]
    assert one["security_opt"] == ["no-new-privileges:true"]
    assert one["volumes"] == ["kgservice:/data"]
    for each in service().values():
        assert all(port.startswith("127.0.0.1:") for port in each["ports"])
