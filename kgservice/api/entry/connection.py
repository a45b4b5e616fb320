"""Connections of the service: how long a request's head may take, how many there are, and who gives way.

uvicorn waits for ever for the rest of a head, and for a client that does not read its answer; the time of bodies is
in `body.py`.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0  # seconds from the first byte (or the connection) to the end of the head
UNREAD = 30.0  # seconds that an answer may wait for its reader
FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
SLOW = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(H11Protocol):
    """A connection of uvicorn with deadlines. At the limit the oldest gives way that has not sent a whole request."""

    most: ClassVar[int] = 500

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it where there are too many that are being answered."""
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that any byte nobody reads is told
        self._await_head()
        if len(self.connections) <= self.most:
            return
        waiting = (one for one in self.connections if isinstance(one, Connection) and one is not self and one.asking())
        oldest = min(waiting, key=lambda one: one.since, default=None)
        if oldest is None:
            transport.write(FULL)
            transport.close()
        else:
            self.connections.discard(oldest)  # now: it is lost in the loop's next turn, and others may come in this one
            oldest.transport.abort()

    def asking(self) -> bool:
        """Say whether this waits for (the rest of) a request."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def handle_events(self) -> None:
        """Take what has come, and await a head's end where there is none yet."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._stop("_head")
        elif self._head is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """Begin anew."""
        self.since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._stop("_head")
        self._stop("_unread")
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """End a connection whose client does not read what it asked for."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on writing."""
        self._stop("_unread")
        super().resume_writing()

    def _await_head(self) -> None:
        self.since = self.loop.time()
        self._head = self.loop.call_later(HEAD, self._late)

    def _late(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(SLOW)
            self.transport.close()

    def _stop(self, timer: str) -> None:
        handle: Any = getattr(self, timer)
        if handle is not None:
            handle.cancel()
            setattr(self, timer, None)
