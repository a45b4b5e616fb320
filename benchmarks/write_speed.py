"""Writing speed of kgservice beside neo4j-graphrag, langchain-neo4j and the bare driver: one server, one workload."""

from __future__ import annotations

import argparse
import gc
import json
import logging
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout, in the peers' environment

import neo4j
from apoc_server import apoc_server
from workload import Workload, workload
from writers import CYPHER, WRITERS, Shape

from kgservice.managed_neo4j.folder import Server

WARM_UP = 2  # rounds: the server compiles what it runs often
STRUCTURE = ["PART_OF", "NEXT", "FROM_DOCUMENT", "NEXT_CHUNK"]


def main() -> None:
    """Run all rounds and print seconds, facts a second and the ratios of each round."""
    options = _options()
    logging.getLogger("neo4j").setLevel(logging.ERROR)  # the peers' statements cause notifications by the thousand
    names = options.writers or list(WRITERS)
    try:
        rounds = _rounds(workload(options.facts, options.entities, options.chunks), names, options.rounds)
    except ModuleNotFoundError as error:
        raise SystemExit(f"{error.name} is not installed here: see benchmarks/README.md") from error
    result = _result(names, rounds, options.facts)
    print(json.dumps(result) if options.json else _table(result))


def _rounds(given: Workload, names: list[str], count: int) -> list[dict[str, float]]:
    """Seconds by writer and round, in an order that moves on each round; the first WARM_UP rounds are not counted."""
    found: list[dict[str, float]] = []
    with apoc_server() as server:
        for number in range(WARM_UP + count):
            turn = number % len(names)
            found.append({name: _timed(server, given, name) for name in names[turn:] + names[:turn]})
            shown = {name: round(seconds, 2) for name, seconds in found[-1].items()}
            print("warm-up" if number < WARM_UP else "counted", shown, file=sys.stderr, flush=True)
    return found[WARM_UP:]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--entities", type=int, default=8_000)
    parser.add_argument("--chunks", type=int, default=1_700)
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds, after the warm-up")
    parser.add_argument("--writers", nargs="*", choices=list(WRITERS), help="default: all")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _timed(server: Server, given: Workload, name: str) -> float:
    """Write the workload once into an emptied database and return the seconds it took."""
    shape = WRITERS[name]
    with neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", server.password)) as driver:
        _wipe(driver)
        shape.prepare(server, workload(60, 24, 5))()  # the server plans the writer's statements outside the clock
        _delete(driver)
        write = shape.prepare(server, given)
        driver.execute_query(CYPHER["await_indexes"])
        gc.collect()
        gc.freeze()  # the prepared objects of the benchmark must not slow down anybody's garbage collection
        started = time.perf_counter()
        write()
        seconds = time.perf_counter() - started
        gc.unfreeze()
        _check(driver, name, shape, given)
    return seconds


def _delete(driver: neo4j.Driver) -> None:
    with driver.session() as session:
        session.run(CYPHER["delete_all"]).consume()


def _wipe(driver: neo4j.Driver) -> None:
    """Remove all nodes, constraints and indexes."""
    _delete(driver)
    for kind in ("constraint", "index"):
        for row in driver.execute_query(CYPHER["constraints" if kind == "constraint" else "indexes"]).records:
            driver.execute_query(CYPHER[f"drop_{kind}"], name=row["name"])


def _check(driver: neo4j.Driver, name: str, shape: Shape, given: Workload) -> None:
    """Every writer must have stored the same nodes, facts and provenance links; the counters must be right."""
    statements = [one for stated in given.documents for item in stated.chunks for one in item.statements]
    entities = {end.id for one in statements for end in (one.subject, one.object)}
    links = 0
    for stated in given.documents:
        links += sum(len({e.id for s in item.statements for e in (s.subject, s.object)}) for item in stated.chunks)
    wanted = [len(given.documents), len(given.vectors), len(given.vectors), len(entities), links, len(statements)]
    names = {"document": shape.document, "chunk": shape.chunk, "entity": shape.entity, "mentions": shape.mentions}
    stored = driver.execute_query(CYPHER["stored"], names, other=[*STRUCTURE, shape.mentions]).records[0].values()
    if stored != wanted:
        raise SystemExit(f"{name} stored {stored}, not {wanted}")
    if name == "kgservice" or name.startswith("driver"):
        groups: dict[tuple[str, str, str], int] = {}
        for one in statements:
            for key in (("sr", one.subject.id, one.relation), ("ro", one.relation, one.object.id)):
                groups[key] = groups.get(key, 0) + 1
        squares = {side: sum(n * n for key, n in groups.items() if key[0] == side) for side in ("sr", "ro")}
        if (row := driver.execute_query(CYPHER["counters"]).records[0].values()) != [
            *squares.values(),
            2 * len(statements),
        ]:
            raise SystemExit(f"{name} counted {row}, not {squares}")


def _result(names: list[str], rounds: list[dict[str, float]], facts: int) -> dict[str, Any]:
    medians = {name: median(row[name] for row in rounds) for name in names}
    result: dict[str, Any] = {
        "rounds": [{name: round(row[name], 2) for name in names} for row in rounds],
        "facts_per_second": {name: round(facts / seconds) for name, seconds in medians.items()},
    }
    if "kgservice" in names:
        result["speed_of_kgservice_over"] = {
            name: round(median(row[name] / row["kgservice"] for row in rounds), 2)
            for name in names
            if name != "kgservice"
        }
    return result


def _table(result: dict[str, Any]) -> str:
    lines = ["seconds, a line a round:"]
    lines += ["  ".join(f"{name} {value}" for name, value in row.items()) for row in result["rounds"]]
    lines += [f"{name}: {value}" for name, value in result.items() if name != "rounds"]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
