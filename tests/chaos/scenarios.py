"""What is killed: a load with vectors, a refresh, a release, the service in the middle of a load, Neo4j under a load."""

from __future__ import annotations

import json
import shutil
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
import psutil

from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.ingest.sources import read
from kgservice.managed_neo4j import server
from kgservice.questions import question_store
from kgservice.questions.patterns import SubgraphOptions, subgraphs
from kgservice.questions.selection import Plan, generate
from kgservice.releases.archive import Archive
from kgservice.releases.release import create
from tests.chaos.corpora import records, write
from tests.chaos.work import Database, Work, half_written, hold
from tests.graph.snapshot import snapshot

PATTERNS = ("chain", "star", "single")


class Kill(NamedTuple):
    """A process that was killed: of what scenario, when, and whether it was in the middle of writing."""

    scenario: str
    seed: int
    seconds: float
    mid_write: bool


class Outcome(NamedTuple):
    """Whether what was killed and done again is equal to undisturbed work; `questions` apart, where there are any."""

    scenario: str
    seed: int
    kills: list[Kill]
    graph: bool
    questions: bool | None = None


class Place(NamedTuple):
    """Where scenarios work: an open graph, looks at its transactions, a folder, a corpus that is theirs."""

    graph: Graph
    database: Database
    folder: Path
    corpus: str

    @property
    def log(self) -> Path:
        """What the commands print."""
        return self.folder / "commands.log"


class Scenario(ABC):
    """Work that is killed some times, done again to the end, and compared with the same work undisturbed."""

    name: str
    documents: int

    def __init__(self, place: Place) -> None:
        self.place, self.misses = place, 0
        self.prepare()
        started = time.monotonic()
        self.finish()
        self.duration, self.undisturbed = time.monotonic() - started, self.found()

    @property
    def seconds(self) -> float:
        """Within which the work is killed: what it lasts undisturbed, half of it after each time that it ended before."""
        return self.duration / 2**self.misses

    def run(self, seed: int, kills: int) -> Outcome:
        """Kill the work so many times, if it lasts as long, then let it end and compare."""
        rng, done = Random(f"{self.name} {seed}"), list[Kill]()
        self.prepare()
        for _ in range(kills):
            if kill := self.kill(rng, seed):
                done.append(kill)
            self.misses = 0 if kill else self.misses + 1
        self.finish()
        found = self.found()
        graph, questions = (one == two for one, two in zip(found, self.undisturbed, strict=True))
        return Outcome(self.name, seed, done, graph, questions if found[1] is not None else None)

    def kill(self, rng: Random, seed: int) -> Kill | None:
        """Start the work and kill it at a moment; None where it has ended before."""
        work = self.start()
        held = hold(work, self.writing, rng, self.seconds, self.over)
        work.kill()
        return Kill(self.name, seed, *held) if held else None

    def writing(self) -> bool:
        """Say whether something is being written now."""
        return self.place.database.writing()

    def over(self) -> bool:
        """Say whether the work is done though its process goes on."""
        return False

    def finish(self) -> None:
        """Do the work to its end."""
        if status := self.start().wait():
            raise RuntimeError(f"{self.name} ended with status {status}: see {self.place.log}")

    @abstractmethod
    def prepare(self) -> None:
        """Make the state that the work starts from."""

    @abstractmethod
    def start(self) -> Work:
        """Start the work in a process of its own."""

    @abstractmethod
    def found(self) -> tuple[Any, Any]:
        """Return what can be compared: the graph, or a release; and the questions, None where there are none."""


class LoadWithVectors(Scenario):
    """`kgservice load`, with vectors."""

    name, documents = "load with vectors", 120

    def prepare(self) -> None:
        """Remove the corpus."""
        self.place.graph.remove_corpus(self.place.corpus)

    def start(self) -> Work:
        """Start the load."""
        file = write(self.place.folder / "load.jsonl", self.documents)
        return Work(self.place.log, "load", "triplets", file, "-c", self.place.corpus)

    def found(self) -> tuple[Any, Any]:
        """Return every node and relationship with all its properties, vectors too."""
        return snapshot(self.place.graph, self.place.corpus), None


class Refresh(Scenario):
    """`kgservice questions refresh` after documents have changed."""

    name, documents = "refresh", 60

    def prepare(self) -> None:
        """Load, make the questions, and load the next version of the documents."""
        graph, corpus = self.place.graph, self.place.corpus
        graph.remove_corpus(corpus)
        fill(self.place, self.documents)
        generate(graph, corpus, Plan(patterns=PATTERNS))
        fill(self.place, self.documents, version=1)

    def start(self) -> Work:
        """Start the refresh."""
        return Work(self.place.log, "questions", "refresh", "-c", self.place.corpus)

    def found(self) -> tuple[Any, Any]:
        """Return the graph without its questions and the eligible rows; the active questions.

        What the relation reader found is kept for the sentences that somebody asked for, before a kill or after it.
        """
        graph, corpus = self.place.graph, self.place.corpus
        nodes, relationships = snapshot(graph, corpus, without=("readings",))
        nodes = [node for node in nodes if "Question" not in node["labels"]]
        keys = {node["key"] for node in nodes}
        facts = [one for one in relationships if one["start"] in keys]
        rows = [row for name in PATTERNS for row in subgraphs(graph, corpus, name, SubgraphOptions())]
        questions = [one.model_dump() for one in question_store.questions(graph, corpus, state="active")]
        return (nodes, facts, rows, question_store.changes(graph, corpus)), questions


class Release(Scenario):
    """`kgservice release create`."""

    name, documents = "release", 90

    def __init__(self, place: Place) -> None:
        place.graph.remove_corpus(place.corpus)
        fill(place, self.documents)
        self.folder, self.first = place.folder / "releases", place.folder / "first-release"
        generate(place.graph, place.corpus, Plan(patterns=("single",)))
        self.first.mkdir()
        create(place.graph, place.corpus, Archive(self.first))  # draws the secret of the corpus, at random
        generate(place.graph, place.corpus, Plan(patterns=PATTERNS))
        self.half_written: Callable[[], bool] = half_written(self.folder)
        super().__init__(place)

    def prepare(self) -> None:
        """Remove all releases but the first, so that later ones have the same secret."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.first, self.folder)

    def start(self) -> Work:
        """Start making a release."""
        return Work(self.place.log, "release", "create", "-c", self.place.corpus, "--out", self.folder)

    def writing(self) -> bool:
        """Say whether a release lies there that is not published."""
        return self.half_written()

    def found(self) -> tuple[Any, Any]:
        """Return what else than releases lies in the folder; the releases with the hashes of their files."""
        archive = Archive(self.folder)
        for release in archive.all():
            for file in release.files:
                archive.file(release, file.name, private=True)
        releases = [one.model_dump(exclude={"created"}) for one in archive.all()]
        return sorted(path.name for path in self.folder.iterdir()), releases


class Service(Scenario):
    """`kgservice serve` while it loads documents that a client has sent."""

    name, documents = "service", 150

    def prepare(self) -> None:
        """Remove the corpus; the documents are sent with the first start."""
        self.place.graph.remove_corpus(self.place.corpus)
        self.where = ""

    def start(self) -> Work:
        """Start the service and, where that is not done yet, send the documents."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        work = Work(self.place.log, "serve", "--port", port)
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=60)
        until(lambda: self._asked("/health"))
        if not self.where:
            fields = ("id", "title", "text", "triplets")
            sent = [{name: one[name] for name in fields} for one in records(self.documents)]
            body = {"corpus": self.place.corpus, "documents": sent, "vectors": False}
            self.where = self.http.post("/documents", json=body).raise_for_status().headers["location"]
        return work

    def over(self) -> bool:
        """Say whether the service has ended its job."""
        return bool(self._asked(self.where).get("finished"))

    def finish(self) -> None:
        """Start the service and let it end its job."""
        work = self.start()
        until(lambda: self._asked(self.where).get("finished"))
        job = self._asked(self.where)
        work.kill()
        if job["state"] != "done":
            raise RuntimeError(f"the service's job ended: {json.dumps(job)[:500]}")

    def found(self) -> tuple[Any, Any]:
        """Return every node and relationship with all its properties."""
        return snapshot(self.place.graph, self.place.corpus), None

    def _asked(self, path: str) -> dict[str, Any]:
        with suppress(httpx.HTTPError):
            answer = self.http.get(path)
            return dict(answer.json()) if answer.is_success else {}
        return {}


class Neo4j(LoadWithVectors):
    """The managed Neo4j itself, under a load, which waits for it and goes on."""

    name, documents = "Neo4j under a load", 120

    def kill(self, rng: Random, seed: int) -> Kill | None:
        """Kill the server under a load at a moment, start it again, and let the load end."""
        work = self.start()
        held = hold(work, self.writing, rng, self.seconds)
        if not held:
            return None
        settings = Settings()
        running = server.running(settings.home)
        assert running is not None, "the scenario needs a managed server"
        process = psutil.Process(running.pid)
        process.kill()
        with suppress(psutil.TimeoutExpired):
            process.wait(20)
        work.go_on()
        server.start(
            settings.home,
            settings.cache,
            version=settings.neo4j_version,
            heap=settings.neo4j_heap,
            pagecache=settings.neo4j_pagecache,
        )
        if status := work.wait():
            raise RuntimeError(f"the load did not outlive its database (status {status}): see {self.place.log}")
        return Kill(self.name, seed, *held)


def fill(place: Place, documents: int, version: int = 0) -> None:
    """Load documents without vectors, in this process."""
    file = write(place.folder / f"documents-{version}.jsonl", documents, version)
    with Journal(place.folder, "load") as journal:
        load(place.graph, read("triplets", [file]), place.corpus, Recipe(), None, journal)


def until(true: Callable[[], Any], seconds: float = 180) -> None:
    """Wait until something is true (TimeoutError)."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(f"it did not happen within {seconds:.0f} s")
        time.sleep(0.05)
