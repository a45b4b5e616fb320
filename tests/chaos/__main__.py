"""`make chaos`: kills of every kind, in a home and a Neo4j of their own; prints a table and writes each kill to a file.

Exit status 1 where something is not equal to undisturbed work, or less than 60 % of the kills were in the middle of
writing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import neo4j

import kgservice.releases.release  # noqa: F401
import loaders.triplets  # noqa: F401 - what is imported here the killed processes need not import
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.managed_neo4j import server
from tests.chaos.scenarios import LoadWithVectors, Neo4j, Outcome, Place, Refresh, Release, Scenario, Service
from tests.chaos.work import Database

SCHEDULE: tuple[tuple[type[Scenario], int, int], ...] = (  # kills in all, and before the work is let end
    (Release, 38, 4),
    (Refresh, 26, 4),
    (Service, 10, 2),
    (LoadWithVectors, 20, 4),
    (Neo4j, 6, 1),
)
ENOUGH = 0.6  # of the kills in the middle of writing
MISSES = 5  # in a row: runs in which the work ended before it could be killed


def main() -> None:
    """Run the schedule."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--seed", type=int, default=0)
    given.add_argument("--share", type=float, default=1.0, help="of the schedule's kills")
    given.add_argument("--size", type=float, default=1.0, help="of the scenarios' documents")
    given.add_argument("--only", action="append", default=[], help="a scenario, by its name; repeatable")
    given.add_argument("--corpus", default="chaos", help="is removed first")
    given.add_argument("--here", action="store_true", help="in the database of KGS_NEO4J_URI, not in one of its own")
    given.add_argument("--out", type=Path, default=Path("chaos.jsonl"))
    wanted = given.parse_args()
    chosen = [one for one in SCHEDULE if not wanted.only or one[0].name in wanted.only]
    if LoadWithVectors in {kind for kind, *_ in chosen}:
        import onnxruntime  # noqa: F401
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="kgs-chaos-") as folder,
        _place(Path(folder), wanted.corpus, here=wanted.here) as place,
        wanted.out.open("w", encoding="utf-8") as out,
    ):
        for kind, kills, together in chosen:
            kind.documents = round(kind.documents * wanted.size)
            for one in _outcomes(kind(place), max(1, round(kills * wanted.share)), together, wanted.seed):
                row = one._asdict() | {"kills": [kill._asdict() for kill in one.kills]}
                out.write(json.dumps(row) + "\n")
                out.flush()
                outcomes.append(one)
        place.graph.remove_corpus(wanted.corpus)
    _print_table(outcomes)
    kills = [kill for one in outcomes for kill in one.kills]
    enough = sum(kill.mid_write for kill in kills) >= ENOUGH * len(kills)
    sys.exit(not (enough and all(one.graph and one.questions is not False for one in outcomes)))


@contextmanager
def _place(folder: Path, corpus: str, *, here: bool) -> Iterator[Place]:
    """Open the database, a managed one that is started and stopped unless `here`."""
    os.environ["KGS_HOME"] = str(folder / "home")
    if not here:
        os.environ.pop("KGS_NEO4J_URI", None)
    settings = Settings()
    if settings.neo4j_uri and settings.neo4j_password:
        address = (settings.neo4j_uri, settings.neo4j_user, settings.neo4j_password.get_secret_value())
    else:
        memory = {"version": settings.neo4j_version, "heap": settings.neo4j_heap, "pagecache": settings.neo4j_pagecache}
        running = server.start(settings.home, settings.cache, **memory)  # type: ignore[arg-type]
        address = (running.uri, server.USER, running.password)
    try:
        with (
            Graph.open(*address) as graph,
            neo4j.GraphDatabase.driver(address[0], auth=address[1:], notifications_min_severity="OFF") as driver,
        ):
            yield Place(graph, Database(driver), folder, corpus)
    finally:
        server.stop(settings.home)


def _outcomes(scenario: Scenario, left: int, together: int, seed: int) -> Iterator[Outcome]:
    """Kill so often, some times before the work is let end and compared; say how it goes."""
    misses = 0
    while left > 0:
        started = time.monotonic()
        one = scenario.run(seed, min(together, left))
        left, seed, misses = left - len(one.kills), seed + 1, 0 if one.kills else misses + 1
        print(
            f"{one.scenario:<20} seed {one.seed:<4} {len(one.kills)} kills,"
            f" {sum(kill.mid_write for kill in one.kills)} in the middle of writing;"
            f" equal {one.graph}, questions {one.questions}   {time.monotonic() - started:.0f} s",
            flush=True,
        )
        if misses >= MISSES:
            raise RuntimeError(f"{one.scenario}: the work ends before it can be killed")
        yield one


def _print_table(outcomes: list[Outcome]) -> None:
    print(f"\n{'killed':<20} {'kills':>5} {'mid-write':>9} {'compared':>8} {'equal':>5} {'questions equal':>15}")
    rows = {name: [one for one in outcomes if one.scenario == name] for name in {one.scenario: 0 for one in outcomes}}
    for name, found in (rows | {"in all": outcomes}).items():
        kills = [kill for one in found for kill in one.kills]
        asked = [one.questions for one in found if one.questions is not None]
        print(
            f"{name:<20} {len(kills):>5} {sum(kill.mid_write for kill in kills):>9} {len(found):>8} "
            f"{sum(one.graph for one in found):>5} {f'{sum(asked)} of {len(asked)}' if asked else '':>15}"
        )


if __name__ == "__main__":
    main()
