"""Read servers: copies of the database that answer for each corpus of which they hold the last write."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from kgservice.core.errors import GraphUnavailable, SettingsError
from kgservice.core.records import ReadServerState
from kgservice.graph.store import Graph, check_address, driver_of, explained, series_of

T = TypeVar("T")
log = logging.getLogger("kgservice")
PATIENCE = 1.0  # seconds for a connection
MOMENT = 1.0  # seconds that a server's last write is not read again
REST = 10.0  # seconds that a server is not asked after it did not answer


class ReadServer(Graph):
    """A copy of a primary's database. It is never written, and work on it does not wait for it to come back."""

    def __init__(self, uri: str, user: str, password: str, database: str, series: int) -> None:
        super().__init__(driver_of(uri, user, password, PATIENCE, retry=0.0), database, 0.0, series=series)
        self.address = uri
        self._rests_until, self._checked = 0.0, False
        self._writes: dict[str, tuple[float, neo4j.time.DateTime | None]] = {}  # last writes, with when they were read

    @property
    def is_ready(self) -> bool:
        """Return whether it answers, as far as is known; a server that did not is asked again after some seconds."""
        if not self._checked and time.monotonic() >= self._rests_until:
            try:
                self._check()
            except (DriverError, Neo4jError, GraphUnavailable) as error:
                self.rest(error)
        return self._checked

    def rest(self, reason: Exception) -> None:
        """Leave the server out for some seconds."""
        if self._checked or not self._rests_until:
            log.warning("the read server %s is left out: %s", self.address, str(reason).partition("\n")[0])
        self._checked, self._rests_until = False, time.monotonic() + REST

    def last_write(self, code: str) -> neo4j.time.DateTime | None:
        """Return the last write of a corpus here, as it was a moment ago: an older database is not restored so fast."""
        read, written = self._writes.get(code, (-MOMENT, None))
        if time.monotonic() - read >= MOMENT:
            started = time.monotonic()
            written = super().last_write(code)
            self._writes[code] = started, written
        return written

    def _check(self) -> None:
        series = series_of(self._driver.get_server_info().agent)
        if series != self.series:
            raise GraphUnavailable(f"it is a Neo4j {series}, and the primary a Neo4j {self.series}")
        self.read("read/corpora")  # a server may answer and have no such database
        if self._rests_until:
            log.warning("the read server %s is back", self.address)
        self._checked = True

    def _patiently(self, attempt: Callable[[], T]) -> T:
        try:
            return attempt()
        except (DriverError, Neo4jError) as error:
            found = explained(error)
            if found is error and error.is_retryable():
                raise GraphUnavailable(str(error)) from error
            raise found from error


class ReplicatedGraph(Graph):
    """A database with read servers beside it, opened by `open` and `read_from`."""

    def __init__(self, *known: Any, **options: Any) -> None:
        super().__init__(*known, **options)
        self._servers: list[ReadServer] = []
        self._turns = count()

    def read_from(self, uris: Sequence[str], user: str, password: str) -> None:
        """Read enumerated subgraphs and retrieved chunks from these servers, in turn.

        Raises SettingsError if an address cannot be one.
        """
        try:
            for uri in uris:
                check_address(uri, "KGS_NEO4J_READ_URIS")
                self._servers.append(ReadServer(uri, user, password, self._database, self.series))
        except (DriverError, ValueError) as error:
            self.close()
            raise SettingsError(f"KGS_NEO4J_READ_URIS: {error}") from error
        except SettingsError:
            self.close()
            raise

    def close(self) -> None:
        """Close all connections."""
        for server in self._servers:
            server.close()
        super().close()

    def spread(self, code: str, work: Callable[[Graph], T]) -> T:
        """Return what `work` reads of a corpus from the next server that holds its last write, else from the primary.

        A server that fails is left out for some seconds, and the work is done again elsewhere.
        """
        written = self.last_write(code) if self._servers else None
        for server in self._in_turn() if written else ():
            try:
                if server.last_write(code) == written:
                    return work(server)
            except GraphUnavailable as error:
                server.rest(error)
        return work(self)

    def read_servers(self) -> list[ReadServerState]:
        """Return what each server holds, in the order of the setting."""
        written = {row["name"]: row["last_write"] for row in self.read("read/corpora")} if self._servers else {}
        return [self._state(server, written) for server in self._servers]

    def _state(self, server: ReadServer, written: dict[str, neo4j.time.DateTime]) -> ReadServerState:
        try:
            held = {row["name"]: row["last_write"] for row in server.read("read/corpora")} if server.is_ready else None
        except GraphUnavailable as error:
            server.rest(error)
            held = None
        if held is None:
            return ReadServerState(address=server.address, state="away")
        behind = tuple(name for name in sorted(held.keys() | written.keys()) if held.get(name) != written.get(name))
        newest = max(filter(None, held.values()), default=None)
        return ReadServerState(
            address=server.address, state="behind" if behind else "current", behind=behind,
            last_write=newest and newest.to_native(),
        )  # fmt: skip

    def _in_turn(self) -> Iterator[ReadServer]:
        first = next(self._turns)
        for place in range(len(self._servers)):
            server = self._servers[(first + place) % len(self._servers)]
            if server.is_ready:
                yield server
