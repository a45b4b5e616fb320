"""The gate over a corpus and a release: a planted fault is found, a changed document is asked about alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kgservice.core import keys
from kgservice.core.settings import Settings
from kgservice.gate import whole
from kgservice.gate.run import GateRun
from kgservice.gate.whole import GateOptions
from kgservice.graph.store import Graph
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.releases.release_files import EXCHANGE
from tests.conftest import Address
from tests.graph.documents import DEMO, document, loaded

NAMES = [f"{first}{last}" for first in ("Ar", "Bel", "Cor", "Dun", "Est") for last in ("vik", "mouth", "ham", "ford")]
ROOT = Path(__file__).parents[2]


def towns(**others: str) -> list[Any]:
    return [
        document(f"towns/{name}", [(name, "has mayor", others.get(name, f"{name[::-1].title()} Lind"))])
        for name in NAMES
    ]


@pytest.fixture
def settings(address: Address, tmp_path: Path) -> Settings:
    known = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    return Settings(home=tmp_path, **known)  # type: ignore[arg-type]


@pytest.fixture
def gate(
    graph: Graph, corpus: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., GateRun]:
    """Ask a function about the towns."""
    loaded(graph, corpus, towns())
    generate(graph, corpus, Plan())
    asked = {"said": lambda _: "nobody"}
    monkeypatch.setattr(whole, "_ours", lambda *_: asked["said"])

    def ran(system: Callable[[str], object], **known: Any) -> GateRun:
        asked["said"] = system
        wanted = GateOptions(corpus=corpus, baseline=tmp_path / "base.jsonl", **{"target": "kgservice:x"} | known)
        return whole.run(wanted, settings, lambda _: lambda _: None, lambda _: None)

    return ran


def indexed(documents: list[Any]) -> Callable[[str], object]:
    """Return a small RAG with an index of its own: the sentence that shares most words, and a name out of it."""
    said = {one.source: one.text.split("\n\n")[1].split(".")[0] + "." for one in documents}

    def ask(question: str) -> object:
        words = {*question.strip("?").split()}
        source = max(said, key=lambda name: (len(words & {*said[name].strip(".").split()}), name))
        town, _, mayor = said[source].strip(".").partition(" has mayor ")
        return mayor if town in question else town, [{"text": said[source], "document": source}]

    return ask


def test_a_changed_document_is_asked_about_alone_and_a_stale_index_is_named(
    graph: Graph, corpus: str, gate: Callable[..., GateRun]
) -> None:
    frozen = indexed(towns())  # a system whose index nobody brings up to date
    first = gate(frozen, save=True)
    assert first.means == {"evidence": 1, "answer": 1}
    assert first.asked >= 15

    moved = {name: f"Nora {name[::-1].title()}son" for name in NAMES[:8]}
    loaded(graph, corpus, towns(**moved))
    refresh(graph, corpus)
    again = gate(indexed(towns(**moved)), changed=True)
    assert (again.failed, again.worse, again.unwell) == (False, (), ())
    assert (again.asked, again.carried) == (8, first.asked - 8)
    stale = gate(frozen, changed=True, strict=True)
    assert stale.failed
    assert {one.verdict.why for one in stale.worse} <= {"stale", "retrieval missed"}
    assert (len(stale.worse), stale.unwell) == (again.asked, ())


def test_a_release_is_asked_without_its_answers_in_the_baseline(
    graph: Graph, corpus: str, gate: Callable[..., GateRun], settings: Settings, tmp_path: Path
) -> None:
    create(graph, corpus, Archive(settings.releases))
    first = gate(indexed(towns()), release="1.0.0", save=True)
    assert first.asked
    assert first.means == {"evidence": 1, "answer": 1}
    text = (tmp_path / "base.jsonl").read_text()
    assert "has mayor" not in text
    assert '"answers"' not in text
    release = Archive(settings.releases).get("1.0.0")
    read = [json.loads(row) for row in Archive(settings.releases).file(release, EXCHANGE, private=True).splitlines()]
    facts = [fact for row in read for fact in row["facts"]]
    ends = ("subject", "relation", "object")
    assert not any(keys.digest(20, *(fact[end] for end in ends), "") in text for fact in facts), (
        "a guess can be checked"
    )
    assert not any(keys.digest(20, *(fact[end] for end in ends[:2]), "") in text for fact in facts)
    again = gate(indexed(towns()), release="1.0.0", changed=True)
    assert (again.asked, again.carried) == (0, first.asked)
    bad = gate(lambda _: ("no such info", ["Nothing is here."]), release="1.0.0")
    assert {one.verdict.why for one in bad.worse} == {"retrieval missed"}
    assert bad.failed


def test_our_own_retrievers_find_the_evidence_of_a_release(graph: Graph, corpus: str, settings: Settings) -> None:
    loaded(graph, corpus, towns())
    generate(graph, corpus, Plan())
    create(graph, corpus, Archive(settings.releases))

    def ran(baseline: str) -> GateRun:
        known = {"target": "kgservice:bm25", "release": "1.0.0", "questions": 4, "save": True}
        wanted = GateOptions(corpus=corpus, baseline=settings.home / baseline, **known)
        return whole.run(wanted, settings, lambda _: lambda _: None, lambda _: None)

    assert ran("as-released.jsonl").means["evidence"] == 1
    rest = [("It", "lies by", "the sea")]
    moved = [document(f"towns/{name}", [(name, "has mayor", f"{name[::-1].title()} Lind"), *rest]) for name in NAMES]
    loaded(graph, corpus, moved)  # the texts have other keys now, which no release knows
    assert ran("moved.jsonl").means["evidence"] == 1


def test_a_fault_planted_in_the_starter_example_of_llamaindex_is_found(
    gate: Callable[..., GateRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the code of docs/gate.md as it is, over a folder of another name, before and after half of it is lost."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gate.md").read_text(), re.DOTALL)
    (code,) = [block for block in blocks if "VectorStoreIndex" in block]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "towns").mkdir()
    for one in towns():
        (tmp_path / one.source).write_text(one.text)

    def run(name: str, **known: Any) -> GateRun:
        (tmp_path / f"{name}.py").write_text(code.replace('"data"', '"towns"'))
        return gate(str, target=f"{name}:retriever", **known)

    first = run("starter_whole", save=True)
    assert first.means["evidence"] > 0.5
    assert (run("starter_again").failed, run("starter_again").worse) == (False, ())
    lost = {f"towns/{name}" for name in NAMES[::2]}
    for name in lost:
        (tmp_path / name).unlink()
    again = run("starter_half", strict=True)
    assert again.failed
    assert len(again.worse) >= 5
    assert {one.verdict.why for one in again.worse} == {"retrieval missed"}
    assert {missing.split(":")[0] for one in again.worse for missing in one.told.missing} <= lost


def test_the_action_calls_what_there_is(address: Address, corpus: str, program: Path, tmp_path: Path) -> None:
    """Run the action's own steps: load, refresh or generate, gate."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = [step["run"] for step in action["runs"]["steps"] if "run" in step and "pip" not in step["run"]]
    (tmp_path / "docs").mkdir()
    surveys = (DEMO / "country_surveys.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "docs" / "surveys.jsonl").write_text("".join(surveys[:2]), encoding="utf-8")
    known = {
        "PATH": f"{program}:{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/"),
        "KGS_HOME": str(tmp_path), "KGS_NEO4J_URI": address.uri, "KGS_NEO4J_PASSWORD": address.password,
        "KGS_NEO4J_USER": address.user, "DOCUMENTS": "docs", "CORPUS": corpus, "TARGET": "kgservice:bm25",
        "BASELINE": "base.jsonl", "OPTIONS": "--save", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }  # fmt: skip
    for options in ("--questions 5 --save", "--questions 5 --strict"):
        for step in steps:
            script = ["bash", "-e", "-o", "pipefail", "-c", step]
            ran = subprocess.run(
                script, cwd=tmp_path, env=known | {"OPTIONS": options}, capture_output=True, text=True, check=False
            )
            assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "RAG gate: PASSED" in (tmp_path / "summary.md").read_text()
    assert "<testsuite" in (tmp_path / "kgservice-gate.xml").read_text()
