"""Connections of the service: deadlines of request heads and answers, and a limit on their number.

uvicorn waits forever for the rest of a head, and for a client that does not read its answer. body.py limits the time of
bodies.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0  # seconds from the first byte (or the connection) to the end of the head
UNREAD = 30.0  # seconds that an answer may wait for the client to read it
FULL = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 5\r\nConnection: close\r\n\r\n"
SLOW = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Connection(H11Protocol):
    """A connection of uvicorn with deadlines. At the limit the oldest one with an incomplete request is closed."""

    most: ClassVar[int] = 500

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept a connection, or refuse it if all others are being answered."""
        self._head: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that any unread byte pauses the writing
        self._await_head()
        if len(self.connections) <= self.most:
            return
        waiting = (one for one in self.connections if isinstance(one, Connection) and one is not self and one.asking())
        oldest = min(waiting, key=lambda one: one.since, default=None)
        if oldest is None:
            transport.write(FULL)
            transport.close()
        else:
            self.connections.discard(oldest)  # now, as the loop's next turn is too late for others in this one
            oldest.transport.abort()

    def asking(self) -> bool:
        """Return whether this connection waits for (the rest of) a request."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def handle_events(self) -> None:
        """Process what was received, and start the deadline of the next head if there is none."""
        super().handle_events()
        if self.conn.their_state is not h11.IDLE:
            self._stop("_head")
        elif self._head is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """Reset the age of the connection."""
        self.since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the deadlines."""
        self._stop("_head")
        self._stop("_unread")
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read its answer."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD, self.transport.abort)

    def resume_writing(self) -> None:
        """Continue to write."""
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
