"""Five ways to write the workload; each is prepared before the clock and returns what is to be timed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import neo4j
from workload import Workload

from kgservice.core.records import StatedDocument
from kgservice.graph.queries import query
from kgservice.graph.rows import Rows, chunk_keys, rows_of
from kgservice.graph.store import Graph
from kgservice.graph.transaction import SLICE
from kgservice.ingest.admission import BATCH_DOCUMENTS, BATCH_WEIGHT
from kgservice.managed_neo4j.folder import Server

CORPUS = "benchmark"
VECTOR_ROWS = 512  # as kgservice.vectors.embedder.POOL

CYPHER = {path.stem: path.read_text(encoding="utf-8") for path in (Path(__file__).parent / "cypher").iterdir()}

Write = Callable[[], None]
Prepare = Callable[[Server, Workload], Write]


@dataclass(frozen=True)
class Shape:
    """What a writer calls its nodes and its provenance links."""

    document: str
    chunk: str
    entity: str
    mentions: str
    prepare: Prepare


def kgservice(server: Server, given: Workload) -> Write:
    """Rows made and written batch by batch as a load does it, all inside the clock; then Graph.store_vectors."""
    graph = Graph.open(server.uri, "neo4j", server.password)
    batches, vectors = _batches(given), _vector_rows(given)

    def write() -> None:
        with graph, ThreadPoolExecutor(max_workers=1) as pool:
            writing: Future[None] = pool.submit(lambda: None)
            for batch in batches:
                rows = graph.prepare_rows(CORPUS, batch)
                writing.result()
                writing = pool.submit(graph.write, rows)
            writing.result()
            for start in range(0, len(vectors), VECTOR_ROWS):
                graph.store_vectors(vectors[start : start + VECTOR_ROWS])

    return write


def driver(server: Server, given: Workload) -> Write:
    """The same rows and counters with nothing but the driver; the rows are ready before the clock starts."""
    connection = neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", server.password))
    rows, vectors = _rows(given), _vector_rows(given)
    for label in ("document", "chunk", "entity"):
        connection.execute_query(query(f"schema/{label}_key"))
    statements: list[tuple[str, list[dict[str, Any]]]] = [
        (query("write/documents"), rows.documents),
        (query("write/chunks"), rows.chunks),
        (query("write/next_chunks"), rows.following),
        (CYPHER["entities"], list(rows.entities.values())),
        (CYPHER["mentions"], rows.mentions),
        (CYPHER["facts"], list(rows.facts.values())),
        (query("write/embeddings"), vectors),
    ]

    def write() -> None:
        with connection, connection.session() as session:
            for text, given_rows in statements:
                for start in range(0, len(given_rows), SLICE):
                    session.run(text, rows=given_rows[start : start + SLICE]).consume()
            for name in ("count_objects", "count_subjects", "count_degrees"):
                session.run(CYPHER[name]).consume()

    return write


def driver_same_schema(server: Server, given: Workload) -> Write:
    """The bare driver again, into the constraints and indexes that kgservice's queries need."""
    Graph.open(server.uri, "neo4j", server.password).close()
    return driver(server, given)


def graphrag(server: Server, given: Workload) -> Write:
    """neo4j-graphrag's Neo4jWriter (batches of 1,000, its default) on a graph with its own lexical part."""
    import asyncio

    from neo4j_graphrag.components.kg_writer import Neo4jWriter
    from neo4j_graphrag.components.types import Neo4jGraph, Neo4jNode, Neo4jRelationship

    rows, vectors = _rows(given), {row["key"]: row["vector"] for row in _vector_rows(given)}
    nodes = [Neo4jNode(id=row["key"], label="Document", properties=_known(row["properties"])) for row in rows.documents]
    for row in rows.chunks:
        vector = {"embedding": vectors[row["key"]]}
        nodes.append(Neo4jNode(id=row["key"], label="Chunk", properties=_text(row), embedding_properties=vector))
    nodes += [
        Neo4jNode(id=row["key"], label="Entity", properties=_known(row["properties"])) for row in rows.entities.values()
    ]

    def link(start: str, end: str, kind: str, **properties: Any) -> Neo4jRelationship:
        return Neo4jRelationship(start_node_id=start, end_node_id=end, type=kind, properties=properties)

    links = [link(row["key"], row["document"], "FROM_DOCUMENT") for row in rows.chunks]
    links += [link(row["key"], row["next"], "NEXT_CHUNK") for row in rows.following]
    links += [link(row["entity"], row["chunk"], "FROM_CHUNK") for row in rows.mentions]
    links += [link(row["subject"], row["object"], _type(row), **_statement(row)) for row in rows.facts.values()]
    graph = Neo4jGraph(nodes=nodes, relationships=links)
    connection = neo4j.GraphDatabase.driver(server.uri, auth=("neo4j", server.password))
    writer = Neo4jWriter(connection, batch_size=1000)

    def write() -> None:
        with connection:
            asyncio.run(writer.run(graph))

    return write


def langchain(server: Server, given: Workload) -> Write:
    """langchain-neo4j's add_graph_documents with sources and the base label, a graph document a chunk."""
    from langchain_core.documents import Document
    from langchain_neo4j import Neo4jGraph
    from langchain_neo4j.graphs.graph_document import GraphDocument, Node, Relationship

    rows, vectors = _rows(given), {row["key"]: row["vector"] for row in _vector_rows(given)}
    files = [Node(id=row["key"], type="File", properties=_known(row["properties"])) for row in rows.documents]
    nodes = {
        key: Node(id=key, type="Entity", properties=_known(row["properties"])) for key, row in rows.entities.items()
    }
    sources = {
        row["key"]: Document(
            page_content=row["properties"]["text"],
            metadata={"id": row["key"], "embedding": vectors[row["key"]], **_text(row, without="text")},
        )
        for row in rows.chunks
    }
    found = {key: GraphDocument(nodes=[], relationships=[], source=source) for key, source in sources.items()}
    for row in rows.mentions:
        found[row["chunk"]].nodes.append(nodes[row["entity"]])
    for row in rows.facts.values():
        ends = {"source": nodes[row["subject"]], "target": nodes[row["object"]]}
        found[row["properties"]["chunks"][0]].relationships.append(
            Relationship(**ends, type=_type(row), properties=_statement(row))
        )
    graph = Neo4jGraph(server.uri, "neo4j", server.password, refresh_schema=False)

    def write() -> None:
        graph.add_graph_documents([GraphDocument(nodes=files, relationships=[])], baseEntityLabel=True)
        graph.add_graph_documents(list(found.values()), include_source=True, baseEntityLabel=True)
        graph.close()

    return write


WRITERS = {
    "kgservice": Shape("Document", "Chunk", "Entity", "MENTIONS", kgservice),
    "driver": Shape("Document", "Chunk", "Entity", "MENTIONS", driver),
    "driver, same schema": Shape("Document", "Chunk", "Entity", "MENTIONS", driver_same_schema),
    "neo4j-graphrag": Shape("Document", "Chunk", "Entity", "FROM_CHUNK", graphrag),
    "langchain-neo4j": Shape("File", "Document", "Entity", "MENTIONS", langchain),
}


def _batches(given: Workload) -> list[list[StatedDocument]]:
    """Batches of the size that kgservice.ingest.pipeline makes."""
    batches: list[list[StatedDocument]] = [[]]
    weight = 0
    for stated in given.documents:
        own = len(stated.document.text) + 200 * len(stated.document.triplets or ())
        if batches[-1] and (len(batches[-1]) >= BATCH_DOCUMENTS or weight + own > BATCH_WEIGHT):
            batches.append([])
            weight = 0
        batches[-1].append(stated)
        weight += own
    return batches


def _rows(given: Workload) -> Rows:
    return rows_of(CORPUS, given.documents, {})


def _vector_rows(given: Workload) -> list[dict[str, Any]]:
    found = [key for stated in given.documents for key in chunk_keys(CORPUS, stated)]
    return [{"key": key, "vector": vector} for key, vector in zip(found, given.vectors, strict=True)]


def _known(properties: dict[str, Any]) -> dict[str, Any]:
    """The properties for a peer, which has its own `id` and takes no null."""
    return {name: value for name, value in properties.items() if name != "id" and value is not None}


def _text(row: dict[str, Any], without: str = "") -> dict[str, Any]:
    return {name: row["properties"][name] for name in ("text", "index", "title", "start", "end") if name != without}


def _type(row: dict[str, Any]) -> str:
    return str(row["properties"]["relation"]).replace(" ", "_").upper()


def _statement(row: dict[str, Any]) -> dict[str, Any]:
    properties = row["properties"]
    return {"chunk": properties["chunks"][0], "sentence": properties["sentences"][0]}
