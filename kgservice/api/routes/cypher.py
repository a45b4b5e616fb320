"""/cypher: questions of a curator's own to the graph, reading only."""

from __future__ import annotations

import base64
import math
import re
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import neo4j
from fastapi import APIRouter, Depends, HTTPException, Request
from neo4j.exceptions import ClientError, DatabaseError
from neo4j.graph import Node, Path, Relationship
from pydantic import Field

from kgservice.api.deps import TheGraph, keyed_or_local
from kgservice.api.policy import gives
from kgservice.api.reading import MB, ReadingRoute, body_of
from kgservice.core.errors import BadRequest, TooMuch
from kgservice.core.records import Record

router = APIRouter(tags=["cypher"], route_class=ReadingRoute)

SECONDS = 10.0  # a transaction's time
GRACE, AT_ONCE = 3.0, 4  # seconds more until a statement is given up; how many there may be, given up or not
_FREE = threading.BoundedSemaphore(AT_ONCE)
REFUSAL = "Neo4j refuses the statement"
_PLACE = re.compile(
    r" \(line (?P<line>\d+), column (?P<column>\d+) \(offset: \d+\)\).*", re.DOTALL
)  # and what it quotes
_PROFILE = re.compile(r"\bPROFILE\b", re.IGNORECASE)
# these count as reading, but fetch files and addresses, stop others' work, or tell what others ask and how it is set up
REFUSED = {"LoadCSV", "TerminateTransactions", "ShowTransactions", "ShowSettings"}
PROCEDURES = {  # others that count as reading plan or sample anew, wait, or tell what others ask
    "db.labels",
    "db.relationshipTypes",
    "db.propertyKeys",
    "db.schema.visualization",
    "db.schema.nodeTypeProperties",
    "db.schema.relTypeProperties",
    "db.index.fulltext.queryNodes",
    "db.index.fulltext.queryRelationships",
    "db.index.vector.queryNodes",
    "db.index.vector.queryRelationships",
}


class CypherStatement(Record):
    """A reading Cypher statement with its parameters."""

    query: str = Field(
        min_length=1,
        max_length=100_000,
        examples=["MATCH (s:Entity)-[f:FACT]->(o:Entity) RETURN s.label, f.label, o.label"],
    )
    parameters: dict[str, Any] = Field(default_factory=dict, examples=[{}])
    limit: int = Field(100, ge=1, le=1_000, description="rows at most")


class CypherTable(Record):
    """The rows of an answer by column; `more`: there were others beyond the limit.

    Nodes, relationships and paths are objects; dates and times ISO texts; NaN and infinities texts; bytes base64.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    more: bool


@router.post("/cypher", dependencies=[Depends(keyed_or_local), gives("database")], openapi_extra=body_of(MB))
def run(statement: CypherStatement, graph: TheGraph, request: Request) -> CypherTable:
    """Run a reading statement within 10 seconds; where no keys are configured, for callers on this machine only."""
    request.state.about |= {"query": statement.query[:1_000]}
    try:
        return _ended(lambda: graph.session(lambda session: _run(session, statement), reading=True))
    except (ClientError, DatabaseError) as error:  # it is the caller's own statement
        raise BadRequest(f"{REFUSAL}: {error.message}") from error
    except (OverflowError, UnicodeEncodeError) as error:
        raise BadRequest(f"a parameter cannot be sent to Neo4j: {error}") from error


def _ended(work: Callable[[], CypherTable]) -> CypherTable:
    """Do `work`, and give it up where it does not end: Neo4j looks at its time limit between rows, not within one."""
    free = _FREE
    if not free.acquire(timeout=SECONDS):
        raise HTTPException(503, f"{AT_ONCE} statements run already: try again later", {"Retry-After": "30"})
    done = Future[CypherTable]()

    def do() -> None:
        try:
            done.set_result(work())
        except Exception as error:  # noqa: BLE001 - it is raised again where it is waited for
            done.set_exception(error)
        finally:
            free.release()

    threading.Thread(target=do, name="kgservice-cypher", daemon=True).start()
    try:
        return done.result(SECONDS + GRACE)
    except TimeoutError as error:
        raise TooMuch("the statement does not end: an expression of it (reduce, a list) loops too long") from error


def _run(session: neo4j.Session, statement: CypherStatement) -> CypherTable:
    with session.begin_transaction(timeout=SECONDS) as transaction:
        _check(_explained(transaction, statement))
        result = transaction.run(statement.query, statement.parameters)
        found = result.fetch(statement.limit + 1)
        columns = tuple(result.keys())
        rows = [dict(zip(columns, map(plain, row), strict=True)) for row in found[: statement.limit]]
        return CypherTable(columns=columns, rows=tuple(rows), more=len(found) > statement.limit)


def _explained(transaction: neo4j.Transaction, statement: CypherStatement) -> neo4j.ResultSummary:
    """Return Neo4j's plan of a statement. Raises BadRequest for one without a plan, with the place in the statement."""
    if not statement.query.strip():
        raise BadRequest("the statement is empty")
    try:
        return transaction.run(f"EXPLAIN\n{statement.query}", statement.parameters).consume()
    except ClientError as error:
        if (error.code or "").endswith("ArgumentError") and _PROFILE.search(statement.query):
            raise BadRequest("PROFILE is not allowed here: leave it out") from error
        raise BadRequest(f"{REFUSAL}: {_PLACE.sub(_in_statement, error.message or '')}") from error


def _in_statement(place: re.Match[str]) -> str:
    """Return a place that Neo4j names as one in the caller's statement, which begins in the second line."""
    line = int(place["line"]) - 1
    return f" (line {line}, column {place['column']})" if line else ""


def _check(summary: neo4j.ResultSummary) -> None:
    """Refuse what does not only read this graph, by the plan that Neo4j made (BadRequest)."""
    if summary.query_type != "r":
        raise BadRequest("only reading statements run here: change the graph by loading documents")
    for name, details in _operators(summary.plan or {}):
        called = details.partition("(")[0].strip()
        if name in REFUSED or (name == "ProcedureCall" and called not in PROCEDURES):
            raise BadRequest(f"{name}{f' {called}' if name == 'ProcedureCall' else ''} is not allowed here")


def _operators(plan: dict[str, Any]) -> list[tuple[str, str]]:
    name, details = str(plan.get("operatorType", "")).split("@")[0], str(plan.get("args", {}).get("Details", ""))
    return [(name, details), *(found for child in plan.get("children", []) for found in _operators(child))]


def plain(value: Any) -> Any:
    """Return a value of a row as JSON can hold it."""
    if isinstance(value, Node):
        return {"id": value.element_id, "labels": sorted(value.labels), "properties": plain(dict(value))}
    if isinstance(value, Relationship):
        ends = [node.element_id if node is not None else None for node in value.nodes]
        found = {"id": value.element_id, "type": value.type, "start": ends[0], "end": ends[1]}
        return found | {"properties": plain(dict(value))}
    if isinstance(value, Path):
        return {"nodes": plain(list(value.nodes)), "relationships": plain(list(value.relationships))}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set) and not hasattr(value, "iso_format"):
        return [plain(item) for item in value]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    return value.iso_format() if hasattr(value, "iso_format") else str(value)
