"""Every command and program of the tutorial and the how-tos runs, in the order of the page, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgservice.graph.store import Graph
from tests.conftest import Address

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
RUN = {"sh": ("bash", "-euo", "pipefail"), "python": (sys.executable, "-W", "ignore")}
KINDS = {*RUN, "text", "cypher", ""}  # "" is not run: it needs a machine that is not there
REPORTS = {
    "people.html": "<html><body><p>Parisa Daneshvari is the CEO of Dastan Gridworks. Parisa Daneshvari was born in Zerqabad."
    "</p></body></html>",
    "history.md": "# History\n\nBahram Dastan founded Dastan Gridworks in 1987. Bahram Dastan was born in Qalmaira.\n",
    "towns.txt": "Rustam Qalandari, the mayor of Zerqabad, took office on 15 June 2027.\n",
}


def blocks(page: str) -> list[tuple[str, str]]:
    """The code blocks of a page with their languages."""
    found = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    assert {kind for kind, _ in found} <= KINDS
    return found


@pytest.mark.parametrize("page", ["tutorial.md", "howto-folder.md", "howto-neo4j.md", "howto-python.md"])
def test_what_a_page_says_to_run_runs(
    page: str, environment: dict[str, str], tmp_path: Path, graph: Graph, address: Address, program: Path
) -> None:
    if page == "howto-neo4j.md":  # Neo4j Browser is opened on a managed server alone
        if address.home is None:
            pytest.skip("the tests' Neo4j is not managed")
        environment = {name: value for name, value in environment.items() if name != "KGS_NEO4J_URI"}
        environment["KGS_HOME"] = str(address.home)
    (tmp_path / "reports").mkdir()
    for name, text in REPORTS.items():
        (tmp_path / "reports" / name).write_text(text, encoding="utf-8")
    environment = environment | {"PATH": f"{program}:{environment['PATH']}", "COLUMNS": "200"}
    printed = ""
    try:
        for kind, text in blocks(page):
            if kind in RUN:
                script = tmp_path / f"script.{kind}"
                script.write_text(text, encoding="utf-8")
                done = subprocess.run(
                    [*RUN[kind], str(script)],
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
                printed = done.stdout
            elif kind == "text":
                for line in text.splitlines():
                    pattern = ".*".join(map(re.escape, line.split("…")))
                    assert re.search(f"^ *{pattern}", printed, re.M), f"{line!r} is not in:\n{printed}"
            elif kind == "cypher":
                assert graph.session(lambda session, text=text: session.run(text).values()), text
    finally:
        for corpus in {"mine", "tutorial"} & set(graph.corpora()):
            graph.remove_corpus(corpus)


def test_a_page_is_two_screens_at_most() -> None:
    for page in DOCS.glob("howto-*.md"):
        assert len(page.read_text(encoding="utf-8").splitlines()) <= 90, page
