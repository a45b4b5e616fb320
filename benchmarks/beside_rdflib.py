"""Enumeration beside SPARQL in rdflib, as in DRAGON's pipeline, on the same triples in the same run.

The SPARQL states DRAGON's types (its paper: set and conditional questions). kgservice gets the nearest options: both
ends unique, sets of any size, bridges of any degree, no condition on chunks, conditions that are not each needed.
DRAGON's multi-hop accepts pairs with several answers, so for chains, stars and inverted stars the SPARQL states our
definition. So does a plain Cypher statement, which counts the members of each group instead of reading counters. A run
fails if the numbers of rows differ. Seconds are of the clock, and of the processor in this process and in the server.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent.parent)]  # kgservice from this checkout

import rdflib
from refresh import Meter

from kgservice.core.journal import Journal
from kgservice.core.settings import Settings
from kgservice.graph.store import Graph
from kgservice.ingest.pipeline import Recipe, load
from kgservice.managed_neo4j import server
from kgservice.questions.patterns import SubgraphOptions, count, subgraphs
from kgservice.setup.connect import connect
from loaders.triplets import TripletsLoader

PAIR = """SELECT ?a ?p ?b ?q ?c WHERE {{ {one} . {two} . FILTER(?a != ?c) . FILTER(?p != ?q) }}
GROUP BY ?a ?c ?p ?q HAVING(COUNT(?b) = 1)"""
SET = """SELECT {one} ?r (GROUP_CONCAT(DISTINCT STR({many}); separator='|') AS ?members) WHERE {{ ?s ?r ?o }}
GROUP BY {one} ?r HAVING(COUNT({many}) > 1)"""
SHAPES = {
    "star": ("?b ?p ?a", "?b ?q ?c"),
    "inverted_star": ("?a ?p ?b", "?c ?q ?b"),
    "chain": ("?a ?p ?b", "?b ?q ?c"),
}
SPARQL = {
    "set_of_objects": SET.format(one="?s", many="?o"),
    "set_of_subjects": SET.format(one="?o", many="?s"),
    **{f"conditional_{name}": PAIR.format(one=one, two=two) for name, (one, two) in SHAPES.items()},
}
DEFINITE = """SELECT ?a ?p ?b ?q ?c WHERE {{ {one} . {two} . FILTER(?p != ?q && ?a != ?b && ?b != ?c && ?a != ?c) .
FILTER NOT EXISTS {{ {first} . FILTER(?x != {only}) }} . FILTER NOT EXISTS {{ {second} . FILTER(?y != {last}) }} }}"""
# each way to ask: the two groups that must have one member, with the member; a star's two ends are each other's mirror
WAYS = {
    "chain": ({"first": "?a ?p ?x", "only": "?b", "second": "?b ?q ?y", "last": "?c"},
              {"first": "?x ?p ?b", "only": "?a", "second": "?y ?q ?c", "last": "?b"}),
    "star": ({"first": "?x ?p ?a", "only": "?b", "second": "?b ?q ?y", "last": "?c"},),
    "inverted_star": ({"first": "?a ?p ?x", "only": "?b", "second": "?y ?q ?b", "last": "?c"},),
}  # fmt: skip
MULTI_HOP = {
    name: tuple(DEFINITE.format(one=SHAPES[name][0], two=SHAPES[name][1], **way) for way in ways)
    for name, ways in WAYS.items()
}
PLAIN = """MATCH {path} WHERE f.relation <> g.relation AND a <> b AND b <> c AND a <> c
AND COUNT {{ {first} }} = 1 AND COUNT {{ {second} }} = 1 RETURN {returned}"""
PATHS = {
    "chain": "(a)-[f:FACT]->(b)-[g:FACT]->(c)",
    "star": "(a)<-[f:FACT]-(b)-[g:FACT]->(c)",
    "inverted_star": "(a)-[f:FACT]->(b)<-[g:FACT]-(c)",
}
OBJECTS, SUBJECTS = "({0})-[:FACT {{relation: {1}.relation}}]->()", "()-[:FACT {{relation: {1}.relation}}]->({0})"
GROUPS = {
    "chain": (
        (OBJECTS.format("a", "f"), OBJECTS.format("b", "g")),
        (SUBJECTS.format("b", "f"), SUBJECTS.format("c", "g")),
    ),
    "star": ((SUBJECTS.format("a", "f"), OBJECTS.format("b", "g")),),
    "inverted_star": ((OBJECTS.format("a", "f"), SUBJECTS.format("b", "g")),),
}  # fmt: skip
ANY = 2**31
NEAREST = SubgraphOptions(max_pivot_degree=ANY, cross_chunk=False, each_needed=False, max_set=ANY)


def main() -> None:
    """Measure all types on one graph and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=3_000)
    parser.add_argument("--types", nargs="*", choices=[*SPARQL, *MULTI_HOP], default=[*SPARQL, *MULTI_HOP])
    options = parser.parse_args()
    triples = _triples(options.facts)
    with tempfile.TemporaryDirectory(prefix="kgservice-rdflib-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        try:
            with connect(Settings(home=home, neo4j_uri=None)) as graph:
                _load(graph, home, triples)
                types = {name: _compared(graph, triples, name, Meter(home)) for name in options.types}
        finally:
            server.stop(home)
    print(json.dumps({"facts": options.facts, "types": types}))


def _triples(facts: int) -> list[tuple[str, str, str]]:
    """Return distinct triples with few hubs, seeded."""
    rng, triples = random.Random(0), {}
    while len(triples) < facts:
        subject, other = (f"e{int(0.4 * facts * rng.random() ** 2)}" for _ in range(2))
        if subject != other:  # neither DRAGON nor kgservice lists readings that repeat an entity
            triples[subject, f"r{rng.randrange(40)}", other] = None
    return list(triples)


def _load(graph: Graph, home: Path, triples: list[tuple[str, str, str]]) -> None:
    file = home / "triples.tsv"
    file.write_text("head\trelation\ttail\n" + "\n".join("\t".join(t) for t in triples) + "\n", encoding="utf-8")
    with Journal(home, "load") as journal:
        report = load(graph, TripletsLoader(file).read(), "c", Recipe(extract="none"), None, journal)
    if report.facts != len(triples):
        raise SystemExit(f"{report.facts} facts are stored, not {len(triples)}")


def _compared(graph: Graph, triples: list[tuple[str, str, str]], name: str, metered: Meter) -> dict[str, Any]:
    theirs = rdflib.Graph()
    for subject, relation, other in triples:
        theirs.add(tuple(rdflib.URIRef(f"news://{part}") for part in (subject, relation, other)))  # type: ignore[arg-type]
    for _ in subgraphs(graph, "c", name, NEAREST):  # plans and pages of the database, as after the first question
        pass
    count(graph, "c", name, NEAREST)
    asked = MULTI_HOP.get(name) or (SPARQL[name],)
    theirs_took, rows = metered(lambda: sum(len({_told(name, row) for row in theirs.query(one)}) for one in asked))
    all_took, read = metered(lambda: sum(1 for _ in subgraphs(graph, "c", name, NEAREST)))
    first_took, _ = metered(lambda: list(islice(subgraphs(graph, "c", name, NEAREST), 1_000)))
    count_took, number = metered(lambda: count(graph, "c", name, NEAREST))
    if rows != read:
        raise SystemExit(f"{name}: SPARQL finds {rows} rows, kgservice {read}")
    took = {"sparql": theirs_took, "all_rows": all_took, "first_1000": first_took, "count": count_took}
    seconds = {what: one["clock"] for what, one in took.items()}
    found: dict[str, Any] = {"rows": {"sparql": rows, "kgservice": read}, "seconds": seconds}
    found["faster"] = {
        what: round(seconds["sparql"] / seconds[what], 1) for what in ("all_rows", "first_1000", "count")
    }
    found["faster"]["count_and_first_1000"] = min(found["faster"]["count"], found["faster"]["first_1000"])
    processor = {what: one["processor"] for what, one in took.items()}
    faster = {what: round(processor["sparql"] / max(processor[what], 0.01), 1) for what in ("all_rows", "first_1000")}
    found["processor"] = {"seconds": processor, "faster": faster}
    if name in MULTI_HOP:
        found |= _beside_cypher(graph, name, number, seconds["count"], seconds["all_rows"])
    print(name, found, number, file=sys.stderr, flush=True)
    return found


def _beside_cypher(graph: Graph, name: str, number: int, counted: float, ours: float) -> dict[str, Any]:
    """Return the seconds of a plain Cypher statement for the same count and rows, and kgservice's speed-up."""
    seconds: dict[str, float] = {}
    for what, returned in (("count", "count(*) AS n"), ("all_rows", "[a, f, b, g, c] AS row")):
        plain = [PLAIN.format(path=PATHS[name], first=one, second=two, returned=returned) for one, two in GROUPS[name]]
        for _ in range(2):  # the first plans
            seconds[what], found = _timed(lambda: [_run(graph, one) for one in plain])  # noqa: B023
        if what == "count" and (rows := sum(one[0]["n"] for one in found)) != number:
            raise SystemExit(f"{name}: plain Cypher counts {rows} rows, kgservice {number}")
    faster = {"count": round(seconds["count"] / counted, 1), "all_rows": round(seconds["all_rows"] / ours, 1)}
    return {"plain_cypher": {"seconds": seconds, "kgservice_faster": faster}}


def _run(graph: Graph, statement: str) -> list[Any]:
    return graph.session(lambda session: list(session.run(statement)))


def _told(name: str, row: Any) -> tuple[str, ...]:
    """Return a row in kgservice's form, with the arms of a star or inverted star in one order."""
    parts = [str(part).rsplit("/", 1)[-1] for part in row]
    if name in ("conditional_star", "conditional_inverted_star") and parts[1] > parts[3]:
        parts = [parts[4], parts[3], parts[2], parts[1], parts[0]]
    return tuple(parts)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return round(time.perf_counter() - started, 3), result


if __name__ == "__main__":
    main()
