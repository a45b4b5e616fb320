"""What the tests of the page look at: a service with most of the demo corpus in two releases, a leaderboard, a hostile corpus."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from kgservice.api.app import create_app
from kgservice.core.records import Document, Term, Triplet
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.leaderboard.team_client import Client
from kgservice.questions.selection import Plan, generate, refresh
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from kgservice.vectors.embedder import Embedder
from tests.graph.documents import Silent, document, loaded

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DEMO, HOSTILE = "test-page-demo", "test-page-hostile"
OWN = {"reader": "reader-key", "curator": "curator-key", "admin": "admin-key"}
EVIL = "<img src=x onerror=\"document.title='ran'\"><script>document.title='ran'</script>"
WAIT = 60_000  # milliseconds: a first answer loads models, which took 20 s where others had the processor
PATTERNS = ("star", "single")

VIEWS = {
    "overview": {},
    "ask": {"question": "Who is the mayor of Port Ambrel?"},
    "entity": {"name": "Port Ambrel"},
    "subgraphs": {"pattern": "chain"},
    "questions": {"pattern": "star"},
    "retrieval": {"query": "Who is the mayor of Port Ambrel?", "left": "bm25", "right": "graph"},
    "releases": {},
    "submissions": {},
    "leaderboard": {},
    "cypher": {"picture": "chain"},
}
_HOLD = """(part) => {
  const real = window.fetch;
  const held = (window.held = { asked: false });
  const free = new Promise((resolve) => (held.letGo = resolve));
  window.fetch = async (address, given) => {
    if (String(address).includes(part)) {
      held.asked = true;
      const left = new Promise((_, reject) =>
        given?.signal?.addEventListener("abort", () => reject(new DOMException("the view is left", "AbortError"))));
      await Promise.race([free, left]);
    }
    return real(address, given);
  };
}"""
# nodes and labels of a drawing that overlap
CLASHES = """() => {
  const seen = [...document.querySelectorAll(".graph .node, .graph .relation")].filter((one) => one.offsetParent);
  const boxes = seen.map((one) => [one.textContent, one.getBoundingClientRect()]);
  return boxes.flatMap(([name, a], at) => boxes.slice(at + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map(([other]) => `${name} / ${other}`));
}"""


class Hashed(Embedder):
    """Vectors of the words' hashes, so that no weights are loaded."""

    dimension = 384

    def embed_query(self, text: str) -> list[float]:
        vector = [0.0] * self.dimension
        for word in re.findall(r"\w+", text.lower()):
            vector[sum(map(ord, word)) * 31 % self.dimension] += 1.0
        length = sum(value * value for value in vector) ** 0.5 or 1.0
        return [value / length for value in vector]

    def embed(self, texts: Any) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


@dataclass
class Opened:
    """A page with what went wrong in it and whom it asked."""

    page: Page
    base: str
    faults: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def at(self, view: str, **told: str) -> Page:
        """Go to a view and wait until it is there."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.base}/web/#/{view}?{urlencode({'corpus': DEMO} | told)}")
        self.settled()
        return self.page

    def hold(self, part: str) -> None:
        """Hold the page's requests to addresses with this part until `let_go`; `held()` waits for one.

        They are held in the page: with Playwright's own routing a request now and then never left the browser.
        """
        self.page.evaluate(_HOLD, part)

    def held(self) -> None:
        self.page.wait_for_function("window.held.asked")

    def let_go(self) -> None:
        self.page.evaluate("window.held.letGo()")

    def settled(self) -> None:
        from playwright.sync_api import expect

        expect(self.page.locator("main h1")).to_be_visible()
        expect(self.page.locator("[aria-busy]")).to_have_count(0)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Launch a headless Chromium; skips the test where there is none.

    The shell without windows comes first: a page in it takes a fifth of the processor time.
    """
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as started:
        names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
        there = filter(None, map(shutil.which, names))
        found = next(there, started.chromium.executable_path)
        if not Path(found).exists():
            pytest.skip("no Chromium: `apt-get install chromium-headless-shell`, or `playwright install chromium`")
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own sandbox refuses root
        expect.set_options(timeout=WAIT)
        launched = started.chromium.launch(executable_path=found, args=sandbox)
        yield launched
        launched.close()


@contextmanager
def serving(graph: Graph, home: Path) -> Iterator[str]:
    """Give the address of the service; its corpora are removed afterwards."""
    for corpus in (DEMO, HOSTILE):
        graph.remove_corpus(corpus)
    _fill(graph, home)
    app = create_app(Settings(home=home, api_keys=OWN), graph)  # type: ignore[arg-type]
    app.state.embedder = Hashed()
    with _served(app) as base:
        submitted(base, "1.1.0", "Port Ambrel", approved=True)
        yield base
    for corpus in (DEMO, HOSTILE):
        graph.remove_corpus(corpus)


@contextmanager
def _served(app: FastAPI) -> Iterator[str]:
    """Serve the app on a free port; it is stopped whatever happens, or its thread would keep the tests from ending."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


def _fill(graph: Graph, home: Path) -> None:
    with as_file(files("kgservice.demo")) as folder:
        for name in ("[chn]*s.jsonl", "update.jsonl"):
            load(graph, read("triplets", sorted(folder.glob(name))), DEMO, Recipe(), Hashed(), Silent())
            (refresh(graph, DEMO) if "update" in name else generate(graph, DEMO, Plan(patterns=PATTERNS)))
            create(graph, DEMO, Archive(Settings(home=home).releases), per_pattern=20)
    triplet = Triplet(
        subject=Term(label=f"Ada {EVIL}"),
        relation=f"mayor {EVIL}",
        object=Term(label="Orlo"),
        sentence=f"Ada is mayor {EVIL}.",
        confidence=0.834,
    )
    evil = Document(
        source="evil",
        title=f"News {EVIL}",
        text=f"Ada is mayor {EVIL}. So it goes.",
        url="javascript:document.title='ran'",
        triplets=(triplet,),
    )
    hub = document("hub", [("Hub", "supplies", f"Customer {n} of the hub") for n in range(40)])
    loaded(graph, HOSTILE, [evil, hub])
    generate(graph, HOSTILE, Plan(patterns=PATTERNS))


def submitted(base: str, version: str, answer: str, *, approved: bool = False) -> None:
    """Submit one answer to every question and wait until that is evaluated."""
    with httpx.Client(base_url=base, timeout=60) as http:
        admin = Client("", OWN["admin"], http=http)
        release = admin.fetch(version)
        found = [release.texts[0].public_id]
        sent = admin.submit(release, release.run(lambda _: (answer, found)), f"says {answer}")
        assert admin.follow(sent.id, 120).state == "evaluated"
        if approved:
            admin.decide(sent.id, approved=True)
