"""Neo4j Browser as the managed server opens it: facts are captioned by their relation with nothing set by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kgservice.core.records import Document, Term, Triplet
from kgservice.graph.queries import style
from kgservice.graph.store import Graph
from kgservice.managed_neo4j.folder import Server
from tests.conftest import Address
from tests.e2e.page_service import chromium
from tests.graph.documents import loaded

pytest.importorskip("playwright.sync_api", reason="Neo4j Browser is tested with Playwright: make install")
from playwright.sync_api import expect


def _port(graph: Graph, setting: str) -> int:
    rows = graph.session(lambda session: list(session.run(f"SHOW SETTINGS '{setting}'")))
    return int(rows[0]["value"].rpartition(":")[2])


def test_facts_are_captioned_and_kinds_coloured(graph: Graph, address: Address, corpus: str) -> None:
    ends = {"subject": Term(label="Port Ambrel", type="town"), "object": Term(label="Gareth Ollivane", type="person")}
    fact = Triplet(relation="mayor", sentence="The mayor of Port Ambrel is Gareth Ollivane.", **ends)
    loaded(graph, corpus, [Document(source="a", text=fact.sentence, triplets=(fact,))])
    ports = {f"{name}_port": _port(graph, f"server.{name}.listen_address") for name in ("bolt", "http")}
    shown = Server(home=Path(), pid=0, version="5.26.30", **ports).showing(
        f"MATCH path = (:Entity {{corpus: '{corpus}'}})-[:FACT]->() RETURN path"
    )
    with chromium() as browser:
        page = browser.new_page()
        page.goto(shown)
        page.locator("input[type=password]").fill(address.password)
        page.keyboard.press("Enter")
        expect(page.get_by_text("relationship.FACT").first).to_be_visible(timeout=60_000)
        expect(page.get_by_test_id("activeEditor")).to_contain_text("MATCH", timeout=60_000)
        page.get_by_test_id("editor-Run").click()
        drawing = page.locator("g.relationship text").first
        expect(drawing).to_have_text("mayor", timeout=60_000)
        expect(page.locator("g.node").first).to_contain_text("Port")
        fills = page.locator("g.node circle.b-outline, g.node circle").evaluate_all(
            "all => all.map((one) => one.getAttribute('fill'))"
        )
        assert {style()["node.City"]["color"], style()["node.Person"]["color"]} <= {
            fill.lower() for fill in fills if fill
        }
        if folder := os.environ.get("KGS_TEST_SHOTS"):
            page.screenshot(path=f"{folder}/browser.png")
