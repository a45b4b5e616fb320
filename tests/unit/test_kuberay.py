"""The manifest of a load on KubeRay fits the command line, the Ray of the lock and itself. No cluster runs it here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import typer
import yaml

from kgservice import __version__
from kgservice.cli import app

ROOT = Path(__file__).parents[2]
JOB: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "kuberay.yaml").read_text(encoding="utf-8"))
CLUSTER = JOB["spec"]["rayClusterSpec"]


def test_it_is_a_job_of_kuberay_with_a_head_and_workers() -> None:
    assert (JOB["apiVersion"], JOB["kind"]) == ("ray.io/v1", "RayJob")
    assert re.fullmatch(r"[a-z0-9-]{1,47}", JOB["metadata"]["name"])
    groups = [CLUSTER["headGroupSpec"], *CLUSTER["workerGroupSpecs"]]
    assert len(groups) > 1
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values()), "KubeRay takes strings"
        pod = group["template"]["spec"]
        for container in pod["containers"]:
            assert container["image"].endswith(f":{__version__}"), "every pod has the same kgservice"
            assert {"cpu", "memory"} <= set(container["resources"]["limits"])
            mounted = {one["name"] for one in container.get("volumeMounts", [])}
            assert mounted == {one["name"] for one in pod.get("volumes", [])}
    for group in CLUSTER["workerGroupSpecs"]:
        assert group["groupName"]
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_its_command_and_its_ray_are_ours() -> None:
    program, verb, *rest = shlex.split(JOB["spec"]["entrypoint"])
    commands: Any = typer.main.get_command(app)
    command = commands.commands[verb]
    given = command.make_context(verb, rest, resilient_parsing=True).params
    assert (program, given["ray"], given["corpus"]) == ("kgservice", "auto", "mine")
    assert f"\nray=={CLUSTER['rayVersion']} " in (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
