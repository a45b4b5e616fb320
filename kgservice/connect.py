"""From settings to an open graph: the given database, or the managed one, started if need be."""

from __future__ import annotations

from collections.abc import Callable

from kgservice.graph.store import Graph
from kgservice.settings import Settings


def connect(settings: Settings, say: Callable[[str], None] | None = None) -> Graph:
    """Open the database at KGS_NEO4J_URI, or the managed Neo4j in KGS_HOME (ServerError, GraphUnavailable)."""
    if settings.neo4j_uri:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return Graph.open(
            settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database, wait=settings.neo4j_wait
        )
    from kgservice.graph import server  # heavy, and not needed with a database of one's own

    running = server.start(
        settings.home,
        settings.cache,
        bolt_port=settings.neo4j_bolt_port,
        http_port=settings.neo4j_http_port,
        heap=settings.neo4j_heap,
        pagecache=settings.neo4j_pagecache,
        say=say,
    )
    return Graph.open(running.uri, "neo4j", running.password, wait=settings.neo4j_wait)
