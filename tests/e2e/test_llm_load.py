"""A load read by a model: estimated, bounded, killed and resumed, and what it leaves on disk; doctor, ask."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from kgservice.core.settings import RoleModel, Settings
from kgservice.graph.store import Graph
from kgservice.setup.checks import checks
from tests.e2e.conftest import Run
from tests.e2e.test_interrupted import until
from tests.graph.snapshot import snapshot
from tests.graph.test_refresh import spread
from tests.llm_server import CHUNK, KEY, LLMServer

DOCUMENTS = 60
PRICES = '{"test-model": {"input": 1.0, "output": 2.0}}'


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as running:
        yield running


@pytest.fixture
def environment(environment: dict[str, str], server: LLMServer) -> dict[str, str]:
    model = {"KGS_LLM_BASE_URL": server.url, "KGS_LLM_API_KEY": KEY, "KGS_LLM_MODEL": "test-model"}
    return environment | model | {"KGS_LLM_PRICES": PRICES, "KGS_LLM_CONCURRENCY": "4", "KGS_LLM_MAX_TOKENS": "500"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "texts"
    made.mkdir()
    for n in range(DOCUMENTS):
        text = f"Town N{n} lies near Lake P{n % 7}. Lake P{n % 7} feeds River R{n % 3}.\n"
        (made / f"{n:03}.txt").write_text(text, encoding="utf-8")
    return made


def last(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout.strip().splitlines()[-1])


def windows_paid(server: LLMServer) -> dict[str, int]:
    return {prompt: number for prompt, number in server.paid.items() if CHUNK.search(json.loads(prompt)[1]["content"])}


def test_ask_says_whom_it_asks_and_waits_a_minute_at_most(
    kgs: Run, graph: Graph, corpus: str, server: LLMServer
) -> None:
    spread(graph, corpus, [("Alma", "mayor", "Jane Orr")])
    server.rates, server.retry_after = {"429": 1.0}, "100"
    done = kgs("ask", "Who is the mayor of Alma?", "-c", corpus, "--retriever", "bm25", "--llm", timeout=60)
    said = " ".join(done.stderr.split())
    assert done.returncode == 1
    assert said.startswith("asking test-model at 127.0.0.1:")
    assert "the language model does not answer: rate limited: HTTP 429" in said


def test_estimated_then_bounded_then_finished(kgs: Run, corpus: str, folder: Path, server: LLMServer) -> None:
    load = ("load", "text", folder, "-c", corpus, "--no-vectors", "--extract", "llm", "--json")
    estimated = last(kgs(*load, "--dry-run"))
    assert (estimated["calls"], estimated["kept"], len(server.asked)) == (DOCUMENTS, 0, 0)
    assert "no corpus" in kgs("documents", "list", "-c", corpus).stderr, "a dry run stored something"

    budget = estimated["usd"] / 3
    stopped = kgs(*load, "--budget", budget)
    assert stopped.returncode == 1
    part = last(stopped)
    assert part["documents"]["stored"] + part["documents"]["failed"]["budget reached"] == DOCUMENTS
    assert part["documents"]["stored"] > 0
    assert part["windows"]["in"] == DOCUMENTS == part["windows"]["read"] + part["windows"]["failed"]["budget reached"]
    spent = sum(stage["usd"] for stage in part["llm"]["stages"].values())
    assert 0 < spent <= budget

    rest = last(kgs(*load, "--dry-run"))
    assert rest["calls"] == DOCUMENTS - part["windows"]["read"]
    whole = last(kgs(*load))
    assert whole["documents"]["stored"] + whole["documents"]["unchanged"] == DOCUMENTS
    assert whole["llm"]["stages"]["extract"]["usd"] == pytest.approx(rest["usd"], rel=0.2)
    assert whole["facts"] == DOCUMENTS + 7 * 3
    assert set(windows_paid(server).values()) == {1}
    assert last(kgs(*load))["documents"]["unchanged"] == DOCUMENTS
    assert last(kgs(*load, "--dry-run"))["calls"] == 0


def test_killed_and_loaded_again_pays_for_nothing_twice(
    graph: Graph, corpus: str, folder: Path, server: LLMServer, environment: dict[str, str], tmp_path: Path,
    program: Path,
) -> None:  # fmt: skip
    server.delay = 0.05
    load = [program / "kgservice", "load", "text", folder, "-c", corpus, "--no-vectors", "--extract", "llm", "--json"]
    with subprocess.Popen(load, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: len(windows_paid(server)) >= DOCUMENTS // 3)
        process.kill()
    until(lambda: server.under_way == 0)
    before = windows_paid(server)
    assert len(before) < DOCUMENTS, "the load was not killed in the middle"

    again = subprocess.run(load, env=environment, check=True, capture_output=True, text=True)
    assert last(again)["documents"]["stored"] == DOCUMENTS
    after = windows_paid(server)
    twice = [prompt for prompt, number in after.items() if number > 1]
    assert len(twice) <= 4, "more was paid for again than the four calls that were under way"
    assert last(again)["llm"]["stages"]["extract"]["kept"] == len(before) - len(twice)

    found = snapshot(graph, corpus)
    graph.remove_corpus(corpus)
    subprocess.run(load, env=environment, check=True, capture_output=True)
    assert windows_paid(server) == after
    assert snapshot(graph, corpus) == found
    written = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert {path.suffix for path in written} >= {".sqlite", ".jsonl"}
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_what_the_end_of_a_load_says(kgs: Run, corpus: str, folder: Path, server: LLMServer) -> None:
    def refuses(request: dict[str, Any]) -> str | None:
        return "too odd" if "N7 " in request["messages"][1]["content"] else None

    server.refuses = refuses
    done = kgs("load", "text", folder, "-c", corpus, "--no-vectors", "--extract", "llm")
    assert done.returncode == 1
    said = " ".join(done.stdout.split())
    assert f"windows in {DOCUMENTS} = read {DOCUMENTS - 1} + failed 1" in said
    assert f"extract {DOCUMENTS - 1} calls, 3 turned away; tokens" in said
    assert "failed windows: 1 endpoint refused the call" in said
    assert "USD" in said
    ledger = Path("".join(done.stderr.split("each call in ")[1].partition(".jsonl")[0].split()) + ".jsonl")
    assert f"{DOCUMENTS - 1} of {DOCUMENTS} documents are loaded" in " ".join(done.stderr.split())
    entries = [json.loads(line) for line in ledger.read_text(encoding="utf-8").splitlines()]
    assert sum(entry.get("ended") == "paid" and entry["stage"] == "extract" for entry in entries) == DOCUMENTS - 1
    assert {entry["unit"] for entry in entries if "failed" in entry} == {f"{folder / '007.txt'} texts 1-1"}
    assert KEY not in done.stdout + done.stderr + ledger.read_text(encoding="utf-8")
    summed = last(kgs("spending", "--by", "document", "--limit", "100", "--json"))["document"]
    assert len(summed) == DOCUMENTS + 1  # and the endpoint's trial
    assert summed[str(folder / "007.txt")]["failed"] == {"endpoint refused the call": 1}


def test_what_cannot_be_asked_is_one_line(kgs: Run, corpus: str, folder: Path, environment: dict[str, str]) -> None:
    load = ("load", "text", folder, "-c", corpus, "--no-vectors")
    refused = [
        ((*load, "--dry-run"), "add --extract llm"),
        ((*load, "--link", "wikidata:llm", "--dry-run"), "add --extract llm"),
        ((*load, "--extract", "llm", "--budget", "much"), "give USD"),
        ((*load, "--extract", "llm:0"), "llm:WINDOW"),
    ]
    for arguments, words in refused:
        done = kgs(*arguments)
        assert (done.returncode, words in done.stderr) == (1, True), done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    environment["KGS_LLM_API_KEY"] = "sk-wrong-1234567"
    done = kgs(*load, "--extract", "llm")
    assert done.returncode == 1
    assert "check KGS_LLM_BASE_URL, KGS_LLM_API_KEY" in done.stderr
    assert "sk-wrong" not in done.stderr + done.stdout
    environment.pop("KGS_LLM_MODEL")
    assert "set KGS_LLM_BASE_URL" in kgs(*load, "--extract", "llm").stderr


def test_doctor_says_what_works_and_what_to_do(kgs: Run, server: LLMServer, environment: dict[str, str]) -> None:
    server.modes = frozenset(("tool", "plain"))
    done = kgs("doctor", "--json")
    assert done.returncode == 0, done.stderr
    found = {check["name"]: check for check in map(json.loads, done.stdout.splitlines())}
    states = {name: check["state"] for name, check in found.items()}
    assert states == {
        "data folder": "ok", "Java": "off", "database": "ok", "embedding model": "ok", "models": "ok",
        "JSON schema": "no", "tool calls": "ok", "plain JSON": "ok", "language model": "ok",
    }  # fmt: skip
    assert "answers, Neo4j " in found["database"]["detail"]
    assert found["tool calls"]["detail"] == "works, and is used"
    assert "schema is not supported" in found["JSON schema"]["detail"]


def test_doctor_names_what_fails(server: LLMServer, environment: dict[str, str], tmp_path: Path) -> None:
    settings = Settings(
        home=tmp_path,
        neo4j_uri="bolt://127.0.0.1:9",
        embedding_model=str(tmp_path / "no model"),
        llm_base_url=server.url,
        llm_api_key=SecretStr("sk-wrong-1234567"),
        llm_model="test-model",
        llm_judge=RoleModel(model="a-judge", base_url=f"{server.url}/"),
    )
    found = list(checks(settings))
    assert [check.name for check in found if check.state == "failed"] == [
        "database",
        "embedding model",
        "language model",
        "language model (judge)",
    ]
    assert all("check KGS_LLM_BASE_URL, KGS_LLM_API_KEY" in check.detail for check in found[-1:-4:-2])
    assert server.keys == {"sk-wrong-1234567", "none"}, "the judge's address was sent the other key"
    assert "sk-wrong" not in str(found)
