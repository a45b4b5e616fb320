"""What is shipped: the wheel holds every query, loader and demo file; docker-compose.yml fits the settings."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from kgservice.core.settings import Settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return zipfile.ZipFile(next(folder.glob("*.whl")))


def test_wheel_holds_every_file_of_the_packages(wheel: zipfile.ZipFile) -> None:
    shipped = set(wheel.namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for package in ("kgservice", "cypher", "loaders")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= shipped
    assert any(name.endswith("LICENSE") for name in shipped)


def test_compose_file_names_real_settings() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    service, neo4j = compose["services"]["kgservice"], compose["services"]["neo4j"]
    names = {name.removeprefix("KGS_").lower() for name in service["environment"]}
    assert names <= set(Settings.model_fields)
    assert service["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert neo4j["healthcheck"]["test"]
    assert all(str(port).startswith("127.0.0.1:") for part in (service, neo4j) for port in part["ports"])
    assert set(compose["volumes"]) == {volume.split(":")[0] for part in (service, neo4j) for volume in part["volumes"]}
    assert (ROOT / "Dockerfile").is_file()


def test_lock_names_no_registry() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "http://" not in lock
    assert "https://" not in lock
    assert lock.count("--hash=sha256:") > 500
