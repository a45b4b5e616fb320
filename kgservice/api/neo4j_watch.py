"""Looks after the managed Neo4j while the service runs: one that died, as when out of memory, is started again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from kgservice.core.errors import KgserviceError
from kgservice.core.settings import Settings
from kgservice.setup.connect import revived

log = logging.getLogger("kgservice")
EVERY = 2.0  # seconds


@contextmanager
def watched(settings: Settings) -> Iterator[None]:
    """Look every two seconds; a server that somebody stopped stays so, and one of our own is not ours to start."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(EVERY):
            try:
                if revived(settings):
                    log.error("Neo4j had ended by itself and was started again; its logs are in KGS_HOME/neo4j/logs")
            except KgserviceError as error:
                log.error("Neo4j ended by itself and does not start: %s", error)

    thread = threading.Thread(target=look, name="kgservice-neo4j", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
