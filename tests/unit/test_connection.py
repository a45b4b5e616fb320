"""A service on loopback and clients that are slow, many, or send too much: raw sockets against uvicorn as `serve` runs it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from kgservice.api.app import create_app
from kgservice.api.entry import body, connection
from kgservice.api.entry.connection import Connection
from kgservice.cli.serve import options
from kgservice.core.settings import Settings
from tests.unit.test_api import NoGraph

QUICK = 0.4  # seconds that stand for those of the service
Serve = Callable[..., int]
POST = b"POST /retrieve HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
GET = b"GET /jobs HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Serve with settings of the test's own, in a thread, and return the port."""
    monkeypatch.setattr(connection, "HEAD", QUICK)
    monkeypatch.setattr(connection, "UNREAD", QUICK)
    monkeypatch.setattr(body, "WAIT", QUICK)
    monkeypatch.setattr(Connection, "most", 500)
    with ExitStack() as stack:

        def start(**known: Any) -> int:
            settings = Settings(**{"home": tmp_path / str(len(known)), "api_keys": {}, "rate_limit": 0, **known})
            config = uvicorn.Config(create_app(settings, NoGraph()), port=0, **options(settings))
            server = uvicorn.Server(config)
            thread = threading.Thread(target=server.run)
            thread.start()
            stack.callback(thread.join, 20)
            stack.callback(setattr, server, "should_exit", True)
            while not server.started:
                time.sleep(0.01)
            port: int = server.servers[0].sockets[0].getsockname()[1]
            return port

        yield start


def opened(stack: ExitStack, port: int, sent: bytes = b"") -> socket.socket:
    one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
    one.sendall(sent)
    return one


def rest(one: socket.socket) -> bytes:
    """All that comes until the other side closes; a reset too ends it."""
    found = b""
    try:
        while piece := one.recv(65_536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


@pytest.mark.parametrize("head", [b"", b"GET", b"GET /jobs HTTP/1.1\r\nHost: localhost\r\nX-A"])
def test_a_head_that_does_not_end_is_given_up(serve: Serve, head: bytes) -> None:
    with ExitStack() as stack:
        many = [opened(stack, port, head) for port in [serve()] for _ in range(50)]
        assert {status(rest(one)) for one in many} == {408}  # one that is not given up ends the wait of 20 s


def test_a_head_that_drips_is_given_up(serve: Serve) -> None:
    with ExitStack() as stack:
        one = opened(stack, serve())
        with pytest.raises(OSError):
            for letter in GET[:-1] * 10:
                one.sendall(bytes([letter]))
                time.sleep(QUICK / 10)


def test_a_connection_is_used_again(serve: Serve) -> None:
    with ExitStack() as stack:
        one = opened(stack, serve())
        for _ in range(3):
            one.sendall(GET)
            answer = b""
            while not answer.endswith(b"}"):  # head and body may come apart
                answer += one.recv(65_536)
            assert status(answer) == 200
            time.sleep(QUICK / 2)


def test_a_body_that_does_not_end_is_given_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "LINGER", QUICK)
    with ExitStack() as stack:
        port = serve()
        for half in (POST + b'Content-Length: 999\r\n\r\n{"que', POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{"):
            answer = rest(opened(stack, port, half))
            assert status(answer) == 408
            assert b"application/problem+json" in answer
        unread = opened(stack, port, GET[:-2] + b"Content-Length: 999\r\n\r\n{")  # of a route that takes none
        assert status(rest(unread)) == 200


def test_who_sends_too_much_sees_why(serve: Serve) -> None:
    with ExitStack() as stack:
        port = serve(api_keys={"reader": "r"})
        cases = ((b"X-API-Key: r\r\n", 413), (b"", 401), (b"X-API-Key: wrong\r\n", 401))
        for key, wanted in cases:
            for size in (b"Content-Length: 30000000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"):
                one = opened(stack, port, POST + key + size)
                piece = b" " * 1_000_000
                for _ in range(30):
                    one.sendall(b"f4240\r\n" + piece + b"\r\n" if b"chunked" in size else piece)
                if b"chunked" in size:
                    one.sendall(b"0\r\n\r\n")  # else the service waits for more until LINGER
                answer = rest(one)
                assert status(answer) == wanted, answer[:300]
                assert b"application/problem+json" in answer


def test_at_the_limit_the_oldest_that_asks_nothing_gives_way(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEAD", 30)
    monkeypatch.setattr(body, "WAIT", 30)
    with ExitStack() as stack:
        port = serve(connections=20)
        halves = [opened(stack, port, GET[:20]) for _ in range(15)]
        halves += [opened(stack, port, POST + b"Content-Length: 99\r\n\r\n{") for _ in range(200)]
        for _ in range(5):
            assert status(opened(stack, port, GET).recv(65_536)) == 200
        still = 0
        for one in halves:
            one.setblocking(False)
            try:
                still += one.recv(1) != b""
            except BlockingIOError:
                still += 1
            except ConnectionResetError:
                pass
        assert still <= 20


def test_an_answer_that_nobody_reads_is_given_up(serve: Serve) -> None:
    with ExitStack() as stack:
        port = serve()
        one = opened(stack, port)
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        with pytest.raises(OSError):
            for _ in range(200):
                one.sendall(b"GET /static-offline-docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
                time.sleep(QUICK / 10)


def test_forwarded_addresses_count_only_from_a_trusted_proxy(serve: Serve) -> None:
    with ExitStack() as stack:
        for known, wanted in (({}, 429), ({"trusted_proxies": ("127.0.0.0/8",)}, 401)):
            port = serve(api_keys={"reader": "r"}, rate_limit=3, **known)
            for number in range(6):
                named = b"X-API-Key: guess\r\nX-Forwarded-For: 192.0.2.%d\r\n\r\n" % number
                found = status(opened(stack, port, GET[:-2] + named).recv(65_536))
            assert found == wanted


def test_idle_connections_are_kept_longer_than_clients_keep_them() -> None:
    """Else the server may close one at the moment a client sends its next request on it."""
    kept = httpx.Limits().keepalive_expiry
    assert kept is not None
    assert options(Settings())["timeout_keep_alive"] > kept
