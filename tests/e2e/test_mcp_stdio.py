"""`kgservice mcp` on standard input and output, by the SDK's own client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from tests.e2e.conftest import Run, command
from tests.graph.agents import data, text_of

NOTE = {
    "id": "note.md",
    "title": "A note",
    "text": "Ada Lind is the mayor of Isvik. Orlo Systems was founded by Bo Falk.",
}


async def spoken(environment: dict[str, str], role: list[str], calls: list[tuple[str, dict[str, Any]]]) -> Any:
    """Start the server, call tools, and return the tools' names and the results; "{job}" is the id of the job before."""
    program, *arguments = command("mcp", *role)
    server = StdioServerParameters(command=program, args=arguments, env=environment)
    async with Client(server) as client:
        names = {one.name for one in (await client.list_tools()).tools}
        results, job = [], ""
        for name, given in calls:
            result = await client.call_tool(name, json.loads(json.dumps(given).replace("{job}", job)))
            job = (result.structured_content or {}).get("id", job)
            results.append(result)
    return names, results


def test_a_client_loads_and_asks(kgs: Run, environment: dict[str, str], corpus: str, tmp_path: Path) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("load", {"corpus": corpus, "documents": [NOTE]}),
        ("job", {"id": "{job}", "wait": 30}),
    ]
    names, (ordered, done) = asyncio.run(spoken(environment, ["--role", "curator"], calls))
    assert "load" in names
    assert data(ordered)["resumes"] is False
    assert (data(done)["state"], data(done)["report"]["documents"]["stored"]) == ("done", 1)
    calls = [
        ("load", {"corpus": corpus, "documents": [NOTE]}),
        ("find_entity", {"corpus": corpus, "name": "Ada"}),
        ("neighbourhood", {"corpus": corpus, "entity": "Bo Falk"}),
        ("ask", {"corpus": corpus, "question": "Who is the mayor of Isvik?"}),
        ("job", {"id": data(done)["id"]}),
    ]
    names, results = asyncio.run(spoken(environment, [], calls))
    assert "load" not in names
    assert "role curator" in text_of(results[0])
    assert [one["name"] for one in data(results[1])["things"]] == ["Ada Lind"]
    assert data(results[2])["facts"][0]["stated"][0]["sentence"] == "Orlo Systems was founded by Bo Falk."
    assert data(results[3])["answer"] == "Ada Lind"
    assert "a job ends with the connection that ordered it" in text_of(results[4])
    assert not (Path(environment["KGS_HOME"]) / "jobs.sqlite").exists()
    refused = kgs("mcp", "--role", "king")
    assert refused.returncode != 0
